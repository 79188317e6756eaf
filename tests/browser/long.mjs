// Long texts: scrolling stays fluid, what is not shown can be reached, the first page is small.
import { SRUN, check, example, finish, open, paste, same, send, serve, test, until } from "./help.mjs";

const log = example(SRUN);
const lines = (count) => Array.from({ length: count }, (_, at) =>
  `[rank${at % 8}]: 2026-11-21 02:46:${String(at % 60).padStart(2, "0")},185 | INFO | trainer:30 - step ${at} loss 0.31 lr 0.001`).join("\n");

test("5,000 lines scroll without a stall", async () => {
  const server = await serve();
  const page = await open(server);
  await paste(page, `${lines(5000)}\n${log}`);
  check(await page.locator(".log p[id]").count() > 5000, "the lines are not there");
  const frames = await page.evaluate(() => new Promise((done) => {
    const log = document.querySelector(".log");
    const frames = [];
    let before = performance.now();
    const step = (now) => {
      frames.push(now - before);
      before = now;
      log.scrollTop += 600;
      if (log.scrollTop + log.clientHeight < log.scrollHeight - 1) requestAnimationFrame(step);
      else done(frames.slice(2));
    };
    log.scrollTop = 0;
    requestAnimationFrame(step);
  }));
  frames.sort((a, b) => a - b);
  const at = (share) => frames[Math.floor(frames.length * share)].toFixed(1);
  console.log(`  ${frames.length} frames while scrolling 5,000 lines: median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, longest ${at(0.9999)} ms`);
  check(frames[Math.floor(frames.length * 0.5)] < 100, "it stalls");
});

test("of 60,000 lines the marked ones are shown, and the others can be reached", async () => {
  const server = await serve();
  const page = await open(server, await send(server, { "long.log": `${lines(60000)}\n${log}\n${lines(3000)}` }));
  const shown = await page.locator(".log p[id]").count();
  check(shown < 6000, `${shown} lines are shown`);
  check(await page.locator("p.failure").count() === 1, "the failure is not shown");
  const sees = await page.locator("p.failure").evaluate((line) => {
    const [log, box] = [line.closest(".log").getBoundingClientRect(), line.getBoundingClientRect()];
    return box.top >= log.top && box.bottom <= log.bottom;
  });
  check(sees, "the failure is out of sight");
  await page.locator(".gap a").first().click();
  await page.waitForLoadState();
  const first = await page.locator(".log p[id]").first().getAttribute("id");
  same(new URL(page.url()).hash, `#${first}`, "the first line of the gap");
  await page.click("text=Back to the marked lines");
  check(await page.locator("p.failure").count() === 1, "the way back does not lead to the failure");
  // Every address of the answer leads to a line that is there.
  for (const link of await page.locator("a.line").all()) same(await page.locator(await link.getAttribute("href")).count(), 1, "a line");
});

test("one line of 5 MB, and bytes that are no text in between", async () => {
  const server = await serve();
  const page = await open(server, await send(server, { "wide.log": `${"x".repeat(5 << 20)}\n\u001b[31mred\u001b[0m \u0000\u0007 \r50 %\r100 %\n${log}` }));
  check(/^Shared memory/.test(await page.textContent("#title")), "the failure is not found");
  const words = await page.textContent("p#L2");
  check(words.includes("100 %") && !/[\u0000-\u0008\u001b]/.test(words), JSON.stringify(words));
  check((await page.textContent("p#L1")).includes("more characters"), "the wide line is not cut");
});

test("5,000 lines from the clipboard are in the form at once", async () => {
  const server = await serve();
  const page = await open(server, "", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.evaluate((text) => navigator.clipboard.writeText(text), `${lines(5000)}\n${log}`);
  await page.focus("textarea");
  const begun = Date.now();
  await page.keyboard.press("Control+v");
  await until(async () => await page.locator("textarea").evaluate((area) => area.value.length) > 400_000, "it is not pasted");
  console.log(`  5,000 lines from the clipboard: ${Date.now() - begun} ms`);
  await Promise.all([page.waitForURL(/\/d\//), page.keyboard.press("Control+Enter")]);
  check(/^Shared memory/.test(await page.textContent("#title")), "the failure is not found");
});

test("the first page with all that belongs to it is below 150 KB, and loads nothing twice", async () => {
  const server = await serve();
  const page = await open(server);
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map((one) => one.name));
  check(loaded.length >= 2, "neither style nor script was loaded");
  same(new Set(loaded).size, loaded.length, "addresses");
  let bytes = 0;
  for (const address of [server.url(), server.url("assets/icon.svg"), ...loaded]) bytes += (await (await fetch(address)).arrayBuffer()).byteLength;
  console.log(`  the first page: ${(bytes / 1000).toFixed(1)} KB`);
  check(bytes < 150_000, `${bytes} bytes`);
});

await finish();
