package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

func (m *matcher) frame(n int, f *frame) {
	var old *frame
	if m.old != nil {
		old = m.old.frames[n]
		for v := range old.vals {
			if _, ok := f.vals[v]; !ok {
				m.lost = true
			}
		}
	}
	for _, v := range sortedValues(f.vals) {
		if in, ok := v.(*ir.Instr); ok && in.Op == ir.OpAlloca && f.vals[v].kind == ptrValue &&
			m.j.objs[f.vals[v].obj] != nil {
			if old == nil {
				continue
			}
			if w, ok := old.vals[v]; ok && w.kind == ptrValue && w.obj == f.vals[v].obj {
				continue // the start of its object
			}
		}
		var was *value
		if old != nil {
			w, ok := old.vals[v]
			if !ok {
				delete(f.vals, v)
				continue
			}
			was = &w
		}
		x, ok := m.value(f.vals[v], was, v.Type().Width, "value "+f.ctx+f.fn.Name+"."+m.b.label(v), m.b.nameOf(v))
		if !ok {
			delete(f.vals, v)
			continue
		}
		f.vals[v] = x
	}
}

// value joins a value with the one that the generalised state has; false when
// nothing is left of it.
func (m *matcher) value(v value, was *value, w int, key, name string) (value, bool) {
	if v.kind == ptrValue && m.j.objs[v.obj] == nil {
		e := m.b.address(m.s, v)
		v = number(e, unsigned)
	}
	if was == nil {
		u := v
		return m.slotOf(v, &u, w, key, name)
	}
	u := *was
	switch {
	case v.kind == ptrValue && u.kind == ptrValue && v.obj == u.obj && v.last == u.last &&
		(m.j.objs[v.obj].list == nil || m.s.plain(v).lin.Equal(m.old.plain(u).lin)):
	case (v.kind == ptrValue || v.kind == intValue) && (u.kind == ptrValue || u.kind == intValue) && v.kind != u.kind,
		v.kind == ptrValue && u.kind == ptrValue:
		m.lost = m.lost || u.kind == ptrValue
		if u.kind == ptrValue {
			u = number(m.b.address(m.old, u), unsigned)
		}
		if v.kind == ptrValue {
			v = number(m.b.address(m.s, v), unsigned)
		}
	case v.kind != u.kind:
		m.lost = true
		return value{}, false
	case v.kind == funcValue && v.fn != u.fn:
		m.lost = true
		return value{}, false
	case v.kind == boolValue:
		if h, _ := m.b.decide(m.s, v.cond); h != u.cond.lin.Const.Equal(exact.Int{}) {
			m.lost = true
			return value{}, false
		}
	case v.kind == aggValue:
		m.lost = true
		return value{}, false
	}
	return m.slotOf(v, &u, w, key, name)
}

// slotOf registers the number of a value.
func (m *matcher) slotOf(v value, u *value, w int, key, name string) (value, bool) {
	out := *u
	if v.kind != intValue && v.kind != ptrValue {
		if v.kind == aggValue {
			return value{}, false
		}
		return v, true
	}
	sl := slot{key: key, name: name, width: w, rep: u.rep}
	x := v.lin
	if v.kind == intValue {
		switch {
		case u.rep == anyRep:
			sl.rep = v.rep
		case v.rep != anyRep && v.rep != u.rep:
			x = m.b.fit(m.s, x, w, u.rep)
		}
		out.rep = sl.rep
	} else {
		sl.width = 0
		sl.key += " in " + m.j.objs[v.obj].key
		size := m.j.objs[v.obj].size
		if size.IsConst() {
			sl.limit = &size
		} else {
			sl.object = m.j.objs[v.obj].key
		}
	}
	out.lin = exact.V(placeholder(len(m.places)))
	m.places = append(m.places, &place{slot: sl, was: u.lin, other: x})
	return out, true
}
