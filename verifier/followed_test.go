package verifier

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestFollowedPathsEnd: a program whose paths can all be followed ends, whichever checks are asked beside termination;
// one with a run that goes on, or does something undefined, is not proved to end that way.
func TestFollowedPathsEnd(t *testing.T) {
	const route = `struct hop { struct hop *via; int cost; } a, b, c;
		static int total(struct hop *h) { return h ? h->cost + total(h->via) : 0; }
		int main(void) { a.via = &b; b.via = &c; c.via = 0; a.cost = 1; b.cost = 2; c.cost = 3;
			if (nondet_int() == 1234) `
	named := func(list ...string) verdict.CheckSet {
		s, err := verdict.ParseChecks(list)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, checks := range []verdict.CheckSet{named("termination"), named("default", "termination"),
		named("assert", "termination")} {
		for _, c := range []struct {
			name, src string
			want      verdict.Status
		}{
			{"route", route + "a.via = &c; return total(&a); }", verdict.Proved},
			{"route around", route + "c.via = &a; return total(&a); }", verdict.Violated},
			{"route into nothing", route + "c.via = (struct hop *)8; return total(&a); }", verdict.Unknown},
		} {
			ctx, cancel := testprogram.Limit(min(limitFor(c.want != verdict.Unknown), 10*time.Second))
			res := Run(ctx, testprogram.Compile(t, c.src, "-O0"), Plan{Target: "x86_64", Entry: "main", Checks: checks})
			cancel()
			got := verdict.Unknown
			for _, cl := range res.Claims {
				if cl.Check == verdict.Termination {
					got = cl.Status
				}
			}
			if got != c.want {
				t.Errorf("%s with %v: %s, want %s", c.name, checks.Names(), got, c.want)
			}
		}
	}
}
