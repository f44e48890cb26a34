package verifier

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestGapSparesEarlierClaims: a call of unknown code leaves alone what was settled
// before it on every path, and nothing else; the result as a whole is unknown.
func TestGapSparesEarlierClaims(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want []verdict.Status // of the assertions, by line
	}{
		"before and after": {`int unknown(void); int x;
int main(void) { x = nondet_int() & 3;
	CHECK(x < 4);
	unknown();
	CHECK(x < 4);
}`, []verdict.Status{verdict.Proved, verdict.Unknown}},
		"in one loop": {`int unknown(void); int x;
int main(void) { x = nondet_int() & 3;
	for (int i = 0; i < 2; i++) {
		CHECK(x < 4);
		unknown(); }
}`, []verdict.Status{verdict.Unknown}},
		"violated before": {`int unknown(void);
int main(void) { int x = nondet_int() & 3;
	CHECK(x < 3);
	unknown();
}`, []verdict.Status{verdict.Violated}},
		"on another path": {`int unknown(void);
int main(void) { int x = nondet_int() & 3;
	if (x) { unknown(); return 0; }
	CHECK(x < 1);
}`, []verdict.Status{verdict.Proved}},
		"called back": {`int unknown(void); static int y = 1;
void later(void) {
	CHECK(y == 1);
}
int main(void) { later(); unknown(); }`, []verdict.Status{verdict.Unknown}},
		"not reached": {`int unknown(void);
int main(void) { unsigned x = nondet_uint() & 3;
	if (x > 3) unknown();
	CHECK(x < 4);
}`, []verdict.Status{verdict.Proved}},
		"a register without a memory map": {`int main(void) {
	*(volatile unsigned *)0x40000000 = 1;
	CHECK(0);
}`, []verdict.Status{verdict.Unknown}},
		"an unknown pointer": {`extern int *p; int main(void) {
	int x = *p & 1;
	CHECK(x == 2);
}`, []verdict.Status{verdict.Unknown}},
		"an unknown function": {`extern void (*f)(void); int main(void) {
	f();
	CHECK(0);
}`, []verdict.Status{verdict.Unknown}},
	} {
		m := testprogram.Compile(t, c.src, "-O0")
		res := Run(context.Background(), m, Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true},
			Semantics: ir.Semantics{VolatileMemory: true}})
		var got []verdict.Status
		for _, x := range res.Claims {
			if x.Check == verdict.Assert {
				got = append(got, x.Status)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: claims %+v", name, res.Claims)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: assertion %d is %s, want %s", name, i+1, got[i], c.want[i])
			}
		}
		if want := map[bool]verdict.Status{true: verdict.Proved,
			false: verdict.Unknown}[name == "not reached"]; name != "violated before" && res.Status != want {
			t.Errorf("%s: the result is %s, want %s", name, res.Status, want)
		}
	}
}

// TestGapOfLeaks: what is unknown about memory at an abort or in a loop without end
// is not lost because no claim lies behind it.
func TestGapOfLeaks(t *testing.T) {
	for _, c := range []struct {
		src  string
		rule ir.LeakRule
	}{
		{`void abort(void); int main(void) { int *p = malloc(4); if (nondet_int()) abort(); free(p); return 0; }`,
			ir.LeakCleanup},
		{`int main(void) { malloc(4); if (nondet_int()) while (1); return 0; }`, ir.LeakTracked},
		{`int main(void) { if (nondet_int()) { malloc(4); while (1); } return 0; }`, ir.LeakTracked},
	} {
		res := Run(context.Background(), testprogram.Compile(t, c.src, "-O0"),
			Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Leak: true},
				Semantics: ir.Semantics{MallocNeverFails: true, Leaks: c.rule}})
		if res.Status == verdict.Proved || res.Status == verdict.Bounded {
			t.Errorf("%s: %s", c.src, res.Status)
		}
	}
}
