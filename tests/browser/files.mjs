// Files: dropped, picked, several, compressed, in archives, too long.
import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { SRUN, check, example, finish, folder, open, same, serve, test, until } from "./help.mjs";

const log = example(SRUN);
const OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free.\n";

const drop = async (page, files) => {
  const carried = await page.evaluateHandle((files) => {
    const carried = new DataTransfer();
    for (const [name, text] of files) carried.items.add(new File([text], name));
    return carried;
  }, files);
  await page.dispatchEvent("main", "dragover", { dataTransfer: carried });
  check(await page.locator(".dropping").count() === 1, "nothing shows that files can be dropped");
  await page.dispatchEvent("main", "drop", { dataTransfer: carried });
  await page.waitForURL(/\/d\//);
  await page.waitForSelector("#title");
};
const pick = async (page, files) => {
  await page.setInputFiles("input[name=file]", files);
  await page.click("button.primary");
  await page.waitForURL(/\/d\//);
  await page.waitForSelector("#title");
};

test("a dropped file is diagnosed", async () => {
  const server = await serve();
  const page = await open(server);
  await drop(page, [["rank-3.log", log]]);
  check(/^Shared memory/.test(await page.textContent("#title")), "the failure is not found");
});

test("several files are tabs, each with what was found", async () => {
  const server = await serve();
  const page = await open(server);
  await drop(page, [["rank-3.log", log], ["oom.log", OOM], ["fine.log", "epoch 1\n"]]);
  const tabs = page.locator(".tabs a");
  same(await tabs.count(), 3, "tabs");
  const words = await page.textContent(".tabs");
  for (const wanted of ["rank-3.log", "oom.log", "fine.log", "Shared memory", "No failure"]) check(words.includes(wanted), `${wanted} is not in ${words}`);
  for (let at = 0; at < 3; at += 1) {
    await tabs.nth(at).click();
    await page.waitForLoadState();
    same(await tabs.nth(at).getAttribute("aria-current"), "page", `tab ${at}`);
    for (const link of await page.locator("header.bar a, .formats a, link[rel=stylesheet]").all()) {
      const to = await link.evaluate((link) => link.href);
      if (/\/(book|reports|machine)/.test(to)) continue;
      same((await fetch(to)).status, 200, to);
    }
  }
});

test("compressed files and archives are read", async () => {
  const server = await serve();
  const made = folder();
  mkdirSync(join(made, "logs"));
  writeFileSync(join(made, "logs/a.log"), log);
  writeFileSync(join(made, "logs/b.log"), OOM);
  execFileSync("tar", ["-C", made, "-czf", join(made, "logs.tar.gz"), "logs"]);
  execFileSync("python3", ["-m", "zipfile", "-c", join(made, "logs.zip"), join(made, "logs/")]);
  writeFileSync(join(made, "c.log.gz"), gzipSync(log));
  const page = await open(server);
  await pick(page, join(made, "c.log.gz"));
  check(/^Shared memory/.test(await page.textContent("#title")), "gzip is not read");
  for (const archive of ["logs.tar.gz", "logs.zip"]) {
    await page.goto(server.url());
    await pick(page, join(made, archive));
    const words = await page.textContent(".tabs");
    check(words.includes("a.log") && words.includes("b.log"), `${archive}: ${words}`);
  }
});

test("what is no text is refused in words", async () => {
  const server = await serve();
  const page = await open(server, "", { expects: /status of 422/ });
  await page.setInputFiles("input[name=file]", { name: "model.png", mimeType: "image/png", buffer: Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0", "latin1") });
  await page.click("button.primary");
  await until(async () => /model\.png is/.test(await page.textContent("main")), async () => `it says ${await page.textContent("main")}`);
});

test("50 MB are sent with progress", async () => {
  const server = await serve();
  const page = await open(server);
  await page.evaluate(() => {
    window.said = [];
    const progress = document.querySelector(".progress");
    new MutationObserver(() => window.said.push(progress.textContent)).observe(progress, { childList: true, characterData: true, subtree: true });
    addEventListener("beforeunload", () => sessionStorage.setItem("said", JSON.stringify(window.said)));
  });
  const line = "2026-11-21 02:46:29,185 | INFO | trainer:30 - step loss 0.31 lr 0.001 tokens/s 81234\n";
  const made = join(folder(), "long.log");
  writeFileSync(made, line.repeat(Math.ceil(50e6 / line.length)) + log);
  await page.setInputFiles("input[name=file]", made);
  await page.click("button.primary");
  await page.waitForURL(/\/d\//, { timeout: 110000 });
  check(/^Shared memory/.test(await page.textContent("#title")), "the failure at the end is not found");
  const said = JSON.parse(await page.evaluate(() => sessionStorage.getItem("said")));
  check(said.some((words) => /of \d+ MiB sent/.test(words)), `it says ${JSON.stringify(said)}`);
});

test("what is longer than the limit is refused with the limit's name, before it is sent and by the server", async () => {
  const server = await serve();
  const page = await open(server);
  const made = join(folder(), "longer.log");
  writeFileSync(made, "x\n");
  // Its length counts, not its content: a file with a hole takes no room on a full disk.
  truncateSync(made, 65 << 20);
  let sent = 0;
  page.on("request", (request) => { if (request.method() === "POST") sent += 1; });
  await page.setInputFiles("input[name=file]", made);
  await page.click("button.primary");
  await until(async () => /64 MiB/.test(await page.textContent(".progress")), "the limit is not named");
  same(sent, 0, "requests");
  const form = new FormData();
  form.append("text", new Blob([Buffer.alloc(65 << 20, "x\n")]));
  const answer = await fetch(server.url("diagnose"), { method: "POST", body: form }).catch((error) => error);
  // A server that closes before everything was sent is right too.
  if (answer instanceof Response) {
    same(answer.status, 413, "the status");
    check(/64 MiB/.test(await answer.text()), "the server does not name the limit");
  }
  same((await fetch(server.url())).status, 200, "the server afterwards");
});

await finish();
