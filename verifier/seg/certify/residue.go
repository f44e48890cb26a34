package certify

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// multiple reports that k implies that e is a multiple of mod.
func (k *Knowledge) multiple(e exact.Lin, mod exact.Int) bool {
	rest, ok := k.rest(e, mod, policy.CertifiedDefinitions)
	return ok && rest.IsZero()
}

// rest returns what is left of e modulo mod, if k leaves only one number.
func (k *Knowledge) rest(e exact.Lin, mod exact.Int, depth int) (exact.Int, bool) {
	sum := e.Const
	for _, t := range e.Terms {
		if modulo(t.Coef, mod).IsZero() {
			continue
		}
		if i := k.Intervals[t.Var]; i.single() {
			sum = sum.Add(t.Coef.Mul(i.Lo))
			continue
		}
		if r, ok := k.Residues[t.Var]; ok && modulo(t.Coef.Mul(r.Mod), mod).IsZero() {
			sum = sum.Add(t.Coef.Mul(r.Rest))
			continue
		}
		return k.definedRest(e, t, mod, depth)
	}
	return modulo(sum, mod), true
}

// definedRest puts what an equation says for the variable of term t.
func (k *Knowledge) definedRest(e exact.Lin, t exact.Term, mod exact.Int, depth int) (exact.Int, bool) {
	if depth == 0 {
		return exact.Int{}, false
	}
	for _, r := range k.Rows {
		c := r.Lin.Coef(t.Var)
		if !r.EQ || !c.Abs().IsOne() {
			continue
		}
		if rest, ok := k.rest(e.AddScaled(t.Coef.Mul(c).Neg(), r.Lin), mod, depth-1); ok {
			return rest, true
		}
	}
	return exact.Int{}, false
}

// modulo is c modulo mod, at least 0.
func modulo(c, mod exact.Int) exact.Int { return c.Sub(c.FloorDiv(mod).Mul(mod)) }

// above is an expression that is at least 0 only if e is: no number of e's residue is between the two.
func (k *Knowledge) above(e exact.Lin) exact.Lin {
	for _, t := range e.Terms {
		r, ok := k.Residues[t.Var]
		if !ok {
			continue
		}
		if rest, ok := k.rest(e, r.Mod.Mul(t.Coef.Abs()), policy.CertifiedDefinitions); ok {
			slack := r.Mod.Mul(t.Coef.Abs()).Sub(rest).Sub(exact.I(1))
			return exact.Lin{Terms: e.Terms, Const: e.Const.Add(slack)}
		}
		if rest, ok := k.rest(e, r.Mod, policy.CertifiedDefinitions); ok {
			return exact.Lin{Terms: e.Terms, Const: e.Const.Add(r.Mod.Sub(rest).Sub(exact.I(1)))}
		}
	}
	return e
}
