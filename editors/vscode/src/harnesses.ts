// The Testing view: harnesses of the manifests of the workspace. Only what is proved has passed.
import * as vscode from 'vscode';
import type { Harness, Outcome, Server } from './server';

export class Harnesses implements vscode.Disposable {
  private readonly tests = vscode.tests.createTestController('firmproof', 'firmproof');
  private readonly of = new Map<string, Harness>(); // by the ID of its test

  constructor(private readonly server: Server) {
    this.tests.createRunProfile('Check', vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
    this.tests.refreshHandler = () => this.refresh();
  }

  // refresh lists the harnesses anew.
  async refresh(): Promise<void> {
    const lists = await Promise.all((vscode.workspace.workspaceFolders ?? []).map(f =>
      this.server.sendRequest<Harness[]>('firmproof/harnesses', { uri: f.uri.toString() })));
    const items: vscode.TestItem[] = [];
    this.of.clear();
    for (const h of lists.flat()) {
      const id = `${h.dir}\n${h.entry}`;
      const item = this.tests.createTestItem(id, h.entry, h.uri ? vscode.Uri.parse(h.uri) : undefined);
      if (h.uri) item.range = new vscode.Range(h.range.start.line, h.range.start.character, h.range.end.line, h.range.end.character);
      item.description = h.status;
      this.of.set(id, h);
      items.push(item);
    }
    this.tests.items.replace(items);
  }

  // run checks the harnesses that were asked for, one after the other, until the user ends it.
  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const items: vscode.TestItem[] = [...(request.include ?? [])];
    if (!request.include) this.tests.items.forEach(i => items.push(i));
    const run = this.tests.createTestRun(request);
    const wanted = items.filter(i => !request.exclude?.includes(i));
    for (const item of wanted) run.enqueued(item);
    for (const item of wanted) {
      const h = this.of.get(item.id);
      if (!h || token.isCancellationRequested) {
        run.skipped(item);
        continue;
      }
      run.started(item);
      try {
        const list = await this.server.sendRequest<Outcome[]>('workspace/executeCommand',
          { command: 'firmproof.check', arguments: [h.dir, h.entry] }, token);
        this.tell(run, item, list.filter(o => o.entry === h.entry));
      } catch (err) {
        if (token.isCancellationRequested) run.skipped(item);
        else run.errored(item, new vscode.TestMessage(String((err as Error).message ?? err)));
      }
    }
    run.end();
  }

  // tell says how a harness came out: the worst of its targets.
  private tell(run: vscode.TestRun, item: vscode.TestItem, list: Outcome[]): void {
    const seconds = list.reduce((sum, o) => sum + o.seconds, 0);
    for (const o of list) run.appendOutput(`${o.entry} on ${o.target}: ${o.status}${o.message ? `: ${o.message}` : ''}\r\n`, undefined, item);
    const messages = (status: string) => list.filter(o => o.status === status).map(o => {
      const m = new vscode.TestMessage(`${o.message || o.status} (${o.target})`);
      if (o.uri) m.location = new vscode.Location(vscode.Uri.parse(o.uri), new vscode.Position(o.line, 0));
      return m;
    });
    item.description = [...new Set(list.map(o => o.status))].join(', ');
    if (list.some(o => o.status === 'violated')) run.failed(item, messages('violated'), seconds * 1000);
    else if (list.length === 0 || list.some(o => o.status === 'unknown')) run.errored(item, messages('unknown'), seconds * 1000);
    else if (list.every(o => o.status === 'proved')) run.passed(item, seconds * 1000);
    else run.skipped(item);
  }

  dispose(): void {
    this.tests.dispose();
  }
}
