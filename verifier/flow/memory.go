package flow

import (
	"math"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// value is what is known of a value: what it rests on, and where it leads, if it is an address.
type value struct {
	tags    set
	nonnull set  // that it, or the address that it is computed from, is not null; see null.go
	null    bool // the program itself may make it null, by a constant that it gives a local variable or a result
	points  []location
}

// location is a part of an object that an address may lead to: the bytes from off.low to off.high, which is no part.
type location struct {
	object *object
	off    span
}

// span is a range of byte offsets, from low up to high and without it.
type span struct{ low, high int64 }

// everywhere is any offset.
var everywhere = span{math.MinInt64 / 4, math.MaxInt64 / 4}

func (s span) meets(t span) bool { return s.low < t.high && t.low < s.high }
func (s span) any() bool         { return s.low <= everywhere.low || s.high >= everywhere.high }

// size is what spans of sizes are given to load and store as where the size is not known.
func (s span) size() int64 { return everywhere.high }

// shift returns the offsets that are off further on.
func (s span) shift(off int64) span {
	if s.any() {
		return everywhere
	}
	return span{s.low + off, s.high + off}
}

// bytes returns the bytes that an access of size bytes at these offsets may touch.
func (s span) bytes(size int64) span {
	if s.any() || size >= everywhere.high {
		return everywhere
	}
	return span{s.low, s.high - 1 + size}
}

// object is a variable, an allocation or a function.
type object struct {
	extent set  // what its size rests on
	freed  set  // what it rests on whether the program has freed it
	apart  set  // that it does not overlap another
	quiet  set  // that nothing changes it between two steps of code
	symbol bool // the linker may provide it: two of these may have one address
	made   bool // a harness made it for a pointer to lead to
	cells  []cell
	n      int // assumptions
}

// cell is what is known of the bytes of an object in a span: the whole of what is stored there, weakly.
type cell struct {
	in span
	*value
}

func (r *Rests) object(key any) *object {
	o := r.objects[key]
	if o == nil {
		o = &object{extent: newSet(len(r.ids)), apart: newSet(len(r.ids)), quiet: newSet(len(r.ids)),
			freed: newSet(len(r.ids)), n: len(r.ids)}
		r.objects[key] = o
	}
	return o
}

// at returns the cell of exactly these bytes, or of the whole object where there are too many.
func (o *object) at(in span) *value {
	for _, c := range o.cells {
		if c.in == in || c.in == everywhere && len(o.cells) > policy.FlowCells {
			return c.value
		}
	}
	if len(o.cells) > policy.FlowCells {
		all := &value{tags: newSet(o.n)}
		for _, c := range o.cells {
			all.join(c.value)
		}
		o.cells = append([]cell{{everywhere, all}}, o.cells...)
		return all
	}
	v := &value{tags: newSet(o.n)}
	o.cells = append(o.cells, cell{in, v})
	return v
}

// join adds what w holds; it reports whether that is news.
func (v *value) join(w *value) bool {
	news := v.tags.or(w.tags) || w.null && !v.null
	v.null = v.null || w.null
	if len(w.nonnull) > 0 {
		if v.nonnull == nil {
			v.nonnull = make(set, len(v.tags))
		}
		news = v.nonnull.or(w.nonnull) || news
	}
	for _, p := range w.points {
		news = v.lead(p) || news
	}
	return news
}

// lead adds a place that v may lead to.
func (v *value) lead(p location) bool {
	n := 0
	for _, q := range v.points {
		if q.object != p.object {
			continue
		}
		if q.off == everywhere || q.off == p.off {
			return false
		}
		n++
	}
	if n > 3 {
		p.off = everywhere
	}
	v.points = append(v.points, p)
	return true
}

// of returns what is known of a value; it is changed by nobody but the rule of its instruction.
func (r *Rests) of(v ir.Value) *value {
	if x := r.values[v]; x != nil {
		return x
	}
	x := &value{tags: newSet(len(r.ids))}
	if c, ok := v.(*ir.Const); ok {
		switch {
		case c.Global != nil:
			x.lead(location{r.object(c.Global), span{c.Off, c.Off + 1}})
		case c.Func != nil:
			x.lead(location{r.object(c.Func), everywhere})
		case c.Kind == ir.ConstNull:
			x.null = true
		case c.Kind == ir.ConstInt && c.T.IsPtr():
			x.lead(location{r.object(addressSpace{}), everywhere})
		}
		for _, e := range c.Elems {
			x.join(r.of(e))
		}
	}
	if v != nil {
		r.values[v] = x
	}
	return x
}

// load returns what is known of size bytes where an address leads.
func (r *Rests) load(addr *value, size int64) *value {
	out := &value{tags: newSet(len(r.ids))}
	out.tags.or(r.stray)
	if len(addr.points) == 0 {
		out.tags.or(r.world)
	}
	for _, p := range addr.points {
		in := p.off.bytes(size)
		out.tags.or(r.besides(p.object, r.written))
		if !r.driving {
			out.tags.or(p.object.quiet)
		}
		for _, c := range p.object.cells {
			if c.in.meets(in) {
				out.join(c.value)
			}
		}
	}
	return out
}

// store adds what v holds to size bytes where an address leads.
func (r *Rests) store(addr, v *value, size int64) {
	if v.null {
		v = &value{tags: v.tags, nonnull: v.nonnull, points: v.points}
	}
	news := r.world.or(v.tags)
	if len(addr.points) == 0 {
		news = r.stray.or(v.tags) || news
	}
	r.changed = r.changed || news
	for _, p := range addr.points {
		r.note(p.object, r.written)
		if p.object.at(p.off.bytes(size)).join(v) {
			r.changed = true
		}
	}
}

// note notes that the program does something to an object that the driver made.
func (r *Rests) note(o *object, done map[int]map[*object]bool) {
	if r.driving {
		return
	}
	for i, to := range done {
		if o.apart.has(i) && !to[o] {
			to[o], r.changed = true, true
		}
	}
}

// besides returns the assumptions that o does not overlap any other object to which that is done.
func (r *Rests) besides(o *object, done map[int]map[*object]bool) set {
	out := newSet(len(r.ids))
	for i, to := range done {
		if o.apart.has(i) && (len(to) > 1 || len(to) == 1 && !to[o]) {
			out.add(i)
		}
	}
	return out
}

// set adds to what is known of a value.
func (r *Rests) set(v ir.Value, w *value) {
	if r.driving && w.null {
		w = &value{tags: w.tags, nonnull: w.nonnull, points: w.points}
	}
	if r.of(v).join(w) {
		r.changed = true
	}
}

// contents returns what is known of all that an address leads to, and in turn what that leads to.
func (r *Rests) contents(addr *value) *value {
	out := &value{tags: newSet(len(r.ids))}
	seen := map[*object]bool{}
	todo := addr.points
	for len(todo) > 0 {
		o := todo[0].object
		todo = todo[1:]
		if seen[o] {
			continue
		}
		seen[o] = true
		out.lead(location{o, everywhere})
		for _, c := range o.cells {
			out.join(&value{tags: c.tags, nonnull: c.nonnull})
			todo = append(todo, c.points...)
		}
	}
	return out
}
