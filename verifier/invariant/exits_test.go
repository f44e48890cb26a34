package invariant

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A list that is walked in a loop which is cut leaves what is modelled. Claims in front of it are proved, those behind
// it, and in code that also runs behind it, are not.
func TestExits(t *testing.T) {
	const walk = `for (struct n *p = l; p; p = p->next) `
	for _, c := range []struct {
		name, src string
		proved    int
	}{
		{"in front", `int main(void) { int k = nondet_int(), i; struct n *l = build(k);
			for (i = 0; i < k; i++) CHECK(i < k); ` + walk + `; return 0; }`, 1},
		{"behind", `int main(void) { int k = nondet_int(), i; struct n *l = build(k);
			` + walk + ` k = p->v; for (i = 0; i < 9; i++) CHECK(k != 7); return 0; }`, 0},
		{"before another turn", `int main(void) { int k = 1; struct n *l = build(nondet_int());
			while (nondet_int()) { CHECK(k != 7); ` + walk + ` k = p->v; } return 0; }`, 0},
		{"called again", `static void see(int k) { CHECK(k != 7); }
			int main(void) { int i; struct n *l = build(nondet_int());
			for (i = 0; i < 5; i++) see(i); ` + walk + ` see(p->v); return 0; }`, 0},
		{"called by a pointer", `static void see(int k) { CHECK(k != 7); } static void (*by)(int) = see;
			int main(void) { int i; struct n *l = build(nondet_int());
			for (i = 0; i < 5; i++) see(i); ` + walk + ` by(p->v); return 0; }`, 0},
		{"recursion", `static int see(struct n *p, int k) { CHECK(k != 7); return p ? see(p->next, p->v) : k; }
			int main(void) { return see(build(nondet_int()), 0); }`, 0},
		{"goto", `int main(void) { int k = 1; struct n *l = build(nondet_int());
			again: CHECK(k != 7); ` + walk + ` if (p->v) { k = p->v; goto again; } return 0; }`, 0},
	} {
		p := volatileMemory(testprogram.Compile(t, testprogram.Lists+c.src, "-O0"), verdict.Assert)
		for _, e := range []Engine{{}, {CutAll: true}, {Turns: 2}, {Turns: 2, Plain: true}} {
			a := problem.NewAnswers()
			_ = e.Run(t.Context(), p, a)
			n := 0
			if x := a.Proofs(); x != nil {
				n = len(x.Holds)
			}
			if n != c.proved && (e == Engine{} || c.proved == 0) {
				t.Errorf("%s, %+v: %d assertions are proved, want %d", c.name, e, n, c.proved)
			}
		}
	}
}
