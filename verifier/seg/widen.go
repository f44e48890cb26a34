package seg

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// joinBounds keeps the bounds of a slot that both states have. A bound that
// fails gives way to that of the new state twice, then to the nearest constant that
// the program compares with, then to the type's.
func (b *builder) joinBounds(k *know, m *matcher, p *place, merges int) bool {
	i := m.old.know.interval(p.was)
	j := m.s.know.interval(p.other)
	lost := false
	tryLo := []exact.Int{i.lo}
	tryHi := []exact.Int{i.hi}
	if merges < 2 {
		tryLo, tryHi = append(tryLo, j.lo), append(tryHi, j.hi)
	}
	if i.hasLo {
		tryLo = append(tryLo, b.below(i.lo)...)
	}
	if i.hasHi {
		tryHi = append(tryHi, b.above(i.hi)...)
	}
	old := m.old.know
	if i.hasLo {
		kept := false
		for n, c := range tryLo {
			if n == 1 && merges < 2 && !j.hasLo {
				continue
			}
			e := exact.Lin{Terms: p.other.Terms, Const: p.other.Const.Sub(c)}
			w := exact.Lin{Terms: p.was.Terms, Const: p.was.Const.Sub(c)}
			if b.ask.proves(m.s.know, e) && b.ask.proves(old, w) {
				k.lower(p.v, c)
				kept = n == 0
				break
			}
		}
		lost = lost || !kept
	}
	if i.hasHi {
		kept := false
		for n, c := range tryHi {
			if n == 1 && merges < 2 && !j.hasHi {
				continue
			}
			e := exact.Lin{Terms: p.other.Neg().Terms, Const: c.Sub(p.other.Const)}
			w := exact.Lin{Terms: p.was.Neg().Terms, Const: c.Sub(p.was.Const)}
			if b.ask.proves(m.s.know, e) && b.ask.proves(old, w) {
				k.upper(p.v, c)
				kept = n == 0
				break
			}
		}
		lost = lost || !kept
	}
	if m.lost || lost {
		return true
	}
	return p.rep != anyRep && b.wasAny(m, p)
}

// below and above are the constants that a bound may widen to, nearest first:
// those that the program compares with, and their neighbours.
func (b *builder) below(c exact.Int) []exact.Int {
	var out []exact.Int
	for n := len(b.thresholds) - 1; n >= 0; n-- {
		if b.thresholds[n].Cmp(c) < 0 {
			out = append(out, b.thresholds[n])
		}
	}
	return out
}

func (b *builder) above(c exact.Int) []exact.Int {
	for n, t := range b.thresholds {
		if t.Cmp(c) > 0 {
			return b.thresholds[n:]
		}
	}
	return nil
}

// thresholdsOf collects the constants of comparisons.
func thresholdsOf(m *ir.Module) []exact.Int {
	var all []exact.Int
	for d := int64(-1); d <= 1; d++ {
		all = append(all, exact.I(d))
	}
	m.Compared(func(_ *ir.Instr, c *ir.Const) {
		if c.T.Kind == ir.KindInt {
			v := exact.FromBig(c.Bits.Signed())
			all = append(all, v.Add(exact.I(-1)), v, v.Add(exact.I(1)))
		}
	})
	sort.Slice(all, func(i, j int) bool { return all[i].Cmp(all[j]) < 0 })
	out := all[:0]
	for n, v := range all {
		if n == 0 || !v.Equal(out[len(out)-1]) {
			out = append(out, v)
		}
	}
	if len(out) > policy.WidenThresholds {
		return thresholdsOf(&ir.Module{})
	}
	return out
}
