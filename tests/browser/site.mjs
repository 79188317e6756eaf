// The static export: files for any host, read with and without script, and from the disk.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { REPORT, accessible, check, faultbook, finish, folder, need, open, overflow, same, started, test, until } from "./help.mjs";

const MEDIA = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".xml": "application/xml", ".png": "image/png", ".txt": "text/plain" };
let made;
/** The site as files, below a path as on most hosts. */
const site = async () => {
  if (!made) {
    const base = folder();
    mkdirSync(join(base, "project/.git"), { recursive: true });
    mkdirSync(join(base, "project/docs/bug_reports"), { recursive: true });
    writeFileSync(join(base, "project/docs/bug_reports/BUG-20260504-001.md"), REPORT);
    writeFileSync(join(base, "project/docs/bug_reports/BUG-20260601-002.md"),
      REPORT.replaceAll("BUG-20260504-001", "BUG-20260601-002").replace("Data loader workers", "<script>alert(1)</script> Data loader workers").replace("/dev/shm of", "Something else in"));
    execFileSync(faultbook, ["site", join(base, "out")], { cwd: join(base, "project"), stdio: "ignore", env: { ...process.env, XDG_CACHE_HOME: join(base, "cache"), HOME: base } });
    made = join(base, "out");
  }
  const server = createServer((request, answer) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    let file = path.startsWith("/team/") ? join(made, path.slice(6)) : "";
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!file || !existsSync(file)) { answer.statusCode = 404; answer.end("nothing"); return; }
    answer.setHeader("content-type", MEDIA[extname(file)] ?? "application/octet-stream");
    answer.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${server.address().port}`;
  return { address, url: (path = "") => `${address}/team/${path}`, close: () => server.close() };
};
const all = (under = made) => readdirSync(under, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => join(one.parentPath ?? one.path, one.name));

test("the site is read with script: search as you type, no error, no request elsewhere", async () => {
  const server = await site();
  const page = await open(server, "index.html");
  check((await page.textContent("main")).includes("BUG-20260504-001"), "the newest report is missing");
  await page.fill("header.bar input[type=search]", "shared memory");
  await page.press("header.bar input[type=search]", "Enter");
  await until(async () => /BUG-20260504-001/.test(await page.textContent("#results")) && /shm-exhausted/.test(await page.textContent("#results")), "search finds nothing");
  await page.fill("header.bar input[type=search]", "cudnn");
  await until(async () => /cudnn/.test(await page.locator("#results a").first().getAttribute("href")), "search does not follow what is typed");
  await page.locator("#results a").first().click();
  await page.waitForSelector("h1");
  server.close();
});

test("the site is read without script, and straight from the disk", async () => {
  const server = await site();
  const page = await open(server, "search.html", { javaScriptEnabled: false });
  check(/shm-exhausted/.test(await page.textContent("main")), "without script the search page lists nothing");
  await page.click("text=BUG-20260504-001 >> nth=0").catch(() => page.goto(server.url("reports/BUG-20260504-001.html")));
  await page.goto(server.url("reports/BUG-20260504-001.html"));
  check(/--shm-size=16g/.test(await page.textContent("main")), "the report cannot be read");
  server.close();
  const context = await (await started()).newContext();
  const local = await context.newPage();
  const errors = [];
  local.on("pageerror", (error) => errors.push(error.message));
  await local.goto(`file://${made}/index.html`);
  await local.fill("header.bar input[type=search]", "shared memory");
  await local.press("header.bar input[type=search]", "Enter");
  await until(async () => /hared memory/.test(await local.textContent("#results")), "from the disk search finds nothing");
  same(errors, [], "errors in the page");
  await context.close();
});

test("all links of the site lead to files and to places in them", async () => {
  (await site()).close();
  const html = all().filter((file) => file.endsWith(".html"));
  const ids = new Map(html.map((file) => [file, new Set([...readFileSync(file, "utf8").matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id))]));
  const wrong = [];
  let links = 0;
  for (const file of html) {
    for (const [, link] of readFileSync(file, "utf8").matchAll(/\b(?:href|src|action)="([^"]*)"/g)) {
      if (/^https?:/.test(link)) continue;
      links += 1;
      // The page for addresses that lead nowhere is shown at any depth: its links are from the root.
      const from = file.endsWith("/404.html") ? link.replace(/^\//, "") : link;
      const to = new URL(from.replaceAll("&amp;", "&"), `file://${file}`);
      const path = decodeURIComponent(to.pathname);
      const target = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
      if (!existsSync(target) || !target.startsWith(made)) wrong.push(`${file.slice(made.length)}: ${link}`);
      else if (to.hash && ids.has(target) && !ids.get(target).has(decodeURIComponent(to.hash.slice(1)))) wrong.push(`${file.slice(made.length)}: ${link}: no such place`);
    }
  }
  console.log(`  ${links} links in ${html.length} pages`);
  check(wrong.length === 0, `${wrong.length} links:\n  ${wrong.slice(0, 10).join("\n  ")}`);
});

test("all pages of the site are valid HTML, the feed and the map are well-formed", async () => {
  (await site()).close();
  const { HtmlValidate } = need("html-validate");
  const validator = new HtmlValidate({ extends: ["html-validate:standard"], rules: { "no-trailing-whitespace": "off" } });
  const html = all().filter((file) => file.endsWith(".html"));
  const wrong = [];
  for (const file of html) {
    const report = await validator.validateString(readFileSync(file, "utf8"));
    for (const one of report.results.flatMap((one) => one.messages)) wrong.push(`${file.slice(made.length)}:${one.line}:${one.column} ${one.ruleId}: ${one.message}`);
  }
  check(wrong.length === 0, `${wrong.length} findings in ${html.length} pages:\n  ${wrong.slice(0, 12).join("\n  ")}`);
  const page = await (await started()).newPage();
  for (const file of all().filter((file) => /\.(xml|svg)$/.test(file))) {
    const error = await page.evaluate((text) => new DOMParser().parseFromString(text, "application/xml").querySelector("parsererror")?.textContent, readFileSync(file, "utf8"));
    check(!error, `${file.slice(made.length)}: ${error}`);
  }
  await page.close();
});

for (const [name, options] of Object.entries({ light: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } })) {
  test(`the site is accessible: ${name}`, async () => {
    const server = await site();
    const page = await open(server, "index.html", options);
    for (const path of ["index.html", "search.html", "book/index.html", "book/oom.html", "reports/index.html", "reports/BUG-20260504-001.html", "reports/BUG-20260601-002.html"]) {
      await page.goto(server.url(path));
      await accessible(page, `${path}, ${name}`);
      same(await overflow(page), 0, `sideways overflow of ${path}`);
      check(!(await page.content()).includes("<script>alert"), `${path}: a title became a script`);
    }
    server.close();
  });
}

await finish();
