package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// twnLoop is a loop on one location whose edges share a triangular, weakly
// nonlinear update (Frohn, Giesl, Hark: triangular weakly non-linear loops). Each
// guard atom becomes a closed form in the number of turns; its sign is that of
// the fastest term that is not zero, from a turn on that the other terms bound.
type twnLoop struct {
	edges []*edge
	turns int                      // original turns per turn of the forms: 2 for negative factors
	atoms map[*edge][][]growthTerm // per edge its atoms without temporaries
	rels  map[*edge][]its.Rel      // their relations
	from  int                      // turns before the forms hold
}

// twn bounds a part that is such a loop and ends from every state.
func (b *bounder) twn(ctx context.Context, part []*edge) bool {
	l := b.twnOf(part)
	if l == nil || !b.twnEnds(ctx, l) {
		return false
	}
	inPart := map[*edge]bool{}
	for _, e := range part {
		inPart[e] = true
	}
	total := Zero()
	for _, e := range b.into[part[0].from] {
		if inPart[e] {
			continue
		}
		worth := b.stable(l, e)
		worth = worth.scale(exact.I(int64(l.turns))).add(constBound(exact.I(int64(l.turns - 1))))
		total = total.add(b.time[e].mul(worth))
	}
	return b.learn(part, total)
}

// twnOf recognises the loop.
func (b *bounder) twnOf(part []*edge) *twnLoop {
	first := part[0]
	for _, e := range part {
		if e.from != e.to || e.from != first.from {
			return nil
		}
		for _, v := range b.r.vars {
			same := e.full.Update[v].Equal(first.full.Update[v])
			inState := true
			e.full.Update[v].Vars(func(w exact.Var) { inState = inState && int(w) < b.p.n })
			if !same || !inState {
				return nil
			}
		}
	}
	update := first.full.Update
	for _, turns := range []int{1, 2} {
		if forms, ok := closedForms(update, b.r.vars); ok {
			return b.twnAtoms(part, turns, forms)
		}
		twice := make([]exact.Poly, len(update))
		copy(twice, update)
		for _, v := range b.r.vars {
			twice[v] = update[v].Subst(func(w exact.Var) exact.Poly { return update[w] })
		}
		update = twice
	}
	return nil
}

func (b *bounder) twnAtoms(part []*edge, turns int, forms map[exact.Var]closedForm) *twnLoop {
	l := &twnLoop{edges: part, turns: turns, atoms: map[*edge][][]growthTerm{}, rels: map[*edge][]its.Rel{}}
	for _, e := range part {
		for _, a := range e.full.Guard {
			if b.r.narrow && aboutTypes(a) {
				continue
			}
			polys := []exact.Poly{a.Poly}
			if turns == 2 && len(part) == 1 { // it must hold between as well
				polys = append(polys, a.Poly.Subst(func(v exact.Var) exact.Poly {
					if int(v) < b.p.n {
						return e.full.Update[v]
					}
					return exact.PolyOf(exact.V(v))
				}))
			}
			for _, p := range polys {
				f, ok := evalForms(p, forms)
				if !ok {
					continue // a temporary: leaving the atom out lets the loop run longer
				}
				l.from = max(l.from, f.from)
				l.atoms[e] = append(l.atoms[e], f.terms)
				l.rels[e] = append(l.rels[e], a.Rel)
			}
		}
	}
	return l
}

// twnEnds asks Z3 for a state where the guard of some edge holds for ever: where
// each of its atoms ends up true. None means that the loop ends.
func (b *bounder) twnEnds(ctx context.Context, l *twnLoop) bool {
	z := b.p.ladder.Solver()
	if z == nil {
		return false
	}
	for _, e := range l.edges {
		var rows []linear.PolyRow
		for _, i := range b.p.inv[e.from] {
			rows = append(rows, linear.PolyRow{Poly: exact.PolyOf(i)})
		}
		if len(l.edges) == 1 { // the first turn needs the guard itself
			for _, a := range e.full.Guard {
				rows = append(rows, linear.PolyRow{Poly: a.Poly, EQ: a.Rel == its.EQ})
			}
		}
		q := &stayQuery{z: z, atoms: l.atoms[e], rels: l.rels[e], budget: policy.ClosedFormQuestions}
		if !q.never(ctx, rows, 0) {
			return false
		}
	}
	return true
}

// stayQuery asks whether all atoms of a guard can end up true.
type stayQuery struct {
	z      *linear.Z3
	atoms  [][]growthTerm
	rels   []its.Rel
	budget int
}

// never splits on which term of each atom is the first that is not zero.
func (q *stayQuery) never(ctx context.Context, rows []linear.PolyRow, i int) bool {
	if q.budget--; q.budget < 0 || ctx.Err() != nil {
		return false
	}
	if st, _ := q.z.Sat(rows, nil); st == linear.Unsat {
		return true
	}
	if i == len(q.atoms) {
		return false
	}
	one := exact.PolyOf(exact.C(1))
	zero := rows[:len(rows):len(rows)]
	for _, t := range q.atoms[i] {
		positive := append(zero[:len(zero):len(zero)], linear.PolyRow{Poly: t.coef.p.Sub(one)})
		if q.rels[i] == its.GE && !q.never(ctx, positive, i+1) {
			return false
		}
		zero = append(zero[:len(zero):len(zero)], linear.PolyRow{Poly: t.coef.p, EQ: true})
	}
	return q.never(ctx, zero, i+1)
}

// stable bounds the turn from which on all atoms keep their truth, when the loop
// is entered over an edge: 1 + C*sum of |coefficients after the fastest|.
func (b *bounder) stable(l *twnLoop, entry *edge) *Bound {
	out := constBound(exact.I(int64(l.from + 1)))
	for _, e := range l.edges {
		for _, terms := range l.atoms[e] {
			if len(terms) < 2 {
				continue
			}
			den := exact.I(1)
			for _, t := range terms {
				den = den.Mul(t.coef.den.Quo(den.GCD(t.coef.den)))
			}
			rest := Zero()
			for _, t := range terms[1:] {
				rest = rest.add(b.absoluteAfter(entry, t.coef.p.Scale(den.Quo(t.coef.den))))
			}
			c, ok := dominance(terms)
			if !ok {
				return nil
			}
			out = out.add(rest.scale(c)).add(constBound(exact.I(1)))
		}
	}
	return out
}

// absoluteAfter bounds |p| after an edge.
func (b *bounder) absoluteAfter(e *edge, p exact.Poly) *Bound {
	out := Zero()
	for _, m := range p.Monos {
		f := constBound(m.Coef.Abs())
		for _, v := range m.Vars {
			after, known := b.sizes.after[e]
			if !known || int(v) >= b.p.n {
				return nil
			}
			f = f.mul(after[pos(v)].upperOf(after[neg(v)]))
		}
		out = out.add(f)
	}
	return out
}

// dominance is a natural C with b'^n n^k' <= C/n * b^n n^k for all n >= 1, for
// each term (b, k) and each later one (b', k').
func dominance(terms []growthTerm) (exact.Int, bool) {
	c := exact.I(1)
	for i, t := range terms {
		base, ok := t.base.Int64()
		if !ok || base > policy.ClosedFormBase {
			return c, false
		}
		for _, u := range terms[i+1:] {
			if u.base.Equal(t.base) {
				continue // n^k' <= n^(k-1)
			}
			m := max(0, u.power-t.power+1)
			ratio := exact.Frac(u.base, t.base)
			// n^m ratio^n rises up to m/ln(1/ratio) <= m*b at most, then falls
			value := exact.R(1)
			for n := int64(1); n <= int64(m)*base+1; n++ {
				value = value.Mul(ratio)
				if v := value.Mul(exact.RatOf(exact.I(n).Pow(m))).Ceil(); v.Cmp(c) > 0 {
					c = v
				}
			}
		}
	}
	return c, true
}
