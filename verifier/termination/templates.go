package termination

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// templates collects the directions, each with its negation.
func (p *problem) templates() []exact.Lin {
	var out []exact.Lin
	seen := map[string]bool{}
	add := func(l exact.Lin) {
		l.Const = exact.Int{}
		l = l.Tighten()
		if len(l.Terms) == 0 || len(out) >= policy.SystemTemplates {
			return
		}
		for _, d := range []exact.Lin{l, l.Neg()} {
			if key := d.Key(); !seen[key] {
				seen[key] = true
				out = append(out, d)
			}
		}
	}
	live := p.liveVars()
	for v := 0; v < p.n; v++ {
		if live[v] {
			add(exact.V(exact.Var(v)))
		}
	}
	inState := func(l exact.Lin) bool {
		return len(l.Terms) > 1 && int(l.Terms[len(l.Terms)-1].Var) < p.n
	}
	for _, e := range p.edges {
		for _, r := range e.rows {
			if inState(r.Lin) {
				add(r.Lin)
			}
		}
	}
	for _, pair := range p.pairs(live) {
		x, y := exact.V(pair[0]), exact.V(pair[1])
		add(x.Sub(y))
		add(x.Add(y))
	}
	return out
}

// liveVars are the variables that a guard or a cost depends on.
func (p *problem) liveVars() []bool {
	live := make([]bool, p.n)
	mark := func(l exact.Lin) bool {
		changed := false
		for _, t := range l.Terms {
			if int(t.Var) < p.n && !live[t.Var] {
				live[t.Var], changed = true, true
			}
		}
		return changed
	}
	for _, e := range p.edges {
		e.cost.Vars(func(v exact.Var) { mark(exact.V(v)) })
	}
	for changed := true; changed; {
		changed = false
		for _, e := range p.edges {
			for _, r := range e.rows {
				changed = mark(r.Lin) || changed
			}
			for v, u := range e.upd {
				if live[v] {
					changed = mark(u) || changed
					e.full.Update[v].Vars(func(w exact.Var) { changed = mark(exact.V(w)) || changed })
				}
			}
		}
	}
	return live
}

// moved adds the variables that change on the edge, as pairs of little weight.
func (p *problem) moved(e *edge, live []bool, count map[[2]exact.Var]int) {
	var vs []exact.Var
	for v, u := range e.upd {
		if live[v] && !u.Equal(exact.V(exact.Var(v))) {
			vs = append(vs, exact.Var(v))
		}
	}
	if len(vs) > policy.TemplateMoved || e.from != e.to {
		return
	}
	for i, v := range vs {
		for _, w := range vs[i+1:] {
			count[[2]exact.Var{v, w}] += 0
		}
	}
}

// pairs are variables that occur together in a guard or an update, or change
// together in a loop, the most frequent first.
func (p *problem) pairs(live []bool) [][2]exact.Var {
	count := map[[2]exact.Var]int{}
	together := func(l exact.Lin, also exact.Var) {
		vs := []exact.Var{}
		for _, t := range l.Terms {
			if int(t.Var) < p.n && live[t.Var] {
				vs = append(vs, t.Var)
			}
		}
		if also >= 0 && live[also] {
			vs = append(vs, also)
		}
		for i, v := range vs {
			for _, w := range vs[i+1:] {
				if v != w && len(vs) <= 4 {
					count[[2]exact.Var{min(v, w), max(v, w)}]++
				}
			}
		}
	}
	for _, e := range p.edges {
		for _, r := range e.rows {
			together(r.Lin, -1)
		}
		for v, u := range e.upd {
			together(u, exact.Var(v))
		}
		p.moved(e, live, count)
	}
	out := make([][2]exact.Var, 0, len(count))
	for k := range count {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool {
		if a, b := count[out[i]], count[out[j]]; a != b {
			return a > b
		}
		if out[i][0] != out[j][0] {
			return out[i][0] < out[j][0]
		}
		return out[i][1] < out[j][1]
	})
	return out
}
