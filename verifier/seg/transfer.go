package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
)

// transfer moves the memory that a callee leaves behind into the state of its caller.
type transfer struct {
	b       *builder
	s, from *state
	reach   map[int]bool
	ids     map[int]int // object of from to that of s
	stay    map[int]bool
	bound   []binding
}

// binding is a pointer of the caller, and what it is behind the call.
type binding struct{ was, now value }

// number finds objects of the caller for those of the callee: heap blocks are new ones, globals and locals that
// the callee was given the address of are the same.
func (t *transfer) number() {
	for _, id := range t.from.order {
		o := t.from.objs[id]
		switch {
		case o.global != nil:
			t.b.globalObject(t.s, o.global)
			t.ids[id] = id
		case t.stay[id]:
			t.ids[id] = id
		case o.heap:
			t.ids[id] = t.b.newObject(t.s, o.key, o.name, o.size).id
		}
	}
}

// value is v of the callee in the caller's terms.
func (t *transfer) value(v value) value {
	if v.kind != ptrValue {
		return v
	}
	id, ok := t.ids[v.obj]
	if !ok {
		return t.b.somewhere(t.s)
	}
	v.obj = id
	return v
}

// bind notes that pointer a of the caller is r behind the call.
func (t *transfer) bind(a, r value) {
	if a.kind == ptrValue {
		t.bound = append(t.bound, binding{a, r})
	}
	t.sameBlock(a, r)
	if o := t.from.objs[t.source(r)]; r.kind == ptrValue && o != nil && o.list != nil &&
		r.lin.Equal(exact.C(o.list.from(r.last).at)) {
		switch end := o.list.from(r.last).end; {
		case a.kind == intValue && a.lin.Equal(exact.Lin{}):
			t.s.know.eq(o.list.length) // the address of a block is not null
		case a.kind == ptrValue && t.s.block(a.obj) && end.kind == intValue && end.lin.Equal(exact.Lin{}):
			t.s.know.ge(o.list.length.AddInt(-1))
		}
	}
}

// sameBlock notes that a block that is still there has the size and the place of the pointer that it had before.
func (t *transfer) sameBlock(a, r value) {
	if a.kind != ptrValue || r.kind != ptrValue || !t.s.block(a.obj) || !t.from.block(t.source(r)) {
		return
	}
	t.s.know.eq(t.s.objs[a.obj].size.Sub(t.from.objs[t.source(r)].size))
	t.s.know.eq(a.lin.Sub(r.lin))
}

// source is the callee's object of pointer r of the caller.
func (t *transfer) source(r value) int {
	for from, to := range t.ids {
		if to == r.obj {
			return from
		}
	}
	return 0
}

// after returns the value behind the call that stands for pointer v of the caller.
func (t *transfer) after(v value) value {
	v = t.s.plain(v)
	for _, x := range t.bound {
		d := v.lin.Sub(x.was.lin)
		if x.was.obj != v.obj || x.was.last != v.last || !d.IsConst() {
			continue
		}
		if d.Const.IsZero() {
			return x.now
		}
		if x.now.kind == ptrValue && t.s.block(v.obj) && t.from.block(t.source(x.now)) {
			return x.now.plus(d)
		}
	}
	return t.b.somewhere(t.s)
}

// replace takes the objects that the callee reached out of the caller's state, and puts its own in.
func (t *transfer) replace() {
	for _, id := range append([]int(nil), t.s.order...) {
		o := t.s.objs[id]
		switch _, had := t.ids[id]; {
		case !t.reach[id] || o.global != nil && o.global.Const:
		case o.heap:
			t.s.redirect(id, t.after)
			t.s.drop(id)
		case o.dynamic || !had:
			t.b.forget(t.s, id)
			if o = t.s.own(id); o != nil {
				o.written = written{}
			}
		}
	}
	for _, from := range t.from.order {
		to, moved := t.ids[from]
		x, o := t.from.objs[from], t.s.own(to)
		if !moved || o == nil || o.global != nil && o.global.Const {
			continue
		}
		o.cells = append([]cell(nil), x.cells...)
		for n := range o.cells {
			o.cells[n].val = t.value(o.cells[n].val)
		}
		o.rest, o.written, o.ended, o.next, o.of = x.rest, x.written, x.ended, x.next, x.of
		if !x.heap {
			continue
		}
		o.heap, o.dynamic, o.align, o.base = true, true, x.align, x.base
		if x.list != nil {
			l := *x.list
			l.end, l.before = t.value(l.end), t.value(l.before)
			o.list = &l
		}
	}
}
