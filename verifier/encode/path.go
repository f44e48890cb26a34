package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// path is a path condition (the execution condition of LL-91): a conjunction
// kept as the list of its decisions, newest first, so that joins can see which
// decision tells their sides apart. A nil path is one that nothing takes.
type path struct {
	up    *path
	jump  *path // some ancestor, for finding common ancestors in logarithmic time
	depth int
	lit   ilr.Term // the newest decision
	all   ilr.Term // the whole conjunction
	// without assuming that claims hold: what of lit is a branch condition or an assumption, and their conjunction
	branch, unguarded ilr.Term
}

// root is the path condition of the entry.
func (e *encoder) root() *path {
	p := &path{lit: e.s.True(), all: e.s.True(), branch: e.s.True(), unguarded: e.s.True()}
	p.up, p.jump = p, p
	return p
}

// and is p with one more decision; nil when that is plainly contradictory.
func (e *encoder) and(p *path, lit ilr.Term) *path { return e.andBranch(p, lit, lit) }

// passed is p where a claim does not fail (LL-92).
func (e *encoder) passed(p *path, bad ilr.Term) *path {
	return e.andBranch(p, e.s.Not(bad), e.s.True())
}

func (e *encoder) andBranch(p *path, lit, branch ilr.Term) *path {
	if p == nil || e.s.IsFalse(lit) {
		return nil
	}
	if e.s.IsTrue(lit) {
		return p
	}
	no := e.s.Not(lit)
	for q, n := p, 0; q.depth > 0 && n < policy.NarrowLook; q, n = q.up, n+1 {
		if q.lit == lit {
			return p
		}
		if q.lit == no {
			return nil
		}
	}
	all := e.s.And(p.all, lit)
	if e.s.IsFalse(all) {
		return nil
	}
	q := &path{up: p, depth: p.depth + 1, lit: lit, all: all, branch: branch, unguarded: e.s.And(p.unguarded, branch),
		jump: p}
	if p.depth-p.jump.depth == p.jump.depth-p.jump.jump.depth {
		q.jump = p.jump.jump
	}
	return q
}

// decide simplifies lit by the decisions already taken on p: True or False when
// it is one of the newest of them.
func (e *encoder) decide(p *path, lit ilr.Term) ilr.Term {
	if p == nil || e.s.IsTrue(lit) || e.s.IsFalse(lit) {
		return lit
	}
	no := e.s.Not(lit)
	for q, n := p, 0; q.depth > 0 && n < policy.NarrowLook; q, n = q.up, n+1 {
		if q.lit == lit {
			return e.s.True()
		}
		if q.lit == no {
			return e.s.False()
		}
	}
	return lit
}

// common is the longest list that p and q both extend.
func common(p, q *path) *path {
	for p.depth != q.depth {
		if p.depth < q.depth {
			p, q = q, p
		}
		if p.jump.depth >= q.depth {
			p = p.jump
		} else {
			p = p.up
		}
	}
	for p != q {
		if p.jump != q.jump {
			p, q = p.jump, q.jump
		} else {
			p, q = p.up, q.up
		}
	}
	return p
}

// since lists p's decisions after a, oldest first, and those without the claims that hold.
func (p *path) since(a *path) (lits, branches []ilr.Term) {
	for q := p; q != a; q = q.up {
		lits, branches = append(lits, q.lit), append(branches, q.branch)
	}
	slices.Reverse(lits)
	slices.Reverse(branches)
	return lits, branches
}

// join is the condition of taking p or q, which exclude each other, and a
// selector that, where the joined condition holds, is true exactly on p.
func (e *encoder) join(p, q *path) (*path, ilr.Term) {
	if p == nil {
		return q, e.s.False()
	}
	if q == nil {
		return p, e.s.True()
	}
	a := common(p, q)
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
