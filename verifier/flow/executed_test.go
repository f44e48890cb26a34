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

// execute runs a program. How a run ends that says nothing is Invalid.
func execute(t *testing.T, m *ir.Module, src steady, holds bool) (k *seen, end interp.Kind) {
	k = &seen{args: map[*ir.Instr][]uint64{}, loads: map[*ir.Instr][]uint64{}}
	checks := verdict.DefaultChecks()
	delete(checks, verdict.Leak)
	delete(checks, verdict.SignedOverflow)
	out, err := interp.Run(context.Background(), m, interp.Options{MaxSteps: 3000, Checks: checks,
		Observe: []interp.Observe{func(x *interp.Machine) interp.Observer { k.x = x; return k }}}, src)
	if err != nil {
		t.Fatal(err)
	}
	failed := out.Kind == interp.Violation && out.Instr != nil && out.Instr.AlwaysFails() && !holds
	if !failed && (out.Kind == interp.Violation || out.Kind == interp.Undefined || out.Kind == interp.Unsupported) {
		return k, interp.Invalid
	}
	return k, out.Kind
}

// differing calls do with each instruction that two executions come to otherwise, or with other numbers. Of one that did
// not end, that is one that it does not come to at all. loaded: what a load gives differs.
func differing(a, b *seen, ended bool, do func(in *ir.Instr, loaded bool)) {
	for in, list := range a.args {
		other := b.args[in]
		switch {
		case len(other) == 0, ended && !slices.Equal(list, other):
			do(in, false)
		case ended && !slices.Equal(a.loads[in], b.loads[in]):
			do(in, true)
		}
	}
}

// What an input changes in executions of generated programs rests on it: values that instructions see, how often, and
// whether. As in make soundness, FIRMPROOF_SOUNDNESS is how long to go on, and FIRMPROOF_SEED the first seed.
func TestWhatChangesRestsOnIt(t *testing.T) {
	seed, count, until := int64(1), testprogram.Sample(300, 40), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	ends, differ, free := map[interp.Kind]int{}, 0, 0
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
			base, end := execute(t, m, steady{seed: run}, holds)
			if ends[end]++; end == interp.Invalid {
				continue
			}
			for i, site := range sites {
				other, end2 := execute(t, m, steady{seed: run, but: site}, holds)
				if ends[end2]++; end2 == interp.Invalid {
					continue
				}
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
				ended := end != interp.StepLimit && end2 != interp.StepLimit
				if ended || end != interp.StepLimit {
					differing(base, other, ended, both)
				}
				if ended || end2 != interp.StepLimit {
					differing(other, base, ended, both)
				}
			}
		}
		for _, two := range on {
			free += len(sites) - len(two[1])
		}
	}
	t.Logf("%d differences; %d pairs of an instruction and an input are apart; runs end as %v", differ, free, ends)
	if differ < 1000 || free < 100 {
		t.Errorf("only %d differences, %d pairs apart", differ, free)
	}
}
