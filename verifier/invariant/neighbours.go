package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Lemmas about neighbouring elements: a part of an array is sorted, a[k] <= a[k+1] for each k between two counters, and
// its elements are above or below a number. They are proposed where a claim, or what turns test, compares two elements,
// as far as executions do not refute them.

// part is a part of an array: the indices within all of its edges.
type part []edge

// edge is the condition that an index is at least v+d, or, where it is upper, at most v-d.
type edge struct {
	v     int
	d     int64
	upper bool
}

// relation is v <= w, or v < w where it is strict.
type relation struct {
	kind   lemma.Kind
	v, w   int
	strict bool
}

// array holds the numbers of a header that are about one array.
type array struct {
	*proposer
	cell, next, ghost int
	known             bool // to executions
	found             []finding
}

// finding is a relation that executions do not refute in a part of an array.
type finding struct {
	relation
	part
	where []shown // they show it
}

// neighbours proposes what holds of neighbours in each array: narrow lemmas are about parts of what wide ones are about.
func (p *proposer) neighbours(o *orders) (wide, narrow []*lemma.Lemma) {
	ghost := lemma.GhostOf(p.h)
	if o == nil || !p.on(MakeNeighbours) || ghost < 0 || p.h.Loop == nil || len(p.h.Arrivals) == 0 || len(p.h.Sites) == 0 {
		return nil, nil
	}
	p.maker = MakeNeighbours
	others := p.out
	p.out = nil
	counters, limits := p.bounding(o)
	for v := range p.h.Vars {
		if c := p.h.Vars[v].Next - 1; c >= 0 {
			x := &array{proposer: p, cell: c, next: v, ghost: ghost}
			x.known = !p.mixed && slices.ContainsFunc(p.samples, func(s sample) bool { return len(s.elems[c]) > 0 })
			x.find(p.parts(counters, limits), o)
			w, n := x.lemmas()
			wide, narrow = append(wide, w...), append(narrow, n...)
		}
	}
	if len(wide) > 0 {
		p.counters()
		for _, v := range counters {
			for _, w := range slices.Concat(counters, limits) {
				if v != w && p.width(v) == p.width(w) {
					p.unit(lemma.Atom{Kind: lemma.SleVar, V: v, W: w}, false)
					p.unit(lemma.Atom{Kind: lemma.SleVar, V: w, W: v}, true)
				}
			}
		}
	}
	wide = append(wide, p.out...)
	p.out = others
	return wide, narrow
}

// lemmas returns a lemma for each finding, those apart that are about a part of another's.
func (x *array) lemmas() (wide, narrow []*lemma.Lemma) {
	for i, f := range x.found {
		x.out = nil
		x.add(append(x.outside(f.part, f.relation), f.literal())...)
		for _, l := range x.out {
			l.Everywhere = true
		}
		if slices.ContainsFunc(x.found, func(g finding) bool { return g.covers(&x.found[i]) }) {
			narrow = append(narrow, x.out...)
		} else {
			wide = append(wide, x.out...)
		}
	}
	x.out = nil
	return wide, narrow
}

// covers reports that f is the same relation as g, shown wherever g is, and elsewhere.
func (f *finding) covers(g *finding) bool {
	if f.relation != g.relation || len(f.where) <= len(g.where) {
		return false
	}
	i := 0
	for _, y := range g.where {
		for i < len(f.where) && f.where[i] != y {
			i++
		}
	}
	return i < len(f.where)
}

// find finds the parts where an element and the next are in order, and those whose elements are above or below what
// they are compared with.
func (x *array) find(parts []part, o *orders) {
	var rels []relation
	add := func(v, w int) {
		for _, kind := range o.kinds {
			rels = append(rels, relation{kind, v, w, false}, relation{kind, w, v, false}, relation{kind, v, w, true},
				relation{kind, w, v, true})
		}
	}
	add(x.cell, x.next)
	for v := range x.h.Vars {
		y := &x.h.Vars[v]
		if !y.Cell && !y.Ghost && !y.Mask && !y.Offset && y.Width == x.width(x.cell) && o.with[x.h.Sites[0].Values[v]] {
			add(x.cell, v)
		}
	}
	for _, pt := range parts {
		at := x.indices(pt)
		for _, r := range rels {
			bounds := func(e edge) bool { return e.v == r.v || e.v == r.w }
			if len(x.found) >= policy.MaxNeighbours || slices.ContainsFunc(pt, bounds) {
				continue
			}
			if where, ok := x.upheld(r, at); ok {
				x.found = append(x.found, finding{r, pt, where})
			}
		}
	}
}

// outside lists the conditions that the ghost index is no element of the part that r is about.
func (x *array) outside(pt part, r relation) []lemma.Literal {
	var out []lemma.Literal
	if n := x.h.Vars[x.cell].Count; n > 0 {
		if r.v == x.next || r.w == x.next {
			n--
		}
		out = append(out, lemma.Not(&lemma.Atom{Kind: lemma.Sle, V: x.ghost, K: bits.NewInt(x.width(x.ghost), n-1)}))
	}
	for _, e := range pt {
		out = append(out, x.beyond(e))
	}
	return out
}

// beyond returns the condition that the ghost index is beyond e.
func (x *array) beyond(e edge) lemma.Literal {
	k := x.ghost
	from, to := k, e.v
	if e.upper {
		from, to = e.v, k
	}
	switch e.d {
	case 0: // from < to
		return lemma.Not(&lemma.Atom{Kind: lemma.SleVar, V: to, W: from})
	case 1: // from <= to
		return lemma.Is(&lemma.Atom{Kind: lemma.SleVar, V: from, W: to})
	}
	return lemma.Is(&lemma.Atom{Kind: lemma.SumSle, V: from, Sum: []lemma.Summand{{Coef: 1, V: from}, {Coef: -1, V: to}},
		K: bits.NewInt(x.width(k), e.d-1)})
}

// literal returns the relation as one.
func (r relation) literal() lemma.Literal {
	if r.strict {
		return lemma.Not(&lemma.Atom{Kind: r.kind, V: r.w, W: r.v})
	}
	return lemma.Is(&lemma.Atom{Kind: r.kind, V: r.v, W: r.w})
}

// holds reports whether the relation holds of two values.
func (r relation) holds(v, w bits.Vec) bool {
	switch {
	case r.kind == lemma.UleVar && r.strict:
		return bits.Ult(v, w)
	case r.kind == lemma.UleVar:
		return bits.Ule(v, w)
	case r.strict:
		return bits.Slt(v, w)
	}
	return bits.Sle(v, w)
}

// parts lists parts of an array: between a counter and another or a limit, up to one, from one on, and all of it.
// Smaller ones come first.
func (p *proposer) parts(counters, limits []int) []part {
	var from, to []edge
	for d := int64(3); d >= 0; d-- { // an element behind what a counter says may still be missing
		for _, v := range counters {
			if d < 3 {
				from = append(from, edge{v, d, false})
			}
		}
		for _, v := range slices.Concat(counters, limits) {
			to = append(to, edge{v, d, true})
		}
	}
	var out []part
	for _, a := range from {
		for _, b := range to {
			if a.v != b.v {
				out = append(out, part{a, b})
			}
		}
	}
	for _, e := range slices.Concat(to, from) {
		out = append(out, part{e})
	}
	return append(out, nil)
}

// bounding lists numbers that may bound a part of an array, as they index arrays or are compared with such: those that
// turns of some loop change, and those that stay.
func (p *proposer) bounding(o *orders) (counters, limits []int) {
	for v := range p.h.Vars {
		x, t := &p.h.Vars[v], p.h.Sites[0].Values[v]
		switch {
		case !o.bounds[t] || x.Cell || x.Mask || x.Ghost || x.Offset || x.Width < 8:
		case o.moved[t] && len(counters) < policy.MaxRegionBounds:
			counters = append(counters, v)
		case !o.moved[t] && len(limits) < policy.MaxRegionBounds:
			limits = append(limits, v)
		}
	}
	return counters, limits
}

// shown is an element of an array in a sample.
type shown struct{ sample, index int }

// indices lists the elements of pt in samples.
func (x *array) indices(pt part) []shown {
	var out []shown
	for i := range x.samples {
		s := &x.samples[i]
		for k := range s.elems[x.cell] {
			if !slices.ContainsFunc(pt, func(e edge) bool { return !e.admits(s, int64(k)) }) {
				out = append(out, shown{i, k})
			}
		}
	}
	return out
}

// admits reports that index k is within the edge in s.
func (e edge) admits(s *sample, k int64) bool {
	n, ok := s.nums[e.v].Int64()
	if ok = ok && s.nums[e.v].Width() > 0; e.upper {
		return ok && k <= n-e.d
	}
	return ok && k >= n+e.d
}

// upheld lists where among the elements at executions show r. It is false where they refute it, or, if they know the
// array, show it nowhere, or just where they show it for a part that was found before.
func (x *array) upheld(r relation, at []shown) (where []shown, ok bool) {
	if !x.known {
		return nil, true
	}
	for _, y := range at {
		v, w := x.number(r.v, y), x.number(r.w, y)
		if v.Width() == 0 || w.Width() == 0 {
			continue
		}
		if !r.holds(v, w) {
			return nil, false
		}
		where = append(where, y)
	}
	same := func(f finding) bool { return f.relation == r && slices.Equal(f.where, where) }
	return where, len(where) > 0 && !slices.ContainsFunc(x.found, same)
}

// number returns the value of v at an element of a sample, of width 0 where that is not known.
func (x *array) number(v int, y shown) bits.Vec {
	s := &x.samples[y.sample]
	list, k := s.elems[x.cell], y.index
	switch {
	case v == x.cell:
		return list[k]
	case v != x.next:
		return s.nums[v]
	case k+1 < len(list):
		return list[k+1]
	}
	return bits.Vec{}
}
