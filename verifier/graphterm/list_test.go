package graphterm

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Sweeps over lists as sorting does them. Each program that ends has an endless twin; the graph
// alone is asked, so that no run found beside it hides a wrong proof.
func TestGraphOfListSweeps(t *testing.T) {
	const sweep = `for (struct n *p = h; p && p->next; p = p->next) `
	for _, c := range []struct {
		name, body    string
		ends, endless string // what stands for @
	}{
		{"flagged sweep", `struct n *h = build(nondet_int()); int sw = 1; while (sw) { sw = 0; ` + sweep +
			`if (@) sw = 1; }`, `0`, `nondet_int()`},
		{"counted sweep", `struct n *h = build(nondet_int()); int k = nondet_int(); while (k > 0) { @; ` + sweep +
			`if (nondet_int()) p->v = 1; }`, `k--`, `if (nondet_int()) k--`},
		{"bubble the values", `struct n *h = build(nondet_int()); int sw = nondet_int() & 15; while (sw) { @; ` +
			sweep +
			`if (p->v > p->next->v) { int t = p->v; p->v = p->next->v; p->next->v = t; } }`, `sw--`,
			`sw = nondet_int()`},
		{"bubble the nodes", `struct n *h = build(nondet_int()); int sw = 1; while (sw) { sw = 0; struct n **q = &h; 
			for (struct n *p = h; p && p->next; p = p->next) { if (p->v > p->next->v) sw = @; } }`, `0`, `nondet_int()`},
		{"split and look again", `struct n *h = build(nondet_int()); int again = 1; while (again) { again = 0; struct n *s = 0;
			for (struct n *p = h; p; p = p->next) { if (p->v) s = p; if (s && nondet_int()) again = @; } }`, `0`, `1`},
		{"split in two", `struct n *h = build(nondet_int()), *a = 0, *b = 0; while (h) { struct n *x = h; @;
			if (nondet_int()) { x->next = a; a = x; } else { x->next = b; b = x; } } while (a) a = a->next; while (b) b = b->next;`,
			`h = h->next`, `h = nondet_int() ? h->next : h`},
		{"merge", `struct n *a = build(nondet_int()), *b = build(nondet_int()); int n = 0; while (a && b) {
			if (nondet_int()) a = a->next; else b = @; }`, `b->next`, `b`},
		{"merge into a third", `struct n *a = build(nondet_int()), *b = build(nondet_int()), *r = 0, *x; while (a || b) {
			if (a && (!b || nondet_int())) { x = a; a = @; } else { x = b; b = b->next; } x->next = r; r = x; }
			while (r) r = r->next;`, `a->next`, `nondet_int() ? a->next : push(a)`},
		{"rotate", `struct n *h = build(nondet_int()), *l; int k = nondet_int(); while (k > 0 && h && h->next) { @; l = h;
			while (l->next) l = l->next; l->next = h; l = h; h = h->next; l->next = 0; }`, `k--`, `if (nondet_int()) k--`},
		{"two lists in turn", `struct n *a = build(nondet_int()), *b = build(nondet_int()), *p = a, *q = b; while (p) { 
			p = p->next; for (q = b; q; q = q->next) if (q->v) { @; } }`, `q->v = 0`, `p = a`},
		{"walked twice", `struct n *h = build(nondet_int()); for (struct n *p = h; p; p = p->next) 
			for (struct n *q = h; q && q != p; q = q->next) if (nondet_int()) { @; }`, `q->v = 1`, `p = h; break`},
		{"drop the last until none", `struct n *h = build(nondet_int()); while (h) { if (!h->next) { h = 0; break; } 
			struct n *p = h; while (p->next->next) p = p->next; @; }`, `p->next = 0`, `if (nondet_int()) p->next = 0`},
		{"two pointers, one flag", `struct n *h = build(nondet_int()); int f = 1; while (f) { f = 0; struct n *e = h, *p = h;
			while (e && e->next) { e = e->next; if (nondet_int()) p = e; if (e->v) f = @; } }`, `0`, `1`},
		{"in order", `struct n *h = 0; int k = nondet_int(); while (k > 0) { struct n *x = push(0), *p = h, *q = 0; k--;
			while (p && p->v < x->v) { q = p; p = @; } x->next = p; if (q) q->next = x; else h = x; }
			while (h) h = h->next;`, `p->next`, `nondet_int() ? p : p->next`},
		{"merge behind the last", `struct n *a = build(nondet_int()), *b = build(nondet_int()), *h = 0, *e = 0, *x; while (a && b) {
			if (nondet_int()) { x = a; a = a->next; } else { x = b; b = @; } if (e) e->next = x; else h = x; e = x; e->next = 0; }
			while (h) h = h->next;`, `b->next`, `nondet_int() ? b->next : push(b)`},
		{"one taken out", `struct n *h = build(nondet_int()), *p = h, *q = 0; int v = nondet_int(); while (p && p->v != v) {
			q = p; p = p->next; } if (p) { if (q) q->next = @; else h = p->next; free(p); } while (h) h = h->next;`,
			`p->next`, `h`},
		{"list of the other's end", `struct n *h = build(nondet_int()), *e = 0; while (h && e != h) { struct n *p = h; while (p->next && p->next != e)
			p = p->next; e = @; }`, `p`, `nondet_int() ? p : 0`},
	} {
		for _, ends := range []bool{true, false} {
			name, hole := c.name, c.ends
			if !ends {
				name, hole = name+", endless", c.endless
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ctx, e := engineOf(t, testprogram.Lists+"int main(void) { "+
					strings.ReplaceAll(c.body, "@", hole)+" return 0; }", "main")
				claim, g := e.prove(ctx, false)
				if e.byNull = true; claim.Status != verdict.Proved {
					claim, g = e.prove(ctx, false)
				}
				if ends != (claim.Status == verdict.Proved) {
					t.Fatalf("%s, ends: %t\n%v\n%v", claim.Status, ends, claim.Certificate, claim.Reason)
				}
				if ends && g.Stats.Certified < 3 {
					t.Errorf("%d edges are certified", g.Stats.Certified)
				}
			})
		}
	}
}
