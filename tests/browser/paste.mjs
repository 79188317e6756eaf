// A text is pasted: its answer beside it, with marks that lead from one to the other.
import { SRUN, REPORT, check, example, finish, open, overflow, paste, same, send, serve, test, until } from "./help.mjs";

const log = example(SRUN);
const files = { "docs/bug_reports/BUG-20260504-001.md": REPORT };

test("a paste becomes an answer beside its text", async () => {
  const server = await serve({ files });
  const page = await open(server);
  await paste(page, log);
  check(/^Shared memory/.test(await page.textContent("#title")), "the title is not the failure");
  check(/shared memory/.test(await page.textContent(".first h2")), "the first action is missing");
  same(await page.locator(".log p[id]").count(), log.trimEnd().split("\n").length, "the number of lines");
  same(await page.locator("p#L4").getAttribute("class"), "failure", "line 4");
  check(await page.locator("p.follows").count() > 0, "no consequence is marked");
  const met = await page.textContent(".reports");
  check(met.includes("BUG-20260504-001") && met.includes("--shm-size=16g"), "the report is missing");
  same(await page.title(), (await page.textContent("#title")).trim(), "the window's title");
  same(await overflow(page), 0, "sideways overflow");
});

test("marks and answer lead to each other", async () => {
  const server = await serve({ files });
  const page = await open(server, await send(server, { "": log }));
  await page.click(".answer > header a.line");
  same(new URL(page.url()).hash, "#L4", "the address");
  for (const link of await page.locator(".log .marks a, a.line").all()) {
    const target = await link.getAttribute("href");
    same(await page.locator(target).count(), 1, `the target ${target}`);
  }
  const inView = (selector) => page.locator(selector).evaluate((line) => {
    const box = line.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight;
  });
  await page.locator("p.follows .marks a").first().click();
  check(await inView(":target"), "the mark's target is out of sight");
  await page.locator("a.line").last().click();
  await until(() => inView(":target"), "the line is out of sight");
});

test("the keyboard is enough", async () => {
  const server = await serve();
  const page = await open(server);
  await page.keyboard.press("Tab");
  same(await page.evaluate(() => document.activeElement.className), "skip", "the first stop");
  await page.keyboard.press("Enter");
  await page.focus("textarea");
  await page.keyboard.insertText("RuntimeError: CUDA error: device-side assert triggered");
  await Promise.all([page.waitForURL(/\/d\//), page.keyboard.press("Control+Enter")]);
  await page.waitForSelector("#title");
  // Every stop is visible and has a ring; the log can be scrolled.
  const seen = new Set();
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const at = document.activeElement;
      const style = getComputedStyle(at);
      return { tag: at.tagName, name: at.className, ring: style.outlineStyle !== "none" && style.outlineWidth !== "0px" };
    });
    if (stop.tag === "BODY") break;
    check(stop.ring, `no ring around ${stop.tag} ${stop.name}`);
    seen.add(`${stop.tag}.${stop.name}`);
  }
  for (const wanted of ["SUMMARY.", "BUTTON.copy", "DIV.log", "A.line"]) check(seen.has(wanted), `Tab does not reach ${wanted}: ${[...seen]}`);
});

test("a text is sent once, however often the keys are pressed", async () => {
  const server = await serve();
  const page = await open(server);
  let sent = 0;
  page.on("request", (request) => { if (request.method() === "POST") sent += 1; });
  await page.focus("textarea");
  await page.keyboard.insertText("RuntimeError: CUDA error: device-side assert triggered");
  await page.evaluate(() => { for (let press = 0; press < 3; press += 1) document.querySelector("form.paste").requestSubmit(); });
  await page.waitForURL(/\/d\//);
  same(sent, 1, "requests");
});

test("a copy button copies the command", async () => {
  const server = await serve();
  const page = await open(server, await send(server, { "": log }), { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator(".first .copy").first().click();
  await until(async () => await page.locator(".first .copy").first().textContent() === "Copied", "the button says nothing");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  same(copied, await page.locator(".first pre.command code").first().textContent(), "what was copied");
});

test("an answer has an address that stays, is listed, and can be deleted", async () => {
  const server = await serve({ files });
  const page = await open(server, "", { expects: /status of 404/ });
  await paste(page, log);
  const address = page.url();
  const markdown = await (await fetch(await page.locator("a[href$='answer.md']").evaluate((link) => link.href))).text();
  check(/shared memory/i.test(markdown), "the markdown has no answer");
  const json = await (await fetch(await page.locator("a[href$='answer.json']").evaluate((link) => link.href))).json();
  same(json.fault?.id, "shm-exhausted", "the fault of the JSON");
  await page.goto(server.url());
  await page.locator(".recent a").first().click();
  same(page.url(), address, "the address of a recent text");
  await Promise.all([page.waitForNavigation(), page.click("form[action$=forget] button")]);
  same(await page.locator(".recent a").count(), 0, "recent texts");
  same((await fetch(address)).status, 404, "the deleted text");
});

test("an answer takes the form's place, and Back finds the form as it was", async () => {
  const server = await serve({ files });
  const page = await open(server);
  await page.evaluate(() => { window.same = true; });
  await paste(page, log);
  const [address, title] = [page.url(), await page.title()];
  check(await page.evaluate(() => window.same), "the answer is a new document");
  same(await page.evaluate(() => document.activeElement.id), "title", "what has the focus");
  const links = await page.locator("header.bar a").evaluateAll((all) => all.map((link) => link.href));
  for (const link of links) same((await fetch(link)).status, 200, link);
  await page.click(".answer > header a.line");
  await page.goBack();
  same(page.url(), address, "one step back");
  await page.goBack();
  same(await page.inputValue("textarea"), log, "the pasted text");
  check(await page.locator("button.primary").isEnabled(), "the button is off");
  await page.goForward();
  same(await page.title(), title, "the title after Forward");
  same(await page.locator("#title").count(), 1, "answers after Forward");
  await page.reload();
  same(await page.locator(".log p[id]").count(), log.trimEnd().split("\n").length, "the number of lines after a reload");
  await page.goBack();
  await page.waitForSelector("textarea");
});

test("a server that is gone is said", async () => {
  const server = await serve();
  const page = await open(server, "", { expects: /ERR_CONNECTION_REFUSED|Failed to load resource/ });
  await page.fill("textarea", log);
  server.stop();
  await page.click("button.primary");
  await until(async () => /still running/.test(await page.textContent(".progress")), "nothing is said");
  same(await page.inputValue("textarea"), log, "the pasted text");
});

test("a text beside a report", async () => {
  const server = await serve({ files });
  const page = await open(server, await send(server, { "": log }));
  await page.click("a.beside");
  const words = await page.textContent("main");
  check(words.includes("BUG-20260504-001") && words.includes("2.0.1") && words.includes("2.1.2"), words.slice(0, 400));
  check(await page.locator("tr.differs").count() > 0, "no difference is marked");
});

test("nothing, and text without a failure", async () => {
  const server = await serve();
  const page = await open(server, "", { expects: /status of 422/ });
  await page.click("button.primary");
  await until(async () => /nothing to diagnose/.test(await page.textContent("main")), "nothing is said of an empty form");
  await page.goto(server.url());
  await paste(page, "epoch 1 loss 0.5\nepoch 2 loss 0.4\n");
  check(/No failure found/.test(await page.textContent("#title")), "a healthy text has a failure");
  same(await page.locator(".first").count(), 0, "first actions");
});

await finish();
