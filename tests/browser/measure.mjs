// How long it takes from a click on Diagnose until the answer is on the screen; of use with a release build only:
//   BROWSER=/usr/bin/chromium FAULTBOOK=target/release/faultbook FAULTBOOK_CLIENTS=target/clients node tests/browser/measure.mjs
import { SRUN, REPORT, example, open, serve, started } from "./help.mjs";

const server = await serve({ files: { "docs/bug_reports/BUG-20260504-001.md": REPORT } });
const log = example(SRUN);
const times = [];
const page = await open(server);
for (let round = 0; round < 25; round += 1) {
  await page.goto(server.url());
  await page.locator("textarea").evaluate((area, text) => { area.value = text; }, `run ${round}\n${log}`);
  await page.evaluate(() => addEventListener("click", () => sessionStorage.setItem("begun", String(Date.now())), true));
  await Promise.all([page.waitForURL(/\/d\//), page.click("button.primary")]);
  await page.waitForSelector("#title");
  // The first frame in which the answer is drawn.
  times.push(await page.evaluate(() => new Promise((done) => {
    const drawn = () => performance.getEntriesByName("first-contentful-paint")[0];
    const wait = () => {
      const paint = drawn();
      if (!paint) return void requestAnimationFrame(wait);
      const posted = performance.timeOrigin;
      done({ whole: posted + paint.startTime - Number(sessionStorage.getItem("begun")), navigation: paint.startTime,
        answered: performance.getEntriesByType("navigation")[0].responseStart });
    };
    wait();
  })));
}
const sorted = (name) => times.slice(5).map((one) => one[name]).sort((a, b) => a - b);
for (const [name, what] of Object.entries({ whole: "from the click to the drawn answer", navigation: "from the browser's start of sending to it", answered: "until the first byte of the answer" })) {
  const all = sorted(name);
  console.log(`${what}: median ${all[Math.floor(all.length / 2)].toFixed(0)} ms, longest of ${all.length}: ${all.at(-1).toFixed(0)} ms`);
}
server.stop();
await (await started()).close();
process.exit(0);
