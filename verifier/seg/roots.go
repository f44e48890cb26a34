package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// root is a place that holds a value: one in a frame, a cell of an object, or the
// end of a list.
type root struct {
	frame  int
	val    ir.Value // nil: in an object
	obj    int
	off    exact.Int
	before bool  // what is in front of a list
	ahead  int64 // a pointer here counts as one to so many bytes further on
}

// roots are the places from which the heap is reached, in a fixed order.
func (s *state) roots() []root {
	var out []root
	for n, f := range s.frames {
		for _, v := range sortedValues(f.vals) {
			if k := f.vals[v].kind; k == ptrValue || k == intValue {
				out = append(out, root{frame: n, val: v})
			}
		}
	}
	for _, id := range s.order {
		o := s.objs[id]
		if o.dynamic {
			continue
		}
		for _, c := range o.cells {
			if c.off.IsConst() && (c.val.kind == ptrValue || c.val.kind == intValue) {
				out = append(out, root{obj: id, off: c.off.Const})
			}
		}
	}
	return out
}

// get is the value at the place, of no kind if there is none.
func (r root) get(s *state) value {
	v := s.plain(r.find(s))
	if v.kind == ptrValue {
		v.lin = v.lin.AddInt(r.ahead)
	}
	return v
}

// plain puts numbers for the variables that have only one value.
func (s *state) plain(v value) value {
	v.lin = s.know.plain(v.lin)
	return v
}

func (r root) find(s *state) value {
	if r.val != nil {
		if r.frame < len(s.frames) {
			return s.frames[r.frame].vals[r.val]
		}
		return value{}
	}
	o := s.objs[r.obj]
	switch {
	case o == nil:
		return value{}
	case o.list != nil && r.before:
		return o.list.before
	case o.list != nil:
		return o.list.end
	}
	for _, c := range o.cells {
		if c.off.IsConst() && c.off.Const.Equal(r.off) {
			return c.val
		}
	}
	return value{}
}

func (r root) set(s *state, v value) {
	if v.kind == ptrValue {
		v.lin = v.lin.AddInt(-r.ahead)
	}
	if r.val != nil {
		s.frames[r.frame].vals[r.val] = v
		return
	}
	o := s.own(r.obj)
	switch {
	case o.list != nil && r.before:
		o.list.before = v
		return
	case o.list != nil:
		o.list.end = v
		return
	}
	for n := range o.cells {
		if c := &o.cells[n]; c.off.IsConst() && c.off.Const.Equal(r.off) {
			c.val = v
		}
	}
}
