// Run by tests/clients/run: the language server through vscode-languageserver-protocol, the library of VS Code.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert";

const [faultbook, modules, project] = process.argv.slice(2);
const require = createRequire(modules + "/");
const p = require("vscode-languageserver-protocol/node");

const child = spawn(faultbook, ["lsp", "--stdio"], { cwd: project });
const connection = p.createMessageConnection(
  new p.StreamMessageReader(child.stdout),
  new p.StreamMessageWriter(child.stdin),
);
const marks = new Promise((resolve) =>
  connection.onNotification(p.PublishDiagnosticsNotification.type, (params) => resolve(params)),
);
connection.listen();
const root = pathToFileURL(project).href;
const answer = await connection.sendRequest(p.InitializeRequest.type, {
  processId: process.pid, rootUri: root, capabilities: {}, workspaceFolders: [{ uri: root, name: "project" }],
});
assert(answer.capabilities.hoverProvider);
await connection.sendNotification(p.InitializedNotification.type, {});
const uri = "untitled:Untitled-1";
const text = "😀\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: GET was unable to find an engine to execute this computation\n";
await connection.sendNotification(p.DidOpenTextDocumentNotification.type, {
  textDocument: p.TextDocumentItem.create(uri, "plaintext", 1, text),
});
const { diagnostics } = await marks;
assert.equal(diagnostics[0].code, "cudnn-no-engine");
assert.equal(diagnostics[0].range.start.line, 3);
const hover = await connection.sendRequest(p.HoverRequest.type, { textDocument: { uri }, position: { line: 3, character: 5 } });
assert(hover.contents.value.includes("Most likely"));
await assert.rejects(connection.sendRequest("no/such/request", {}), (error) => error.code === -32601);
await connection.sendRequest(p.ShutdownRequest.type);
await connection.sendNotification(p.ExitNotification.type);
const code = await new Promise((resolve) => child.on("exit", resolve));
assert.equal(code, 0);
console.log("PASSED vscode-languageserver-protocol");
process.exit(0);
