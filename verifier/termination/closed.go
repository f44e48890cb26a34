package termination

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// qpoly is a polynomial with rational coefficients: p over a natural den.
type qpoly struct {
	p   exact.Poly
	den exact.Int
}

func qOf(p exact.Poly) qpoly { return qpoly{p, exact.I(1)} }

func (a qpoly) add(c qpoly) qpoly {
	return qpoly{a.p.Scale(c.den).Add(c.p.Scale(a.den)), a.den.Mul(c.den)}.lowest()
}

func (a qpoly) mul(c qpoly) qpoly { return qpoly{a.p.Mul(c.p), a.den.Mul(c.den)}.lowest() }

func (a qpoly) scale(r exact.Rat) qpoly {
	return qpoly{a.p.Scale(r.Num()), a.den.Mul(r.Den())}.lowest()
}

// lowest divides numerator and denominator by their common divisor.
func (a qpoly) lowest() qpoly {
	g := a.den
	for _, m := range a.p.Monos {
		g = g.GCD(m.Coef)
	}
	if g.IsOne() || len(a.p.Monos) == 0 {
		if len(a.p.Monos) == 0 {
			a.den = exact.I(1)
		}
		return a
	}
	out := qpoly{den: a.den.Quo(g)}
	for _, m := range a.p.Monos {
		out.p.Monos = append(out.p.Monos, exact.Mono{Coef: m.Coef.Quo(g), Vars: m.Vars})
	}
	return out
}

// growthTerm is coef * n^power * base^n.
type growthTerm struct {
	coef  qpoly
	base  exact.Int
	power int
}

// closedForm is a value after n turns of a loop: a sum of growth terms over the
// values before, the fastest first; it holds from turn from on.
type closedForm struct {
	terms []growthTerm
	from  int
}

func (f closedForm) add(g closedForm) closedForm {
	all := append(append([]growthTerm(nil), f.terms...), g.terms...)
	return closedForm{all, max(f.from, g.from)}.merged()
}

func (f closedForm) mul(g closedForm) closedForm {
	var all []growthTerm
	for _, a := range f.terms {
		for _, b := range g.terms {
			all = append(all, growthTerm{a.coef.mul(b.coef), a.base.Mul(b.base), a.power + b.power})
		}
	}
	return closedForm{all, max(f.from, g.from)}.merged()
}

func (f closedForm) merged() closedForm {
	out := closedForm{from: f.from}
	for _, t := range f.terms {
		found := false
		for i := range out.terms {
			if o := &out.terms[i]; o.power == t.power && o.base.Equal(t.base) {
				o.coef, found = o.coef.add(t.coef), true
			}
		}
		if !found {
			out.terms = append(out.terms, t)
		}
	}
	kept := out.terms[:0]
	for _, t := range out.terms {
		if len(t.coef.p.Monos) > 0 {
			kept = append(kept, t)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool {
		if c := kept[i].base.Cmp(kept[j].base); c != 0 {
			return c > 0
		}
		return kept[i].power > kept[j].power
	})
	out.terms = kept
	return out
}

// closedForms solves a loop x' = update for the given variables, if it is
// triangular and weakly nonlinear: x' = c*x + p over variables solved before,
// with natural c.
func closedForms(update []exact.Poly, vars []exact.Var) (map[exact.Var]closedForm, bool) {
	done := map[exact.Var]closedForm{}
	for len(done) < len(vars) {
		progress := false
		for _, v := range vars {
			if _, ok := done[v]; ok {
				continue
			}
			c, rest, ok := splitOwn(update[v], v)
			if !ok || c.Sign() < 0 {
				continue
			}
			p, ok := evalForms(rest, done)
			if !ok {
				continue
			}
			f := recurrence(iterate(update, v, p.from), c, p)
			if len(f.terms) > policy.ClosedFormTerms || f.from > policy.ClosedFormIrregular {
				return nil, false
			}
			done[v], progress = f, true
		}
		if !progress {
			return nil, false
		}
	}
	return done, true
}

// splitOwn splits p into c*v and the rest, which must not mention v.
func splitOwn(p exact.Poly, v exact.Var) (exact.Int, exact.Poly, bool) {
	var c exact.Int
	var rest exact.Poly
	for _, m := range p.Monos {
		own := false
		for _, w := range m.Vars {
			own = own || w == v
		}
		if !own {
			rest.Monos = append(rest.Monos, m)
			continue
		}
		if len(m.Vars) > 1 {
			return c, rest, false
		}
		c = m.Coef
	}
	return c, rest, true
}

// evalForms is a polynomial of closed forms.
func evalForms(p exact.Poly, forms map[exact.Var]closedForm) (closedForm, bool) {
	var sum closedForm
	for _, m := range p.Monos {
		f := closedForm{terms: []growthTerm{{qOf(exact.PolyOf(exact.Lin{Const: m.Coef})), exact.I(1), 0}}}
		for _, v := range m.Vars {
			g, ok := forms[v]
			if !ok {
				return sum, false
			}
			f = f.mul(g)
			if len(f.terms) > policy.ClosedFormTerms {
				return sum, false
			}
		}
		sum = sum.add(f)
	}
	for _, t := range sum.terms {
		if t.power > policy.ClosedFormPower {
			return sum, false
		}
	}
	return sum, true
}

// iterate is v after k turns.
func iterate(update []exact.Poly, v exact.Var, k int) exact.Poly {
	p := exact.PolyOf(exact.V(v))
	for ; k > 0; k-- {
		p = p.Subst(func(w exact.Var) exact.Poly { return update[w] })
	}
	return p
}

// recurrence solves x(n+1) = c*x(n) + p(n), where x is first at turn p.from.
func recurrence(first exact.Poly, c exact.Int, p closedForm) closedForm {
	if c.IsZero() {
		return shifted(p)
	}
	own := closedForm{terms: []growthTerm{{qOf(first), c, 0}}}
	later := p
	for i := 0; i < p.from; i++ {
		later = moved(later, 1)
	}
	for _, t := range later.terms {
		own = own.add(summed(c, t))
	}
	for i := 0; i < p.from; i++ {
		own = shifted(own)
	}
	return own
}

// shifted is p(n-1), which holds from one turn later on.
func shifted(p closedForm) closedForm {
	out := moved(p, -1)
	out.from = p.from + 1
	return out
}

// moved is p(n+d) for d = 1 or -1.
func moved(p closedForm, d int) closedForm {
	var out closedForm
	for _, t := range p.terms {
		factor := exact.RatOf(t.base)
		if d < 0 {
			factor = exact.R(1).Div(factor)
		}
		for j := 0; j <= t.power; j++ { // (n+d)^k = sum C(k,j) n^j d^(k-j)
			k := exact.RatOf(binomial(t.power, j))
			if d < 0 && (t.power-j)%2 == 1 {
				k = k.Neg()
			}
			out.terms = append(out.terms, growthTerm{t.coef.scale(k.Mul(factor)), t.base, j})
		}
	}
	return out.merged()
}

func binomial(n, k int) exact.Int {
	out := exact.I(1)
	for i := 1; i <= k; i++ {
		out = out.Mul(exact.I(int64(n - k + i))).Quo(exact.I(int64(i)))
	}
	return out
}

// summed is the contribution of t to x(n+1) = c*x(n) + t(n), x(0) = 0: a
// polynomial q with b*q(n+1) - c*q(n) = n^k, times b^n, minus q(0)*c^n.
func summed(c exact.Int, t growthTerm) closedForm {
	b, k := exact.RatOf(t.base), t.power
	cr := exact.RatOf(c)
	top := k
	if t.base.Equal(c) {
		top = k + 1
	}
	q := make([]exact.Rat, top+1)
	// compare coefficients of n^i, from the highest: b*sum_{j>=i} q_j C(j,i) - c*q_i
	for i := k; i >= 0; i-- {
		want := exact.Rat{}
		if i == k {
			want = exact.R(1)
		}
		at := i
		if t.base.Equal(c) { // the terms q_i cancel; n^i fixes q_(i+1)
			at = i + 1
		}
		for j := at + 1; j <= top; j++ {
			want = want.Sub(b.Mul(q[j]).Mul(exact.RatOf(binomial(j, i))))
		}
		if t.base.Equal(c) {
			q[at] = want.Div(b.Mul(exact.R(int64(at))))
		} else {
			q[at] = want.Div(b.Sub(cr))
		}
	}
	var out closedForm
	for i, r := range q {
		if !r.IsZero() {
			out.terms = append(out.terms, growthTerm{t.coef.scale(r), t.base, i})
		}
	}
	if !q[0].IsZero() {
		out.terms = append(out.terms, growthTerm{t.coef.scale(q[0].Neg()), c, 0})
	}
	return out.merged()
}
