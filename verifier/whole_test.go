package verifier

import (
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBeforeBounds: what holds and stands before every loop that takes more turns than were looked at is proved; what
// a later turn, a second call, a callback or a handler of the end may come to again is not.
func TestBeforeBounds(t *testing.T) {
	const loop = "unsigned n = nondet_uint(), s = 1; for (unsigned i = 0; i < n; i++) s = s * 3 + i;"
	for _, c := range []struct{ name, src, want string }{
		{"before", `int main(void) { unsigned a = nondet_uint() & 7; CHECK(a < 8); ` + loop + ` return s; }`, "proved"},
		{"behind", `int main(void) { unsigned a = nondet_uint() & 7; ` + loop + ` CHECK(a < 8); return s; }`,
			"bounded"},
		{"in it", `int main(void) { unsigned n = nondet_uint(), s = 1;
			for (unsigned i = 0; i < n; i++) { CHECK(i < n); s = s * 3 + i; } return s; }`, "bounded"},
		{"called again", `static void f(unsigned a) { CHECK((a & 7) < 8); }
			int main(void) { f(nondet_uint()); ` + loop + ` f(s); return s; }`, "bounded"},
		{"called before", `static void f(unsigned a) { CHECK((a & 7) < 8); }
			int main(void) { f(nondet_uint()); f(1); ` + loop + ` return s; }`, "proved"},
		{"its caller's loop", `static void f(unsigned a) { CHECK((a & 7) < 8); }
			int main(void) { unsigned n = nondet_uint(); for (unsigned i = 0; i < n; i++) f(i); return 0; }`, "bounded"},
		{"through a pointer", `static void f(void) { CHECK((nondet_uint() & 7) < 8); } void (*p)(void) = f;
			int main(void) { f(); ` + loop + ` p(); return s; }`, "bounded"},
		{"way that the bound cuts off", `int main(void) { unsigned a = 0; ` + loop + ` if (s == 5) a = 9;
			CHECK(a < 9); return s; }`, "bounded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := testprogram.Limit(time.Minute)
			defer cancel()
			res := Run(ctx, testprogram.Compile(t, c.src, "-O0"), Plan{Entry: "main", Unwind: 2,
				Checks: verdict.CheckSet{verdict.Assert: true}, Semantics: ir.Semantics{VolatileMemory: true}})
			var got []string
			for _, cl := range res.Claims {
				if cl.Check == verdict.Assert {
					got = append(got, cl.Status.String())
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
