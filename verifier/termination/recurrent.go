package termination

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// choice says how a cycle picks its temporaries: each is an expression over the
// variables and over parameters, which are temporaries that keep one value for
// ever.
type choice struct {
	n   int
	set map[exact.Var]exact.Lin
}

// value returns the value of a variable or temporary under the choice.
func (c choice) value(v exact.Var) exact.Lin {
	if int(v) < c.n {
		return exact.V(v)
	}
	if l, ok := c.set[v]; ok {
		return l
	}
	return exact.V(v)
}

func (c choice) with(v exact.Var, l exact.Lin) choice {
	out := choice{c.n, map[exact.Var]exact.Lin{}}
	for w, e := range c.set {
		out.set[w] = e.Subst(func(u exact.Var) exact.Lin {
			if u == v {
				return l
			}
			return exact.V(u)
		})
	}
	out.set[v] = l
	return out
}

// choices lists ways to pick the temporaries of a cycle: as equations demand,
// else as parameters, or as tight as a guard allows.
func (p *problem) choices(ctx context.Context, r *relation) []choice {
	base := choice{p.n, map[exact.Var]exact.Lin{}}
	rows := r.rows
	for again := true; again; {
		again = false
		for _, row := range rows {
			if !row.EQ {
				continue
			}
			l := row.Lin.Subst(base.value)
			for k := len(l.Terms) - 1; k >= 0 && !again; k-- {
				t := l.Terms[k]
				if int(t.Var) >= p.n && t.Coef.Abs().IsOne() {
					base = base.with(t.Var, l.Sub(exact.V(t.Var).Scale(t.Coef)).Scale(t.Coef.Neg()))
					again = true
				}
			}
		}
	}
	around := append(rows[:len(rows):len(rows)], p.nextTurn(r)...)
	out := []choice{base}
	for i := 0; i < r.temps; i++ {
		v := exact.Var(p.n + i)
		if _, fixed := base.set[v]; fixed {
			continue
		}
		for _, c := range out {
			if len(out) >= policy.TemporaryChoices {
				break
			}
			for _, l := range tightest(around, c, v) {
				if len(out) < policy.TemporaryChoices {
					out = append(out, c.with(v, l))
				}
			}
		}
	}
	return out
}

// nextTurn returns what the guard says of the state after a turn, where it speaks of variables alone.
func (p *problem) nextTurn(r *relation) []linear.Row {
	var out []linear.Row
	for _, row := range r.rows {
		if !slices.ContainsFunc(row.Lin.Terms, func(t exact.Term) bool { return int(t.Var) >= p.n }) {
			after := row.Lin.Subst(func(v exact.Var) exact.Lin { return r.upd[v] })
			out = append(out, linear.Row{Lin: after, EQ: row.EQ})
		}
	}
	return out
}

// tightest are the bounds that guards with coefficient 1 or -1 give v.
func tightest(rows []linear.Row, c choice, v exact.Var) []exact.Lin {
	var out []exact.Lin
	for _, row := range rows {
		l := row.Lin.Subst(c.value)
		k := l.Coef(v)
		if row.EQ || !k.Abs().IsOne() {
			continue
		}
		e := l.Sub(exact.V(v).Scale(k)).Scale(k.Neg())
		dup := false
		for _, o := range out {
			dup = dup || o.Equal(e)
		}
		if !dup {
			out = append(out, e)
		}
	}
	return out
}

// setSearch looks for a set that the cycle never leaves: it starts from the
// guard, and repairs each conjunct that a turn of the cycle may break.
type setSearch struct {
	p      *problem
	r      *relation
	c      choice
	budget int
	accept func([]exact.Lin) bool
	result []exact.Lin
}

// run reports whether an accepted set was found.
func (s *setSearch) run(ctx context.Context) bool {
	var set []exact.Lin
	for _, row := range s.r.rows {
		l := row.Lin.Subst(s.c.value)
		set = addConjunct(set, l)
		if row.EQ {
			set = addConjunct(set, l.Neg())
		}
	}
	return s.repair(ctx, set, 0)
}

func addConjunct(set []exact.Lin, l exact.Lin) []exact.Lin {
	if l.IsConst() && l.Const.Sign() >= 0 {
		return set
	}
	l = l.Tighten()
	for _, o := range set {
		if o.SameTerms(l) && o.Const.Cmp(l.Const) <= 0 {
			return set
		}
	}
	return append(set[:len(set):len(set)], l)
}

// next is an expression after a turn of the cycle; parameters keep their value.
func (s *setSearch) next(l exact.Lin) exact.Lin {
	return l.Subst(func(v exact.Var) exact.Lin {
		if int(v) < s.p.n {
			return s.r.upd[v].Subst(s.c.value)
		}
		return exact.V(v)
	})
}

func (s *setSearch) repair(ctx context.Context, set []exact.Lin, depth int) bool {
	if s.budget <= 0 || ctx.Err() != nil {
		return false
	}
	s.budget--
	tb := linear.NewTableau(true)
	for _, l := range set {
		tb.Add(linear.AtLeast(l))
	}
	if tb.Check(ctx) == linear.Unsat {
		return false
	}
	broken := -1
	for i, l := range set {
		m, kind := tb.Maximise(ctx, s.next(l).Neg())
		if kind == linear.GivenUp {
			return false
		}
		if kind != linear.Attained || m.Sign() > 0 {
			broken = i
			break
		}
	}
	if broken < 0 {
		if s.accept(set) {
			s.result = set
			return true
		}
		return false
	}
	if depth == policy.GuardRepairs {
		return false
	}
	now, after := set[broken], s.next(set[broken])
	if rise := after.Sub(now); !rise.IsConst() {
		if s.repair(ctx, addConjunct(set, rise), depth+1) {
			return true
		}
	}
	if after.IsConst() { // a negative constant: no way to keep it
		return false
	}
	return s.repair(ctx, addConjunct(set, after), depth+1)
}
