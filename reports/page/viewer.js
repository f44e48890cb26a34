// The trace viewer: steps through a counterexample beside its source. It reads JSON that the page holds, makes no
// request, and puts text of the repository into the page as text only.
(() => {
  'use strict';
  const ROW = 22; // height of a line of source and of a step, as in page.css
  const kinds = ['call', 'return', 'assign', 'branch', 'input', 'volatile-read', 'interrupt', 'alloc', 'free', 'violation'];

  // coloured lists the parts of a line of source, those with a mark in its colour.
  function coloured(line, marks) {
    const out = [], part = (from, to) => line.slice(from, to).replace(/\t/g, '    ');
    let at = 0;
    for (const [from, to, kind] of marks || []) {
      out.push(part(at, from), el('span', { class: 'c-' + kind }, part(from, to)));
      at = to;
    }
    return [...out, part(at)];
  }

  // el makes an element with attributes and children; strings become text.
  function el(name, attrs, ...children) {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attrs || {})) {
      if (k === 'onclick') e.addEventListener('click', v);
      else if (v === true) e.setAttribute(k, '');
      else if (v !== false && v !== undefined) e.setAttribute(k, v);
    }
    e.append(...children.filter(c => c !== undefined && c !== null));
    return e;
  }

  // List shows the rows of a long list that are in sight.
  class List {
    constructor(box, render) {
      this.box = box;
      this.render = render;
      this.n = 0;
      this.inner = el('div', { class: 'rows' });
      box.append(this.inner);
      box.addEventListener('scroll', () => this.draw());
      new ResizeObserver(() => this.draw()).observe(box);
    }
    resize(n) {
      this.n = n;
      this.inner.style.height = n * ROW + 'px';
      this.draw();
    }
    draw() {
      const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 5);
      const last = Math.min(this.n, first + Math.ceil(this.box.clientHeight / ROW) + 12);
      const rows = [];
      for (let i = first; i < last; i++) {
        const row = this.render(i);
        row.style.top = i * ROW + 'px';
        rows.push(row);
      }
      this.inner.replaceChildren(...rows);
    }
    reveal(i) {
      const top = i * ROW, box = this.box;
      if (top < box.scrollTop + ROW || top > box.scrollTop + box.clientHeight - 3 * ROW)
        box.scrollTop = Math.max(0, top - box.clientHeight / 2);
      this.draw();
    }
  }

  // load turns the page's compact steps into objects.
  function load(data) {
    const s = data.strings;
    const numbers = new Map();
    const number = text => numbers.get(text) ?? (numbers.set(text, numbers.size), numbers.size - 1);
    const about = s.map(t => number(t.replace(/\[\d+\]/g, '[]'))); // by text: the same for all elements of an array
    const writes = k => k === 'assign' || k === 'volatile-read';
    return data.steps.map((r, i) => ({
      variable: writes(kinds[r[4]]) ? `${r[11]} ${s[r[5]]}` : null, // by object: equal names of two calls are two variables
      place: number(`${r[0]}:${r[1]}:${r[2]}:${r[4]}:${about[r[5]]}`), // equal where the program is at the same place
      i, file: s[r[0]], line: r[1], column: r[2], fn: s[r[3]], kind: kinds[r[4]], what: s[r[5]], value: s[r[6]],
      bytes: s[r[7]], type: s[r[8]], depth: r[9], relevant: r[10] === 1, object: r[11], frame: r[12], causes: (r[13] || []).filter(c => c >= 0 && c < i),
    }));
  }

  // outline arranges steps into calls and turns of loops: a tree of {i}, {i, call, children}, {loop, turns, children}.
  function outline(steps) {
    const root = { children: [] };
    const stack = [root];
    for (const s of steps) {
      const level = s.kind === 'call' || s.kind === 'interrupt' ? s.depth : s.depth + 1;
      while (stack.length > Math.max(1, level + 1)) stack.pop();
      const node = { i: s.i, children: null, parent: stack[stack.length - 1] };
      stack[stack.length - 1].children.push(node);
      if (s.kind === 'call' || s.kind === 'interrupt') {
        node.children = [];
        node.call = true;
        stack.push(node);
      }
    }
    for (const s of stack) s.open = true; // what is running at the end
    (function walk(node) {
      node.children.forEach(c => c.children && walk(c));
      node.children = loops(node.children, steps, 0);
    })(root);
    adopt(root);
    return root;
  }

  function adopt(node) {
    for (const c of node.children) {
      c.parent = node;
      if (c.children) adopt(c);
    }
  }

  // loops groups the steps of one call that come again in the same place into turns.
  function loops(nodes, steps, nesting) {
    if (nodes.length < 4 || nesting > 6) return nodes;
    const key = n => steps[n.i].place;
    const count = new Map();
    for (const n of nodes) count.set(key(n), (count.get(key(n)) || 0) + 1);
    const start = nodes.findIndex(n => count.get(key(n)) > 1);
    if (start < 0) return nodes;
    const head = key(nodes[start]);
    const heads = [];
    nodes.forEach((n, k) => { if (key(n) === head) heads.push(k); });
    const inTurn = new Set(nodes.slice(start, heads[heads.length - 1]).map(key));
    let end = heads[heads.length - 1] + 1; // the last turn goes on while its steps are those of the turns before
    while (end < nodes.length && inTurn.has(key(nodes[end]))) end++;
    const turns = heads.map((h, k) => nodes.slice(h, k + 1 < heads.length ? heads[k + 1] : end));
    const loop = { i: nodes[start].i, loop: true, children: turns.map((t, k) => ({
      i: t[0].i, turn: k + 1, of: turns.length, children: loops(t, steps, nesting + 1),
    })) };
    const flat = loop.children.length ? loop.children : [];
    return [...nodes.slice(0, start), ...flat, ...loops(nodes.slice(end), steps, nesting)];
  }

  // number shows bytes as a number of the base asked for; text where they are none.
  function number(text, bytes, type, base, bigEndian) {
    if (!bytes || base === 'dec' || /\*|float|double/.test(type)) return text;
    const list = bytes.split(' ');
    if (list.length > 8 || list.some(b => !/^[0-9a-f]{2}$/.test(b))) return text;
    const digits = (bigEndian ? list : list.slice().reverse()).join('');
    if (base === 'hex') return '0x' + digits;
    return '0b' + BigInt('0x' + digits).toString(2).padStart(digits.length * 4, '0').replace(/(.{4})(?=.)/g, "$1'");
  }

  class Viewer {
    constructor(box, data, id) {
      this.box = box;
      this.data = data;
      this.id = id;
      this.steps = load(data);
      this.tree = outline(this.steps);
      this.base = 'dec';
      this.round = 1; // of the cycle, in a run that never ends
      this.marked = this.steps.some(s => s.relevant); // somebody said which steps matter
      this.matters = this.marked && this.steps.some(s => !s.relevant);
      this.index();
      this.build();
      const asked = new URLSearchParams(location.search);
      const step = asked.get('trace') === id ? parseInt(asked.get('step'), 10) : NaN;
      this.tab = 'now';
      this.refold();
      this.go(step >= 1 && step <= this.steps.length ? step - 1 : data.cycle ? data.cycle - 1 : this.steps.length - 1, true);
    }

    // index notes the writes of each variable, the call that each step is in, and of each call which one of its
    // function it is and where it ends.
    index() {
      this.writes = new Map();
      this.owner = new Map(); // of a local: the call that it belongs to
      this.ends = new Map();
      this.calls = new Map();
      this.ordinal = new Map();
      this.caller = new Int32Array(this.steps.length).fill(-1);
      const stack = [];
      for (const s of this.steps) {
        const isCall = s.kind === 'call' || s.kind === 'interrupt';
        while (stack.length && this.steps[stack[stack.length - 1]].depth >= s.depth + (isCall ? 0 : 1)) this.ends.set(stack.pop(), s.i);
        this.caller[s.i] = stack.length ? stack[stack.length - 1] : -1;
        if (isCall) {
          stack.push(s.i);
          this.calls.set(s.what, (this.calls.get(s.what) || 0) + 1);
          this.ordinal.set(s.i, this.calls.get(s.what));
        }
        if (!s.variable) continue;
        if (!this.writes.has(s.variable)) this.writes.set(s.variable, []);
        this.writes.get(s.variable).push(s.i);
        if (s.frame && !this.owner.has(s.variable)) {
          const call = stack.findLast(c => this.steps[c].depth === s.frame - 1);
          if (call !== undefined) this.owner.set(s.variable, call);
        }
      }
    }

    // callName is the function of a call, and which call of it where there are several.
    callName(c) {
      const name = this.steps[c].what, n = this.calls.get(name);
      return n > 1 ? `${name}, call ${this.ordinal.get(c)} of ${n}` : name;
    }
    // scope says whose variable it is: a call's, or nothing for what outlives calls.
    scope(variable) { return this.owner.has(variable) ? this.callName(this.owner.get(variable)) : ''; }
    // ended reports whether a variable is gone at the current step, with the call that it belonged to.
    ended(variable) { return (this.ends.get(this.owner.get(variable)) ?? Infinity) <= this.at; }
    // inCall is the function that a step is in, and which call of it where there are several.
    inCall(s) { return this.caller[s.i] >= 0 ? this.callName(this.caller[s.i]) : s.fn; }

    build() {
      const button = (text, title, act) => el('button', { type: 'button', title, onclick: act }, text);
      this.where = el('span', { class: 'where', 'aria-live': 'polite' });
      const matters = el('input', { type: 'checkbox' });
      matters.checked = this.matters;
      matters.addEventListener('change', () => { this.matters = matters.checked; this.refold(); this.go(this.at, true); });
      this.mattersBox = matters;
      const base = el('select', { 'aria-label': 'values as' }, ...[['dec', 'in C'], ['hex', 'hexadecimal'], ['bits', 'bits']].map(([v, t]) => el('option', { value: v }, t)));
      base.addEventListener('change', () => { this.base = base.value; this.go(this.at, true); });
      this.baseBox = base;
      const bar = el('div', { class: 'bar' },
        button('|◀', 'first step (g)', () => this.edge(0)), button('◀', 'previous step (k, ↑)', () => this.move(-1)),
        button('▶', 'next step (j, ↓)', () => this.move(1)), button('▶|', this.data.cycle ? 'the end of the cycle (G)' : 'the failure (G)', () => this.edge(1)), this.where,
        button('its last change', 'previous change of this variable (p)', () => this.change(-1)),
        button('its next change', 'next change of this variable (n)', () => this.change(1)),
        button('why?', 'to the step that this one follows from (c)', () => this.cause()),
        el('label', {}, matters, ' only what matters'), el('label', {}, 'values ', base),
        this.data.test ? button('copy as C test', 'a C file with these inputs', e => this.copy(e.target)) : null);
      this.sourceName = el('div', { class: 'name' });
      this.sourceBox = el('div', { class: 'scroll source', tabindex: '0', 'aria-label': 'source' });
      this.stepBox = el('div', { class: 'scroll steps', tabindex: '0', role: 'listbox', 'aria-label': 'steps' });
      this.stack = el('div', { class: 'stack' });
      this.vars = el('div', { class: 'vars', tabindex: '0' });
      const tab = (name, text) => { const b = button(text, '', () => { this.tab = name; this.side(); }); b.dataset.tab = name; return b; };
      this.tabs = el('div', { class: 'tabs' }, tab('now', 'Variables'), tab('time', 'Over time'), tab('why', 'Why'), this.data.object ? tab('bytes', 'Bytes') : null);
      const round = this.data.cycle ? el('p', { class: 'violated' }, `↻ Steps ${this.data.cycle} to ${this.steps.length} repeat for ever: the next step after the last is step ${this.data.cycle}.`) : null;
      this.box.replaceChildren(bar, ...(round ? [round] : []), el('div', { class: 'panes' },
        el('div', { class: 'left' }, this.sourceName, this.sourceBox), el('div', { class: 'right' }, el('div', { class: 'name' }, 'steps'), this.stepBox),
        el('div', { class: 'left' }, el('div', { class: 'name' }, 'calls'), this.stack), el('div', { class: 'right' }, this.tabs, this.vars)),
        el('p', { class: 'dim keys' }, 'j k or arrows: step · ← →: fold, unfold · n p: next and last change of the variable · c: why · g G: start, failure · m: only what matters · x: hexadecimal, bits'));
      this.sources = new List(this.sourceBox, i => this.sourceRow(i));
      this.list = new List(this.stepBox, i => this.stepRow(i));
      this.box.addEventListener('keydown', e => this.key(e));
    }

    key(e) {
      if (e.target.tagName === 'SELECT' || e.target.tagName === 'INPUT' || e.ctrlKey || e.metaKey || e.altKey) return;
      const act = {
        j: () => this.move(1), ArrowDown: () => this.move(1), k: () => this.move(-1), ArrowUp: () => this.move(-1),
        ArrowRight: () => this.fold(true), ArrowLeft: () => this.fold(false), n: () => this.change(1), p: () => this.change(-1),
        c: () => this.cause(), g: () => this.edge(0), G: () => this.edge(1), Home: () => this.edge(0), End: () => this.edge(1),
        m: () => { this.mattersBox.checked = this.matters = !this.matters; this.refold(); this.go(this.at, true); },
        x: () => { const o = ['dec', 'hex', 'bits']; this.baseBox.value = this.base = o[(o.indexOf(this.base) + 1) % 3]; this.go(this.at, true); },
      }[e.key];
      if (act) { e.preventDefault(); act(); }
    }

    // refold lists the rows in sight: what is folded has one row.
    refold() {
      const rows = [];
      const seen = new Map(); // whether a node with children has something to show
      const known = n => {
        if (!this.matters || this.steps[n.i].relevant || !n.children) return !this.matters || this.steps[n.i].relevant;
        if (!seen.has(n)) seen.set(n, n.children.some(known));
        return seen.get(n);
      };
      const walk = (n, deep) => {
        for (const c of n.children) {
          if (!known(c)) continue;
          rows.push({ node: c, deep });
          if (!c.children) continue;
          if (c.open === undefined) c.open = c.turn ? c.turn === c.of : false;
          if (c.open) walk(c, deep + 1);
        }
      };
      walk(this.tree, 0);
      this.rows = rows;
      this.rowOf = new Map();
      rows.forEach((r, k) => { if (!r.node.turn) this.rowOf.set(r.node.i, k); });
      this.list.resize(rows.length);
    }

    // unfold opens what hides step i.
    unfold(i) {
      if (this.rowOf.has(i)) return;
      if (this.matters && !this.steps[i].relevant) this.mattersBox.checked = this.matters = false;
      const find = n => {
        for (const c of n.children || []) {
          if (c.i === i && !c.turn || find(c)) { n.open = true; return true; }
        }
        return false;
      };
      find(this.tree);
      this.refold();
    }

    go(i, stay) {
      this.at = i;
      this.unfold(i);
      const s = this.steps[i];
      if (!this.cycles(i)) this.round = 1;
      this.where.textContent = `step ${i + 1} of ${this.steps.length}` + (this.cycles(i) ? `, round ${this.round} of the cycle` : '') + (s.fn ? ` · ${this.inCall(s)}` : '') + (s.line ? ` · ${s.file}:${s.line}` : '');
      const row = this.rowOf.get(i);
      this.row = row;
      this.list.reveal(row);
      this.showSource(s);
      this.side();
      this.tell(s);
      if (!stay || this.linked) {
        this.linked = true;
        const q = new URLSearchParams(location.search);
        q.set('trace', this.id);
        q.set('step', i + 1);
        try { history.replaceState(null, '', '?' + q + location.hash); } catch (e) { /* a page without an address */ }
      }
    }

    // tell lets the page know which step is shown: an editor's panel shows its line there, too.
    tell(s) { document.dispatchEvent(new CustomEvent('firmproof:step', { detail: { step: s.i + 1, of: this.steps.length, file: s.file, line: s.line, column: s.column, value: this.valueText(s), kind: s.kind } })); }

    // cycles reports whether step i is in the part of the run that repeats for ever.
    cycles(i) { return this.data.cycle > 0 && i >= this.data.cycle - 1; }

    move(by) {
      let k = this.row + by;
      if (by > 0 && this.data.cycle && this.at === this.steps.length - 1) { this.round++; this.go(this.data.cycle - 1); return; }
      if (by < 0 && this.round > 1 && this.at === this.data.cycle - 1) { this.round--; this.go(this.steps.length - 1); return; }
      while (k >= 0 && k < this.rows.length && this.rows[k].node.turn && this.rows[k].node.open) k += by;
      if (k < 0 || k >= this.rows.length) return;
      const n = this.rows[k].node;
      if (n.turn && !n.open) { // a folded turn is stepped over as one
        this.at = n.i; this.row = k;
        this.focusTurn(n, k);
        return;
      }
      this.go(n.i);
    }
    focusTurn(n, k) {
      this.where.textContent = `turn ${n.turn} of ${n.of}: → unfolds it`;
      this.list.reveal(k);
      this.showSource(this.steps[n.i]);
      this.side();
      this.tell(this.steps[n.i]);
    }
    edge(end) { this.go(end ? this.steps.length - 1 : this.rows.find(r => !r.node.turn).node.i); }

    fold(open) {
      let n = this.rows[this.row].node;
      if (!open && (!n.children || !n.open) && n.parent && n.parent !== this.tree) n = n.parent;
      if (!n.children) return;
      n.open = open;
      this.refold();
      if (n.turn) {
        const k = this.rows.findIndex(r => r.node === n);
        this.row = k;
        if (open) this.go(n.i); else { this.at = n.i; this.focusTurn(n, k); }
      } else this.go(n.i);
    }

    // variable is the one that a step is about: the one it writes, or the last that it follows from.
    variable(s) {
      if (s.variable) return s.variable;
      for (const c of s.causes) if (this.steps[c].variable) return this.steps[c].variable;
      return this.watched;
    }
    change(by) {
      const variable = this.variable(this.steps[this.at]);
      if (!variable) return;
      this.watched = variable;
      const list = this.writes.get(variable);
      const next = by > 0 ? list.find(i => i > this.at) : list.filter(i => i < this.at).pop();
      if (next !== undefined) this.go(next);
    }
    cause() {
      const c = this.steps[this.at].causes;
      if (c.length) { this.tab = 'why'; this.go(c[0]); }
    }

    sourceRow(i) {
      const s = this.steps[this.at], n = this.lines.from + i;
      const here = n === s.line;
      const row = el('div', { class: 'row' + (here ? ' here' : '') + (here && s.kind === 'violation' ? ' bad' : '') },
        el('span', { class: 'no' }, String(n)), el('code', {}, ...coloured(this.lines.lines[i], (this.lines.marks || [])[i])));
      if (here) row.append(el('span', { class: 'val', title: this.valueText(s) }, this.valueText(s)));
      else if (this.beside.has(n)) row.append(el('span', { class: 'val old' }, this.beside.get(n)));
      return row;
    }
    showSource(s) {
      const file = this.data.files[s.file];
      this.sourceName.textContent = s.file ? s.file + (this.turnOf(s) ? ` · turn ${this.turnOf(s)}` : '') : 'no source';
      if (!file) {
        this.lines = { from: 1, lines: [s.file ? 'The source of this place is not in the report.' : 'This step has no place in the source.'] };
        this.beside = new Map();
        this.sources.resize(1);
        return;
      }
      this.lines = file;
      this.beside = new Map(); // the last values that this call gave to variables, on their lines
      for (let i = s.i - 1, n = 0; i >= 0 && i > this.caller[s.i] && n < 400; i--, n++) {
        const t = this.steps[i];
        if (t.file === s.file && this.caller[i] === this.caller[s.i] && t.variable && !this.beside.has(t.line))
          this.beside.set(t.line, this.valueText(t));
      }
      this.sources.resize(file.lines.length);
      this.sources.reveal(Math.max(0, s.line - file.from));
    }
    turnOf(s) {
      const row = this.rows[this.row];
      for (let n = row && row.node; n && n !== this.tree; n = n.parent) {
        if (n.turn) return `${n.turn} of ${n.of}`;
        if (n.call && n.i !== s.i) return '';
      }
      return '';
    }

    valueText(s) {
      const v = number(s.value, s.bytes, s.type, this.base, this.data.big);
      switch (s.kind) {
        case 'assign': case 'input': case 'volatile-read': return `${s.what} = ${v}`;
        case 'call': case 'interrupt': return `${s.what}(${s.value})`;
        case 'return': return v ? `return ${v}` : 'return';
        case 'violation': return s.value || s.what;
      }
      return s.what + (s.value ? ' = ' + s.value : '');
    }
    stepRow(k) {
      const { node, deep } = this.rows[k];
      const s = this.steps[node.i];
      const row = el('div', { class: `row step ${node.turn ? 'turn' : s.kind}` + (k === this.row ? ' here' : '') + (s.relevant || !this.marked ? '' : ' aside') + (this.cycles(s.i) ? ' cycle' : ''),
        role: 'option', 'aria-selected': k === this.row ? 'true' : 'false' });
      row.style.paddingLeft = 4 + Math.min(deep, 12) * 14 + 'px';
      row.append(el('span', { class: 'fold' }, node.children ? (node.open ? '▾' : '▸') : ''));
      if (node.turn) row.append(`turn ${node.turn} of ${node.of}`);
      else row.append(el('span', { class: 'kind' }, { call: 'call ', input: 'input ', 'volatile-read': 'volatile ', interrupt: 'interrupt ', alloc: 'alloc ', free: 'free ', violation: '✗ ' }[s.kind] || ''),
        s.kind === 'violation' ? s.what : this.valueText(s));
      row.addEventListener('click', () => {
        if (node.children && (k === this.row || node.turn)) { this.row = k; this.at = node.i; this.fold(!node.open); } else this.go(node.i);
      });
      return row;
    }

    side() {
      const stack = [];
      for (let c = this.caller[this.at]; c >= 0; c = this.caller[c]) stack.push(c);
      const s = this.steps[this.at];
      const calls = [el('div', { class: 'frame here' }, `${this.inCall(s) || '?'} at ${s.file}:${s.line}`)];
      for (const c of stack) {
        const t = this.steps[c];
        calls.push(el('div', { class: 'frame' }, el('button', { type: 'button', class: 'link', onclick: () => this.go(c) }, `${t.what}(${t.value})`),
          this.caller[c] < 0 ? ' is the entry' : ` ${t.kind === 'interrupt' ? 'interrupts' : 'called from'} ${t.fn || 'outside'}${t.line ? ' at ' + t.file + ':' + t.line : ''}`));
      }
      this.stack.replaceChildren(...calls);
      for (const b of this.tabs.children) b.setAttribute('aria-pressed', b.dataset.tab === this.tab ? 'true' : 'false');
      this.vars.replaceChildren(...{ now: () => this.now(), time: () => this.time(), why: () => this.why(), bytes: () => this.bytes() }[this.tab]());
    }

    // last is the position in list of the last element up to the current step, -1 if there is none.
    last(list) {
      let lo = 0, hi = list.length;
      while (lo < hi) { const mid = (lo + hi) >> 1; if (list[mid] <= this.at) lo = mid + 1; else hi = mid; }
      return lo - 1;
    }
    table(head, rows) {
      return [el('table', {}, el('thead', {}, el('tr', {}, ...head.map(h => el('th', {}, h)))), el('tbody', {}, ...rows))];
    }
    toStep(i, text) { return el('button', { type: 'button', class: 'link', onclick: () => this.go(i) }, text); }
    now() {
      const rows = [];
      for (const [variable, list] of this.writes) {
        const k = this.last(list);
        if (k >= 0 && !this.ended(variable) && (!this.matters || list.some(i => this.steps[i].relevant))) rows.push({ variable, at: list[k], before: k > 0 ? list[k - 1] : -1 });
      }
      rows.sort((a, b) => b.at - a.at);
      const value = i => { const s = this.steps[i]; return number(s.value, s.bytes, s.type, this.base, this.data.big); };
      if (!rows.length) return [el('p', { class: 'dim' }, 'No variable was written yet.')];
      return this.table(['variable', 'of', 'value', 'before', 'type', 'since'], rows.slice(0, 200).map(r => el('tr', { class: r.at === this.at ? 'changed' : '' },
        el('td', {}, (r.at === this.at ? '● ' : '') + this.steps[r.at].what), el('td', { class: 'dim' }, this.scope(r.variable)), el('td', {}, value(r.at)), el('td', { class: 'dim' }, r.before >= 0 ? value(r.before) : ''),
        el('td', { class: 'dim' }, this.steps[r.at].type), el('td', {}, this.toStep(r.at, `step ${r.at + 1}`)))));
    }
    time() {
      const rows = [];
      for (const [variable, list] of this.writes) {
        const shown = this.matters ? list.filter(i => this.steps[i].relevant) : list;
        if (!shown.length) continue;
        const k = this.last(shown);
        const from = Math.max(0, Math.min(k - 8, shown.length - 24));
        const chips = shown.slice(from, from + 24).map((i, n) => el('button', { type: 'button', class: 'chip' + (from + n === k ? ' here' : ''), title: `step ${i + 1}`, onclick: () => this.go(i) },
          number(this.steps[i].value, this.steps[i].bytes, this.steps[i].type, this.base, this.data.big)));
        rows.push({ first: shown[0], row: el('tr', {}, el('td', {}, this.steps[shown[0]].what), el('td', { class: 'dim' }, this.scope(variable)), el('td', { class: 'chips' }, from > 0 ? '… ' : '', ...chips, from + 24 < shown.length ? ` … ${shown.length} in all` : '')) });
      }
      rows.sort((a, b) => a.first - b.first);
      return this.table(['variable', 'of', 'values, one after the other'], rows.slice(0, 200).map(r => r.row));
    }
    why() {
      const out = [];
      const seen = new Set();
      let list = [this.at];
      for (let level = 0; level < 12 && list.length; level++) {
        const next = [];
        for (const i of list) {
          if (seen.has(i)) continue;
          seen.add(i);
          const s = this.steps[i];
          out.push(el('li', { class: s.kind }, this.toStep(i, `step ${i + 1}`), ` ${s.kind === 'violation' ? s.what : this.valueText(s)} `, el('span', { class: 'dim' }, (s.line ? `${s.file}:${s.line} ` : '') + this.inCall(s))));
          next.push(...s.causes);
        }
        list = next.sort((a, b) => b - a);
      }
      if (out.length < 2) return [el('p', { class: 'dim' }, this.steps[this.at].relevant ? 'This step follows from no other one.' : 'The failure does not depend on this step.')];
      return [el('p', { class: 'dim' }, 'This step, and what it follows from:'), el('ol', { class: 'chain' }, ...out)];
    }
    bytes() {
      const o = this.data.object;
      const have = o.bytes ? o.bytes.split(' ') : [];
      const first = Math.max(Math.min(o.offset, o.from) - 4, o.offset - 40, -8), last = Math.min(Math.max(o.offset + o.width, o.to) + 4, first + 96);
      const cells = [];
      for (let i = first; i < last; i++) {
        const hit = i >= o.offset && i < o.offset + o.width, inside = i >= o.from && i < o.to;
        const text = i >= o.start && i - o.start < have.length ? have[i - o.start] : i >= 0 && i < o.size ? '··' : '';
        cells.push(el('span', { class: 'byte' + (inside ? ' inside' : i >= 0 && i < o.size ? ' other' : ' outside') + (hit ? ' hit' : ''), title: `byte ${i}` }, el('small', {}, String(i)), text || '–'));
      }
      const end = o.offset + o.width;
      const bytes = n => n === 1 ? '1 byte' : `${n} bytes`, span = (from, to) => to - from === 1 ? `byte ${from}` : `bytes ${from} to ${to - 1}`;
      const what = o.offset < o.from ? `begins ${bytes(o.from - o.offset)} before` : o.offset === o.to ? 'begins right behind' : o.offset > o.to ? `begins ${bytes(o.offset - o.to)} behind` : `goes ${bytes(end - o.to)} over the end of`;
      return [el('p', {}, el('code', {}, o.name), ` (${o.type ? o.type + ', ' : ''}${o.size} bytes): the access to ${span(o.offset, end)} ${what} ${span(o.from, o.to)}, which it may touch.`), el('div', { class: 'bytes' }, ...cells),
        el('p', { class: 'dim' }, 'Green: what the access may touch; red: what it touches. ?? was never written, pp belongs to a pointer.')];
    }

    copy(button) {
      const said = button.textContent;
      const done = text => { button.textContent = text; setTimeout(() => { button.textContent = said; }, 1500); };
      if (navigator.clipboard) navigator.clipboard.writeText(this.data.test).then(() => done('copied'), () => this.offer());
      else this.offer();
    }
    offer() {
      if (this.text) { this.text.remove(); this.text = null; return; }
      this.text = el('textarea', { readonly: true, rows: '16', 'aria-label': 'C test' });
      this.text.value = this.data.test;
      this.box.append(this.text);
      this.text.select();
    }
  }

  const files = document.getElementById('files');
  const shared = files ? JSON.parse(files.textContent) : {};
  const viewers = new Map();
  // open makes the viewer of a trace, once.
  function open(box) {
    const id = box.dataset.trace;
    if (viewers.has(id)) return viewers.get(id);
    const data = JSON.parse(document.getElementById('trace-' + id).textContent);
    data.files = shared;
    const v = new Viewer(box, data, id);
    viewers.set(id, v);
    return v;
  }
  const boxes = [...document.querySelectorAll('.viewer')];
  const asked = new URLSearchParams(location.search).get('trace');
  for (const box of boxes) {
    if (asked && asked !== box.dataset.trace && box.closest('details')) box.closest('details').open = false;
    const around = box.closest('details');
    if (!around) { open(box); continue; }
    around.addEventListener('toggle', () => { if (around.open) open(box); });
    if (around.open && !asked) open(box);
    if (asked === box.dataset.trace) {
      for (let d = around; d; d = d.parentElement && d.parentElement.closest('details')) d.open = true;
      open(box);
      box.scrollIntoView();
    }
  }

  // Diagrams are drawn larger and smaller by buttons, and by the wheel with Ctrl.
  for (const figure of document.querySelectorAll('.diagram')) {
    const svg = figure.querySelector('svg'), full = Number(svg.getAttribute('width')), pane = figure.querySelector('.drawing');
    let size = 1;
    const zoom = by => { size = Math.min(4, Math.max(0.2, size * by)); svg.setAttribute('width', full * size); };
    const bar = document.createElement('div');
    bar.className = 'bar';
    for (const [text, label, by] of [['−', 'smaller', () => zoom(0.8)], ['+', 'larger', () => zoom(1.25)], ['fit', 'as wide as the page', () => { size = 1; zoom(pane.clientWidth / full); }]]) {
      const b = document.createElement('button');
      b.type = 'button';
      b.textContent = text;
      b.setAttribute('aria-label', label);
      b.addEventListener('click', by);
      bar.append(b);
    }
    pane.before(bar);
    pane.addEventListener('wheel', e => { if (e.ctrlKey) { e.preventDefault(); zoom(e.deltaY < 0 ? 1.25 : 0.8); } }, {passive: false});
  }

  // Filters of the list of findings: rows say what they are about.
  const form = document.getElementById('filters');
  if (form) {
    form.hidden = false;
    const rows = [...document.querySelectorAll('[data-status]')];
    const apply = () => {
      const want = Object.fromEntries([...form.querySelectorAll('select')].map(s => [s.name, s.value]));
      const word = form.querySelector('input').value.toLowerCase();
      let n = 0;
      for (const r of rows) {
        const on = Object.entries(want).every(([k, v]) => !v || (r.dataset[k] || '').split('|').includes(v)) && (!word || r.textContent.toLowerCase().includes(word));
        r.hidden = !on;
        n += on;
      }
      const chosen = word || Object.values(want).some(v => v);
      for (const g of document.querySelectorAll('details.file')) {
        if (!g.querySelector('[data-status]')) continue;
        const on = g.querySelector('[data-status]:not([hidden])');
        g.hidden = !on;
        if (on && chosen) g.open = true;
      }
      form.querySelector('output').textContent = `${n} of ${rows.length} shown`;
    };
    form.addEventListener('input', apply);
    form.addEventListener('submit', e => e.preventDefault());
    apply();
  }
})();
