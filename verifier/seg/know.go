package seg

import (
	"context"
	"maps"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// ival is an interval with optional ends.
type ival struct {
	lo, hi       exact.Int
	hasLo, hasHi bool
}

func (i ival) constant() bool { return i.hasLo && i.hasHi && i.lo.Equal(i.hi) }

// know is the knowledge of a state (KB): intervals of variables, linear rows
// over several variables, residues, and polynomial facts, which only the system reads.
type know struct {
	iv    map[exact.Var]ival
	rows  []linear.Row
	polys []its.Atom

	residues map[exact.Var]residue // of variables

	bad bool // the conjunction is known to be false
}

func newKnow() *know { return &know{iv: map[exact.Var]ival{}, residues: map[exact.Var]residue{}} }

func (k *know) clone() *know {
	c := &know{iv: make(map[exact.Var]ival, len(k.iv)), rows: k.rows[:len(k.rows):len(k.rows)],
		polys: k.polys[:len(k.polys):len(k.polys)], bad: k.bad, residues: maps.Clone(k.residues)}
	for v, i := range k.iv {
		c.iv[v] = i
	}
	return c
}

// lower narrows v from below; upper from above.
func (k *know) lower(v exact.Var, c exact.Int) {
	i := k.iv[v]
	if !i.hasLo || c.Cmp(i.lo) > 0 {
		i.lo, i.hasLo = c, true
		k.iv[v] = i
	}
	k.bad = k.bad || i.hasLo && i.hasHi && i.lo.Cmp(i.hi) > 0
}

func (k *know) upper(v exact.Var, c exact.Int) {
	i := k.iv[v]
	if !i.hasHi || c.Cmp(i.hi) < 0 {
		i.hi, i.hasHi = c, true
		k.iv[v] = i
	}
	k.bad = k.bad || i.hasLo && i.hasHi && i.lo.Cmp(i.hi) > 0
}

// ge adds e >= 0.
func (k *know) ge(e exact.Lin) {
	e = e.Tighten()
	switch len(e.Terms) {
	case 0:
		k.bad = k.bad || e.Const.Sign() < 0
	case 1: // the content is 1 now, so the coefficient is 1 or -1
		if e.Terms[0].Coef.Sign() > 0 {
			k.lower(e.Terms[0].Var, e.Const.Neg())
		} else {
			k.upper(e.Terms[0].Var, e.Const)
		}
	default:
		for _, r := range k.rows {
			if !r.EQ && r.Lin.SameTerms(e) && r.Lin.Const.Cmp(e.Const) <= 0 {
				return
			}
		}
		k.rows = append(k.rows, linear.AtLeast(e))
		k.narrow(e)
	}
}

// eq adds e = 0.
func (k *know) eq(e exact.Lin) {
	g := e.Content()
	if g.IsZero() {
		k.bad = k.bad || !e.Const.IsZero()
		return
	}
	if !e.Const.FloorDiv(g).Mul(g).Equal(e.Const) {
		k.bad = true
		return
	}
	e = e.Tighten()
	if len(e.Terms) == 1 {
		k.ge(e)
		k.ge(e.Neg())
		return
	}
	for _, r := range k.rows {
		if r.EQ && (r.Lin.Equal(e) || r.Lin.Equal(e.Neg())) {
			return
		}
	}
	k.rows = append(k.rows, linear.Equals(e))
	k.narrow(e)
	k.narrow(e.Neg())
}

// narrow draws from e >= 0 what it says about single variables.
func (k *know) narrow(e exact.Lin) {
	if len(e.Terms) > 4 {
		return
	}
	for n, t := range e.Terms {
		rest := exact.Lin{Const: e.Const}
		rest.Terms = append(append([]exact.Term(nil), e.Terms[:n]...), e.Terms[n+1:]...)
		r := k.interval(rest)
		if !r.hasHi {
			continue
		}
		// coef*v >= -rest >= -hi
		if t.Coef.Sign() > 0 {
			k.lower(t.Var, r.hi.FloorDiv(t.Coef).Neg())
		} else {
			k.upper(t.Var, r.hi.FloorDiv(t.Coef.Neg()))
		}
	}
}

// plain replaces variables that have one value by it.
func (k *know) plain(e exact.Lin) exact.Lin {
	for _, t := range e.Terms {
		if k.iv[t.Var].constant() {
			return e.Subst(func(v exact.Var) exact.Lin {
				if i := k.iv[v]; i.constant() {
					return constInt(i.lo)
				}
				return exact.V(v)
			})
		}
	}
	return e
}

// interval bounds e by the intervals of its variables.
func (k *know) interval(e exact.Lin) ival {
	r := ival{e.Const, e.Const, true, true}
	for _, t := range e.Terms {
		i := k.iv[t.Var]
		if t.Coef.Sign() < 0 {
			i.lo, i.hi, i.hasLo, i.hasHi = i.hi, i.lo, i.hasHi, i.hasLo
		}
		r.hasLo, r.hasHi = r.hasLo && i.hasLo, r.hasHi && i.hasHi
		if r.hasLo {
			r.lo = r.lo.Add(i.lo.Mul(t.Coef))
		}
		if r.hasHi {
			r.hi = r.hi.Add(i.hi.Mul(t.Coef))
		}
	}
	return r
}

// oracle answers questions about knowledge by the ladder.
type oracle struct {
	ctx    context.Context
	ladder *linear.Ladder
	quick  int // answered by intervals or equal rows
	asked  int // handed to the ladder
}

// proves reports that k entails e >= 0.
func (o *oracle) proves(k *know, e exact.Lin) bool {
	if k.bad {
		return true
	}
	if x, ok := k.rounded(e); ok {
		e = x
	}
	e = e.Tighten()
	i := k.interval(e)
	if i.hasLo && i.lo.Sign() >= 0 {
		o.quick++
		return true
	}
	if len(e.Terms) == 0 || i.hasHi && i.hi.Sign() < 0 {
		o.quick++
		return false
	}
	rows := k.related(e)
	if len(rows) == 0 {
		o.quick++
		return false
	}
	o.asked++
	return o.ladder.Entails(o.ctx, rows, linear.AtLeast(e))
}

// provesEq reports that k entails e = 0.
func (o *oracle) provesEq(k *know, e exact.Lin) bool {
	if len(e.Terms) == 0 {
		return e.Const.IsZero() || k.bad
	}
	return o.proves(k, e) && o.proves(k, e.Neg())
}

// possible reports that k and e >= 0 are not known to contradict each other.
func (o *oracle) possible(k *know, e exact.Lin) bool {
	return !o.proves(k, e.Neg().AddInt(-1))
}

// consistent reports that k is not known to be contradictory.
func (o *oracle) consistent(k *know) bool {
	if k.bad {
		return false
	}
	if len(k.rows) == 0 {
		return true
	}
	rows := append([]linear.Row(nil), k.rows...)
	seen := map[exact.Var]bool{}
	for _, r := range k.rows {
		for _, t := range r.Lin.Terms {
			rows = k.unary(rows, seen, t.Var)
		}
	}
	o.asked++
	return o.ladder.Sat(o.ctx, rows) != linear.Unsat
}

// related are the rows connected to e through shared variables, with the
// intervals of those variables. It is empty when no row mentions a variable of e.
func (k *know) related(e exact.Lin) []linear.Row {
	in := map[exact.Var]bool{}
	for _, t := range e.Terms {
		in[t.Var] = true
	}
	used := make([]bool, len(k.rows))
	var out []linear.Row
	for changed := true; changed; {
		changed = false
		for n, r := range k.rows {
			if used[n] || !touches(r.Lin, in) {
				continue
			}
			used[n], changed = true, true
			out = append(out, r)
			for _, t := range r.Lin.Terms {
				// a variable with one value connects nothing
				if !k.iv[t.Var].constant() {
					in[t.Var] = true
				}
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	seen := map[exact.Var]bool{}
	for _, r := range append(out[:len(out):len(out)], linear.AtLeast(e)) {
		for _, t := range r.Lin.Terms {
			out = k.unary(out, seen, t.Var)
		}
	}
	return out
}

func touches(e exact.Lin, in map[exact.Var]bool) bool {
	for _, t := range e.Terms {
		if in[t.Var] {
			return true
		}
	}
	return false
}

// unary appends the interval of v as rows.
func (k *know) unary(rows []linear.Row, seen map[exact.Var]bool, v exact.Var) []linear.Row {
	if seen[v] {
		return rows
	}
	seen[v] = true
	i := k.iv[v]
	if i.constant() {
		return append(rows, linear.Equals(exact.Lin{Terms: exact.V(v).Terms, Const: i.lo.Neg()}))
	}
	if i.hasLo {
		rows = append(rows, linear.AtLeast(exact.Lin{Terms: exact.V(v).Terms, Const: i.lo.Neg()}))
	}
	if i.hasHi {
		rows = append(rows, linear.AtLeast(exact.Lin{Terms: exact.V(v).Neg().Terms, Const: i.hi}))
	}
	return rows
}
