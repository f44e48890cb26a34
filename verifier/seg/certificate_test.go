package seg

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/seg/certify"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// compile makes a module of a C program for x86_64.
func compile(t *testing.T, src string) *ir.Module {
	t.Helper()
	return compileAt(t, src, "-O0")
}

func compileAt(t *testing.T, src, level string) *ir.Module {
	t.Helper()
	dir := t.TempDir()
	c, ll := filepath.Join(dir, "main.c"), filepath.Join(dir, "main.ll")
	if err := os.WriteFile(c, []byte("int nondet_int(void); void *malloc(unsigned long); void free(void *);\n"+src),
		0o600); err != nil {
		t.Fatal(err)
	}
	cmd := llvmtest.Clang(t, "-target", "x86_64-linux-gnu", level, "-g", "-w", "-Xclang",
		"-disable-O0-optnone", "-fno-discard-value-names", "-S", "-emit-llvm", "-o", ll, c)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%s", err, out)
	}
	m, err := frontend.Read(ll)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// graphOf is the graph of a program, with a decision procedure that is still open.
func graphOf(t *testing.T, src string) *Graph {
	t.Helper()
	g, err := Build(context.Background(), compile(t, src), Options{Semantics: ir.Semantics{MallocNeverFails: true}})
	if err != nil || !g.Complete {
		t.Fatalf("no complete graph: %v %+v", err, g)
	}
	ladder := linear.NewLadder(100)
	t.Cleanup(ladder.Close)
	g.b.checker = &certify.Checker{Ctx: context.Background(), Ladder: ladder}
	g.b.ask.ladder = ladder
	return g
}

var certified = map[string]string{
	"counters": `int main(void) { int n = nondet_int(), i = 0, j = 0; unsigned u = n; while (i < n) { i++; if (u > 3) u--; for (j = i; j > 0; j--) ; } return j; }`,
	"places": `struct link { struct link *next, *prev; }; struct item { long v; struct link at; };
		struct link head = {&head, &head};
		int main(void) {
			while (nondet_int()) {
				struct item *t = malloc(sizeof *t); struct link *p = head.prev;
				t->v = 1; t->at.next = &head; t->at.prev = p; p->next = &t->at; head.prev = &t->at;
			}
			while (head.next != &head) {
				struct link *p = head.next;
				p->next->prev = p->prev; p->prev->next = p->next; free((char *)p - 8);
			}
			return 0;
		}`,
	"globals":  `int a[4] = {1, 2, 3, 4}, k; const int c[2] = {5, 6}; int main(void) { int s = 0; while (nondet_int()) for (int i = 0; i < 4; i++) { s += a[i] + c[1]; k = s; } return k; }`,
	"pointers": `int main(void) { int n = nondet_int(); if (n < 1) return 0; char *p = malloc(n), *q = p; p[n - 1] = 0; while (*q) q++; unsigned long x = (unsigned long)q; while (x--) ; free(p); return 0; }`,
	"lists": `struct n { int v; struct n *next; }; int main(void) { struct n *h = 0, *r = 0; int k = nondet_int(); for (int i = 0; i < k; i++) { struct n *t = malloc(sizeof *t); t->next = h; h = t; }
		while (h) { struct n *t = h->next; h->next = r; r = h; h = t; } while (r && r->next) { struct n *t = r->next; free(r); r = t; } return 0; }`,
	"two lists": `struct n { struct n *next; }; int main(void) { struct n *h = 0, *p; for (int i = nondet_int(); i > 0; i--) { struct n *t = malloc(sizeof *t); t->next = h; h = t; }
		p = h; while (p && p->next) { struct n *t = malloc(sizeof *t); t->next = p->next; p->next = t; p = t->next; } while (h) h = h->next; return 0; }`,
	"doubly linked": `struct n { struct n *next, *prev; };
		int main(void) {
			struct n *h = 0, *e = 0;
			while (nondet_int()) {
				struct n *t = malloc(sizeof *t);
				t->prev = 0; t->next = h; if (h) h->prev = t; else e = t; h = t;
			}
			struct n *p = e;
			while (p) p = p->prev;
			while (h != e)
				if (nondet_int()) { h = h->next; free(h->prev); h->prev = 0; }
				else { e = e->prev; free(e->next); e->next = 0; }
			free(h);
			return 0;
		}`,
	"trees": `struct t { int v; struct t *l, *r; };
		int main(void) {
			struct t *x = 0;
			for (int k = nondet_int(); k > 0; k--) {
				struct t *n = malloc(sizeof *n), *q = x;
				n->v = k; n->l = n->r = 0;
				if (!x) { x = n; continue; }
				for (;;) {
					if (k < q->v) { if (!q->l) { q->l = n; break; } q = q->l; }
					else { if (!q->r) { q->r = n; break; } q = q->r; }
				}
			}
			return 0;
		}`,
	"trees that lead up": `struct t { struct t *l, *r, *up; };
		struct t *leaf(struct t *up) { struct t *x = malloc(sizeof *x); x->l = x->r = 0; x->up = up; return x; }
		int main(void) {
			struct t *root = leaf(0);
			while (nondet_int()) {
				struct t *n = root;
				while (n->l && n->r) n = nondet_int() ? n->l : n->r;
				if (!n->l) n->l = leaf(n); else n->r = leaf(n);
			}
			while (root->up || root->l || root->r) {
				struct t *n = root;
				while (n->l || n->r) n = n->l ? n->l : n->r;
				root = n->up ? n->up : root;
				if (root->l == n) root->l = 0; else root->r = 0;
				free(n);
			}
			return 0;
		}`,
	"steps":     `int main(void) { unsigned n = nondet_int(), i = 0, j = 0, s = 0; if (n > 900) return 0; while (i != 3 * n) { i += 3; for (j = i; j != 0; j -= 3) s++; } for (j = 1; j < n; j += 5) s++; return s; }`,
	"recursion": `int f(int n, int *p) { if (n <= 0) return 0; *p = n; return f(n - 1, p) + 1; } int main(void) { int x = 3, n = nondet_int(); while (x > 0) { x--; n = f(n, &n); } return n; }`,
}

func edges(g *Graph) []*edge {
	var out []*edge
	for _, c := range g.cuts {
		for _, e := range slices.Concat(c.edges, c.exits) {
			if e.to != nil {
				out = append(out, e)
			}
		}
	}
	return out
}

// Every edge of a finished graph is certified, and counted.
func TestEdgesAreCertified(t *testing.T) {
	for name, src := range certified {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := graphOf(t, src)
			all := edges(g)
			if len(all) < 3 || g.Stats.Certified != len(all) {
				t.Errorf("%d of %d edges are certified", g.Stats.Certified, len(all))
			}
			for _, e := range all {
				if err := g.b.checkEdge(e); err != nil {
					t.Errorf("%s: %v", e.tag, err)
				}
			}
		})
	}
}

// changes are ways to make an edge wrong. Each makes any number of wrong edges of one.
var changes = map[string]func(fresh func() *certify.Edge, try func(string, *certify.Edge)){
	"a value": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		used := map[exact.Var]bool{}
		for _, f := range fresh().To.Frames {
			for _, v := range f.Values {
				for _, x := range v.Lin.Terms {
					used[x.Var] = true
				}
			}
		}
		for v := range fresh().Values {
			if e := fresh(); used[v] {
				e.Values[v] = e.Values[v].AddInt(1)
				try("", e)
			}
		}
	},
	"a bound": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		for v, x := range fresh().Values {
			e := fresh()
			if most, ok := upper(e.From.Know, x); ok {
				i := e.To.Know.Intervals[v]
				i.Lo, i.HasLo = most.Add(exact.I(1)), true
				e.To.Know.Intervals[v] = i
				try("above", e)
			}
		}
	},
	"a row": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		for v, x := range fresh().Values {
			for w, y := range fresh().Values {
				e := fresh()
				d := x.Sub(y)
				if most, ok := upper(e.From.Know, d); ok && v != w {
					r := exact.V(v).Sub(exact.V(w))
					r.Const = most.Neg().Add(exact.I(-1))
					e.To.Know.Rows = append(e.To.Know.Rows[:len(e.To.Know.Rows):len(e.To.Know.Rows)], linear.AtLeast(r))
					try("", e)
				}
			}
		}
	},
	"a residue": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		for v, r := range fresh().To.Know.Residues {
			for what, to := range map[string]certify.Residue{"another rest": {Mod: r.Mod, Rest: r.Rest.Add(exact.I(1))},
				"a multiple": {Mod: r.Mod.Mul(exact.I(7)), Rest: r.Rest}} {
				e := fresh()
				x := e.Values[v]
				most, ok := upper(e.From.Know, x)
				least, ok2 := upper(e.From.Know, x.Neg())
				if what == "a multiple" && ok && ok2 && most.Equal(least.Neg()) {
					continue // may be one
				}
				e.To.Know.Residues[v] = to
				try(what, e)
			}
		}
	},
	"an object that is gone": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		for id, o := range fresh().From.Objects {
			e := fresh()
			if pointed(e, id) && !(o.Global != nil && o.Global.Const) {
				delete(e.From.Objects, id)
				try(o.Name, e)
			}
		}
	},
	"an object of another kind": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		for id, o := range fresh().From.Objects {
			if !pointed(fresh(), id) {
				continue
			}
			e := fresh()
			e.From.Objects[id].Heap = !o.Heap
			try("heap "+o.Name, e)
			e = fresh()
			e.From.Objects[id].Size = o.Size.AddInt(1)
			try("size of "+o.Name, e)
			for n := range e.From.Frames {
				e = fresh()
				e.From.Frames[n].Owns[id] = !e.From.Frames[n].Owns[id]
				try("owner of "+o.Name, e)
			}
			if o.Private {
				e = fresh()
				e.From.Objects[id].Private = false
				try("privacy of "+o.Name, e)
			}
		}
	},
	"a list": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		for id, o := range fresh().From.Objects {
			if o.List == nil || !pointed(fresh(), id) {
				continue
			}
			e := fresh()
			e.From.Objects[id].List.Length = o.List.Length.AddInt(1)
			try("length", e)
			e = fresh()
			e.From.Objects[id].List.Next += 4
			try("next", e)
			e = fresh()
			e.From.Objects[id].List.At += 8
			try("the byte that links lead to", e)
			e = fresh()
			e.From.Objects[id].List.End = certify.Value{Kind: certify.Other}
			try("end", e)
			if !o.List.Doubly {
				continue
			}
			e = fresh()
			e.From.Objects[id].List.Prev += 4
			try("prev", e)
			e = fresh()
			e.From.Objects[id].List.BackAt += 8
			try("the byte that links back lead to", e)
			e = fresh()
			e.From.Objects[id].List.Doubly = false
			try("lists that do not lead back", e)
			e = fresh()
			e.From.Objects[id].List.Before = certify.Value{Kind: certify.Other}
			try("what is in front", e)
		}
		for id, o := range fresh().To.Objects {
			if o.List != nil {
				e := fresh()
				e.To.Objects[id].List.Length = o.List.Length.AddInt(1)
				try("target's length", e)
				if e = fresh(); o.List.Kids != nil && o.List.End.Kind == certify.Pointer {
					e.To.Objects[id].List.End = certify.Value{Kind: certify.Number}
					try("a tree without end", e)
				}
			}
		}
	},
	"contents": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		for id, o := range fresh().To.Objects {
			for n, c := range o.Cells {
				if c.Value.Kind != certify.Number || len(c.Value.Lin.Terms) != 1 {
					continue
				}
				e := fresh()
				if v := c.Value.Lin.Terms[0].Var; e.Values[v].Terms != nil || !e.Values[v].Const.IsZero() {
					e.To.Objects[id].Cells[n].Value.Lin = c.Value.Lin.AddInt(1)
					try(o.Name, e)
				}
			}
			if o.Rest == certify.Unknown && o.Global != nil {
				e := fresh()
				e.To.Objects[id].Rest = certify.Zero
				try("rest of "+o.Name, e)
			}
		}
	},
	"a place": func(fresh func() *certify.Edge, try func(string, *certify.Edge)) {
		e := fresh()
		e.From.Frames[0].Index++
		try("", e)
	},
}

// pointed: the target says something of the source's object, or of the list that it is part of.
func pointed(e *certify.Edge, id int) bool {
	for _, f := range e.To.Frames {
		for k, v := range f.Values {
			if from := e.From.Frames[0].Values[k]; v.Kind == certify.Pointer && from.Kind == certify.Pointer &&
				from.Object == id && e.To.Objects[v.Object].List == nil {
				return true
			}
		}
	}
	return false
}

func upper(k certify.Knowledge, x exact.Lin) (exact.Int, bool) {
	sum := x.Const
	for _, t := range x.Terms {
		i := k.Intervals[t.Var]
		end, ok := i.Hi, i.HasHi
		if t.Coef.Sign() < 0 {
			end, ok = i.Lo, i.HasLo
		}
		if !ok {
			return sum, false
		}
		sum = sum.Add(t.Coef.Mul(end))
	}
	return sum, true
}

// An edge that is made wrong in one way is not certified.
func TestWrongEdgesAreNotCertified(t *testing.T) {
	tried := map[string]int{}
	for name, src := range certified {
		g := graphOf(t, src)
		for _, e := range edges(g) {
			for what, change := range changes {
				change(func() *certify.Edge { return g.b.plainEdge(e) }, func(where string, bad *certify.Edge) {
					tried[what]++
					if g.b.checker.Check(bad) == nil {
						t.Errorf("%s, %s: certified with another %s %s", name, e.tag, what, where)
					}
				})
			}
		}
	}
	for what := range changes {
		if tried[what] < 5 {
			t.Errorf("%s: only %d wrong edges", what, tried[what])
		}
	}
	t.Log(tried)
}

// A cell may be at a place outside its object, which holds nothing.
func TestInitialBytesOutside(t *testing.T) {
	g := graphOf(t, `char s[4] = "abc"; int main(void) { return s[1]; }`)
	s := g.b.m.Globals[0]
	for _, off := range []int64{-1, 4, 3} {
		v, ok := g.b.readInitial(s, off, 1, false)
		if ok != (off == 3) || ok && !v.Lin.Equal(exact.Lin{}) {
			t.Errorf("byte %d: %v %t", off, v, ok)
		}
	}
	if _, ok := g.b.readInitial(s, 2, 4, false); ok {
		t.Error("four bytes at the second last")
	}
}

// A summary that says more than its runs show is not certified, and neither is a call that was told so.
func TestWrongSummariesAreNotCertified(t *testing.T) {
	g := graphOf(t, `int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }
		int main(void) { int n = nondet_int(); if (n > 50) return 1; return f(n); }`)
	wrong := func() bool {
		for _, c := range g.cuts {
			if g.b.checkSummaries(c) != nil {
				return true
			}
		}
		return false
	}
	if wrong() {
		t.Fatal("the summaries are not certified as they are")
	}
	tried := 0
	for fn, sum := range g.b.summaries {
		for n := range sum.cases {
			c := &sum.cases[n]
			if !c.reached {
				t.Errorf("%s: case %d is not reached", fn.Name, n)
			}
			for i, was := range c.bounds {
				for _, cut := range g.cuts {
					cut.uses = nil // else the call is what is wrong
				}
				if was.hasHi {
					c.bounds[i].hi = was.hi.Add(exact.I(-1))
					if tried++; !wrong() {
						t.Errorf("%s, case %d: bound %d less one is certified", fn.Name, n, i)
					}
				}
				c.bounds[i] = was
			}
			g.start.uses = []summaryUse{{sum, sum.cases, g.b.left(sum)}}
			c.reached = false
			if tried++; g.b.checkSummaries(g.start) == nil {
				t.Errorf("%s: a call was told of runs that are not there", fn.Name)
			}
			c.reached, g.start.uses = true, nil
		}
	}
	if tried < 4 {
		t.Errorf("only %d wrong summaries", tried)
	}
}
