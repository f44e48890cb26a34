package memory

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// given tells which Bool terms hold, and which do not, where something is known.
type given struct {
	s     *ilr.Store
	knows func(h ilr.Term) (holds, known bool)
}

// where knows that a guard holds.
func (e *Space) where(guard ilr.Term) given {
	no, numbers := e.s.Not(guard), e.guards[guard]
	return given{s: e.s, knows: func(h ilr.Term) (holds, known bool) {
		return h == guard, h == guard || h == no || len(numbers) > 0 && meet(numbers, e.guards[h])
	}}
}

// of tells whether h holds, if that is plain.
func (x given) of(h ilr.Term) (holds, known bool) {
	steps := policy.GuardSteps
	return x.part(h, &steps)
}

// part is of, with at most so many steps into h.
func (x given) part(h ilr.Term, steps *int) (holds, known bool) {
	if holds, known = x.knows(h); known || *steps <= 0 {
		return holds, known
	}
	*steps--
	switch x.s.Kind(h) {
	case ilr.KNot:
		holds, known = x.part(x.s.Arg(h, 0), steps)
		return !holds && known, known
	case ilr.KAnd:
		if a, ok := x.part(x.s.Arg(h, 0), steps); ok && !a {
			return false, true
		} else if b, also := x.part(x.s.Arg(h, 1), steps); also && (!b || ok) {
			return b, true
		}
	}
	return false, false
}

// ptr returns p as it is there: without the alternatives that are plainly none. The guards of others stay as they are.
func (x given) ptr(p *Ptr) *Ptr {
	if len(p.Alts) < 2 {
		return p
	}
	var alts []Alt
	for _, a := range p.Alts {
		switch holds, known := x.of(a.Guard); {
		case holds:
			return &Ptr{Alts: []Alt{{Guard: x.s.True(), Object: a.Object, Off: a.Off}}, Moved: p.Moved}
		case !known:
			alts = append(alts, a)
		}
	}
	switch len(alts) {
	case 0, len(p.Alts): // none: nothing gets there
		return p
	case 1:
		alts[0].Guard = x.s.True()
	}
	return &Ptr{Alts: alts, Moved: p.Moved}
}

// decisions are those that were taken on a path: the terms that hold there, those that do not, and the numbers of the
// pointers that one of the former is a guard of.
type decisions struct {
	path    *Path
	holds   map[ilr.Term]bool
	numbers map[int32]bool
	seen    map[*Ptr]*Ptr // Decided on path
}

// Decided returns p without the alternatives that decisions taken on path rule out.
func (e *Space) Decided(path *Path, p *Ptr) *Ptr {
	if len(p.Alts) < 2 || path == nil {
		return p
	}
	e.decide(path)
	d := &e.decided
	if d.seen[p] == nil {
		d.seen[p] = given{s: e.s, knows: func(h ilr.Term) (holds, known bool) { return d.of(h, e.guards[h]) }}.ptr(p)
	}
	return d.seen[p]
}

// of tells whether a term holds, which is a guard of the pointers with the numbers.
func (d *decisions) of(h ilr.Term, numbers []int32) (holds, known bool) {
	if holds, known = d.holds[h]; known {
		return holds, true
	}
	for _, n := range numbers {
		if d.numbers[n] {
			return false, true
		}
	}
	return false, false
}

// decide makes decided what is known on path: mostly it goes on from the last one.
func (e *Space) decide(path *Path) {
	d, n := &e.decided, 0
	if path == d.path {
		return
	}
	for q := path; q != d.path; q = q.Up {
		if q.Depth == 0 || n == policy.DecisionsLook {
			*d = decisions{holds: map[ilr.Term]bool{}, numbers: map[int32]bool{}}
			break
		}
		n++
	}
	for q := path; n > 0; q, n = q.Up, n-1 {
		e.take(q.Lit, policy.NarrowLook)
	}
	d.path, d.seen = path, map[*Ptr]*Ptr{}
}

// take adds a term that holds to what is decided, and if it is a conjunction its parts, so deep.
func (e *Space) take(lit ilr.Term, depth int) {
	e.decided.holds[lit], e.decided.holds[e.s.Not(lit)] = true, false
	for _, n := range e.guards[lit] {
		e.decided.numbers[n] = true
	}
	if depth > 0 && e.s.Kind(lit) == ilr.KAnd {
		e.take(e.s.Arg(lit, 0), depth-1)
		e.take(e.s.Arg(lit, 1), depth-1)
	}
}
