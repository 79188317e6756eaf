// How long it takes from a click on Diagnose until the answer is on the screen; of use with a release build only:
//   BROWSER=/usr/bin/chromium FAULTBOOK=target/release/faultbook FAULTBOOK_CLIENTS=target/clients node tests/browser/measure.mjs
import { SRUN, REPORT, example, open, serve, started } from "./help.mjs";

const ROUNDS = 25;
const UNCOUNTED = 5;
const server = await serve({ files: { "docs/bug_reports/BUG-20260504-001.md": REPORT } });
const log = example(SRUN);

const report = (what, all) => {
  const sorted = all.slice(UNCOUNTED).sort((a, b) => a - b);
  console.log(`${what}: median ${sorted[Math.floor(sorted.length / 2)].toFixed(0)} ms, longest of ${sorted.length}: ${sorted.at(-1).toFixed(0)} ms`);
};
const fill = async (page, round) => {
  await page.goto(server.url());
  await page.locator("textarea").evaluate((area, text) => { area.value = text; }, `run ${round}\n${log}`);
};

// The answer is put into the page: until the second frame after that, the first of which has drawn it.
const page = await open(server);
const put = [];
for (let round = 0; round < ROUNDS; round += 1) {
  await fill(page, round);
  await page.evaluate(() => {
    addEventListener("click", () => { window.begun = performance.now(); }, true);
    new MutationObserver((_, observer) => {
      if (!document.getElementById("title")) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = performance.now(); }));
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.click("button.primary");
  await page.waitForFunction(() => window.drawn);
  put.push(await page.evaluate(() => window.drawn - window.begun));
}
report("from the click to the drawn answer", put);

// Without that, as with scripts forbidden: until the first contentful paint of the new document.
const times = [];
for (let round = 0; round < ROUNDS; round += 1) {
  await fill(page, ROUNDS + round);
  await page.evaluate(() => {
    addEventListener("submit", (event) => event.stopImmediatePropagation(), true);
    addEventListener("click", () => sessionStorage.setItem("begun", String(Date.now())), true);
  });
  await Promise.all([page.waitForURL(/\/d\//), page.click("button.primary")]);
  await page.waitForSelector("#title");
  times.push(await page.evaluate(() => new Promise((done) => {
    const wait = () => {
      const paint = performance.getEntriesByName("first-contentful-paint")[0];
      if (!paint) return void requestAnimationFrame(wait);
      const whole = performance.timeOrigin + paint.startTime - Number(sessionStorage.getItem("begun"));
      done({ whole, answered: performance.getEntriesByType("navigation")[0].responseStart });
    };
    wait();
  })));
}
report("with a new document", times.map((one) => one.whole));
report("until the first byte of that", times.map((one) => one.answered));
server.stop();
await (await started()).close();
process.exit(0);
