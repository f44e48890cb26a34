package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// residue is a fact about a number n: n = rest + k*mod for some integer k. With mod 0 it says n = rest, with mod 1
// nothing.
type residue struct{ mod, rest exact.Int }

// maxModulus is the greatest modulus that is kept: loops with greater steps have few turns.
var maxModulus = exact.I(1 << 20)

// with returns the strongest residue that all numbers with r, and all numbers with x, have.
func (r residue) with(x residue) residue {
	return reduced(r.mod.GCD(x.mod).GCD(r.rest.Sub(x.rest)), r.rest)
}

// reduced returns the residue with rest brought into 0..mod-1, if mod is not 0.
func reduced(mod, rest exact.Int) residue {
	if !mod.IsZero() {
		rest = rest.Sub(rest.FloorDiv(mod).Mul(mod))
	}
	return residue{mod, rest}
}

// useful reports whether r says something that an interval cannot say, and is to be kept.
func (r residue) useful() bool { return r.mod.Cmp(exact.I(1)) > 0 && r.mod.Cmp(maxModulus) <= 0 }

// residue returns the residue of e that follows from those of its variables and from equations that define these.
func (k *know) residue(e exact.Lin) residue { return k.residueBy(e, policy.GraphDefinitions) }

func (k *know) residueBy(e exact.Lin, depth int) residue {
	out := residue{rest: e.Const}
	for _, t := range e.Terms {
		r := k.residueOf(t.Var, depth)
		out = reduced(out.mod.GCD(t.Coef.Mul(r.mod)), out.rest.Add(t.Coef.Mul(r.rest)))
	}
	return out
}

func (k *know) residueOf(v exact.Var, depth int) residue {
	if i := k.iv[v]; i.constant() {
		return residue{rest: i.lo}
	}
	best := residue{mod: exact.I(1)}
	if r, ok := k.residues[v]; ok {
		best = r
	}
	if depth == 0 {
		return best
	}
	for _, r := range k.rows {
		c := r.Lin.Coef(v)
		if !r.EQ || !c.Abs().IsOne() {
			continue
		}
		// v = -c*(the other terms)
		x := k.residueBy(r.Lin.Scale(c.Neg()).Add(exact.V(v)), depth-1)
		if x.mod.IsZero() || x.mod.Cmp(best.mod) > 0 {
			best = x
		}
	}
	return best
}

// rounded returns an expression to ask in the place of e: it is greater by a constant, and still e >= 0 follows from it
// being >= 0, since e skips the numbers between. Example: if e is a multiple of 4, e + 3 >= 0 says e >= 0.
func (k *know) rounded(e exact.Lin) (exact.Lin, bool) {
	known := false
	for _, t := range e.Terms {
		_, ok := k.residues[t.Var]
		known = known || ok
	}
	if !known {
		return e, false
	}
	r := k.residue(e)
	if !r.useful() {
		return e, false
	}
	slack := r.mod.Sub(r.rest).Sub(exact.I(1))
	return exact.Lin{Terms: e.Terms, Const: e.Const.Add(slack)}, !slack.IsZero()
}

// joinResidue keeps the residue of a place that both states imply, and reports whether it says less than the old one.
func (k *know) joinResidue(p *place, old, s *know) bool {
	was := old.residue(p.was)
	r := was.with(s.residue(p.other))
	if r.useful() {
		k.residues[p.v] = r
	}
	return was.useful() && !(r.mod.Equal(was.mod) && r.rest.Equal(was.rest))
}
