// Makes the pictures of docs/screenshots, and the one for previews of links: main states of the page, in windows of fixed sizes.
import { spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { machine } from "./fake.mjs";
import { REPORT, SRUN, check, example, finish, open, root, send, serve, test, until } from "./help.mjs";

const files = { "docs/bug_reports/BUG-20260504-001.md": REPORT };
const LARGEST = 150_000;

const shoot = async (page, name, folder = "docs/screenshots") => {
  const path = join(root, folder, `${name}.png`);
  await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0); });
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  spawnSync("pngquant", ["--force", "--skip-if-larger", "--strip", "--ext", ".png", "--quality", "70-95", path], { stdio: "ignore" });
  const bytes = statSync(path).size;
  console.log(`  ${folder}/${name}.png: ${(bytes / 1000).toFixed(0)} KB`);
  check(bytes < LARGEST, `${name}.png is too large: ${bytes} bytes`);
};

test("screenshots", async () => {
  mkdirSync(join(root, "docs/screenshots"), { recursive: true });
  const server = await serve({ files });
  const wide = { viewport: { width: 1400, height: 900 } };
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const log = example(SRUN);
  await shoot(await open(server, "", wide), "home");
  const answer = await send(server, { "srun-rank-3.log": log });
  await shoot(await open(server, answer, wide), "answer");
  await shoot(await open(server, answer, { ...wide, colorScheme: "dark" }), "answer-dark");
  await shoot(await open(server, answer, phone), "answer-phone");
  // What previews of links to an exported site show: 1200 by 630.
  const card = { viewport: { width: 800, height: 420 }, deviceScaleFactor: 1.5 };
  await shoot(await open(server, answer, card), "preview", "src/interfaces/web/assets");
  await shoot(await open(server, `${answer}/0/beside/BUG-20260504-001`, wide), "beside");
  const several = await send(server, {
    "rank-3.log": log,
    "oom.log": example("tests/corpus/oom/cause-memory-climbs.memory-leak.txt"),
    "epoch-7.log": "epoch 7 loss 0.31\nepoch 8 loss 0.30\n",
  });
  await shoot(await open(server, `${several}/1`, wide), "several-files");
  await shoot(await open(server, "book/cudnn-no-engine.html", wide), "book-page");
  await shoot(await open(server, "reports/BUG-20260504-001.html", wide), "report");
  const search = await open(server, "search", wide);
  await search.locator("header.bar input[type=search]").pressSequentially("shared memory", { delay: 5 });
  await until(async () => /shm-exhausted/.test(await search.textContent("#results")), "search finds nothing");
  await shoot(search, "search");
  const draft = await open(server, `${answer}/0/draft`, wide);
  await draft.click("form.draft button.primary");
  await draft.waitForSelector(".report-preview");
  await shoot(draft, "draft");

  const fake = machine("gpu.count=2\ngpu.ecc.uncorrected=3\n");
  const measured = await serve({ args: fake.args, env: fake.env });
  const panel = await open(measured, "machine", wide);
  await panel.click("#checks button");
  await until(async () => await panel.locator("#checks table").count() > 0 && await panel.locator("#checks button:disabled").count() === 0, "the checks do not end", 60000);
  await panel.setViewportSize({ width: 1400, height: 1250 });
  await shoot(panel, "machine");
});

await finish();
