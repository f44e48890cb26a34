package exact

import (
	"sort"
	"strconv"
	"strings"
)

// Mono is coefficient times a product of variables; Vars is sorted and repeats
// a variable for its powers. A constant has no variables.
type Mono struct {
	Coef Int
	Vars []Var
}

// Poly is a polynomial with integer coefficients: monomials in ascending order
// of (degree, variables), each once, none with coefficient 0.
type Poly struct{ Monos []Mono }

// PolyOf returns the polynomial of a linear expression.
func PolyOf(a Lin) Poly {
	var p Poly
	if !a.Const.IsZero() {
		p.Monos = append(p.Monos, Mono{Coef: a.Const})
	}
	for _, t := range a.Terms {
		p.Monos = append(p.Monos, Mono{t.Coef, []Var{t.Var}})
	}
	return p
}

func cmpVars(a, b []Var) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	for i := range a {
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return 0
}

func normal(ms []Mono) Poly {
	sort.SliceStable(ms, func(i, j int) bool { return cmpVars(ms[i].Vars, ms[j].Vars) < 0 })
	var out []Mono
	for _, m := range ms {
		if n := len(out); n > 0 && cmpVars(out[n-1].Vars, m.Vars) == 0 {
			out[n-1].Coef = out[n-1].Coef.Add(m.Coef)
			continue
		}
		out = append(out, m)
	}
	kept := out[:0]
	for _, m := range out {
		if !m.Coef.IsZero() {
			kept = append(kept, m)
		}
	}
	return Poly{kept}
}

// Add returns a+c.
func (a Poly) Add(c Poly) Poly {
	return normal(append(append(make([]Mono, 0, len(a.Monos)+len(c.Monos)), a.Monos...), c.Monos...))
}

// Scale returns k*a.
func (a Poly) Scale(k Int) Poly {
	if k.IsZero() {
		return Poly{}
	}
	out := make([]Mono, len(a.Monos))
	for i, m := range a.Monos {
		out[i] = Mono{m.Coef.Mul(k), m.Vars}
	}
	return Poly{out}
}

// Neg returns -a.
func (a Poly) Neg() Poly { return a.Scale(I(-1)) }

// Sub returns a-c.
func (a Poly) Sub(c Poly) Poly { return a.Add(c.Neg()) }

// Mul returns a*c.
func (a Poly) Mul(c Poly) Poly {
	out := make([]Mono, 0, len(a.Monos)*len(c.Monos))
	for _, m := range a.Monos {
		for _, n := range c.Monos {
			vs := append(append(make([]Var, 0, len(m.Vars)+len(n.Vars)), m.Vars...), n.Vars...)
			sort.Slice(vs, func(i, j int) bool { return vs[i] < vs[j] })
			out = append(out, Mono{m.Coef.Mul(n.Coef), vs})
		}
	}
	return normal(out)
}

// Degree returns the greatest number of variables in a monomial.
func (a Poly) Degree() int {
	if len(a.Monos) == 0 {
		return 0
	}
	return len(a.Monos[len(a.Monos)-1].Vars)
}

// Lin returns the polynomial as a linear expression, and whether it is one.
func (a Poly) Lin() (Lin, bool) {
	if a.Degree() > 1 {
		return Lin{}, false
	}
	var l Lin
	for _, m := range a.Monos {
		if len(m.Vars) == 0 {
			l.Const = m.Coef
		} else {
			l.Terms = append(l.Terms, Term{m.Vars[0], m.Coef})
		}
	}
	return l, true
}

// Subst replaces each variable by a polynomial.
func (a Poly) Subst(f func(Var) Poly) Poly {
	var sum []Mono
	for _, m := range a.Monos {
		p := Poly{[]Mono{{Coef: m.Coef}}}
		for _, v := range m.Vars {
			p = p.Mul(f(v))
		}
		sum = append(sum, p.Monos...)
	}
	return normal(sum)
}

// Rename replaces each variable by another.
func (a Poly) Rename(f func(Var) Var) Poly {
	out := make([]Mono, len(a.Monos))
	for i, m := range a.Monos {
		vs := make([]Var, len(m.Vars))
		for j, v := range m.Vars {
			vs[j] = f(v)
		}
		sort.Slice(vs, func(i, j int) bool { return vs[i] < vs[j] })
		out[i] = Mono{m.Coef, vs}
	}
	return normal(out)
}

// Eval returns the value under an assignment.
func (a Poly) Eval(f func(Var) Int) Int {
	var r Int
	for _, m := range a.Monos {
		p := m.Coef
		for _, v := range m.Vars {
			p = p.Mul(f(v))
		}
		r = r.Add(p)
	}
	return r
}

// Vars calls f for each occurrence of a variable.
func (a Poly) Vars(f func(Var)) {
	for _, m := range a.Monos {
		for _, v := range m.Vars {
			f(v)
		}
	}
}

// IsVar reports whether a is exactly the variable v.
func (a Poly) IsVar(v Var) bool {
	return len(a.Monos) == 1 && len(a.Monos[0].Vars) == 1 && a.Monos[0].Vars[0] == v && a.Monos[0].Coef.IsOne()
}

// Equal reports whether both are the same polynomial.
func (a Poly) Equal(c Poly) bool {
	if len(a.Monos) != len(c.Monos) {
		return false
	}
	for i, m := range a.Monos {
		if cmpVars(m.Vars, c.Monos[i].Vars) != 0 || !m.Coef.Equal(c.Monos[i].Coef) {
			return false
		}
	}
	return true
}

// Format prints the polynomial with the names that name gives, the highest
// degree first.
func (a Poly) Format(name func(Var) string) string {
	var b strings.Builder
	for _, m := range a.byDegree() {
		if len(m.Vars) == 0 {
			writeConst(&b, m.Coef)
			continue
		}
		var fs []string
		for j := 0; j < len(m.Vars); {
			k := j
			for k < len(m.Vars) && m.Vars[k] == m.Vars[j] {
				k++
			}
			f := name(m.Vars[j])
			if k-j > 1 {
				f += "^" + strconv.Itoa(k-j)
			}
			fs = append(fs, f)
			j = k
		}
		writeTerm(&b, m.Coef, strings.Join(fs, "*"))
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}

// byDegree returns the monomials with the highest degree first.
func (a Poly) byDegree() []Mono {
	out := append([]Mono(nil), a.Monos...)
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].Vars) > len(out[j].Vars) })
	return out
}

// String prints variables as x0, x1, ...
func (a Poly) String() string {
	return a.Format(func(v Var) string { return "x" + strconv.Itoa(int(v)) })
}
