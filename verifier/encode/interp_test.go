package encode

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// expected returns what the formula says about the execution of a model.
func expected(f *Formula, ev *ilr.Evaluator) string {
	for i := range f.Claims {
		if c := &f.Claims[i]; ev.Holds(c.Violated) {
			return fmt.Sprintf("violation %s at %s of %s", c.Check, c.Instr, c.Instr.Block.Func.Name)
		}
	}
	for _, g := range f.Gaps {
		if ev.Holds(g.Guard) {
			return "unsupported " + g.Reason.Detail
		}
	}
	if ev.Holds(f.Ends) {
		return "end"
	}
	return "cut"
}

// actual returns what the interpreter does with the inputs of a model.
func actual(t *testing.T, m *ir.Module, f *Formula, ev *ilr.Evaluator, opts Options) (string, *interp.Outcome) {
	t.Helper()
	src := input.NewRecorded(f.Inputs(ev))
	out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func("main"), Checks: opts.Checks,
		Semantics: opts.Semantics, MaxSteps: 3000000}, src)
	if err != nil {
		t.Fatal(err)
	}
	switch out.Kind {
	case interp.Violation:
		return fmt.Sprintf("violation %s at %s of %s", out.Check, out.Instr, out.Instr.Block.Func.Name), out
	case interp.Returned, interp.Exited:
		return "end", out
	case interp.AssumeFailed, interp.Undefined:
		return "cut", out
	case interp.Unsupported:
		return "unsupported", out
	}
	if src.Err() != nil {
		return src.Err().Error(), out
	}
	return out.Kind.String(), out
}

// agree compares both engines on one model; it answers whether there was
// something to compare. An execution that the formula ends at a bound has no
// counterpart.
func agree(t *testing.T, m *ir.Module, f *Formula, model ilr.Model, opts Options) bool {
	t.Helper()
	ev := f.Store.NewEvaluator(model, ilr.EvalFloat)
	for _, a := range f.Assumptions {
		if !ev.Holds(a) {
			return false
		}
	}
	want := expected(f, ev)
	if strings.Contains(want, string(verdict.Unwinding)) {
		return false
	}
	got, out := actual(t, m, f, ev, opts)
	if got == "step-limit" && want == "cut" {
		return false // a loop that repeats itself
	}
	if got == "unsupported" && strings.Contains(out.Message, "no address left") {
		return false // a memory map smaller than the program: only the interpreter looks for a place
	}
	if got != want && !(got == "unsupported" && strings.HasPrefix(want, got)) {
		var ins []string
		for _, in := range f.Inputs(ev) {
			ins = append(ins, fmt.Sprintf("%s %s %d %v %v", in.Kind, in.Name, in.Obj, in.Value, in.Bytes))
		}
		t.Errorf("formula says %q, interpreter says %q (%s); inputs:\n%s", want, got, out, strings.Join(ins, "\n"))
	}
	return true
}

// randomModel gives every variable a small random value, and observed objects places.
func randomModel(f *Formula, r *rand.Rand) ilr.Model {
	s := f.Store
	m := ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}}
	bases := int64(0)
	for t := ilr.Term(1); t <= ilr.Term(s.Len()); t++ {
		if s.Kind(t) != ilr.KVar {
			continue
		}
		sort := s.Sort(t)
		switch {
		case sort.Kind == ilr.SortArray:
			a := &ilr.ArrayValue{Default: bits.New(sort.W, uint64(r.Intn(4))), Elems: map[bits.Vec]bits.Vec{}}
			for i := 0; i < 6; i++ {
				a.Elems[bits.New(sort.Idx, uint64(r.Intn(12)))] = bits.New(sort.W, uint64(r.Intn(256)))
			}
			m.Arrays[t] = a
		case strings.HasPrefix(s.VarName(t), "base!"):
			bases++
			fixed := f.m.Layout.PtrBits - sort.W // bits that the alignment fixes
			m.BV[t] = bits.Trunc(bits.Lshr(bits.NewInt(64, 0x20000000+bases*0x800), uint(fixed)), sort.W)
		case sort.Kind == ilr.SortBV:
			v := int64(r.Intn(16)) - 2
			switch r.Intn(8) {
			case 0:
				v = r.Int63() - r.Int63()
			case 1:
				v = int64(1)<<uint(sort.W-1) - int64(r.Intn(2))
			}
			m.BV[t] = bits.NewInt(sort.W, v)
		}
	}
	return m
}

// TestAgainstInterp runs the programs of TestPrograms in the interpreter: on
// random inputs, and on a model of every claim that can fail.
func TestAgainstInterp(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if against(t, compile(t, "", prelude+"int main(void) {\n#line 1\n"+p.body+"\nreturn 0; }\n"), Options{},
				40) == 0 && p.name != "hang" {
				t.Error("nothing was compared")
			}
		})
	}
}

// against compares the engines on one program and counts the comparisons.
func against(t *testing.T, m *ir.Module, opts Options, models int) int {
	t.Helper()
	if opts.Checks == nil {
		opts.Checks = verdict.DefaultChecks()
		delete(opts.Checks, verdict.Leak)
	}
	f := encodeMain(t, m, opts)
	n := 0
	try := func(model ilr.Model) {
		if agree(t, m, f, model, opts) {
			n++
		}
	}
	for seed := 0; seed < models && !t.Failed(); seed++ {
		try(randomModel(f, rand.New(rand.NewSource(int64(seed)))))
	}
	solver := solve.New(f.Store, solve.Options{Conflicts: 20000})
	defer solver.Close()
	for _, a := range f.Assumptions {
		solver.Assert(a)
	}
	terms := []ilr.Term{f.Ends}
	for _, c := range f.Claims {
		terms = append(terms, c.Violated)
	}
	for _, g := range f.Gaps {
		terms = append(terms, g.Guard)
	}
	for _, term := range terms {
		if t.Failed() {
			break
		}
		if a, _ := solver.Check(context.Background(), term); a == solve.Sat {
			try(solver.Model())
		}
	}
	return n
}
