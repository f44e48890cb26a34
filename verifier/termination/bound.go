package termination

import (
	"math/big"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Bound is an upper bound that is never negative and grows with each of its
// parts: a polynomial with natural coefficients over atoms, or infinity (nil
// means infinity; the zero polynomial is Zero).
//
//	atom    value
//	linear  max(0, l) for a linear expression l over the values at the start
//	capped  the same, where it is at most a constant: it does not grow
//	power   k to the power of a bound
//	digits  how many binary digits a bound has: 1 more than its logarithm, rounded down; 0 of 0
//	whole   the value of another bound, as one factor
type Bound struct{ monos []boundMono }

type boundMono struct {
	coef  exact.Int
	atoms []*atom // sorted by key, repeated for powers
}

type atomKind uint8

const (
	_ atomKind = iota
	linearAtom
	powerAtom
	wholeAtom
	digitsAtom
)

type atom struct {
	kind atomKind
	key  string
	lin  exact.Lin
	cap  *exact.Int // of a linear atom, if it has one: min(cap, max(0, l)), printed without
	base exact.Int
	arg  *Bound
}

// Zero is the bound 0.
func Zero() *Bound { return &Bound{} }

// constBound is the bound max(0, c).
func constBound(c exact.Int) *Bound {
	if c.Sign() <= 0 {
		return Zero()
	}
	return &Bound{[]boundMono{{coef: c}}}
}

// posBound is the bound max(0, l).
func posBound(l exact.Lin) *Bound {
	if l.IsConst() {
		return constBound(l.Const)
	}
	if g := l.Content().GCD(l.Const); !g.IsOne() {
		terms := make([]exact.Term, len(l.Terms))
		for i, t := range l.Terms {
			terms[i] = exact.Term{Var: t.Var, Coef: t.Coef.Quo(g)}
		}
		return posBound(exact.Lin{Terms: terms, Const: l.Const.Quo(g)}).scale(g)
	}
	a := &atom{kind: linearAtom, lin: l, key: "l" + l.String()}
	return &Bound{[]boundMono{{exact.I(1), []*atom{a}}}}
}

// powBound is k to the power b, for k >= 1.
func powBound(k exact.Int, b *Bound) *Bound {
	if b == nil {
		return nil
	}
	if k.Cmp(exact.I(1)) <= 0 || len(b.monos) == 0 {
		return constBound(exact.I(1))
	}
	if c, ok := b.constant(); ok {
		if n, small := c.Int64(); small && n <= 64 {
			return constBound(k.Pow(int(n)))
		}
	}
	if p := digitPower(k, b); p != nil {
		return p
	}
	a := &atom{kind: powerAtom, base: k, arg: b, key: "p" + k.String() + "^(" + b.key() + ")"}
	return &Bound{[]boundMono{{exact.I(1), []*atom{a}}}}
}

// Constant is the value of a bound that depends on nothing.
func (b *Bound) Constant() (exact.Int, bool) { return b.constant() }

func (b *Bound) constant() (exact.Int, bool) {
	if b == nil || len(b.monos) > 1 {
		return exact.Int{}, false
	}
	if len(b.monos) == 0 {
		return exact.Int{}, true
	}
	return b.monos[0].coef, len(b.monos[0].atoms) == 0
}

func (m boundMono) key() string {
	parts := make([]string, len(m.atoms))
	for i, a := range m.atoms {
		parts[i] = a.key
	}
	return strings.Join(parts, "*")
}

func (b *Bound) key() string {
	parts := make([]string, len(b.monos))
	for i, m := range b.monos {
		parts[i] = m.coef.String() + "*" + m.key()
	}
	return strings.Join(parts, "+")
}

// merge adds monomials with equal atoms by the given rule and sorts.
func merge(ms []boundMono, join func(a, c exact.Int) exact.Int) *Bound {
	index := map[string]int{}
	var out []boundMono
	for _, m := range ms {
		k := m.key()
		if i, ok := index[k]; ok {
			out[i].coef = join(out[i].coef, m.coef)
			continue
		}
		index[k] = len(out)
		out = append(out, m)
	}
	sort.Slice(out, func(i, j int) bool {
		if len(out[i].atoms) != len(out[j].atoms) {
			return len(out[i].atoms) < len(out[j].atoms)
		}
		return out[i].key() < out[j].key()
	})
	return (&Bound{out}).coarse()
}

// coarse replaces a bound with too many monomials by a multiple of a power of
// the sum of its atoms and 1.
func (b *Bound) coarse() *Bound {
	if len(b.monos) <= policy.BoundMonomials {
		return b
	}
	degree := 0
	total := exact.Int{}
	seen := map[string]bool{}
	sum := []boundMono{{coef: exact.I(1)}}
	for _, m := range b.monos {
		degree = max(degree, len(m.atoms))
		total = total.Add(m.coef)
		for _, a := range m.atoms {
			if !seen[a.key] {
				seen[a.key] = true
				sum = append(sum, boundMono{exact.I(1), []*atom{a}})
			}
		}
	}
	sort.Slice(sum, func(i, j int) bool { return sum[i].key() < sum[j].key() })
	whole := &Bound{sum}
	a := &atom{kind: wholeAtom, arg: whole, key: "w(" + whole.key() + ")"}
	m := boundMono{coef: total}
	for i := 0; i < degree; i++ {
		m.atoms = append(m.atoms, a)
	}
	return &Bound{[]boundMono{m}}
}

// Plus is b+c.
func (b *Bound) Plus(c *Bound) *Bound { return b.add(c) }

// add is b+c.
func (b *Bound) add(c *Bound) *Bound {
	if b == nil || c == nil {
		return nil
	}
	ms := append(append([]boundMono(nil), b.monos...), c.monos...)
	return merge(ms, exact.Int.Add)
}

// scale is k*b for natural k.
func (b *Bound) scale(k exact.Int) *Bound {
	if k.IsZero() {
		return Zero()
	}
	if b == nil {
		return nil
	}
	out := make([]boundMono, len(b.monos))
	for i, m := range b.monos {
		out[i] = boundMono{m.coef.Mul(k), m.atoms}
	}
	return &Bound{out}
}

// mul is b*c; 0 times infinity is 0.
func (b *Bound) mul(c *Bound) *Bound {
	if b != nil && len(b.monos) == 0 || c != nil && len(c.monos) == 0 {
		return Zero()
	}
	if b == nil || c == nil {
		return nil
	}
	var ms []boundMono
	for _, x := range b.monos {
		for _, y := range c.monos {
			atoms := append(append([]*atom(nil), x.atoms...), y.atoms...)
			sort.SliceStable(atoms, func(i, j int) bool { return atoms[i].key < atoms[j].key })
			ms = append(ms, boundMono{x.coef.Mul(y.coef), atoms})
		}
	}
	return merge(ms, exact.Int.Add)
}

// upperOf is a bound that both are below: the greater coefficient per monomial.
func (b *Bound) upperOf(c *Bound) *Bound {
	if b == nil || c == nil {
		return nil
	}
	ms := append(append([]boundMono(nil), b.monos...), c.monos...)
	return merge(ms, func(x, y exact.Int) exact.Int {
		if x.Cmp(y) > 0 {
			return x
		}
		return y
	})
}

// Format prints the bound; name gives the names of the start's values.
func (b *Bound) Format(name func(exact.Var) string) string {
	if b == nil {
		return "inf"
	}
	var parts []string
	for i := len(b.monos) - 1; i >= 0; i-- {
		m := b.monos[i]
		var fs []string
		if !m.coef.IsOne() || len(m.atoms) == 0 {
			fs = append(fs, m.coef.String())
		}
		for _, a := range m.atoms {
			fs = append(fs, a.format(name))
		}
		parts = append(parts, strings.Join(fs, "*"))
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}

func (a *atom) format(name func(exact.Var) string) string {
	switch a.kind {
	case linearAtom:
		return "max(0, " + a.lin.Format(name) + ")"
	case powerAtom:
		return a.base.String() + "^(" + a.arg.Format(name) + ")"
	case digitsAtom:
		return "bits(" + a.arg.Format(name) + ")"
	}
	return "(" + a.arg.Format(name) + ")"
}

// Eval is the bound's value for the given start; nil when it is infinite or too
// large to write down.
func (b *Bound) Eval(value func(exact.Var) exact.Int) *big.Int {
	if b == nil {
		return nil
	}
	sum := new(big.Int)
	for _, m := range b.monos {
		p := m.coef.Big()
		for _, a := range m.atoms {
			v := a.eval(value)
			if v == nil {
				return nil
			}
			p.Mul(p, v)
		}
		sum.Add(sum, p)
	}
	return sum
}

func (a *atom) eval(value func(exact.Var) exact.Int) *big.Int {
	if a.kind == linearAtom {
		v := a.lin.Eval(value)
		switch {
		case v.Sign() < 0:
			return new(big.Int)
		case a.cap != nil && v.Cmp(*a.cap) > 0:
			return a.cap.Big()
		}
		return v.Big()
	}
	v := a.arg.Eval(value)
	switch {
	case v == nil || a.kind == wholeAtom:
		return v
	case a.kind == digitsAtom:
		return big.NewInt(int64(v.BitLen()))
	}
	if !v.IsInt64() || v.Int64() > policy.BoundPower {
		return nil
	}
	return new(big.Int).Exp(a.base.Big(), v, nil)
}
