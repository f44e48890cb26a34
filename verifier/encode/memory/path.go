package memory

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Path is a path condition (the execution condition of LL-91): a conjunction
// kept as the list of its decisions, newest first, so that joins can see which
// decision tells their sides apart. A nil path is one that nothing takes.
type Path struct {
	Up    *Path
	jump  *Path // some ancestor, for finding common ancestors in logarithmic time
	Depth int
	Lit   ilr.Term // the newest decision
	All   ilr.Term // the whole conjunction
	// without assuming that claims hold: what of lit is a branch condition or an assumption, and their conjunction
	Branch, Unguarded ilr.Term
}

// Root is the path condition of the entry.
func (e *Space) Root() *Path {
	p := &Path{Lit: e.s.True(), All: e.s.True(), Branch: e.s.True(), Unguarded: e.s.True()}
	p.Up, p.jump = p, p
	return p
}

// And is p with one more decision; nil when that is plainly contradictory.
func (e *Space) And(p *Path, lit ilr.Term) *Path { return e.andBranch(p, lit, lit) }

// Passed is p where a claim does not fail (LL-92).
func (e *Space) Passed(p *Path, bad ilr.Term) *Path {
	return e.andBranch(p, e.s.Not(bad), e.s.True())
}

func (e *Space) andBranch(p *Path, lit, branch ilr.Term) *Path {
	if p == nil || e.s.IsFalse(lit) {
		return nil
	}
	if e.s.IsTrue(lit) {
		return p
	}
	no := e.s.Not(lit)
	for q, n := p, 0; q.Depth > 0 && n < policy.NarrowLook; q, n = q.Up, n+1 {
		if q.Lit == lit {
			return p
		}
		if q.Lit == no {
			return nil
		}
	}
	all := e.s.And(p.All, lit)
	if e.s.IsFalse(all) {
		return nil
	}
	q := &Path{Up: p, Depth: p.Depth + 1, Lit: lit, All: all, Branch: branch, Unguarded: e.s.And(p.Unguarded, branch),
		jump: p}
	if p.Depth-p.jump.Depth == p.jump.Depth-p.jump.jump.Depth {
		q.jump = p.jump.jump
	}
	return q
}

// Decide simplifies lit by the decisions already taken on p: True or False when
// it is one of the newest of them.
func (e *Space) Decide(p *Path, lit ilr.Term) ilr.Term {
	if p == nil || e.s.IsTrue(lit) || e.s.IsFalse(lit) {
		return lit
	}
	no := e.s.Not(lit)
	for q, n := p, 0; q.Depth > 0 && n < policy.NarrowLook; q, n = q.Up, n+1 {
		if q.Lit == lit {
			return e.s.True()
		}
		if q.Lit == no {
			return e.s.False()
		}
	}
	return lit
}

// Common is the longest list that p and q both extend.
func Common(p, q *Path) *Path {
	for p.Depth != q.Depth {
		if p.Depth < q.Depth {
			p, q = q, p
		}
		if p.jump.Depth >= q.Depth {
			p = p.jump
		} else {
			p = p.Up
		}
	}
	for p != q {
		if p.jump != q.jump {
			p, q = p.jump, q.jump
		} else {
			p, q = p.Up, q.Up
		}
	}
	return p
}

// since lists p's decisions after a, oldest first, and those without the claims that hold.
func (p *Path) since(a *Path) (lits, branches []ilr.Term) {
	for q := p; q != a; q = q.Up {
		lits, branches = append(lits, q.Lit), append(branches, q.Branch)
	}
	slices.Reverse(lits)
	slices.Reverse(branches)
	return lits, branches
}

// join is the condition of taking p or q, which exclude each other, and a
// selector that, where the joined condition holds, is true exactly on p.
func (e *Space) join(p, q *Path) (*Path, ilr.Term) {
	if p == nil {
		return q, e.s.False()
	}
	if q == nil {
		return p, e.s.True()
	}
	a := Common(p, q)
	ps, pb := p.since(a)
	qs, qb := q.since(a)
	switch {
	case len(ps) == 0:
		return a, e.s.Not(e.s.And(qs...))
	case len(qs) == 0:
		return a, e.s.And(ps...)
	case e.s.Not(ps[0]) == qs[0]:
		sel := ps[0]
		m := e.andBranch(a, e.s.Implies(sel, e.s.And(ps[1:]...)), e.s.Implies(sel, e.s.And(pb[1:]...)))
		m = e.andBranch(m, e.s.Implies(qs[0], e.s.And(qs[1:]...)), e.s.Implies(qs[0], e.s.And(qb[1:]...)))
		if m == nil { // both sides are contradictory after all
			return nil, sel
		}
		return m, sel
	}
	sel := e.s.And(ps...)
	return e.andBranch(a, e.s.Or(sel, e.s.And(qs...)), e.s.Or(e.s.And(pb...), e.s.And(qb...))), sel
}
