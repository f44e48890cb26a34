package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkRegister claims that an access of n bytes at one of ts is one that the register there is made for.
func (e *encoder) checkRegister(fr *frame, st *memory.State, in *ir.Instr, ts []target, n int64, write bool) {
	if st.PC == nil || !in.AtRegister() || !e.opts.Checks.Has(verdict.Register) {
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, t := range ts {
		off, fixed := e.ConstOf(t.off)
		if t.vol == nil || !fixed {
			continue
		}
		if text := e.opts.Misuse(t.vol.Name, t.vol.Base+off, uint64(n), write); text != "" {
			bad = e.s.Or(bad, t.g)
			cases = append(cases, failure{when: t.g, text: text})
		}
	}
	e.claim(fr, st, in, verdict.Register, bad, false, verdict.Register.Of().Holds, cases...)
}
