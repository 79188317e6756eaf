// Without script, in the dark, on a phone, with a screen reader's eyes.
import { SRUN, REPORT, accessible, check, example, findings, finish, need, open, overflow, paste, same, send, serve, test } from "./help.mjs";

const log = example(SRUN);
const files = { "docs/bug_reports/BUG-20260504-001.md": REPORT };
const OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free.\n";
const states = async (server) => {
  const one = await send(server, { "": log });
  const several = await send(server, { "rank-3.log": log, "oom.log": OOM });
  return { home: "", answer: one, several, second: `${several}/1`, beside: `${one}/0/beside/BUG-20260504-001`, nothing: "no-such-page" };
};

test("without script: paste, pick, read and delete", async () => {
  const server = await serve({ files });
  const page = await open(server, "", { javaScriptEnabled: false });
  await page.fill("textarea", log);
  await page.click("button.primary");
  check(/^Shared memory/.test(await page.textContent("#title")), "a paste is not diagnosed");
  same(await page.locator("p#L4").getAttribute("class"), "failure", "line 4");
  await page.locator("p.follows .marks a").first().click();
  await page.locator(".further summary").first().click();
  check(await page.locator(".further details p").first().isVisible(), "further actions cannot be opened");
  await page.click("form[action$=forget] button");
  same(await page.locator(".recent a").count(), 0, "recent texts");
  await page.setInputFiles("input[name=file]", [
    { name: "rank-3.log", mimeType: "text/plain", buffer: Buffer.from(log) },
    { name: "oom.log", mimeType: "text/plain", buffer: Buffer.from(OOM) },
  ]);
  await page.click("button.primary");
  same(await page.locator(".tabs a").count(), 2, "tabs");
});

for (const [name, options] of Object.entries({
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
})) {
  test(`nothing is in anyone's way: ${name}`, async () => {
    const server = await serve({ files });
    for (const [state, path] of Object.entries(await states(server))) {
      const page = await open(server, path, { ...options, expects: /status of 404/ });
      for (const closed of await page.locator("summary").all()) {
        if (await closed.isVisible() && !(await closed.evaluate((one) => one.parentElement.open))) await closed.click();
      }
      await accessible(page, `${state}, ${name}`);
      same(await overflow(page), 0, `sideways overflow of ${state}`);
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
      check(name === "dark" ? paper[0] < 60 : paper[0] > 200, `${state}: the background is ${paper}`);
    }
  });
}

test("who wants less motion or more contrast gets it", async () => {
  const server = await serve({ files });
  const path = await send(server, { "": OOM });
  const page = await open(server, path, { reducedMotion: "reduce" });
  const moving = await page.evaluate(() => [...document.querySelectorAll("*")]
    .filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0 || getComputedStyle(one).animationName !== "none").length);
  same(moving, 0, "moving parts");
  const forced = await open(server, path, { forcedColors: "active" });
  same(await findings(forced), [], "forced colours");
});

test("landmarks, one heading of the first rank, headings in order", async () => {
  const server = await serve({ files });
  for (const [state, path] of Object.entries(await states(server))) {
    const page = await open(server, path, { expects: /status of 404/ });
    same(await page.locator("h1").count(), 1, `first headings of ${state}`);
    for (const landmark of ["header.bar", "nav[aria-label=Main]", "main", "footer"]) same(await page.locator(landmark).count(), 1, `${landmark} of ${state}`);
    const ranks = await page.locator("h1, h2, h3, h4, h5, h6").evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
    ranks.forEach((rank, at) => check(at === 0 || rank - ranks[at - 1] <= 1, `${state}: headings ${ranks}`));
  }
});

test("on paper the answer and the text are whole", async () => {
  const server = await serve({ files });
  const page = await open(server, await send(server, { "": log }));
  await page.emulateMedia({ media: "print" });
  const cut = await page.evaluate(() => {
    const log = document.querySelector(".log");
    return { rolled: log.scrollHeight - log.clientHeight, bar: getComputedStyle(document.querySelector("header.bar")).display };
  });
  same(cut, { rolled: 0, bar: "none" }, "the printed page");
});

test("the HTML is valid", async () => {
  const server = await serve({ files });
  const { HtmlValidate } = need("html-validate");
  const validator = new HtmlValidate({ extends: ["html-validate:standard"], rules: { "no-trailing-whitespace": "off" } });
  for (const [state, path] of Object.entries(await states(server))) {
    const report = await validator.validateString(await (await fetch(server.url(path))).text());
    const found = report.results.flatMap((one) => one.messages).map((one) => `${one.line}:${one.column} ${one.ruleId}: ${one.message}`);
    check(found.length === 0, `${state}:\n  ${found.slice(0, 8).join("\n  ")}`);
  }
});

await finish();
