package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkPointerOverflow claims that an inbounds getelementptr stays in its object
// or one past its end (LangRef: getelementptr, inbounds).
func (e *encoder) checkPointerOverflow(fr *frame, st *state, in *ir.Instr, from, to *ptr) {
	if !in.Flags.Has(ir.InBounds) || !e.opts.Checks.Has(verdict.PointerOverflow) {
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, a := range to.alts {
		if a.obj == nil {
			continue
		}
		out := e.s.And(a.g, e.s.Not(e.s.Ule(a.off, a.obj.size)))
		bad = e.s.Or(bad, out)
		cases = append(cases, failure{when: out, text: fmt.Sprintf("pointer leaves object %s: offset %%d", a.obj.what()), value: a.off})
	}
	e.claim(fr, st, in, verdict.PointerOverflow, bad, false, "pointer arithmetic leaves its object", cases...)
}

// checkPointerCompare claims that ordered pointers point into one object (C17
// 6.5.8; MISRA 18.3). Equality is allowed of any pointers.
func (e *encoder) checkPointerCompare(fr *frame, st *state, in *ir.Instr, pred ir.Pred, p, q *ptr) {
	if pred == ir.EQ || pred == ir.NE || !e.opts.Checks.Has(verdict.PointerCompare) {
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, a := range p.alts {
		for _, b := range q.alts {
			g := e.s.And(a.g, b.g)
			if a.obj == b.obj || e.s.IsFalse(g) {
				continue
			}
			bad = e.s.Or(bad, g)
			cases = append(cases, failure{when: g, text: fmt.Sprintf("pointers into %s and %s are compared", targetName(a), targetName(b))})
		}
	}
	e.claim(fr, st, in, verdict.PointerCompare, bad, false, "pointers into different objects are compared", cases...)
}

func targetName(a alt) string {
	if a.obj == nil {
		return "no object"
	}
	return a.obj.what()
}
