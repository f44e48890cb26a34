package certify

import (
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

// path is a sequence of steps as one relation over the values at its beginning.
type path struct {
	from, to its.Loc
	steps    []Step
	key      string
	n        int // variables; higher ones are temporaries of the steps
	next     exact.Var
	guard    []its.Atom
	value    []exact.Poly
}

// opaqueBase keeps the stand-ins of nonlinear monomials apart.
const opaqueBase exact.Var = 1 << 28

func newPath(sys *its.System, at its.Loc) *path {
	p := &path{from: at, to: at, n: len(sys.Vars), next: exact.Var(len(sys.Vars))}
	for v := 0; v < p.n; v++ {
		p.value = append(p.value, exact.PolyOf(exact.V(exact.Var(v))))
	}
	return p
}

// extend is the path with one more step.
func (p *path) extend(sys *its.System, trans, target int) *path {
	t := &sys.Trans[trans]
	to := t.Targets()[target]
	put := func(v exact.Var) exact.Poly {
		if int(v) < p.n {
			return p.value[v]
		}
		return exact.PolyOf(exact.V(p.next + v - exact.Var(p.n)))
	}
	q := &path{from: p.from, to: to.To, n: p.n, next: p.next + exact.Var(t.Temps)}
	q.steps = append(append([]Step(nil), p.steps...), Step{trans, target})
	q.key = Key(q.steps)
	q.guard = append([]its.Atom(nil), p.guard...)
	for _, a := range t.Guard {
		q.guard = append(q.guard, its.Atom{Poly: a.Poly.Subst(put), Rel: a.Rel})
	}
	for _, u := range to.Update {
		q.value = append(q.value, u.Subst(put))
	}
	return q
}

// flat replaces each nonlinear monomial by a variable of its own, the same one
// for the same monomial.
func (p *path) flat(poly exact.Poly) exact.Lin {
	var terms []exact.Term
	var c exact.Int
	for _, m := range poly.Monos {
		switch len(m.Vars) {
		case 0:
			c = m.Coef
		case 1:
			terms = append(terms, exact.Term{Var: m.Vars[0], Coef: m.Coef})
		default:
			terms = append(terms, exact.Term{Var: opaqueBase + p.monomial(m.Vars), Coef: m.Coef})
		}
	}
	return exact.LinOf(c, terms...)
}

// monomial numbers the monomials of the path in a fixed order.
func (p *path) monomial(vars []exact.Var) exact.Var {
	all := p.monomials()
	k := monoKey(vars)
	return exact.Var(sort.Search(len(all), func(i int) bool { return monoKey(all[i]) >= k }))
}

func monoKey(vars []exact.Var) string {
	var b strings.Builder
	for _, v := range vars {
		b.WriteString(exact.V(v).String())
		b.WriteByte('*')
	}
	return b.String()
}

func (p *path) monomials() [][]exact.Var {
	seen := map[string][]exact.Var{}
	see := func(q exact.Poly) {
		for _, m := range q.Monos {
			if len(m.Vars) > 1 {
				seen[monoKey(m.Vars)] = m.Vars
			}
		}
	}
	for _, a := range p.guard {
		see(a.Poly)
	}
	for _, v := range p.value {
		see(v)
	}
	keys := make([]string, 0, len(seen))
	for k := range seen {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := make([][]exact.Var, len(keys))
	for i, k := range keys {
		out[i] = seen[k]
	}
	return out
}

// rows are the guard's consequences in linear form: its atoms, and that even
// powers are not negative and squares not below their root.
func (p *path) rows() []row {
	var out []row
	for _, a := range p.guard {
		out = append(out, row{p.flat(a.Poly), a.Rel == its.EQ})
	}
	for i, vars := range p.monomials() {
		even := len(vars)%2 == 0
		for j := 0; j+1 < len(vars); j += 2 {
			even = even && vars[j] == vars[j+1]
		}
		if !even {
			continue
		}
		m := exact.V(opaqueBase + exact.Var(i))
		out = append(out, row{m, false})
		if len(vars) == 2 {
			out = append(out, row{m.Sub(exact.V(vars[0])), false}, row{m.Add(exact.V(vars[0])), false})
		}
	}
	return out
}

// after is an expression over the state after the path.
func (p *path) after(l exact.Lin) exact.Lin {
	return l.Subst(func(v exact.Var) exact.Lin { return p.flat(p.value[v]) })
}

func (p *path) text(sys *its.System) string {
	names := []string{sys.Locs[p.from]}
	for _, s := range p.steps {
		names = append(names, sys.Locs[sys.Trans[s.Trans].Targets()[s.Target].To])
	}
	return strings.Join(names, "->")
}
