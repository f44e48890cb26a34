package bitterm

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Runs that never end, as only the bits tell. Each has a twin one token away that
// ends, which no set may trap.
func TestBitPreciseRecurrence(t *testing.T) {
	for _, c := range []struct {
		name, src string
		endless   bool
	}{
		{"steps over zero", `unsigned n = nondet_uint(); while (n != 0) n -= 2; return 0;`, true},
		{"meets zero", `unsigned n = nondet_uint(); while (n != 0) n -= 1; return 0;`, false},
		{"from a constant", `unsigned n = 2, e = nondet_uint(); while (n != e) n += 4; return 0;`, true},
		{"from a constant to its residue",
			`unsigned n = 2, e = nondet_uint() * 4 + 2; while (n != e) n += 4; return 0;`, false},
		{"a bit that steps leave alone", `unsigned n = nondet_uint(); while ((n & 4) == 0) n += 8; return 0;`, true},
		{"a bit that steps reach", `unsigned n = nondet_uint(); while ((n & 4) == 0) n += 4; return 0;`, false},
		{"without a way out, however it overflows", `int n = nondet_int(); do n += n; while (1); return 0;`, true},
		{"until it overflows", `int n = nondet_int(); while (n > 0) n++; return 0;`, false},
		{"never odd", `unsigned n = nondet_uint(); while (n * 2 != 1) n = nondet_uint(); return 0;`, true},
		{"never odd, unless it overflows", `int n = nondet_int(); while (n * 2 != 1) n = nondet_int(); return 0;`,
			false},
		{"a counter that nobody asks", `int n = nondet_int(), more = 1; while (more) n++; return 0;`, true},
		{"a counter that is asked", `int n = nondet_int(), more = 1; while (more) n++, more = n > 0; return 0;`, false},
		{"beyond the narrower type",
			`unsigned short i; unsigned long most = nondet_uint() & 0x1ffff; for (i = 0; i < most; i++) ; return 0;`,
			true},
		{"within the narrower type",
			`unsigned short i; unsigned long most = nondet_uint() & 0xffff; for (i = 0; i < most; i++) ; return 0;`,
			false},
		{"kept by a branch", `unsigned n = nondet_uint(); while (n != 1) if (n & 1) n += 2; else n -= 2; return 0;`,
			true},
		{"up to the greatest", `unsigned n = nondet_uint(); for (unsigned i = 0; i <= n; i++) ; return 0;`, true},
		{"up to less than the greatest",
			`unsigned n = nondet_uint() / 2; for (unsigned i = 0; i <= n; i++) ; return 0;`, false},
		{"up to the greatest, signed: it overflows",
			`int n = nondet_int(); for (int i = 0; i <= n; i++) ; return 0;`, false},
		{"past the end", `unsigned n = nondet_uint(); for (unsigned i = 0; i < n; i += 4) ; return 0;`, true},
		{"to the end", `unsigned n = nondet_uint() & ~3u; for (unsigned i = 0; i < n; i += 4) ; return 0;`, false},
		{"past the end in any steps",
			`unsigned n = nondet_uint(), s = nondet_uint(); if (s) for (unsigned i = 0; i < n; i += s) ; return 0;`,
			true},
		{"until it leaves its array",
			`int a[9000]; unsigned n = nondet_uint(); for (unsigned i = 0; i <= n; i++) a[i] = 0; return 0;`, false},
		{"from the odd ones", `unsigned n = nondet_uint() | 1; while (n != 0) n -= 2; return 0;`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			claim, ok := settledBy(t, RecurrentSets{}, `int main(void) { `+c.src+` }`)
			if ok != c.endless {
				t.Fatalf("endless %v, want %v: %+v", ok, c.endless, claim.Certificate)
			}
			if ok && (claim.Status != verdict.Violated || claim.Replay != verdict.Confirmed ||
				claim.Certificate.Checked == "") {
				t.Errorf("%+v", claim)
			}
			if ok && claim.Certificate.Method != "lasso" && (len(claim.Trace) < 5 || !claim.Trace[4].Relevant) {
				t.Errorf("no first steps: %+v", claim.Trace)
			}
		})
	}
}

// A state machine that random inputs leave at once, and that a password keeps
// going: the solver finds the run, the interpreter its repeating state.
func TestLassoFromUnwinding(t *testing.T) {
	for _, c := range []struct {
		name, step string
		endless    bool
	}{
		{"goes round", "s = s == 4 ? 1 : s + 1", true},
		{"stops", "s = s == 4 ? 9 : s + 1", false},
	} {
		claim, ok := settledBy(t, LongRuns{},
			`int main(void) { unsigned key = nondet_uint(), s = (key ^ 0x5eed5eed) * 0x9e3779b1u; if (s > 4 || s < 1) return 0; while (s != 9) `+c.step+`; return 0; }`)
		if ok != c.endless || ok && (claim.Status != verdict.Violated || len(claim.Inputs) != 1) {
			t.Errorf("%s: %v %+v", c.name, ok, claim)
		}
	}
}

// settledBy returns the claim that the engine settles; ok is false if it leaves it open.
func settledBy(t *testing.T, e problem.Engine, src string) (c verdict.Claim, ok bool) {
	t.Helper()
	p, a := termination(t, src), problem.NewAnswers()
	err := e.Run(testprogram.Within(t, 5*time.Minute), p, a)
	if s := a.Settled(p.TerminationClaim().ID); s != nil {
		return s.Claim, err == nil
	}
	return c, false
}

// TestTrapCertified: the certificate of a recurrent set holds, and one in which something was changed is refused.
func TestTrapCertified(t *testing.T) {
	for _, c := range []struct {
		name    string
		engine  problem.Engine
		src     string
		tampers [][3]string // from, to, what the refusal says
	}{
		{"a set", RecurrentSets{}, `unsigned n = nondet_uint(); while (n != 0) n -= 2; return 0;`, [][3]string{
			{`"set": [`, `"set": ["(= now.0 8'h00)",`, "makes no sense"},
			{`"set": [`, `"set": ["(= now.0 32'h00000006)",`, "do not lead into the set"},
			{`"set": [`, `"set": ["(not (= now.0 32'h7ffffff1))",`, "is not the one that the proof"},
			{`"values": {`, `"values": {"x": "1",`, "has no variable x"},
			{`"inputs": [`, `"inputs": [{"kind": "volatile", "width": 8, "value": "01"},`, "ended with input-mismatch"},
			{`"header": "`, `"header": "x`, "the program has no loop"},
			{`"walks": [`, `"walks": ["1",`, "questions about paths"},
			{`"status": "violated"`, `"status": "proved"`, "said to be proved"},
		}},
		{"everything", RecurrentSets{}, `unsigned n = nondet_uint(); do n += 3; while (1); return 0;`, [][3]string{
			{`"steps": 1000`, `"steps": 1`, "does not come to the loop"},
			{`"bytes": `, `"bytes": 9`, "the file is cut"},
		}},
		{"under lemmas", Traps{}, `unsigned s = 0, x = 0; while (s == 2 * x) s += 2, x++; return 0;`, [][3]string{
			{`"holds": "(= `, `"holds": "(bvult `, "is not the one that the proof"},
			{`now.`, `now.7`, "makes no sense"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, dir := testprogram.Within(t, 5*time.Minute), t.TempDir()
			p, a := termination(t, `int main(void) { `+c.src+` }`), problem.NewAnswers()
			part, text, err := certificate.Stored(p.Module, p.Plan)
			if err != nil {
				t.Fatal(err)
			}
			p.Module, p.Entry = part, part.Func("main")
			if err := c.engine.Run(ctx, p, a); err != nil {
				t.Fatal(err)
			}
			res := &verdict.Result{Entry: "main", Claims: []verdict.Claim{a.Settled(p.TerminationClaim().ID).Claim}}
			made, err := certificate.Write(ctx, dir, verdict.Tool{}, part, text, p.Plan, res)
			if err != nil || made.Claims[0].Evidence != 1 {
				t.Fatal(err, made.Claims[0].Why)
			}
			if _, out, err := certificate.Verify(ctx, dir); err != nil ||
				!strings.HasPrefix(out.Groups[0].Kind, "recurrent set") {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "certificate.json")
			good, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range c.tampers {
				bad := bytes.Replace(good, []byte(x[0]), []byte(x[1]), 1)
				if err := os.WriteFile(file, bad, 0o600); err != nil || bytes.Equal(bad, good) {
					t.Fatal(x, err, string(good))
				}
				if _, _, err := certificate.Verify(ctx, dir); err == nil || !strings.Contains(err.Error(), x[2]) {
					t.Errorf("%q for %q: %v, want %q", x[1], x[0], err, x[2])
				}
			}
		})
	}
}

func termination(t *testing.T, src string) *problem.Problem {
	t.Helper()
	return testprogram.Problem(testprogram.Hosted(t, src), "main", verdict.Termination)
}
