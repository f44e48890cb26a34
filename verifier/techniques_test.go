package verifier

import (
	"slices"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Every settled claim says by what, which is a technique; without that one another answers, or none, but none says
// something else.
func TestTechniques(t *testing.T) {
	programs := []string{
		`int main(void) { return 1 / (1 + (nondet_int() & 1)); }`,
		`int main(void) { unsigned x = 3; for (;;) { x += 2; CHECK(x & 1); } }`,
		`int main(void) { int n = nondet_int(), s = 0; for (int i = 0; i < 5; i++) s += i; CHECK(s + n != 17); }`,
		`int main(void) { int a = nondet_int(); while (a > 0) a--; return a; }`,
	}
	for _, src := range programs {
		m := testprogram.Hosted(t, src)
		run := func(off map[string]bool, limit time.Duration) map[string]verdict.Claim {
			res := Run(testprogram.Within(t, limit), m, Plan{Target: "x86_64", Entry: "main", Off: off, Checks: verdict.CheckSet{
				verdict.Termination: true, verdict.DivByZero: true, verdict.Assert: true},
				Semantics: ir.Semantics{MallocNeverFails: true}})
			out := map[string]verdict.Claim{}
			for _, c := range res.Claims {
				if out[c.ID] = c; (c.Status == verdict.Unknown) != (c.By == "") {
					t.Errorf("%s: %s %s by %q", src, c.ID, c.Status, c.By)
				}
				if c.By != "" && !slices.Contains(Techniques(), c.By) {
					t.Errorf("%s: %s by %q, which is no technique", src, c.ID, c.By)
				}
			}
			return out
		}
		all := run(nil, 20*time.Second)
		for _, c := range all {
			if c.By == "" {
				continue
			}
			less := run(map[string]bool{c.By: true}, 2*time.Second)
			if d := less[c.ID]; d.By == c.By || d.Status != c.Status && d.Status != verdict.Unknown && d.ID != "" &&
				d.Status != verdict.Bounded && c.Status != verdict.Bounded {
				t.Errorf("%s: %s %s by %s; without it %s by %q", src, c.ID, c.Status, c.By, d.Status, d.By)
			}
		}
	}
}

// A lemma knows who proposed it, and without them all induction finds none.
func TestMakers(t *testing.T) {
	m := testprogram.Hosted(t, `int main(void) { unsigned x = 0;
		for (;;) { if (nondet_int() && x < 100) x += 2; CHECK(x != 101); } }`)
	run := func(off map[string]bool, limit time.Duration) verdict.Claim {
		res := Run(testprogram.Within(t, limit), m, Plan{Target: "x86_64", Entry: "main", Off: off,
			Checks: verdict.CheckSet{verdict.Assert: true}})
		return res.Claims[0]
	}
	c := run(nil, 20*time.Second)
	if c.Status != verdict.Proved || c.By != "induction" || len(c.Certificate.Makers) == 0 {
		t.Fatalf("%s by %s: %+v", c.Status, c.By, c.Certificate)
	}
	off := map[string]bool{}
	for _, n := range Techniques() {
		off[n] = n != "induction" && n != "unwinding"
	}
	if d := run(off, 2*time.Second); d.By == "induction" && len(d.Certificate.Makers) > 0 {
		t.Errorf("without makers: by %s with %v", d.By, d.Certificate.Makers)
	}
}
