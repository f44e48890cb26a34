package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The campaign compares, on random programs with 256 inputs, the whole engine
// with the interpreter on every input, and the interpreter with the sanitizers
// of the compiler on the machine: a claim is proved exactly if no input violates it.
//
//	FIRMPROOF_SOUNDNESS=10m FIRMPROOF_SEED=1 go test ./cmd/firmproof -run TestSoundness -v

// campaignTargets differ in widths, byte order and alignment; the first two run here.
var campaignTargets = []string{"x86_64", "i386", "cortex-m3", "mips32-be", "avr", "msp430"}

// TestSoundness runs seeds until the time of FIRMPROOF_SOUNDNESS is up, three of them if it is not set.
func TestSoundness(t *testing.T) {
	seed, err := int64(1), error(nil)
	if s := os.Getenv("FIRMPROOF_SEED"); s != "" {
		if seed, err = strconv.ParseInt(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	last, until := seed+testprogram.Sample[int64](3, 2), time.Time{}
	if s := os.Getenv("FIRMPROOF_SOUNDNESS"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		last, until = seed+1<<40, time.Now().Add(d)
	}
	c := &campaign{}
	for ; seed < last && (until.IsZero() || time.Now().Before(until)); seed++ {
		c.compare(t, fmt.Sprintf("seed-%d", seed), cProgram(seed), campaignTargets[int(seed)%2],
			campaignTargets[2+int(seed/2)%4])
	}
	t.Log(c)
	if c.proved == 0 || c.violated == 0 || c.native == 0 {
		t.Errorf("nothing was compared: %s", c)
	}
}

// TestSoundnessNotices turns each answer round and expects the campaign to object.
func TestSoundnessNotices(t *testing.T) {
	text := strings.Replace(cPrelude, "int main", "static int unused", 1)
	text = text[:strings.LastIndex(text, "static int unused")] +
		"int main(void) { int x = __VERIFIER_nondet_uchar() & 15;\n __VERIFIER_assert(x < 15);\n __VERIFIER_assert(x < 16);\n return 0; }\n"
	file := filepath.Join(t.TempDir(), "p.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &campaign{}
	res, outs := c.run(t, file, "x86_64")
	if bad := c.judge(res, outs); len(bad) > 0 {
		t.Fatal(bad)
	}
	if c.proved == 0 || c.violated != 1 {
		t.Fatalf("want a claim of each kind: %s", c)
	}
	for i := range res.Claims {
		cl := &res.Claims[i]
		if cl.Check != verdict.Assert {
			continue
		}
		old := cl.Status
		cl.Status = map[verdict.Status]verdict.Status{verdict.Proved: verdict.Violated,
			verdict.Violated: verdict.Proved}[old]
		if bad := c.judge(res, outs); len(bad) == 0 {
			t.Errorf("%s at %s said of %s passes", cl.Status, cl.Pos, old)
		}
		cl.Status = old
	}
	outs[3].Ret = bits.New(32, 1)
	if bad := c.machine(t, t.TempDir(), file, "x86_64", outs); len(bad) != 1 {
		t.Errorf("a wrong value gives %q", bad)
	}
}

// campaign counts what was compared.
type campaign struct {
	programs, proved, violated, open, runs, native int
}

func (c *campaign) String() string {
	return fmt.Sprintf("%d programs and targets; claims: %d proved, %d violated, %d open; %d runs, %d of them also on the machine", c.programs, c.proved, c.violated, c.open, c.runs, c.native)
}

// place is where a check fails.
type place struct {
	check verdict.Check
	pos   string
}

// compare holds the engine's answers on one program to its executions.
func (c *campaign) compare(t *testing.T, name, text string, names ...string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		bad := c.target(t, dir, file, n)
		for _, b := range bad[:min(len(bad), 5)] {
			t.Errorf("%s %s: %s", name, n, b)
		}
		if keep := os.Getenv("FIRMPROOF_KEEP"); keep != "" && len(bad) > 0 {
			if err := os.WriteFile(filepath.Join(keep, name+".c"), append([]byte("// targets: "+n+"\n"), text...),
				0o600); err != nil {
				t.Error(err)
			}
		}
	}
}

// target compares for one target and words what differs.
func (c *campaign) target(t *testing.T, dir, file, name string) (bad []string) {
	t.Helper()
	res, outs := c.run(t, file, name)
	bad = c.judge(res, outs)
	if name == "x86_64" || name == "i386" {
		bad = append(bad, c.machine(t, dir, file, name, outs)...)
	}
	return bad
}

// asked builds the program for the target and gives the engine the time limit for its main, without the check
// leak; unwind 0 deepens.
func asked(t *testing.T, file, target string, limit time.Duration, unwind int,
	cflags ...string) (*ir.Module, *verdict.Result) {
	t.Helper()
	tg, err := targets.Load(target)
	if err != nil {
		t.Fatal(err)
	}
	img, err := compile.Files(t.Context(), []string{file}, tg, compile.Options{WorkDir: t.TempDir(),
		Entries: []string{"main"}, CFlags: append([]string{"-w"}, cflags...)})
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := prepare.Read(img.IRPath)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := budget.With(t.Context(), limit)
	defer cancel()
	return m, verifier.Run(ctx, m, verifier.Plan{Target: target, Entry: "main", Checks: mayLeak(), Unwind: unwind,
		Semantics: ir.Semantics{MallocNeverFails: true, VolatileMemory: true, Regions: prepare.Regions(img.Memory),
			AddressZero: tg.Address0}})
}

// mayLeak are the default checks but leak.
func mayLeak() verdict.CheckSet {
	checks := verdict.DefaultChecks()
	delete(checks, verdict.Leak)
	return checks
}

// run asks the engine, and the interpreter on every input.
func (c *campaign) run(t *testing.T, file, name string) (*verdict.Result, []*interp.Outcome) {
	t.Helper()
	m, res := asked(t, file, name, 20*time.Second, 0)
	c.programs++
	outs, err := allRuns(t.Context(), m, mayLeak())
	if err != nil {
		t.Fatal(err)
	}
	c.runs += len(outs)
	return res, outs
}

// nibbles is a Source whose nondeterministic values are the two halves of a byte.
type nibbles struct {
	input.Zeros
	list []uint64
}

// Next gives the halves in turn, then zeros.
func (s *nibbles) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == input.Nondet && len(s.list) > 0 {
		v := s.list[0]
		s.list = s.list[1:]
		return bits.New(width, v), true
	}
	return s.Zeros.Next(kind, at, width)
}

// allRuns interprets the program on each input.
func allRuns(ctx context.Context, m *ir.Module, checks verdict.CheckSet) ([]*interp.Outcome, error) {
	var outs []*interp.Outcome
	for i := uint64(0); i < 256; i++ {
		out, err := interp.Run(ctx, m, interp.Options{Checks: checks, Semantics: ir.Semantics{VolatileMemory: true,
			MallocNeverFails: true},
			MaxSteps: 200000}, &nibbles{list: []uint64{i & 15, i >> 4}})
		if err != nil {
			return nil, err
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// judge compares the claims with the runs.
func (c *campaign) judge(res *verdict.Result, outs []*interp.Outcome) (bad []string) {
	if res.Reason != nil && res.Reason.Kind == verdict.Internal {
		bad = append(bad, "internal: "+res.Reason.Detail)
	}
	claims := map[place][]*verdict.Claim{}
	for i := range res.Claims {
		cl := &res.Claims[i]
		p := place{cl.Check, cl.Pos.String()}
		claims[p] = append(claims[p], cl)
		switch cl.Status {
		case verdict.Proved:
			c.proved++
		case verdict.Violated:
			c.violated++
		default:
			c.open++
		}
		if cl.Replay == verdict.Mismatch {
			bad = append(bad, fmt.Sprintf("%s %s: replay mismatch: %s", cl.ID, cl.Pos, cl.Reason))
		}
	}
	fails := map[place]int{}
	for i, o := range outs {
		if o.Kind != interp.Violation {
			continue
		}
		p := place{o.Check, o.Pos.String()}
		if _, seen := fails[p]; seen {
			continue
		}
		fails[p] = i
		same := func(s verdict.Status) bool {
			return slices.ContainsFunc(claims[p], func(cl *verdict.Claim) bool { return cl.Status == s })
		}
		switch {
		case same(verdict.Violated) || same(verdict.Unknown) || same(verdict.Bounded):
		case len(claims[p]) > 0:
			bad = append(bad, fmt.Sprintf("%v is proved, but input %d violates it", p, i))
		case res.Reason == nil && len(res.Claims) > 0:
			bad = append(bad, fmt.Sprintf("%v has no claim, but input %d violates it: %s", p, i, o))
		}
	}
	for p, list := range claims {
		for _, cl := range list {
			if _, ok := fails[p]; cl.Status == verdict.Violated && !ok && cl.Behind == "" && !undecided(outs) {
				bad = append(bad, fmt.Sprintf("%s %v is violated, but by no input", cl.ID, p))
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// undecided reports whether the interpreter left the program's meaning on some input open.
func undecided(outs []*interp.Outcome) bool {
	return slices.ContainsFunc(outs, func(o *interp.Outcome) bool {
		return o.Kind == interp.Unsupported || o.Kind == interp.StepLimit || o.Kind == interp.Undefined
	})
}

// machine compares the interpreter with the program built with sanitizers.
func (c *campaign) machine(t *testing.T, dir, file, name string, outs []*interp.Outcome) (bad []string) {
	t.Helper()
	ends, err := nativeEnds(t, dir, file, name)
	if err != nil {
		t.Fatal(err)
	}
	if len(ends) != len(outs) {
		t.Fatal(errors.New("the machine did not run all inputs"))
	}
	for i, o := range outs {
		want := ""
		switch o.Kind {
		case interp.Returned:
			want = fmt.Sprintf("=%s", o.Ret.Signed())
		case interp.AssumeFailed:
			want = "assume"
		case interp.Violation:
			switch o.Check {
			case verdict.Assert:
				want = "assert"
			case verdict.SignedOverflow, verdict.Shift, verdict.DivByZero:
				want = "p.c:" + strconv.Itoa(o.Pos.Line)
			}
		}
		if want == "" {
			continue
		}
		c.native++
		if ends[i] != want && !strings.HasPrefix(ends[i], want+":") {
			bad = append(bad, fmt.Sprintf("input %d: the interpreter ends with %s (%s), the machine with %q", i, o,
				want, ends[i]))
		}
	}
	return bad
}
