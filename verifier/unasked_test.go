package verifier

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestUnaskedTermination: where nobody names termination, a loop whose condition stays true is a violation at its head,
// whatever is around it; loops that are meant to go on are none, and what stays open turns nothing red.
func TestUnaskedTermination(t *testing.T) {
	const forever, ends, meant, none = "violated", "proved", "has no way out", ""
	for _, c := range []struct{ name, src, want string }{
		{"condition stays true", `int main(void) { unsigned x = 1; while (x) x |= 1; return 0; }`, forever},
		{"narrow counter", `int main(void) { unsigned char n = nondet_uchar(), s = 0;
			for (unsigned char i = 0; i <= n; i++) s ^= i; return s; }`, forever},
		{"below the main loop", `static void skip(unsigned n) { while (n) n &= 7; }
			int main(void) { for (;;) skip(nondet_uint() & 3); }`, forever},
		{"input that ends nothing", `int main(void) { unsigned n = 2, x = 0; while (n) { x ^= nondet_uint(); n |= 2; }
			return x; }`, forever},
		{"main loop", `int n; int main(void) { for (;;) n ^= nondet_int(); }`, meant},
		{"main loop that checks", `int n; int main(void) { while (1) { n = nondet_int() & 7; CHECK(n < 8); } }`, meant},
		{"trap", `int main(void) { if (nondet_int()) for (;;) {} return 0; }`, meant},
		{"waits for a flag", `volatile int flag; int main(void) { while (!flag) {} return 0; }`, none},
		{"waits for a bit, many times", `volatile unsigned status; int main(void) {
			for (int i = 0; i < 3; i++) while (!(status & 4)) {} return 0; }`, none},
		{"waits for a clock", `volatile unsigned tick; int main(void) { unsigned ms = nondet_uint(), s = tick;
			while (tick - s < ms) {} return 0; }`, none},
		{"waits, with a time-out that may be the greatest", `volatile unsigned tick, status;
			static unsigned now(void) { return tick; }
			int main(void) { unsigned mask = nondet_uint(), ms = nondet_uint(), s = now();
			while (!(status & mask)) if (now() - s > ms) return 1; return 0; }`, none},
		{"reads its clock once", `volatile unsigned tick; int main(void) { unsigned ms = nondet_uint(), s = tick, now = tick;
			while (now - s < ms) {} return 0; }`, forever},
		{"reads that end nothing", `volatile unsigned char data; int main(void) { unsigned char n = nondet_uchar(), s = 0;
			for (unsigned char i = 0; i <= n; i++) s ^= data; return s; }`, forever},
		{"all paths end", `int main(void) { int s = 0; for (int i = 0; i < nondet_int() && i < 9; i++) s ^= i; return s; }`,
			ends},
		{"no loop", `int main(void) { return nondet_int() ^ 1; }`, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == forever { // a slow machine has to find it, too
				least := race.UnaskedLeast
				race.UnaskedLeast = time.Minute
				t.Cleanup(func() { race.UnaskedLeast = least })
			}
			ctx, cancel := testprogram.Limit(time.Minute)
			defer cancel()
			res := Run(ctx, testprogram.Compile(t, c.src, "-O0"), Plan{Target: "x86_64", Entry: "main", Unwind: 4,
				Checks: verdict.DefaultChecks(), EndsUnasked: true})
			got := none
			for _, cl := range res.Claims {
				if cl.Check == verdict.Termination {
					got = cl.Status.String()
					if cl.Status == verdict.Violated && (len(cl.Trace) == 0 || cl.Replay != verdict.Confirmed ||
						!strings.Contains("while for", strings.TrimSpace(wordAt(c.src, cl.Pos)))) {
						t.Errorf("at %v, %s, %d steps", cl.Pos, cl.Replay, len(cl.Trace))
					}
				}
			}
			warned := strings.Join(res.Warnings, "\n")
			if got == none && strings.Contains(warned, meant) {
				got = meant
			}
			if got != c.want {
				t.Errorf("%q, want %q; warnings %q", got, c.want, warned)
			}
			if bad := res.Status == verdict.Unknown || res.Status == verdict.Violated; bad != (c.want == forever) {
				t.Errorf("the result is %s", res.Status)
			}
		})
	}
}

// wordAt returns the word of src, C behind the header of the test programs, at a position.
func wordAt(src string, p verdict.Pos) string {
	lines := strings.Split(testprogram.Header+src, "\n")
	if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1]) {
		return "nowhere"
	}
	rest := lines[p.Line-1][p.Column-1:]
	if n := strings.IndexAny(rest, " ("); n > 0 {
		rest = rest[:n]
	}
	return rest
}

// TestUnaskedOverIntegers: a counter that wraps around ends the loop with words of the machine alone.
func TestUnaskedOverIntegers(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) { unsigned char x = 1; while (x) x++; return 0; }`, "-O0")
	for integers, want := range map[string]bool{"bitvector": true, "unbounded": false} {
		res := Run(context.Background(), m, Plan{Target: "x86_64", Entry: "main", Checks: verdict.DefaultChecks(),
			EndsUnasked: true, Integers: integers})
		proved := slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool {
			return c.Check == verdict.Termination && c.Status == verdict.Proved
		})
		if proved != want {
			t.Errorf("%s integers: proved to end: %v", integers, proved)
		}
	}
}
