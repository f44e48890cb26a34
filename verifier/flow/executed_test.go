package flow

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// steady gives each call of an input function the same number wherever it is executed, and one of them another.
type steady struct {
	input.Zeros
	seed int64
	but  *ir.Instr
}

func (s steady) Next(kind input.Kind, at *ir.Instr, w int) (bits.Vec, bool) {
	if kind == input.MallocOK {
		return bits.New(w, 1), true
	}
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, at.Block.Func.Name, at.ID, at == s.but)
	r := rand.New(rand.NewSource(int64(h.Sum64() >> 1)))
	return bits.New(w, uint64(r.Intn(9))), true
}

// seen digests, for each instruction, what it computes from each time, and what loads give.
type seen struct {
	interp.Silent
	x     *interp.Machine
	end   interp.Kind
	args  map[*ir.Instr][]uint64 // digests of the first turns, each of all before it too
	loads map[*ir.Instr][]uint64
}

func (k *seen) Before(fr *interp.Frame, in *ir.Instr) {
	k.note(k.args, in, func(w io.Writer) {
		for _, a := range in.Args {
			show(w, k.x.Eval(a))
		}
		if in.Op == ir.OpCall {
			show(w, k.x.Eval(in.Callee))
		}
	})
}

func (k *seen) After(fr *interp.Frame, in *ir.Instr) {
	if in.Op == ir.OpLoad {
		k.note(k.loads, in, func(w io.Writer) { show(w, fr.Values[in.ID]) })
	}
}

func (k *seen) note(to map[*ir.Instr][]uint64, in *ir.Instr, text func(io.Writer)) {
	h, list := fnv.New64a(), to[in]
	if n := len(list); n > 0 {
		fmt.Fprint(h, list[n-1])
	}
	text(h)
	to[in] = append(list, h.Sum64())
}

// show writes a value, objects by where they come from.
func show(w io.Writer, v interp.Value) {
	fmt.Fprint(w, v.Bits, v.Undef)
	if o := v.Object; o != nil {
		switch {
		case o.Global != nil:
			fmt.Fprint(w, o.Global.Name)
		case o.Func != nil:
			fmt.Fprint(w, o.Func.Name)
		case o.Born != nil:
			fmt.Fprint(w, o.Born.Block.Func.Name, o.Born.ID)
		}
	}
	for _, e := range v.Elems {
		show(w, e)
	}
}

// execute runs a program. failed is where another claim fails than those which hold or not as holds says; of runs that end
// in a way that says nothing, k is nil.
func execute(t *testing.T, m *ir.Module, src steady, holds bool) (k *seen, failed *interp.Outcome) {
	k = &seen{args: map[*ir.Instr][]uint64{}, loads: map[*ir.Instr][]uint64{}}
	checks := verdict.DefaultChecks()
	delete(checks, verdict.Leak)
	checks[verdict.Uninitialised] = true
	out, err := interp.Run(context.Background(), m, interp.Options{MaxSteps: 3000, Checks: checks,
		Observe: []interp.Observe{func(x *interp.Machine) interp.Observer { k.x = x; return k }}}, src)
	if err != nil {
		t.Fatal(err)
	}
	asserts := out.Kind == interp.Violation && out.Instr.AlwaysFails()
	switch k.end = out.Kind; {
	case out.Kind == interp.Undefined, out.Kind == interp.Unsupported, asserts && holds:
		return nil, nil
	case out.Kind == interp.Violation && !asserts:
		return k, out
	}
	return k, nil
}

// differing calls do with each instruction at which two executions differ: of those that both come to, in what they compute
// from there or load (loaded); or one comes there more often than another that is over, or that goes on without it.
func differing(a, b *seen, aFailed, bFailed bool, do func(in *ir.Instr, loaded bool)) {
	more := func(list, other []uint64, of *seen, failed bool) bool {
		return !failed && len(list) > len(other) && (of.end != interp.StepLimit || len(other) == 0)
	}
	for in, list := range a.args {
		other, n := b.args[in], min(len(list), len(b.args[in]))
		if n > 0 && list[n-1] != other[n-1] || more(list, other, b, bFailed) || more(other, list, a, aFailed) {
			do(in, false)
		} else if n = min(len(a.loads[in]), len(b.loads[in])); n > 0 && a.loads[in][n-1] != b.loads[in][n-1] {
			do(in, true)
		}
	}
	for in, list := range b.args {
		if len(a.args[in]) == 0 && more(list, nil, a, aFailed) {
			do(in, false)
		}
	}
}

// What an input changes in executions of generated programs rests on it: values that instructions see, how often, and
// whether. As in make soundness, FIRMPROOF_SOUNDNESS is how long to go on, and FIRMPROOF_SEED the first seed.
func TestWhatChangesRestsOnIt(t *testing.T) {
	seed, count, until := int64(1), testprogram.Sample(300, 30), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	ends, differ, failures, free := map[interp.Kind]int{}, 0, 0, 0
	for n := seed; n < seed+int64(count) && (until.IsZero() || time.Now().Before(until)); n++ {
		src := (&writer{r: rand.New(rand.NewSource(n))}).program()
		m := testprogram.Compile(t, src, []string{"-O0", "-O1", "-O0"}[n%3])
		holds := n%2 == 0
		q := Question{Module: m, Holds: func(*ir.Instr) bool { return holds }}
		var sites []*ir.Instr
		for _, f := range m.Funcs {
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					if in.Op == ir.OpCall && in.Model == ir.ModelNondet && len(sites) < 64 {
						in.Assumes = []string{fmt.Sprint("input ", len(sites))}
						sites, q.IDs = append(sites, in), append(q.IDs, in.Assumes[0])
					}
				}
			}
		}
		r := Follow(q)
		on := map[*ir.Instr][2][]string{}
		wrong := 0
		for run := range int64(3) {
			base, fails := execute(t, m, steady{seed: run}, holds)
			if base == nil {
				continue
			}
			ends[base.end]++
			for i, site := range sites {
				other, fails2 := execute(t, m, steady{seed: run, but: site}, holds)
				if other == nil {
					continue
				}
				ends[other.end]++
				both := func(in *ir.Instr, loaded bool) {
					if _, ok := on[in]; !ok {
						on[in] = [2][]string{r.At(in, false), r.At(in, true)}
					}
					rests := on[in][0]
					if loaded {
						rests = on[in][1]
					}
					if differ++; !slices.Contains(rests, q.IDs[i]) && wrong < 3 {
						wrong++
						t.Errorf("seed %d: line %d, %s of %s: rests on %q, without %s (line %d)\n%s", n,
							in.Pos.Line-testprogram.HeaderLines, in, in.Block.Func.Name, rests, q.IDs[i],
							site.Pos.Line-testprogram.HeaderLines, src)
					}
				}
				differing(base, other, fails != nil, fails2 != nil, both)
				if fails != nil && fails2 == nil {
					failures++
					both(fails.Instr, fails.Check == verdict.Uninitialised)
				} else if fails == nil && fails2 != nil {
					failures++
					both(fails2.Instr, fails2.Check == verdict.Uninitialised)
				}
			}
		}
		for _, two := range on {
			free += len(sites) - len(two[1])
		}
	}
	t.Logf("%d differences, %d of them in whether a claim fails; %d pairs of an instruction and an input are apart; runs end as %v", differ, failures, free, ends)
	if differ < 1000 || failures < 3 || free < 100 {
		t.Errorf("only %d differences, %d failures, %d pairs apart", differ, failures, free)
	}
}
