// The panel that steps through a counterexample: the trace viewer of the report. The page comes from the server, with a
// policy that lets its own script run and nothing else; it says which step it shows, and the editor shows that line.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Server } from './server';

// What the page says of a step (`tell` in reports/page/viewer.js).
interface Step {
  step: number;
  of: number;
  file: string;
  line: number;
  column: number;
  value: string;
  kind: string;
}

export class TracePanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private dir = '';
  private last = 0; // the number of the last step that was asked to be shown
  private readonly here = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.stackFrameHighlightBackground'),
    after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorInlayHint.foreground') },
  });

  constructor(private readonly server: Server) {}

  // show opens the panel with the steps of a claim.
  async show(dir: string, claim: string): Promise<void> {
    const { html } = await this.server.sendRequest<{ html: string }>('firmproof/trace', { dir, claim });
    this.dir = dir;
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel('firmproof.trace', 'Counterexample',
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false },
        { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true });
      this.panel.onDidDispose(() => this.closed());
      this.panel.webview.onDidReceiveMessage((step: Step) => this.stepped(step));
      void vscode.commands.executeCommand('setContext', 'firmproof.stepping', true);
    }
    this.panel.title = claim;
    this.panel.webview.html = html;
    this.panel.reveal(undefined, false);
  }

  // press is a key of the viewer.
  press(key: string): void {
    void this.panel?.webview.postMessage({ key });
  }

  // stepped shows the line of a step in the editor, beside the panel.
  private async stepped(step: Step): Promise<void> {
    const n = ++this.last;
    if (typeof step?.file !== 'string' || !step.file || !(step.line > 0)) return;
    const file = path.isAbsolute(step.file) ? step.file : path.join(this.dir, step.file);
    let editor: vscode.TextEditor;
    try {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
      if (n !== this.last) return; // stepped on meanwhile
      const shown = vscode.window.visibleTextEditors.find(e => e.document.uri.fsPath === document.uri.fsPath);
      editor = await vscode.window.showTextDocument(document, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One, preserveFocus: true, preview: true });
    } catch {
      return; // a file of the C library, or one that is gone
    }
    if (n !== this.last) return;
    const line = Math.min(step.line, editor.document.lineCount) - 1;
    const range = new vscode.Range(line, 0, line, 0);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    for (const other of vscode.window.visibleTextEditors) if (other !== editor) other.setDecorations(this.here, []);
    editor.setDecorations(this.here, [{ range, renderOptions: { after: { contentText: `${step.value}  (step ${step.step} of ${step.of})` } } }]);
  }

  private closed(): void {
    this.panel = undefined;
    this.last++;
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.here, []);
    void vscode.commands.executeCommand('setContext', 'firmproof.stepping', false);
  }

  dispose(): void {
    this.panel?.dispose();
    this.here.dispose();
  }
}
