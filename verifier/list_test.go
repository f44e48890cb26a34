package verifier

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Programs over lists of any length. Each that ends has a twin one token away
// that need not, which no proof may cover.
func TestTerminationOfLists(t *testing.T) {
	for _, c := range []struct {
		name, src string
		proved    bool
	}{
		{"traverse", `int main(void) { struct n *p = build(nondet_int()); while (p) p = p->next; return 0; }`, true},
		{"traverse nowhere", `int main(void) { struct n *p = build(nondet_int()), *q = p; while (p) p = q->next; return 0; }`, false},
		{"search", `int main(void) { struct n *p = build(nondet_int()); while (p && p->v != 3) p = p->next; return 0; }`, true},
		{"search for ever", `int main(void) { struct n *p = build(nondet_int()); while (p && p->v != 3) p->next = p->next; return 0; }`, false},
		{"append", `int main(void) { int k = nondet_int(); struct n *h = push(0), *l = h; for (int i = 0; i < k; i++) { l->next = push(0); l = l->next; } while (h) h = h->next; return 0; }`, true},
		{"append to itself", `int main(void) { int k = nondet_int(); struct n *h = push(0), *l = h; for (int i = 0; i < k; i++) { l->next = push(h); l = l->next; } while (h) h = h->next; return 0; }`, false},
		{"skip two", `int main(void) { struct n *p = build(nondet_int()); while (p) { p = p->next; if (p) p = p->next; } return 0; }`, true},
		{"a ring", `int main(void) { struct n *h = build(3), *p = h; while (p->next) p = p->next; p->next = h; while (h) h = h->next; return 0; }`, false},
		{"a ring, cut again",
			`int main(void) { struct n *h = build(nondet_int()), *p = h; if (!h) return 0; while (p->next) p = p->next; p->next = h; p->next = 0; while (h) h = h->next; return 0; }`, true},
		{"free all", `int main(void) { struct n *p = build(nondet_int()), *q; while (p) { q = p; p = p->next; free(q); } return 0; }`, true},
		{"push while walking",
			`int main(void) { struct n *p = build(nondet_int()); while (p) { p = p->next; if (p && p->v) p = push(p); } return 0; }`, false},
		{"reverse", `int main(void) { struct n *p = build(nondet_int()), *r = 0, *q; while (p) { q = p->next; p->next = r; r = p; p = q; } while (r) r = r->next; return 0; }`, true},
		{"reverse, tied", `int main(void) { struct n *p = build(nondet_int()), *r = p, *q; while (p) { q = p->next; p->next = r; r = p; p = q; } while (r) r = r->next; return 0; }`, false},
		{"insert behind", `int main(void) { struct n *h = build(nondet_int()), *p = h; int k = nondet_int(); for (int i = 0; i < k && p; i++) { p->next = push(p->next); p = p->next->next; } while (h) h = h->next; return 0; }`, true},
		{"insert crosswise", `int main(void) { struct n *h = build(nondet_int()), *p = h; int k = nondet_int(); for (int i = 0; i < k && p; i++) { p->next = push(p); p = p->next->next; } while (h) h = h->next; return 0; }`, false},
		{"written by address",
			`int main(void) { struct n *p = build(nondet_int()), *q = p; while (p) { p = p->next; } unsigned long a = (unsigned long)q; if (a) ((struct n *)a)->next = (struct n *)a; while (q) q = q->next; return 0; }`, false},
		{"on the stack", `int main(void) { int k = nondet_int(); struct n *h = 0; for (int i = 0; i < k; i++) { struct n *t = __builtin_alloca(sizeof *t); t->next = h; h = t; } while (h) h = h->next; return 0; }`, true},
		{"on the stack, tied",
			`int main(void) { int k = nondet_int(); struct n *h = 0; for (int i = 0; i < k; i++) { struct n *t = __builtin_alloca(sizeof *t); t->next = t; h = t; } while (h) h = h->next; return 0; }`, false},
		{"in the middle", `int main(void) { struct n *h = build(nondet_int()), *p = h, *m = h; while (p) { if (p->v == 7) m = p; p = p->next; } while (m) m = m->next; return 0; }`, true},
		{"back from the middle",
			`int main(void) { struct n *h = build(nondet_int()), *p = h, *m = 0; while (p) { if (p->v == 7) m = p; p = p->next; } while (m) { if (m->v == 8) m = h; else m = m->next; } return 0; }`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := terminationOf(t, testprogram.Lists+c.src, "", c.proved)
			if c.proved != (got.Status == verdict.Proved) {
				t.Errorf("%s, want proved: %t\n%v\n%s", got.Status, c.proved, got.Certificate, got.Message)
			}
		})
	}
}

// Memory of a list of any length is safe and freed: every claim is proved, which only the graph can show.
func TestMemoryOfLists(t *testing.T) {
	m := testprogram.Hosted(t, testprogram.Lists+`int main(void) { struct n *h = build(nondet_int()); int s = 0;
		for (struct n *p = h; p; p = p->next) if (p->v) s ^= 1;
		while (h) { struct n *t = h->next; free(h); h = t; } return s; }`)
	res := Run(testprogram.Within(t, 5*time.Minute), m, testprogram.Problem(m, "main", verdict.Memory, verdict.Free,
		verdict.Leak, verdict.Uninitialised, verdict.PointerOverflow).Plan)
	for _, c := range res.Claims {
		if c.Status != verdict.Proved {
			t.Errorf("%s: %s, %v", c.ID, c.Status, c.Reason)
		}
	}
	if res.Status != verdict.Proved || len(res.Claims) < 40 {
		t.Errorf("%s, %d claims", res.Status, len(res.Claims))
	}
}
