package seg

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// stepChecker holds the steps of a graph to those of bytewise machine states that their states stand for.
type stepChecker struct {
	r                          *rand.Rand
	every                      int // one in so many steps is checked
	steps, checked, not, undef int
	ops                        map[string]int
	wrong                      []string
}

func (k *stepChecker) watch(b *builder, before *state) func(*state, result) {
	if k.steps++; k.r.Intn(k.every) != 0 || len(k.wrong) > 0 {
		return nil
	}
	in := b.at(before)
	return func(s *state, r result) {
		if r.kind == gaveUp {
			return
		}
		for range 3 {
			if c := concretise(b, before, k.r); c == nil {
				k.not++
			} else if err := k.step(c, in, before, s, r); err != nil {
				k.wrong = append(k.wrong, fmt.Sprintf("%s (%s, line %d): %v", in.Op, in.Name, in.Pos.Line, err))
			}
		}
	}
}

// step lets the machine execute in, and looks for a state among the results that stands for what comes out.
func (k *stepChecker) step(c *concrete, in *ir.Instr, before, s *state, r result) error {
	if in.Op == ir.OpLoad && in.Flags.Has(ir.Volatile) {
		return nil
	}
	if r.kind == forked && slices.ContainsFunc(r.states, func(t *state) bool {
		f, g := t.top(), before.top()
		return f.blk == g.blk && f.idx == g.idx && len(t.frames) == len(before.frames) &&
			c.admits(t, 0) == nil
	}) {
		return nil // a case was made before the instruction is looked at again
	}
	if err := c.step(c.global); err != nil {
		k.not++
		return nil
	}
	k.checked++
	k.ops[in.Op.String()]++
	noted := func(check verdict.Check) bool {
		return slices.ContainsFunc(c.b.current.faults, func(f Fault) bool {
			return f.In == in && (check == "" || f.Check == check)
		})
	}
	if c.fails != "" {
		k.undef++
		if !noted("") {
			return fmt.Errorf("%s is not noted", c.fails)
		}
		return nil
	}
	if in.Op == ir.OpLoad && c.top().regs[in].unset && !noted(verdict.Uninitialised) {
		return errors.New("a byte without a value is read")
	}
	var states []*state
	moved := 0
	switch {
	case c.ended:
		return nil
	case r.kind == stopped:
		return fmt.Errorf("the run goes on: %s", r.why)
	case r.kind == forked:
		states = r.states
	default:
		states = []*state{s}
		if r.kind == advanced {
			moved = 1
		}
	}
	var why error
	for _, t := range states {
		err := c.admits(t, moved)
		if err == nil {
			return nil
		}
		if why == nil || why.Error() == "another place" {
			why = err
		}
	}
	return fmt.Errorf("%d states, none for the machine's: %w", len(states), why)
}

// checkSteps builds the graph of a program for a target and returns what is wrong with its steps.
func checkSteps(t *testing.T, k *stepChecker, src, target, level string, limit time.Duration) []string {
	t.Helper()
	ctx, cancel := testprogram.Limit(limit)
	defer cancel()
	path := filepath.Join(t.TempDir(), "main.c")
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	m := testprogram.File(t, path, target, level)
	k.wrong = nil
	_, _ = Build(ctx, m, Options{Wrap: true, Semantics: ir.Semantics{MallocNeverFails: true}, watch: k.watch})
	return k.wrong
}

// Each step of the graphs of generated programs over bytes leads to a state for what a machine makes of a state before.
// As in make soundness, FIRMPROOF_SOUNDNESS is how long to go on, and FIRMPROOF_SEED the first seed.
func TestStepsAreThoseOfBytes(t *testing.T) {
	seed, count, until := int64(1), testprogram.Sample(96, 20), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	k := &stepChecker{every: 1, ops: map[string]int{}}
	for n := seed; n < seed+int64(count) && (until.IsZero() || time.Now().Before(until)); n++ {
		k.r = rand.New(rand.NewSource(n))
		src := (&byteWriter{r: k.r, loose: n%2 == 0, short: n%4 > 0, n: int(n)}).program()
		target, level := []string{"x86_64", "armeb", "msp430"}[n%3], []string{"-O0", "-O1"}[n/3%3%2]
		for _, w := range checkSteps(t, k, src, target, level, 2*time.Second) {
			t.Errorf("seed %d, %s: %s\n%s", n, target, w, src)
		}
	}
	t.Logf("%d of %d steps checked, %d not, %d undefined: %v", k.checked, k.steps, k.not, k.undef, k.ops)
	if k.checked < 500 || k.undef < 10 {
		t.Errorf("%d steps are checked", k.checked)
	}
}
