// firmproof for VS Code: a client of `firmproof lsp`, with a panel for traces and the Testing view. All else (findings,
// commands above functions, hovers, hints, quick fixes, progress) VS Code takes from the server by the protocol.
import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';
import { executed } from './commands';
import { Harnesses } from './harnesses';
import { TracePanel } from './panel';
import type { Server } from './server';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration('firmproof');
  const run: ServerOptions = { command: settings.get<string>('path', 'firmproof'), args: ['lsp'] };
  // with a token that is undefined, the client would send a list of both
  const server: Server = { sendRequest: (method, params, token) => token ? client!.sendRequest(method, params, token) : client!.sendRequest(method, params) };
  const panel = new TracePanel(server);
  const harnesses = new Harnesses(server);
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file', language: 'c' }, { scheme: 'file', language: 'cpp' }, { scheme: 'file', pattern: '**/.firmproof.{yml,yaml}' }],
    initializationOptions: { whileTyping: settings.get<boolean>('whileTyping', true), checked: true },
    middleware: { executeCommand: executed(panel) },
  };
  client = new LanguageClient('firmproof', 'firmproof', run, options);
  client.onNotification('firmproof/checked', () => void harnesses.refresh());
  const key = (name: string, k: string) => vscode.commands.registerCommand(`firmproof.step.${name}`, () => panel.press(k));
  context.subscriptions.push(panel, harnesses, key('next', 'j'), key('previous', 'k'), key('cause', 'c'),
    vscode.commands.registerCommand('firmproof.restart', () => client?.restart()),
    vscode.commands.registerCommand('firmproof.stopChecking', () => vscode.commands.executeCommand('firmproof.stop')));
  try {
    await client.start();
  } catch (err) {
    void vscode.window.showErrorMessage(`firmproof: the server does not start (${(err as Error).message}). Is firmproof installed, or "firmproof.path" set?`);
    return;
  }
  await harnesses.refresh();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
