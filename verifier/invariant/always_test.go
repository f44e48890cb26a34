package invariant

import (
	"slices"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestAlways: the certificate of a proof holds the lemmas of its loops with their places, and those of a loop that is met
// twice not.
func TestAlways(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`int main(void) {
	unsigned n = nondet_uint(), at = 0;
	for (unsigned i = 0; i < n; i++) {
		at = at + 1;
		if (at == 100) at = 0;
	}
	CHECK(at <= 99);
}`, "at <= 99u"},
		{`static unsigned turn(unsigned n) {
	unsigned at = 0;
	for (unsigned i = 0; i < n; i++) {
		at = at + 1;
		if (at == 100) at = 0;
	}
	return at;
}
int main(void) {
	unsigned a = turn(nondet_uint()), b = turn(nondet_uint());
	CHECK(a <= 99 && b <= 99);
}`, ""},
	} {
		ctx, cancel := testprogram.Limit(5 * time.Minute)
		p := induct(ctx, testprogram.Problem(testprogram.Compile(t, c.src, "-O0"), "main", verdict.Assert), false)
		cancel()
		if p == nil {
			t.Fatalf("not proved:\n%s", c.src)
		}
		found := slices.ContainsFunc(p.Certificate.Always, func(f verdict.LoopFact) bool {
			return f.Text == c.want && f.Pos.Line == testprogram.HeaderLines+3 && f.Pos.Function == "main"
		})
		if found != (c.want != "") || c.want == "" && len(p.Certificate.Always) > 0 {
			t.Errorf("always: %+v, of %q\n%s", p.Certificate.Always, p.Certificate.Detail, c.src)
		}
	}
}
