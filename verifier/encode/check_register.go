package encode

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkRegister claims that an access of n bytes at one of ts is one that the register there is made for, and that what a
// store writes there, if it writes, fits it.
func (e *encoder) checkRegister(fr *frame, st *memory.State, in *ir.Instr, ts []target, n int64, written *memory.Val) {
	if st.PC == nil || !e.opts.Checks.Has(verdict.Register) || !in.MayBeAtRegister() {
		return
	}
	calls := fr.calls()
	if !in.AtRegister(calls) {
		return
	}
	bad := e.s.False()
	var cases []failure
	add := func(when ilr.Term, text string, value ilr.Term) {
		bad = e.s.Or(bad, when)
		cases = append(cases, failure{when: when, text: text, value: value})
	}
	for _, t := range ts {
		if t.vol == nil {
			continue
		}
		places := []uint64{}
		if off, fixed := e.ConstOf(t.off); fixed {
			places = append(places, t.vol.Base+off)
		} else {
			places = e.opts.PlacesOver(t.vol.Name, uint64(n))
		}
		for _, at := range places {
			there := e.s.And(t.g, e.Eq(t.off, e.s.Int(e.w, int64(at-t.vol.Base))))
			if text := e.opts.Misuse(t.vol.Name, at, uint64(n), written != nil); text != "" {
				add(there, text, 0)
				continue
			}
			if written == nil || written.Ptr != nil || len(written.Elems) > 0 {
				continue
			}
			for _, m := range e.opts.Misfits(in, calls, t.vol.Name, at, uint64(n)) {
				k, fits := e.fitsField(&m, e.Num(*written))
				add(e.s.And(there, e.s.Not(fits)), m.Text, k)
			}
		}
	}
	e.claim(fr, st, in, verdict.Register, bad, false, verdict.Register.Of().Holds, cases...)
}

// fitsField returns the number that counts of what is written, and a term that is true where it fits.
func (e *encoder) fitsField(m *ir.Misfit, n ilr.Term) (k, fits ilr.Term) {
	number := func(v uint64) ilr.Term { return e.s.Const(bits.New(e.s.Width(n), v)) }
	k = e.s.Lshr(e.s.BvAnd(n, number(m.Mask)), number(uint64(m.Low)))
	if len(m.Takes) == 0 {
		return k, e.Eq(k, number(0))
	}
	fits = e.s.False()
	for _, span := range m.Takes {
		fits = e.s.Or(fits, e.s.And(e.s.Ule(number(span.From), k), e.s.Ule(k, number(span.To))))
	}
	return k, fits
}

// calls lists the calls that led to fr, the last one first.
func (fr *frame) calls() []*ir.Instr {
	var out []*ir.Instr
	for ; fr.up != nil; fr = fr.up {
		out = append(out, fr.call)
	}
	return out
}
