package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Narrow has the contents that an assumption of that ID is about, which harnesses of m made up, lie in a range. It returns
// what is assumed then, in place of list, and what of that is new: nil where they are no number of their own.
func Narrow(m *ir.Module, of verdict.Assumption, low, high int64, list []verdict.Assumption) (all, made []verdict.Assumption) {
	a := verdict.Assume(of.Subject, verdict.Interval, verdict.Chosen, fmt.Sprintf("%s is %d..%d", of.Subject, low, high))
	a.Line = fmt.Sprintf("%d..%d", low, high)
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if !slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool { return showsContents(in, of.ID) }) {
				continue
			}
			w := &irbuild.Builder{Module: m, Func: f}
			w.Rewrite(b, func(in *ir.Instr) {
				if w.Keep(in); !showsContents(in, of.ID) {
					return
				}
				shown := in.Args[0].(*ir.Instr)
				least, most := w.Bounds(shown.Args[0], low, high, shown.Pred == ir.SLE)
				brings(a.ID, w.Assume(least), w.Assume(most))
				made = []verdict.Assumption{a}
			})
			ir.Number(f)
		}
	}
	if made == nil {
		return list, nil
	}
	all = slices.DeleteFunc(slices.Clone(list), func(o verdict.Assumption) bool { // a wider range of the round before
		return o.Relation == verdict.Interval && o.Subject == of.Subject && o.Line != "" && o.Guessed()
	})
	return verdict.AddAssumptions(all, a), made
}

// showsContents reports the assumption by which a harness names a number that it made up (harness.shows).
func showsContents(in *ir.Instr, id string) bool {
	if in.Model != ir.ModelAssume || !slices.Contains(in.Assumes, id) {
		return false
	}
	shown, ok := in.Args[0].(*ir.Instr)
	return ok && shown.Op == ir.OpIcmp && shown.Args[0] == shown.Args[1] && shown.Pred != ir.EQ
}
