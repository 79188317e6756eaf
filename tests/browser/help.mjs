// What every test of the page shares: a server of a project of its own, a browser that must stay silent, a list of tests.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, "../..");
export const faultbook = process.env.FAULTBOOK;
const tools = createRequire(join(process.env.FAULTBOOK_CLIENTS, "tools.js"));
export const need = (name) => tools(name);
export const where = (name) => tools.resolve(name);

export const example = (path) => readFileSync(join(root, path), "utf8");
export const SRUN = "examples/srun-rank-3.log";

/** A report that the log `SRUN` is like. */
export const REPORT = `---
title: "Data loader workers die of a bus error on the new nodes"
date: "2026-05-04"
type: bug_report
status: resolved
bug_id: BUG-20260504-001
severity: high
---
# Bug Report: data loader workers die of a bus error on the new nodes

## Summary
The container has 64 MB of shared memory.

## Environment
- PyTorch: 2.0.1
- OS: Ubuntu 22.04

## Logs / Stack Trace
\`\`\`
RuntimeError: DataLoader worker (pid 411) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.
\`\`\`

## Root Cause
/dev/shm of the container is full.

## Solution
Start the container with \`--shm-size=16g\`.
`;

export const fail = (message) => { throw new Error(message); };
export const check = (truth, message) => { if (!truth) fail(message); };
export const same = (found, wanted, what = "") => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) fail(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
};
/** Waits until `what` gives something; `message` may be a function, which is asked when the time is up. */
export const until = async (what, message, milliseconds = 10000) => {
  const end = Date.now() + milliseconds;
  for (;;) {
    const found = await what();
    if (found) return found;
    if (Date.now() > end) fail(typeof message === "function" ? await message() : message);
    await new Promise((done) => setTimeout(done, 50));
  }
};

const folders = [];
export const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "faultbook-browser-"));
  folders.push(made);
  return made;
};

const servers = [];
/** Starts `faultbook serve` in a project with these files. */
export const serve = async ({ args = [], env = {}, files = {} } = {}) => {
  const base = folder();
  const project = join(base, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const own = { XDG_CACHE_HOME: join(base, "cache"), XDG_STATE_HOME: join(base, "state"), XDG_DATA_HOME: join(base, "data"), HOME: base };
  const child = spawn(faultbook, ["serve", "--bind", "127.0.0.1:0", ...args], {
    cwd: project, env: { ...process.env, ...own, ...env }, stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "", complained = "";
  child.stdout.on("data", (part) => { said += part; });
  child.stderr.on("data", (part) => { complained += part; });
  servers.push(child);
  const address = await until(() => {
    if (child.exitCode !== null) fail(`the server ended: ${complained}`);
    return said.match(/http:\/\/[^\s/]+/)?.[0];
  }, "the server prints no address", 30000);
  return {
    address, project, base, child, port: Number(new URL(address).port),
    url: (path = "") => `${address}/${path}`,
    memory: () => Number(readFileSync(`/proc/${child.pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1024,
    stop: () => child.kill("SIGTERM"),
  };
};

let browser;
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--font-render-hinting=none"];
export const started = async () => {
  browser ??= await need("playwright-core").chromium.launch({ executablePath: process.env.BROWSER, args: flags });
  return browser;
};

const contexts = [];
/**
 * A page whose console, errors, violations of the policy and requests to elsewhere are troubles. `expects` is what may be
 * said nevertheless.
 */
export const open = async (server, path = "", { expects, ...options } = {}) => {
  const context = await (await started()).newContext({ viewport: { width: 1400, height: 950 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  const trouble = (words) => { if (!expects?.test(words)) troubles.push(words); };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") trouble(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble(`error in the page: ${error.message}`));
  page.on("dialog", (dialog) => { trouble(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("crash", () => trouble("the page crashed"));
  context.on("request", (request) => {
    const to = new URL(request.url());
    if (!/^(data|blob|about):$/.test(to.protocol) && to.origin !== server.address) trouble(`a request to ${to.origin}`);
  });
  if (options.javaScriptEnabled !== false) {
    await page.exposeFunction("violated", (words) => trouble(`policy: ${words}`));
    await page.addInitScript(() => addEventListener("securitypolicyviolation", (event) =>
      window.violated(`${event.violatedDirective} ${event.blockedURI}`)));
  }
  contexts.push({ context, troubles });
  await page.goto(server.url(path));
  return page;
};

/** Pastes a text on the first page and waits for its answer. */
export const paste = async (page, text) => {
  // Not by `fill`, which types: that takes a browser a minute for 5,000 lines.
  await page.locator("textarea[name=text]").evaluate((area, text) => { area.value = text; }, text);
  await Promise.all([page.waitForURL(/\/d\//), page.click("button.primary")]);
  await page.waitForSelector("#title");
};

/** Sends a text without a browser, and gives the path of its answer. */
export const send = async (server, texts) => {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) {
    if (name) form.append("file", new Blob([text]), name);
    else form.append("text", text);
  }
  const answer = await fetch(server.url("diagnose"), { method: "POST", body: form, redirect: "manual" });
  if (answer.status !== 303) fail(`sending gives ${answer.status}: ${await answer.text()}`);
  return answer.headers.get("location").replace(/^\//, "");
};

/** Serious findings of axe-core. */
export const findings = async (page) => {
  await page.evaluate(readFileSync(where("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.filter((one) => ["serious", "critical", "moderate"].includes(one.impact))
    .map((one) => `${one.impact}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
};
export const accessible = async (page, state) => {
  const found = await findings(page);
  if (found.length > 0) fail(`${state}:\n  ${found.join("\n  ")}`);
};

/** How much wider the page is than its window. */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const tests = [];
export const test = (name, body) => tests.push({ name, body });
const leave = Symbol("left out");
export const leaveOut = (why) => { throw { [leave]: why }; };

const short = (words) => (words.length > 3000 ? `${words.slice(0, 2000)} ... ${words.slice(-500)}` : words);

/** Runs the tests of a file. */
export const finish = async () => {
  const only = process.env.ONLY;
  let failed = 0;
  for (const { name, body } of tests) {
    if (only && !name.includes(only)) continue;
    let problem;
    let timer;
    try {
      const late = new Promise((_, refuse) => { timer = setTimeout(() => refuse(new Error("takes longer than 2 minutes")), 120000); });
      await Promise.race([body(), late]);
    } catch (error) {
      problem = error;
    }
    clearTimeout(timer);
    for (const { context, troubles } of contexts.splice(0)) {
      if (troubles.length > 0) problem ??= new Error([...new Set(troubles)].join("\n  "));
      await context.close();
    }
    for (const child of servers.splice(0)) child.kill("SIGTERM");
    if (problem?.[leave]) console.log(`LEFT OUT: ${name}: ${problem[leave]}`);
    else if (problem) { failed += 1; console.log(`FAILED: ${name}\n  ${short(problem.stack ?? String(problem))}`); }
    else console.log(`PASSED ${name}`);
  }
  await browser?.close();
  for (const made of folders) rmSync(made, { recursive: true, force: true });
  process.exit(failed > 0 ? 1 : 0);
};
