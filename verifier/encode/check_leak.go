package encode

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkLeak claims that no heap object is alive when the program ends.
func (e *encoder) checkLeak(fr *frame, st *state, in *ir.Instr) {
	if !e.opts.Checks.Has(verdict.Leak) {
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, o := range e.objs {
		if o.kind != objHeap {
			continue
		}
		c := st.get(o)
		if c == nil || e.s.IsFalse(c.live) {
			continue
		}
		lost := e.s.And(o.born, c.live)
		bad = e.s.Or(bad, lost)
		cases = append(cases, failure{when: lost, text: o.what() + " is never freed"})
	}
	e.claim(fr, st, in, verdict.Leak, bad, false, "heap memory is never freed", cases...)
}
