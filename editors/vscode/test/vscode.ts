// A small double of VS Code's API: what the extension's own code takes of it, for its tests. The types are VS Code's
// (`tsc` holds the extension to them); here is only what tests look at.
export class Position {
  constructor(readonly line: number, readonly character: number) {}
}
export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: number, b: number, c: number, d: number) {
    this.start = new Position(a, b);
    this.end = new Position(c, d);
  }
}
export class Location {
  constructor(readonly uri: Uri, readonly range: Position) {}
}
export class Uri {
  private constructor(readonly fsPath: string) {}
  static file(path: string) { return new Uri(path); }
  static parse(text: string) { return new Uri(decodeURIComponent(text.replace(/^file:\/\//, ''))); }
  toString() { return `file://${this.fsPath}`; }
}
export class ThemeColor {
  constructor(readonly id: string) {}
}
export class TestMessage {
  location?: Location;
  constructor(readonly message: string) {}
}
export const ViewColumn = { One: 1, Beside: -2 };
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };
export const TestRunProfileKind = { Run: 1 };

// What happened, for tests.
export const seen = {
  panels: [] as Panel[],
  shown: [] as { file: string; column: number; line?: number; text?: string }[],
  runs: [] as { item: string; how: string; messages?: TestMessage[] }[],
  context: {} as Record<string, unknown>,
  saved: 0,
  output: '',
};

class Panel {
  title = '';
  disposed = false;
  posted: unknown[] = [];
  say: (m: unknown) => unknown = () => {};
  closed: () => void = () => {};
  webview = { html: '', onDidReceiveMessage: (f: (m: unknown) => unknown) => { this.say = f; }, postMessage: async (m: unknown) => { this.posted.push(m); return true; } };
  constructor(readonly id: string, readonly options: { enableScripts: boolean; localResourceRoots: unknown[] }) {}
  onDidDispose(f: () => void) { this.closed = f; }
  reveal() {}
  dispose() { this.disposed = true; this.closed(); }
}

export const window = {
  visibleTextEditors: [] as unknown[],
  createTextEditorDecorationType: () => ({ dispose() {} }),
  createWebviewPanel: (id: string, _title: string, _column: unknown, options: { enableScripts: boolean; localResourceRoots: unknown[] }) => {
    const panel = new Panel(id, options);
    seen.panels.push(panel);
    return panel;
  },
  showTextDocument: async (document: { uri: Uri; lineCount: number }, how: { viewColumn: number }) => {
    const entry: (typeof seen.shown)[number] = { file: document.uri.fsPath, column: how.viewColumn };
    seen.shown.push(entry);
    return {
      document,
      revealRange: (r: Range) => { entry.line = r.start.line; },
      setDecorations: (_type: unknown, list: { renderOptions: { after: { contentText: string } } }[]) => { entry.text = list[0]?.renderOptions.after.contentText; },
    };
  },
};

export const workspace = {
  workspaceFolders: [{ uri: Uri.file('/fw') }],
  openTextDocument: async (uri: Uri) => {
    if (uri.fsPath.includes('firmproof-libc')) throw new Error('no such file');
    return { uri, lineCount: 20 };
  },
  saveAll: async () => { seen.saved++; return true; },
};

export const commands = {
  executeCommand: async (command: string, ...args: unknown[]) => { if (command === 'setContext') seen.context[String(args[0])] = args[1]; },
};

class Item {
  range?: Range;
  description?: string;
  constructor(readonly id: string, readonly label: string, readonly uri?: Uri) {}
}

export const tests = {
  createTestController: () => {
    const items = new Map<string, Item>();
    return {
      items: { replace: (list: Item[]) => { items.clear(); list.forEach(i => items.set(i.id, i)); }, forEach: (f: (i: Item) => void) => items.forEach(i => f(i)), get: (id: string) => items.get(id), get size() { return items.size; } },
      createRunProfile: () => {},
      createTestItem: (id: string, label: string, uri?: Uri) => new Item(id, label, uri),
      createTestRun: () => {
        const note = (how: string) => (item: Item, messages?: TestMessage | TestMessage[] | number) => void seen.runs.push({ item: item.label, how, messages: messages === undefined || typeof messages === 'number' ? undefined : [messages].flat() });
        return { enqueued: () => {}, started: () => {}, passed: note('passed'), failed: note('failed'), errored: note('errored'), skipped: note('skipped'), end: () => {}, appendOutput: (text: string) => { seen.output += text; } };
      },
      dispose() {},
    };
  },
};
