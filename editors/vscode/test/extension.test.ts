// The extension's own code against a double of VS Code's API.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { beforeEach, test } from 'node:test';
import { seen } from './vscode';
import { executed } from '../src/commands';
import { Harnesses } from '../src/harnesses';
import { TracePanel } from '../src/panel';
import type { Harness, Outcome } from '../src/server';

const later = () => new Promise(done => setTimeout(done, 5));

beforeEach(() => {
  seen.panels.length = seen.shown.length = seen.runs.length = seen.saved = 0;
  seen.output = '';
});

// server answers requests by their method.
function server(answers: Record<string, (params: any) => unknown>) {
  const asked: unknown[] = [];
  return { asked, sendRequest: async <R>(method: string, params: unknown) => { asked.push([method, params]); return answers[method](params) as R; } };
}

test('a counterexample opens in a panel that runs the page of the server alone, and moves the line of the editor along', async () => {
  const s = server({ 'firmproof/trace': () => ({ html: '<html>the viewer</html>' }) });
  const panel = new TracePanel(s);
  await panel.show('/fw', 'memory@put#1');
  const [p] = seen.panels;
  assert.equal(p.webview.html, '<html>the viewer</html>');
  assert.deepEqual(p.options.localResourceRoots, []);
  assert.deepEqual(s.asked, [['firmproof/trace', { dir: '/fw', claim: 'memory@put#1' }]]);
  assert.equal(seen.context['firmproof.stepping'], true);
  await p.say({ step: 3, of: 7, file: 'src/a.c', line: 12, column: 5, value: 'i = 10', kind: 'assign' });
  assert.deepEqual(seen.shown, [{ file: '/fw/src/a.c', column: 1, line: 11, text: 'i = 10  (step 3 of 7)' }]);
  await p.say({ step: 4, of: 7, file: '/elsewhere/b.c', line: 99, column: 5, value: 'x', kind: 'call' });
  assert.deepEqual([seen.shown[1].file, seen.shown[1].line], ['/elsewhere/b.c', 19]);
  await p.say({ step: 5, of: 7, file: 'firmproof-libc/string.c', line: 2, column: 5, value: 'x', kind: 'call' });
  await p.say({ step: 6, of: 7, file: '', line: 0 });
  await p.say(null);
  assert.equal(seen.shown.length, 2);
  panel.press('j');
  assert.deepEqual(p.posted, [{ key: 'j' }]);
  await panel.show('/fw', 'memory@put#2');
  assert.equal(seen.panels.length, 1);
  p.dispose();
  assert.equal(seen.context['firmproof.stepping'], false);
  await panel.show('/fw', 'memory@put#2');
  assert.equal(seen.panels.length, 2);
});

test('of steps that come quickly, the last one is shown', async () => {
  const panel = new TracePanel(server({ 'firmproof/trace': () => ({ html: '' }) }));
  await panel.show('/fw', 'c');
  for (const line of [1, 2, 3]) void seen.panels[0].say({ step: line, of: 3, file: 'a.c', line, column: 1, value: '', kind: 'assign' });
  await later();
  assert.equal(seen.shown.at(-1)?.line, 2);
});

const range = { start: { line: 4, character: 5 }, end: { line: 4, character: 9 } };
const list: Harness[] = ['right', 'wrong', 'open', 'within', 'gone'].map(entry => ({ dir: '/fw', entry, uri: 'file:///fw/a%20b.c', range }));
const outcome = (entry: string, status: string, target = 'host'): Outcome => ({ entry, target, status, seconds: 1, message: status === 'violated' ? 'index 8 of 8' : '', line: 6, uri: 'file:///fw/a.c' });

test('the Testing view has the harnesses; only what is proved has passed', async () => {
  const outcomes: Record<string, Outcome[]> = {
    right: [outcome('right', 'proved'), outcome('right', 'proved', 'cortex-m3'), outcome('other', 'violated')], wrong: [outcome('wrong', 'proved'), outcome('wrong', 'violated', 'avr')],
    open: [outcome('open', 'unknown')], within: [outcome('within', 'bounded')],
  };
  const s = server({
    'firmproof/harnesses': () => list,
    'workspace/executeCommand': p => { if (!outcomes[p.arguments[1]]) throw new Error('no function gone'); return outcomes[p.arguments[1]]; },
  });
  const h = new Harnesses(s);
  await h.refresh();
  await h.run({} as never, { isCancellationRequested: false } as never);
  assert.deepEqual(seen.runs.map(r => [r.item, r.how]), [['right', 'passed'], ['wrong', 'failed'], ['open', 'errored'], ['within', 'skipped'], ['gone', 'errored']]);
  const [m] = seen.runs[1].messages!;
  assert.deepEqual([m.message, m.location?.uri.fsPath, (m.location?.range as any).line], ['index 8 of 8 (avr)', '/fw/a.c', 6]);
  assert.match(seen.runs[4].messages![0].message, /no function gone/);
  assert.match(seen.output, /right on cortex-m3: proved\r\n/);
  assert.deepEqual(s.asked[1], ['workspace/executeCommand', { command: 'firmproof.check', arguments: ['/fw', 'right'] }]);
});

test('what was cancelled has not passed', async () => {
  const token = { isCancellationRequested: false };
  const h = new Harnesses(server({ 'firmproof/harnesses': () => list.slice(0, 2), 'workspace/executeCommand': () => { token.isCancellationRequested = true; throw new Error('cancelled'); } }));
  await h.refresh();
  await h.run({} as never, token as never);
  assert.deepEqual(seen.runs.map(r => r.how), ['skipped', 'skipped']);
});

test('traces open in the panel, comparisons and harnesses see what was saved, other commands go on', async () => {
  const shown: string[] = [], done: string[] = [];
  const run = executed({ show: async (dir: string, claim: string) => { shown.push(`${dir} ${claim}`); } });
  const next = (command: string) => { done.push(command); return command; };
  assert.equal(await run('firmproof.trace', ['/fw', 'c'], next), undefined);
  assert.equal(await run('firmproof.check', ['/fw', 'f'], next), 'firmproof.check');
  assert.equal(seen.saved, 0);
  await run('firmproof.compare', ['/fw', 'f'], next);
  assert.equal(seen.saved, 1);
  assert.deepEqual([shown, done], [['/fw c'], ['firmproof.check', 'firmproof.compare']]);
});

test('the package names what the extension registers, and takes nothing from a workspace that nobody trusts', () => {
  const pkg = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  const code = fs.readFileSync('src/extension.ts', 'utf8');
  for (const { command } of pkg.contributes.commands) assert.ok(code.includes(command.replace(/^firmproof\.step\./, '')) || code.includes(`'${command.split('.').pop()}'`), command);
  for (const k of pkg.contributes.keybindings) assert.ok(pkg.contributes.commands.some((c: any) => c.command === k.command), k.command);
  assert.equal(pkg.capabilities.untrustedWorkspaces.supported, false);
  assert.equal(pkg.contributes.configuration.properties['firmproof.path'].scope, 'machine');
});
