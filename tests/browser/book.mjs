// The book, the reports and the search, as the server shows them.
import { REPORT, SRUN, accessible, check, example, finish, need, open, overflow, same, send, serve, test, until } from "./help.mjs";

const files = {
  "docs/bug_reports/BUG-20260504-001.md": REPORT,
  "docs/bug_reports/BUG-20260601-002.md": REPORT.replaceAll("BUG-20260504-001", "BUG-20260601-002").replace("status: resolved", "status: open")
    .replace("Data loader workers die of a bus error on the new nodes", "<img src=x onerror=alert(1)> in a title")
    .replace("The container has 64 MB", "<script>alert(1)</script> [x](javascript:alert(1)) See BUG-20260504-001. The container has 64 MB"),
};
const PAGES = ["book/index.html", "book/oom.html", "book/shm-exhausted.html", "reports/index.html", "reports/BUG-20260504-001.html", "reports/BUG-20260601-002.html",
  "search", "search?q=shared+memory", "search?q=nothing-is-called-so"];

test("every link of the pages leads somewhere", async () => {
  const server = await serve({ files });
  const seen = new Map();
  const answer = await send(server, { "": example(SRUN) });
  const queue = ["", "book/index.html", "reports/index.html", "search?q=memory", answer].map((path) => server.url(path));
  const texts = new Map();
  while (queue.length > 0 && seen.size < 400) {
    const address = queue.shift();
    if (seen.has(address)) continue;
    const found = await fetch(address);
    seen.set(address, found.status);
    check(found.status === 200, `${address} is ${found.status}, linked from ${texts.get(address)}`);
    if (!found.headers.get("content-type").startsWith("text/html")) continue;
    const html = await found.text();
    for (const [, link] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const to = new URL(link.replaceAll("&amp;", "&"), address);
      if (to.origin !== server.address) continue;
      if (to.hash && to.href.split("#")[0] === address.split("#")[0]) {
        check(html.includes(`id="${decodeURIComponent(to.hash.slice(1))}"`), `${address}: nothing is called ${to.hash}`);
      }
      to.hash = "";
      if (!seen.has(to.href) && !queue.includes(to.href)) { texts.set(to.href, address); queue.push(to.href); }
    }
  }
  console.log(`  ${seen.size} addresses`);
  check(seen.size > 150, `only ${seen.size} addresses`);
});

test("search as you type, from every page, with the keyboard", async () => {
  const server = await serve({ files });
  const page = await open(server, "search");
  const field = page.locator("header.bar input[type=search]");
  await field.pressSequentially("shared mem", { delay: 20 });
  await until(async () => /shm-exhausted/.test(await page.textContent("#results")), "the page is not found");
  await until(async () => /BUG-20260504-001/.test(await page.textContent("#results")), "the report is not found");
  check(await page.locator("#results mark").count() > 0, "no word is highlighted");
  check(new URL(page.url()).searchParams.get("q") === "shared mem", "the address does not follow");
  await page.keyboard.press("ArrowDown");
  check(await page.evaluate(() => document.activeElement.closest("#results") !== null), "the arrow does not lead into the results");
  await page.goto(server.url("book/oom.html"));
  await page.keyboard.press("/");
  check(await page.evaluate(() => document.activeElement.type === "search"), "the slash does not lead to the field");
  await page.keyboard.type("CUDNN_STATUS_NOT_SUPPORTED");
  await Promise.all([page.waitForURL(/search\?q=CUDNN_STATUS_NOT_SUPPORTED/), page.keyboard.press("Enter")]);
  check(/CUDNN_STATUS_NOT_SUPPORTED/.test(await page.textContent("#results")), "the code is not found");
});

test("search and filters without script", async () => {
  const server = await serve({ files });
  const page = await open(server, "", { javaScriptEnabled: false });
  await page.fill("header.bar input[type=search]", "shared memory");
  await page.press("header.bar input[type=search]", "Enter");
  check(/shm-exhausted/.test(await page.textContent("main")), "the page is not found");
  await page.goto(server.url("reports/index.html"));
  await page.selectOption("select[name=status]", "open");
  await page.click(".filters button");
  const words = await page.textContent(".reports-table");
  check(words.includes("BUG-20260601-002") && !words.includes("BUG-20260504-001"), words);
});

test("hostile questions and reports stay text", async () => {
  const server = await serve({ files });
  for (const words of ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "title:<b>", "((((", "\"", "a AND OR NOT", "\u0000", "x".repeat(5000)]) {
    const page = await open(server, `search?q=${encodeURIComponent(words)}`);
    same(await page.locator("main script, main img, main svg[onload]").count(), 0, `elements of ${words.slice(0, 40)}`);
    await page.fill("header.bar input[type=search]", `${words} x`);
    await page.waitForTimeout(200);
    same(await page.locator("main script, main img").count(), 0, `elements of ${words.slice(0, 40)}, typed`);
    await page.context().close();
  }
  for (const path of ["reports/BUG-20260601-002.html", "reports/index.html", "search?q=title"]) {
    const page = await open(server, path);
    same(await page.locator("img:not(.chart), main script, a[href^='javascript:']").count(), 0, `elements of ${path}`);
    check((await page.textContent("main")).includes("<img src=x onerror=alert(1)>"), `${path} does not show the title as it is`);
  }
});

for (const [name, options] of Object.entries({ light: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } })) {
  test(`book, reports and search are accessible: ${name}`, async () => {
    const server = await serve({ files });
    const page = await open(server, "", options);
    for (const path of PAGES) {
      await page.goto(server.url(path));
      await accessible(page, `${path}, ${name}`);
      same(await overflow(page), 0, `sideways overflow of ${path}`);
      same(await page.locator("h1").count(), 1, `first headings of ${path}`);
    }
  });
}

test("the HTML of book, reports and search is valid", async () => {
  const server = await serve({ files });
  const { HtmlValidate } = need("html-validate");
  const validator = new HtmlValidate({ extends: ["html-validate:standard"], rules: { "no-trailing-whitespace": "off" } });
  for (const path of PAGES) {
    const report = await validator.validateString(await (await fetch(server.url(path))).text());
    const found = report.results.flatMap((one) => one.messages).map((one) => `${one.line}:${one.column} ${one.ruleId}: ${one.message}`);
    check(found.length === 0, `${path}:\n  ${found.slice(0, 8).join("\n  ")}`);
  }
});

await finish();
