package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkRegister claims that an access of n bytes at one of ts is one that the register there is made for.
func (e *encoder) checkRegister(fr *frame, st *memory.State, in *ir.Instr, ts []target, n int64, write bool) {
	if st.PC == nil || !in.MayTouchRegister() || !e.opts.Checks.Has(verdict.Register) {
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, t := range ts {
		if t.vol == nil {
			continue
		}
		for _, f := range e.misuses(t, n, write) {
			f.when = e.s.And(t.g, f.when)
			bad = e.s.Or(bad, f.when)
			cases = append(cases, f)
		}
	}
	e.claim(fr, st, in, verdict.Register, bad, false, verdict.Register.Of().Holds, cases...)
}

// misuses lists the offsets in a volatile region at which an access of n bytes misuses a register.
func (e *encoder) misuses(t target, n int64, write bool) []failure {
	if off, fixed := e.ConstOf(t.off); fixed {
		if text := e.opts.Misuse(t.vol.Name, t.vol.Base+off, uint64(n), write); text != "" {
			return []failure{{when: e.s.True(), text: text}}
		}
		return nil
	}
	var out []failure
	next := uint64(0) // offsets below it were looked at
	for _, r := range e.opts.Registers {
		if r.Region != t.vol.Name || r.At < t.vol.Base || !r.Use.Refuses(write) {
			continue
		}
		first := r.At - t.vol.Base
		for off := max(next, first-min(first, uint64(n)-1)); off < first+r.Size; off++ {
			if text := e.opts.Misuse(t.vol.Name, t.vol.Base+off, uint64(n), write); text != "" {
				out = append(out, failure{when: e.at(t.off, off), text: text})
			}
			next = off + 1
		}
	}
	return out
}

// at is the condition that an offset is a number.
func (e *encoder) at(off ilr.Term, number uint64) ilr.Term {
	return e.Eq(off, e.s.Int(e.w, int64(number)))
}
