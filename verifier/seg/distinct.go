package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// distinct draws from cells of one object that hold different values that they
// are at different places (AP-25, item 5): where one is known to be not behind
// the other, it is before it. This is what keeps strlen inside its block.
func (b *builder) distinct(s *state) (learned bool) {
	for _, id := range s.order {
		o := s.objs[id]
		if o.list != nil || len(o.cells) > policy.StateCells {
			continue
		}
		for i, x := range o.cells {
			for _, y := range o.cells[:i] {
				d := y.off.Sub(x.off)
				if d.IsConst() || x.size != y.size || !b.differ(s, x.val, y.val) {
					continue
				}
				learned = b.notAt(s, d) || b.notAt(s, d.Neg()) || learned
			}
		}
	}
	return learned
}

// notAt makes d > 0 of d >= 0, given that d is not 0.
func (b *builder) notAt(s *state, d exact.Lin) bool {
	more := d.AddInt(-1)
	if !b.ask.proves(s.know, d) || b.ask.proves(s.know, more) {
		return false
	}
	s.know.ge(more)
	return true
}

// differ reports that two numbers are known to have different bits.
func (b *builder) differ(s *state, x, y value) bool {
	if x.kind != intValue || y.kind != intValue || x.rep != y.rep && x.rep != anyRep && y.rep != anyRep {
		return false
	}
	d := x.lin.Sub(y.lin)
	return b.ask.proves(s.know, d.AddInt(-1)) || b.ask.proves(s.know, d.Neg().AddInt(-1))
}

// withinSize relates the offsets of pointers into an object of unknown size to that
// size, and such sizes to each other, where both states do: a merge has no row for
// that when a number was constant so far.
func (b *builder) withinSize(m *matcher) {
	sizes := map[string]*place{}
	var order []*place
	for _, p := range m.places {
		if p.isSize {
			sizes[p.key] = p
			if order = append(order, p); len(order) > policy.MergeSteps {
				return
			}
		}
	}
	for _, p := range m.places {
		if size := sizes[sizeKey(p.object)]; p.object != "" && size != nil {
			b.least(m, size, p, 8, 4, 2, 1, 0)
		}
	}
	for i, p := range order {
		for _, q := range order[:i] {
			b.least(m, p, q, 0)
			b.least(m, q, p, 0)
		}
	}
}

// least notes the first of the distances that p is beyond q in both states.
func (b *builder) least(m *matcher, p, q *place, distances ...int64) {
	for _, n := range distances {
		if !b.ask.proves(m.s.know, p.other.Sub(q.other).AddInt(-n)) {
			continue
		}
		if m.old == nil || b.ask.proves(m.old.know, p.was.Sub(q.was).AddInt(-n)) {
			m.j.know.ge(exact.V(p.v).Sub(exact.V(q.v)).AddInt(-n))
			return
		}
	}
}
