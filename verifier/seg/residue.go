package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
)

// residue says that a number is rest more than a multiple of mod. A mod of 0 is the number rest itself, of 1 any.
type residue struct{ mod, rest exact.Int }

// maxModulus bounds what is kept: greater steps are few turns.
var maxModulus = exact.I(1 << 20)

// with returns what holds of numbers of r and of those of x.
func (r residue) with(x residue) residue {
	return reduced(r.mod.GCD(x.mod).GCD(r.rest.Sub(x.rest)), r.rest)
}

// reduced is rest modulo mod.
func reduced(mod, rest exact.Int) residue {
	if !mod.IsZero() {
		rest = rest.Sub(rest.FloorDiv(mod).Mul(mod))
	}
	return residue{mod, rest}
}

// useful reports that the residue says something that an interval does not.
func (r residue) useful() bool { return r.mod.Cmp(exact.I(1)) > 0 && r.mod.Cmp(maxModulus) <= 0 }

// maxDefinitions is how many equations are followed from a variable.
const maxDefinitions = 2

// residue returns what k says of e by the residues of its variables, and by the equations that define them.
func (k *know) residue(e exact.Lin) residue { return k.residueBy(e, maxDefinitions) }

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

// rounded is an expression that is at least 0 where e is, and that k may show more easily: e is at least 0 if it is
// greater than the last number of its residue below 0.
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

// joinResidue keeps what both states say of a place's residue, and reports a loss.
func (k *know) joinResidue(p *place, old, s *know) bool {
	was := old.residue(p.was)
	r := was.with(s.residue(p.other))
	if r.useful() {
		k.residues[p.v] = r
	}
	return was.useful() && !(r.mod.Equal(was.mod) && r.rest.Equal(was.rest))
}
