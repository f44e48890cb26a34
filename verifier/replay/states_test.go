package replay

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// State machines with a violation behind many inputs, each with a twin one token away that has none.
func TestStates(t *testing.T) {
	const unlock = `
		int at = 0, tries = 0;
		for (;;) {
			int c = nondet_int();
			switch (at) {
			case 0: at = c == 0x5a ? 1 : 0; break;
			case 1: at = c == 0xa5 ? 2 : 0; break;
			case 2: at = c == 17 ? 3 : 1; break;
			case 3: at = c == 99 ? 4 : 0; break;
			case 4: at = c == 1234567 ? 5 : 2; break;
			case 5: at = c == -3 ? 6 : 0; break;
			case 6: at = c == 42 ? `
	const frames = `
		static unsigned char good; int at = 0, length = 0;
		for (;;) {
			int c = nondet_int() & 255;
			if (at == 0) { if (c == 0x7e) at = 1; }
			else if (at == 1) { length = c; at = length > 0 && length < 4 ? 2 : 0; }
			else if (--length == 0) { at = 0; good++; }
			CHECK(good != 70 `
	const status = `
		static unsigned char n;
		for (;;) {
			unsigned status = nondet_int();
			if (!(status & 0x20) || status >> 14 & 1) continue;
			if (nondet_int() >> 9 & 1) n++;
			CHECK(n != 30 `
	const steps = `
		static int (*step)(int) = idle; int n = 0;
		for (;;) { int r = step(nondet_int()); n++;
			step = r == 1 ? ready : r == 2 ? armed : r == 3 ? fired : idle;
			CHECK(`
	const config = `
		int a = nondet_int(), b = nondet_int(), c = nondet_int(); unsigned char n = 0;
		if (a != b || b + c != 1000 || c <= a) return 0;
		for (;;) { if (nondet_int() == 3) n++; CHECK(`
	for _, c := range []struct {
		name, src string
		violated  bool
	}{
		{"a sequence that unlocks", unlock + `7 : 3; break; } CHECK(at != 7); }`, true},
		{"a sequence that does not", unlock + `6 : 3; break; } CHECK(at != 7); }`, false},
		{"a counter of frames", frames + `); }`, true},
		{"a counter of frames that is started anew", frames + ` || at == 2); if (good == 60) good = 0; }`, false},
		{"bits of a status register", status + `); }`, true},
		{"bits of a status register, from the begin", status + `|| n == 40); if (n == 20) n = 0; }`, false},
		{"states as functions", steps + `step != fired || r != 3); }`, true},
		{"states as functions, in order", steps + `step != fired || r == 3); }`, false},
		{"inputs that depend on each other", config + `n < 90); }`, true},
		{"inputs that depend on each other, from the begin", config + `n < 90); if (n == 80) n = 0; }`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := testprogram.Problem(testprogram.Hosted(t, `
				static int idle(int c) { return c == 1001; }
				static int ready(int c) { return c == 2002 ? 2 : c == 2003; }
				static int armed(int c) { return c == 3003 ? 3 : c == 3004 ? 2 : 0; }
				static int fired(int c) { return 0; }
				int main(void) { `+c.src+` return 0; }`), "main", verdict.Assert)
			p.FirstOnly = true
			limit := 20 * time.Second
			if !c.violated {
				limit = time.Second
			}
			ctx, cancel := testprogram.Limit(limit)
			defer cancel()
			a := problem.NewAnswers()
			_ = States{}.Run(ctx, p, a)
			got := a.AllSettled()
			if (len(got) > 0) != c.violated {
				t.Fatalf("%d claims settled", len(got))
			}
			for _, s := range got {
				if s.Claim.Status != verdict.Violated || s.Claim.Replay != verdict.Confirmed {
					t.Errorf("%+v", s.Claim)
				}
			}
		})
	}
}
