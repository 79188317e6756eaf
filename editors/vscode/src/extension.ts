// Starts `faultbook lsp` and shows its answers. Decides nothing: every answer comes from the server.
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

interface Answer {
  markdown: string;
}

interface Drafted {
  id: string;
  path: string;
  uri: string;
}

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = vscode.workspace.getConfiguration("faultbook").get<string>("path", "faultbook");
  const executable = { command, args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("faultbook", "Faultbook", executable, {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
    middleware: {
      // The server has no clipboard; we have one.
      executeCommand: async (name, args, next) => {
        if (name === "faultbook.copyCommand" && typeof args[0] === "string") {
          await vscode.env.clipboard.writeText(args[0]);
          void vscode.window.setStatusBarMessage("Faultbook: copied", 3000);
          return args[0];
        }
        return next(name, args);
      },
    },
  });
  const register = (name: string, text: () => Promise<string | undefined>) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, async () => show(await text())));
  register("faultbook.diagnoseSelection", async () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    return editor.document.getText(editor.selection.isEmpty ? undefined : editor.selection);
  });
  register("faultbook.diagnoseClipboard", async () => vscode.env.clipboard.readText());
  register("faultbook.diagnoseTerminalSelection", async () => {
    // The only API for a terminal's selection; the clipboard is restored afterwards.
    const before = await vscode.env.clipboard.readText();
    try {
      // Without a selection nothing is copied, and the old content of the clipboard is not used.
      await vscode.env.clipboard.writeText("");
      await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
      return await vscode.env.clipboard.readText();
    } finally {
      await vscode.env.clipboard.writeText(before);
    }
  });
  // The server writes the report, never over another, and asks us to show it.
  context.subscriptions.push(vscode.commands.registerCommand("faultbook.newReport", newReport));
  try {
    await client.start();
  } catch (error) {
    void vscode.window.showErrorMessage(`Faultbook did not start (${command}): ${String(error)}`);
  }
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** Drafts a bug report from the selection, else from the whole document, else from the clipboard. */
async function newReport(): Promise<Drafted | undefined> {
  const editor = vscode.window.activeTextEditor;
  const selection = editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : undefined;
  const text = selection ?? editor?.document.getText() ?? (await vscode.env.clipboard.readText());
  if (!client || !text.trim()) {
    void vscode.window.showInformationMessage("Faultbook: there is no text to report on");
    return undefined;
  }
  try {
    // The document says which folder of the workspace it is about.
    const params = { command: "faultbook.draftReport", arguments: [{ text, uri: editor?.document.uri.toString() }] };
    return await client.sendRequest<Drafted>("workspace/executeCommand", params);
  } catch {
    // The server has shown a message with the reason.
    return undefined;
  }
}

async function show(text: string | undefined): Promise<void> {
  if (!client || !text?.trim()) {
    void vscode.window.showInformationMessage("Faultbook: there is no text to diagnose");
    return;
  }
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  const params = { command: "faultbook.diagnose", arguments: [{ text, uri }] };
  const answer = await client.sendRequest<Answer>("workspace/executeCommand", params);
  const html = await vscode.commands.executeCommand<string>("markdown.api.render", answer.markdown);
  const panel = vscode.window.createWebviewPanel("faultbook", "Faultbook", vscode.ViewColumn.Beside, { enableScripts: false });
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const style = "body{padding:0 1.5em;line-height:1.5}pre{padding:.6em;background:var(--vscode-textCodeBlock-background)}";
  panel.webview.html =
    `<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<style>${style}</style></head><body>${html}</body></html>`;
}
