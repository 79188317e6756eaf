// Run by tests/clients/run: the packaged extension in a real VS Code (code-server) under a headless Chromium. Opens a
// log, waits for the mark, drafts a report, shows a diagnosis.
// node vscode.mjs CODE_SERVER CHROMIUM MODULES FAULTBOOK VSIX PROJECT
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert";

const [codeServer, chromium, modules, faultbook, vsix, project] = process.argv.slice(2);
const puppeteer = createRequire(modules + "/")("puppeteer-core");
const data = mkdtempSync(join(tmpdir(), "faultbook-code-"));
mkdirSync(join(data, "User"), { recursive: true });
const settings = {
  "faultbook.path": faultbook, "security.workspace.trust.enabled": false, "workbench.startupEditor": "none",
};
writeFileSync(join(data, "User", "settings.json"), JSON.stringify(settings));
const places = ["--user-data-dir", data, "--extensions-dir", join(data, "extensions")];
const installed = spawnSync(process.execPath, [codeServer, ...places, "--install-extension", vsix], { encoding: "utf8" });
assert.match(installed.stdout + installed.stderr, /successfully installed/);

const port = 20000 + (process.pid % 20000);
const server = spawn(
  process.execPath,
  [codeServer, ...places, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check"],
  { stdio: ["ignore", "pipe", "pipe"], detached: true },
);
let browser;
const end = async (code) => {
  await browser?.close().catch(() => {});
  // With all that it started: its group is its own.
  try { process.kill(-server.pid); } catch { /* gone already */ }
  await new Promise((resolve) => (server.exitCode === null ? server.once("exit", resolve) : resolve()));
  rmSync(data, { recursive: true, force: true });
  process.exit(code);
};
try {
  await new Promise((resolve, reject) => {
    server.stdout.on("data", (bytes) => String(bytes).includes("HTTP server listening") && resolve());
    server.once("exit", () => reject(new Error("code-server ended")));
  });
  browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--window-size=1400,1000"] });
  const page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 1000 });
  const file = JSON.stringify([["openFile", `vscode-remote://127.0.0.1:${port}${project}/run.log`]]);
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(project)}&payload=${encodeURIComponent(file)}`);
  await page.waitForSelector(".monaco-editor .view-line", { timeout: 60000 });
  const command = async (name) => {
    await page.keyboard.press("F1");
    await page.waitForSelector(".quick-input-widget input");
    await page.keyboard.type(name);
    await page.waitForFunction(
      (name) => [...document.querySelectorAll(".quick-input-list .monaco-list-row")].some((row) => row.textContent.includes(name)),
      { timeout: 20000 }, name,
    );
    await page.keyboard.press("Enter");
  };
  const tab = (words) =>
    page.waitForFunction(
      (words) => [...document.querySelectorAll(".tab")].some((tab) => tab.textContent.includes(words)),
      { timeout: 30000 }, words,
    );
  // The mark of the language server under the failure.
  await page.waitForSelector(".squiggly-error", { timeout: 60000 });
  const reports = () => readdirSync(join(project, "docs/bug_reports")).filter((name) => name.endsWith(".md"));
  const before = reports();
  await command("Faultbook: New Report");
  await tab("BUG-2");
  const after = reports().filter((name) => !before.includes(name));
  assert.equal(after.length, 1, String(after));
  assert.match(readFileSync(join(project, "docs/bug_reports", after[0]), "utf8"), /unable to find an engine/);
  await command("Faultbook: Diagnose Selection");
  await page.waitForSelector("iframe.webview", { timeout: 30000 });
  await tab("Faultbook");
  console.log(`PASSED VS Code ${JSON.parse(readFileSync(join(codeServer, "../../../lib/vscode/package.json"), "utf8")).version}`);
  await end(0);
} catch (error) {
  console.error(error);
  await browser?.pages().then((pages) => pages.at(-1)?.screenshot({ path: join(tmpdir(), "faultbook-vscode.png") })).catch(() => {});
  await end(1);
}
