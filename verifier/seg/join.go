package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// generalise makes the state m.j that c and s are instances of; c is nil for the
// first arrival. changed tells that it is more general than c. vals are the
// slots' values in s.
func (b *builder) generalise(c *cutPoint, s *state) (m *matcher, slots []slot, vals map[string]exact.Lin,
	changed bool) {
	m = b.match(c, s)
	vars := make([]exact.Var, len(m.places))
	vals = map[string]exact.Lin{}
	for n, p := range m.places {
		vars[n] = b.newVar(p.name)
		p.v = vars[n]
		slots = append(slots, p.slot)
		if !m.unknown(p.other) {
			vals[p.key] = p.other
		}
	}
	rename(m.j, func(v exact.Var) exact.Var {
		if n := int(placeholder(0) - v); n >= 0 && n < len(vars) {
			return vars[n]
		}
		return v
	})
	if c == nil {
		b.firstKnow(m)
		return m, slots, vals, true
	}
	lost := b.joinKnow(m, c.merges)
	return m, slots, vals, lost || m.lost || len(slots) != len(c.slots)
}

// unknown reports that e stands for what the arriving state does not know.
func (m *matcher) unknown(e exact.Lin) bool { return touches(e, m.havoc) }

// rename replaces the variables that a generalised state holds.
func rename(s *state, f func(exact.Var) exact.Var) {
	sub := func(e exact.Lin) exact.Lin { return e.Subst(func(v exact.Var) exact.Lin { return exact.V(f(v)) }) }
	for _, fr := range s.frames {
		for k, v := range fr.vals {
			v.lin = sub(v.lin)
			fr.vals[k] = v
		}
	}
	for _, id := range s.order {
		o := s.own(id)
		o.size = sub(o.size)
		o.base = f(o.base)
		for n := range o.cells {
			o.cells[n].val.lin, o.cells[n].off = sub(o.cells[n].val.lin), sub(o.cells[n].off)
		}
		if o.list != nil {
			l := o.list
			l.length, l.end.lin, l.before.lin = sub(l.length), sub(l.end.lin), sub(l.before.lin)
		}
	}
}

// typeRange bounds a slot by its type.
func (b *builder) typeRange(k *know, p *place) {
	if p.width < 2 || b.opts.MathInts {
		return
	}
	switch p.rep {
	case anyRep:
		k.lower(p.v, exact.I(0))
		k.upper(p.v, smax(p.width))
	default:
		lo, hi := limits(p.width, p.rep)
		k.lower(p.v, lo)
		k.upper(p.v, hi)
	}
}

// firstKnow projects what s knows on the slots (saturation: AP-61 keeps the
// equations, which later merges weaken to inequations).
func (b *builder) firstKnow(m *matcher) {
	k := m.j.know
	for _, p := range m.places {
		b.typeRange(k, p)
		b.takeInterval(k, p, m.s.know.interval(p.other))
		if r := m.s.know.residue(p.other); r.useful() {
			k.residues[p.v] = r
		}
	}
	for _, r := range b.project(m.s.know, m.places, func(p *place) exact.Lin { return p.other }) {
		if r.EQ {
			k.eq(r.Lin)
		} else {
			k.ge(r.Lin)
		}
	}
	for _, p := range m.places {
		if p.limit != nil && b.ask.proves(m.s.know, p.limit.Sub(p.other)) {
			k.ge(p.limit.Sub(exact.V(p.v)))
		}
	}
	b.withinSize(m)
	k.bad = false
}

func (b *builder) takeInterval(k *know, p *place, i ival) {
	if i.hasLo {
		k.lower(p.v, i.lo)
	}
	if i.hasHi {
		k.upper(p.v, i.hi)
	}
}

// joinKnow keeps what the generalised state knows and the arriving one too
// (Def. 7; candidates from the older state, in the first merges also from the newer). It reports a loss.
func (b *builder) joinKnow(m *matcher, merges int) bool {
	k := m.j.know
	lost := false
	at := map[exact.Var]exact.Lin{}
	for _, p := range m.places {
		at[p.v] = p.other
		b.typeRange(k, p)
		lost = b.joinBounds(k, m, p, merges) || lost
		lost = k.joinResidue(p, m.old.know, m.s.know) || lost
	}
	inS := func(e exact.Lin) exact.Lin {
		return e.Subst(func(v exact.Var) exact.Lin { return at[v] })
	}
	early := merges < policy.MergesByNew
	rows := b.project(m.old.know, m.places, func(p *place) exact.Lin { return p.was })
	for _, r := range rows {
		e := inS(r.Lin)
		up, down := b.ask.proves(m.s.know, e), !r.EQ || b.ask.proves(m.s.know, e.Neg())
		lost = lost || !up || !down
		switch {
		case up && down && r.EQ:
			k.eq(r.Lin)
		case up:
			k.ge(r.Lin)
		case r.EQ && b.ask.proves(m.s.know, e.Neg()):
			k.ge(r.Lin.Neg())
		}
		if r.EQ && !(up && down) {
			b.keep(k, m.s.know, swapped(rows, r), inS)
		}
	}
	now := b.project(m.s.know, m.places, func(p *place) exact.Lin { return p.other })
	if early {
		b.joinNew(m, now)
		b.hull(m)
	}
	b.affine(m, rows, now)
	b.withinSize(m)
	k.bad = false
	return lost
}

// joinNew keeps the facts of the arriving state that the generalised one shows: where that had numbers for what
// are variables now, it has no row for how they depend on each other. rows are those of the arriving state.
func (b *builder) joinNew(m *matcher, rows []linear.Row) {
	was := map[exact.Var]exact.Lin{}
	for _, p := range m.places {
		was[p.v] = p.was
	}
	inOld := func(e exact.Lin) exact.Lin {
		return e.Subst(func(v exact.Var) exact.Lin { return was[v] })
	}
	k := m.j.know
	for _, r := range rows {
		e := inOld(r.Lin)
		up, down := b.ask.proves(m.old.know, e), r.EQ && b.ask.proves(m.old.know, e.Neg())
		switch {
		case up && down:
			k.eq(r.Lin)
		case up && !b.ask.proves(k, r.Lin):
			k.ge(r.Lin)
		case down && !b.ask.proves(k, r.Lin.Neg()):
			k.ge(r.Lin.Neg())
		}
		if r.EQ && !(up && down) {
			b.keep(k, m.old.know, swapped(rows, r), inOld)
		}
	}
}

// keep adds to k those facts of one state that the other one shows as well.
func (b *builder) keep(k, other *know, facts []exact.Lin, in func(exact.Lin) exact.Lin) {
	for _, e := range facts {
		if b.ask.proves(other, in(e)) {
			k.ge(e)
		}
	}
}

// wasAny reports that the slot had no reading so far, so that its type's range is new.
func (b *builder) wasAny(m *matcher, p *place) bool {
	for _, sl := range m.c.slots {
		if sl.key == p.key {
			return sl.rep != p.rep
		}
	}
	return true
}
