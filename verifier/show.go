package verifier

import (
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func sortedIDs[T any](m map[string]T) []string {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// solverStages adds the parts of a round that overlap encode and decide:
// rewriting (estimated by sampling), bit-blasting, the SAT solver.
func (b *bounded) solverStages(r *round, rules *simplifier) {
	st := r.solver.Stats()
	solving := map[string]int64{"calls": int64(st.Calls), "conflicts": int64(st.Conflicts), "lemmas": int64(st.Lemmas)}
	if b.plan.Answers != nil {
		solving["cache hits"] = int64(st.Hits)
	}
	for _, s := range []verdict.Stage{
		{Name: "simplify", Seconds: rules.seconds(), Counts: map[string]int64{"calls": rules.calls,
			"fired": rules.fired, "terms": int64(st.Terms)}},
		{Name: "blast", Seconds: st.Blast, Counts: map[string]int64{"gates": int64(st.Gates),
			"clauses": int64(st.Clauses)}},
		{Name: "solve", Seconds: st.Solve, Counts: solving},
	} {
		s.Peak = PeakRSS()
		addStage(b.res, s)
	}
}

// dump hands the printed formula to whoever asked for it, claim by claim.
func (b *bounded) dump(r *round) {
	if !b.plan.Dumps["ilr"] && !b.plan.Dumps["smt2"] {
		return
	}
	for _, g := range r.groups {
		for _, c := range g.instances {
			if r.f.Store.IsFalse(c.Violated) {
				continue
			}
			head := "; " + c.ID + " " + c.Context + "\n"
			if b.plan.Dumps["ilr"] {
				b.plan.Dump("ilr", head+r.f.Store.String(c.Violated)+"\n")
			}
			if b.plan.Dumps["smt2"] {
				text := "; cannot be written as SMT-LIB\n"
				if script, err := smtlib.Print(r.f.Store, r.f.Assumptions, []ilr.Term{c.Violated}); err == nil {
					var w strings.Builder
					if _, err := script.WriteTo(&w); err == nil {
						text = w.String()
					}
				}
				b.plan.Dump("smt2", "(reset)\n"+head+text)
			}
		}
	}
}

// dumpClauses hands over what the SAT solver got so far.
func (b *bounded) dumpClauses(r *round) {
	w, ok := r.solver.(interface {
		WriteDIMACS(io.Writer, ...ilr.Term) error
	})
	if !b.plan.Dumps["dimacs"] || !ok {
		return
	}
	var text strings.Builder
	if w.WriteDIMACS(&text) == nil {
		b.plan.Dump("dimacs", text.String())
	}
}

// showInput puts an input of a replay into the report's form.
func showInput(in input.Input) verdict.Input {
	out := verdict.Input{Kind: in.Kind.String(), Name: in.Name, Pos: in.Pos}
	if at := in.Instr; at != nil && in.Name == "" { // from an execution: the formula names its inputs itself
		out.Name, out.Pos = at.Name, *at.Pos
		if k, direct := at.Callee.(*ir.Const); direct && k.Func != nil {
			out.Name = k.Func.Name
		}
	}
	if w := in.Value.Width(); w > 0 {
		out.Width, out.Value = w, in.Value.Hex()
	}
	out.Bytes = showBytes(in.Bytes)
	return out
}

// maxShown bounds the bytes of one input in a report.
const maxShown = 1 << 16

// showBytes writes the bytes up to the last that is not 0.
func showBytes(m map[int64]byte) string {
	end := int64(0)
	for off, v := range m {
		if v != 0 && off >= end && off < maxShown {
			end = off + 1
		}
	}
	list := make([]byte, end)
	for off, v := range m {
		if off >= 0 && off < end {
			list[off] = v
		}
	}
	return hex.EncodeToString(list)
}
