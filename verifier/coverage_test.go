package verifier

import (
	"maps"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestCoverage: lines count as reached where an execution comes to them, as never reached where none does, and else
// say why that is not known.
func TestCoverage(t *testing.T) {
	type lines = map[int]verdict.Reach
	for name, c := range map[string]struct {
		src    string
		unwind int
		want   lines // by line of src, from 1; others are reached
		ways   map[int][]verdict.Reach
	}{
		"never": {`int main(void) { unsigned x = nondet_uint() & 3;
	if (x > 3)
		x = 9;
	CHECK(x < 4);
}`, 0, lines{3: verdict.NeverReached}, map[int][]verdict.Reach{2: {verdict.NeverReached, verdict.Reached}}},
		"a function that nothing calls any more": {`static int f(int x) {
	return x + 1; }
int main(void) { unsigned x = nondet_uint() & 3;
	if (x > 3) f(x);
	CHECK(x < 4);
}`, 0, lines{2: verdict.NeverReached}, nil},
		"beyond the bound": {`int main(void) { unsigned i = 0, n = 0;
	while (nondet_int()) {
		if (++i == 6)
			n = 1;
	}
	if (i == 7)
		n = 2;
	CHECK(i < 4000000000u);
}`, 3, lines{4: verdict.BeyondBound, 7: verdict.BeyondBound}, nil},
		"within the bound": {`int main(void) { unsigned i = 0, n = 0;
	while (nondet_int()) {
		if (++i == 6)
			n = 1;
	}
	CHECK(i < 4000000000u);
}`, 7, lines{}, map[int][]verdict.Reach{3: {verdict.Reached, verdict.Reached}}},
		"beside a bound, before it": {`int main(void) { unsigned i = 0, x = nondet_uint() & 3;
	if (x > 3)
		x = 9;
	while (nondet_int()) ++i;
	CHECK(x < 4);
}`, 3, lines{3: verdict.NeverReached}, nil},
		"behind a violation": {`int main(void) { int x = nondet_int(), *p = 0;
	if (x == 4) {
		*p = 1;
		x = 5;
	}
	return x;
}`, 0, lines{4: verdict.BehindViolation}, nil},
		"not modelled": {`int unknown(void);
int main(void) { int x = nondet_int();
	if (x == 4) {
		unknown();
		x = 5;
	}
	CHECK(x == x);
}`, 0, lines{4: verdict.NotModelled, 5: verdict.NotModelled}, nil},
		"an assumption": {`void __CPROVER_assume(_Bool); int main(void) { int x = nondet_int();
	__CPROVER_assume(x > 3);
	if (x < 3)
		x = 1;
	CHECK(x > 3);
}`, 0, lines{4: verdict.NeverReached}, nil},
		"the only execution": {`void exit(int); static void leave(void) {
	exit(0);
}
int main(void) { unsigned n = 0;
	for (unsigned i = 0; i < 30000; i++)
		n += i & 1;
	if (n == 3)
		n = 4;
	leave();
	return n;
}`, 0, lines{3: verdict.NeverReached, 8: verdict.NeverReached, 10: verdict.NeverReached},
			map[int][]verdict.Reach{7: {verdict.NeverReached, verdict.Reached}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := testprogram.Problem(testprogram.Compile(t, c.src, "-O0"), "main", verdict.Assert, verdict.Memory)
			p.Coverage, p.Unwind = true, c.unwind
			res := Run(testprogram.Within(t, time.Minute), p.Module, p.Plan)
			if res.Coverage == nil {
				t.Fatalf("no coverage: %+v", res.Reason)
			}
			got, ways := lines{}, map[int][]verdict.Reach{}
			for _, f := range res.Coverage.Functions {
				for _, l := range f.Lines {
					if l.Reach != verdict.Reached {
						got[l.Line-testprogram.HeaderLines] = l.Reach
					}
					ways[l.Line-testprogram.HeaderLines] = l.Ways
				}
			}
			if !maps.Equal(got, c.want) {
				t.Errorf("not reached: %v, want %v", got, c.want)
			}
			for n, want := range c.ways {
				if got := ways[n]; len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
					t.Errorf("line %d: branches %v, want %v", n, got, want)
				}
			}
		})
	}
}
