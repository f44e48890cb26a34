package seg

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// tracked is a cell that a generalised state keeps although its place depends on
// the state's numbers, like a[i]: an object, and an offset over slots. What it
// holds is a slot of its own; where an arriving state does not know it, any value.
// Only cells that were read since the last cut point are taken up, and those at a fixed
// distance from their object's end, which may terminate a string.
type tracked struct {
	obj   string // key
	size  int64
	terms []trackedTerm
	add   exact.Int
}

type trackedTerm struct {
	slot string // key
	coef exact.Int
}

func (t tracked) key() string {
	if len(t.terms) == 0 {
		return "cell " + t.obj + "@" + t.add.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cell %s@%s:%d", t.obj, t.add, t.size)
	for _, x := range t.terms {
		fmt.Fprintf(&b, "+%s*(%s)", x.coef, x.slot)
	}
	return b.String()
}

// offset puts values for the slots; false when one of them is gone.
func (t tracked) offset(places map[string]*place, val func(*place) exact.Lin) (exact.Lin, bool) {
	e := constInt(t.add)
	for _, x := range t.terms {
		p := places[x.slot]
		if p == nil {
			return e, false
		}
		e = e.AddScaled(x.coef, val(p))
	}
	return e, true
}

// numbers are the cells of a state's objects that hold numbers, by object.
func (s *state) numbers() map[int][]cell {
	out := map[int][]cell{}
	for _, id := range s.order {
		for _, c := range s.objs[id].cells {
			if c.val.kind == intValue {
				c.off = s.know.plain(c.off)
				out[id] = append(out[id], c)
			}
		}
	}
	return out
}

// track registers the cells at places that depend on the state's numbers: those
// that the generalised state has, and new ones of the arriving state.
func (m *matcher) track(before, now map[int][]cell) {
	places := map[string]*place{}
	index := map[string]int{}
	for n, p := range m.places {
		places[p.key], index[p.key] = p, n
	}
	var list []tracked
	if m.c != nil {
		list = append(list, m.c.tracked...)
	}
	had := len(list)
	for _, id := range m.j.order {
		for _, c := range now[id] {
			if t, ok := m.template(m.j.objs[id], c); ok && (c.read || t.terminates()) && len(list) < policy.StateTracked &&
				!m.known(list, t) {
				list = append(list, t)
			}
		}
	}
	m.tracked = list // a place that is lost is not taken up again
	for n, t := range list {
		o := m.keyed(t.obj)
		if o == nil {
			continue
		}
		if len(t.terms) == 0 && o.holds(t.add) {
			continue
		}
		off, ok := t.offset(places, func(p *place) exact.Lin { return exact.V(placeholder(index[p.key])) })
		if !ok {
			continue
		}
		here, _ := t.offset(places, func(p *place) exact.Lin { return p.other })
		x, found := m.lookup(m.s, now[o.id], here, t.size)
		var was *value
		if m.old != nil {
			there, _ := t.offset(places, func(p *place) exact.Lin { return p.was })
			w, ok := m.lookup(m.old, before[o.id], there, t.size)
			if !ok {
				w = m.b.fresh(m.old, ir.Int(int(t.size)*8), "content of "+o.name, x.rep)
			}
			was = &w
		}
		if !found {
			x = m.b.fresh(m.s, ir.Int(int(t.size)*8), "content of "+o.name, signed)
			m.havoc[x.lin.Terms[0].Var] = true
		}
		v, ok := m.value(x, was, int(t.size)*8, t.key(), o.name+"[]")
		if !ok {
			continue
		}
		m.j.own(o.id).cells = append(m.j.own(o.id).cells, cell{off: off, size: t.size, val: v})
		m.lost = m.lost || n >= had
	}
}

// tracks reports whether the cut point keeps the cell at this constant place even where it is unknown.
func (c *cutPoint) tracks(obj string, x cell) bool {
	for _, t := range c.tracked {
		if len(t.terms) == 0 && t.obj == obj && x.off.IsConst() && x.off.Const.Equal(t.add) {
			return true
		}
	}
	return false
}

// holds reports whether the object has a cell at the offset.
func (o *object) holds(off exact.Int) bool {
	for _, c := range o.cells {
		if c.off.IsConst() && c.off.Const.Equal(off) {
			return true
		}
	}
	return false
}

func (m *matcher) keyed(key string) *object {
	for _, id := range m.j.order {
		if o := m.j.objs[id]; o.key == key {
			return o
		}
	}
	return nil
}

func (m *matcher) known(list []tracked, t tracked) bool {
	for _, u := range list {
		if u.key() == t.key() {
			return true
		}
	}
	return false
}

// lookup finds the cell at a place.
func (m *matcher) lookup(s *state, cells []cell, off exact.Lin, size int64) (value, bool) {
	for _, c := range cells {
		if c.size == size && m.b.same(s, c.off, off) {
			return c.val, true
		}
	}
	return value{}, false
}

// template writes the place of a cell over the slots: one variable times a number,
// and a constant, where a slot holds that variable, perhaps with a constant; or a
// constant alone, of which the generalised state did not know what it holds.
func (m *matcher) template(o *object, c cell) (tracked, bool) {
	switch {
	case o == nil || o.list != nil || len(c.off.Terms) > 1:
		return tracked{}, false
	case c.off.IsConst():
		return tracked{obj: o.key, size: c.size, add: c.off.Const}, m.c != nil && !o.holds(c.off.Const)
	}
	v, k := c.off.Terms[0].Var, c.off.Terms[0].Coef
	found := tracked{}
	for _, p := range m.places {
		e := m.s.know.plain(p.other)
		if d, ok := m.fromEnd(o, c, p); ok {
			return tracked{obj: o.key, size: c.size, terms: []trackedTerm{{p.key, exact.I(1)}}, add: d.Neg()}, true
		}
		if len(e.Terms) == 1 && e.Terms[0].Var == v && e.Terms[0].Coef.IsOne() && (found.obj == "" ||
			p.key == sizeKey(o.key)) {
			found = tracked{obj: o.key, size: c.size, terms: []trackedTerm{{p.key, k}},
				add: c.off.Const.Sub(k.Mul(e.Const))}
		}
	}
	return found, found.obj != ""
}

// fromEnd returns how far in front of the end of o the cell is, if slot p is the size of o and that is known.
func (m *matcher) fromEnd(o *object, c cell, p *place) (exact.Int, bool) {
	if p.key != sizeKey(o.key) || m.s.know.plain(p.other).IsConst() {
		return exact.Int{}, false
	}
	return m.b.constantIn(m.s.know, p.other.Sub(c.off))
}

// sizeKey is the slot of an object's size.
func sizeKey(object string) string { return "size " + object }

// terminates reports whether the place is one at a fixed distance from the object's end.
func (t tracked) terminates() bool {
	return len(t.terms) == 1 && t.terms[0].slot == sizeKey(t.obj) && t.terms[0].coef.IsOne()
}

// constantIn returns the value of e if k leaves it only one.
func (b *builder) constantIn(k *know, e exact.Lin) (exact.Int, bool) {
	i := b.bounds(k, []exact.Lin{e})[0]
	return i.lo, i.hasLo && i.hasHi && i.lo.Equal(i.hi)
}
