package bmc

import (
	"io"
	"strings"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// solverStages adds the parts of a round that overlap encode and decide:
// rewriting (estimated by sampling), bit-blasting, the SAT solver.
func (b *unwinder) solverStages(r *round, rules *problem.Simplifier) {
	st := r.solver.Stats()
	solving := map[string]int64{"calls": int64(st.Calls), "conflicts": int64(st.Conflicts), "lemmas": int64(st.Lemmas), "equal": int64(st.Equal)}
	if b.p.Answers != nil {
		solving["cache hits"] = int64(st.Hits)
	}
	for _, s := range []verdict.Stage{
		{Name: "simplify", Seconds: rules.Seconds(), Counts: map[string]int64{"calls": rules.Calls,
			"fired": rules.Fired, "terms": int64(st.Terms)}},
		{Name: "blast", Seconds: st.Blast, Counts: map[string]int64{"gates": int64(st.Gates),
			"clauses": int64(st.Clauses)}},
		{Name: "solve", Seconds: st.Solve, Counts: solving},
	} {
		s.Peak = problem.PeakRSS()
		b.a.AddStage(s)
	}
}

// dump hands the printed formula to whoever asked for it, claim by claim.
func (b *unwinder) dump(r *round) {
	if !b.p.Dumps["ilr"] && !b.p.Dumps["smt2"] {
		return
	}
	for _, g := range r.groups {
		for _, c := range g.Instances {
			if r.f.Store.IsFalse(c.Violated) {
				continue
			}
			head := "; " + c.ID + " " + c.Context + "\n"
			if b.p.Dumps["ilr"] {
				b.p.Dump("ilr", head+r.f.Store.String(c.Violated)+"\n")
			}
			if b.p.Dumps["smt2"] {
				text := "; cannot be written as SMT-LIB\n"
				if script, err := smtlib.Print(r.f.Store, r.f.Assumptions, []ilr.Term{c.Violated}); err == nil {
					var w strings.Builder
					if _, err := script.WriteTo(&w); err == nil {
						text = w.String()
					}
				}
				b.p.Dump("smt2", "(reset)\n"+head+text)
			}
		}
	}
}

// dumpClauses hands over what the SAT solver got so far.
func (b *unwinder) dumpClauses(r *round) {
	w, ok := r.solver.(interface {
		WriteDIMACS(io.Writer, ...ilr.Term) error
	})
	if !b.p.Dumps["dimacs"] || !ok {
		return
	}
	var text strings.Builder
	if w.WriteDIMACS(&text) == nil {
		b.p.Dump("dimacs", text.String())
	}
}
