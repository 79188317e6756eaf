// A report drafted from an answer: preview, findings, redactions that can be reversed, saved only with permission.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { REPORT, SRUN, accessible, check, example, finish, need, open, overflow, same, send, serve, test, until } from "./help.mjs";

const files = { "docs/bug_reports/BUG-20260101-001.md": REPORT.replaceAll("BUG-20260504-001", "BUG-20260101-001").replace("Data loader workers die", "Something else").replace(/RuntimeError.*/, "ValueError: nothing of the kind") };
const SECRET = "export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEF12\nssh alice@10.20.30.40 /home/alice/project\n";
const log = SECRET + example(SRUN);
const reports = (server) => readdirSync(join(server.project, "docs/bug_reports"));
const drafted = async (server, options) => {
  const page = await open(server, await send(server, { "run.log": log }), options);
  await page.click("main a[href$='/draft']");
  await page.waitForSelector("form.draft");
  await page.click("form.draft button.primary");
  await page.waitForSelector(".report-preview");
  return page;
};

test("a draft is previewed and saved as a report that the book finds again", async () => {
  const server = await serve({ args: ["--allow-write"], files });
  const page = await drafted(server);
  await page.fill("#title", "Workers die on the new nodes");
  await page.click("form.draft button.primary");
  await page.waitForSelector(".report-preview");
  check((await page.textContent(".report-preview")).includes("Workers die on the new nodes"), "the preview has another title");
  check(!(await page.textContent("main")).includes("hf_abcdefghijklmnop"), "a secret is in the preview");
  await accessible(page, "the draft");
  same(reports(server).length, 1, "reports before saving");
  await page.click("button:has-text('Save as')");
  await page.waitForLoadState();
  const made = await until(() => reports(server).find((name) => name !== "BUG-20260101-001.md"), "nothing was saved");
  const text = readFileSync(join(server.project, "docs/bug_reports", made), "utf8");
  check(text.includes("Workers die on the new nodes") && text.includes("bus error") && !text.includes("hf_abcdefghijklmnop"), text.slice(0, 400));
  // The next one who has it meets the report.
  await page.goto(server.url(await send(server, { "again.log": `${example(SRUN)}\nagain\n` })));
  await until(async () => /Workers die/.test(await page.locator(".reports").textContent().catch(() => "")), "the new report is not met again");
});

test("a redaction can be reversed and put back", async () => {
  const server = await serve({ args: ["--allow-write"], files });
  const page = await drafted(server);
  const boxes = page.locator(".redactions input[type=checkbox]");
  check(await boxes.count() > 0, "no redaction is listed");
  await boxes.first().check();
  await page.click("form.draft button.primary");
  await page.waitForSelector(".report-preview");
  check(await page.locator(".redactions input:checked").count() === 1, "the choice is lost");
  await page.locator(".redactions input:checked").first().uncheck();
  await page.click("form.draft button.primary");
  await page.waitForSelector(".report-preview");
  same(await page.locator(".redactions input:checked").count(), 0, "choices");
});

test("without permission nothing is written, and the page says how", async () => {
  const server = await serve({ files });
  const page = await drafted(server);
  same(await page.locator("button:has-text('Save as')").count(), 0, "save buttons");
  check(/--allow-write/.test(await page.textContent("main")), "the flag is not named");
  const form = new URLSearchParams(await page.locator("form.draft").evaluate((form) => [...new FormData(form)]));
  const answer = await fetch(`${page.url().replace(/\/$/, "")}/save`, { method: "POST", body: form, redirect: "manual" });
  check(answer.status >= 400, `saving gives ${answer.status}`);
  same(reports(server).length, 1, "reports");
});

test("hostile titles stay text and name no other place", async () => {
  const server = await serve({ args: ["--allow-write"], files });
  for (const title of ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "../../../outside", "a\nstatus: closed", "{{7*7}}"]) {
    const page = await drafted(server);
    await page.fill("#title", title);
    await page.click("form.draft button.primary");
    await page.waitForSelector(".report-preview");
    same(await page.locator("main script, main img").count(), 0, `elements of ${title}`);
    await page.click("button:has-text('Save as')");
    await page.waitForLoadState();
    same(await page.locator("main script, main img:not(.chart)").count(), 0, `elements of ${title}, saved`);
    await page.context().close();
  }
  check(!existsSync(join(server.base, "outside")) && !readdirSync(server.base).some((name) => name.includes("outside")), "a title led out of the project");
});

test("a draft without script", async () => {
  const server = await serve({ args: ["--allow-write"], files });
  const page = await drafted(server, { javaScriptEnabled: false });
  await page.click("button:has-text('Save as')");
  await until(() => reports(server).length === 2, "nothing was saved");
});

for (const [name, options] of Object.entries({ dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } })) {
  test(`the draft is accessible: ${name}`, async () => {
    const server = await serve({ args: ["--allow-write"], files });
    const page = await drafted(server, options);
    await accessible(page, `the draft, ${name}`);
    same(await overflow(page), 0, "sideways overflow");
  });
}

test("the HTML of the draft is valid", async () => {
  const server = await serve({ args: ["--allow-write"], files });
  const page = await drafted(server);
  const html = await (await fetch(page.url(), { method: "POST", body: new URLSearchParams({ title: "x" }) })).text();
  const { HtmlValidate } = need("html-validate");
  const validator = new HtmlValidate({ extends: ["html-validate:standard"], rules: { "no-trailing-whitespace": "off" } });
  const report = await validator.validateString(html);
  const found = report.results.flatMap((one) => one.messages).map((one) => `${one.line}:${one.column} ${one.ruleId}: ${one.message}`);
  check(found.length === 0, found.slice(0, 8).join("\n  "));
});

await finish();
