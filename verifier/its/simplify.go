package its

import "github.com/firmproof/firmproof/verifier/exact"

// simplify normalises the guard and removes temporaries that an equation with
// coefficient 1 or -1 defines; it reports whether the guard can hold at all, as
// far as constants tell.
func simplify(n int, t *Transition) bool {
	for {
		if !normalGuard(t) {
			return false
		}
		if !solveTemp(n, t) {
			break
		}
	}
	compactTemps(n, t)
	return equationsAgree(t.Guard)
}

// equationsAgree eliminates variables with coefficient 1 or -1 from the linear
// equations, and reports false when one of the rest has no integer solution.
func equationsAgree(guard []Atom) bool {
	var eqs []exact.Lin
	for _, a := range guard {
		if l, ok := a.Lin(); ok && a.Rel == EQ {
			eqs = append(eqs, l)
		}
	}
	for len(eqs) > 0 {
		pick, v := -1, exact.Term{}
		for i, e := range eqs {
			g := e.Content()
			if g.IsZero() && !e.Const.IsZero() || !g.IsZero() && !e.Const.FloorDiv(g).Mul(g).Equal(e.Const) {
				return false
			}
			for _, t := range e.Terms {
				if pick < 0 && t.Coef.Abs().IsOne() {
					pick, v = i, t
				}
			}
		}
		if pick < 0 {
			return true
		}
		by := eqs[pick].Scale(v.Coef)
		eqs = append(append([]exact.Lin(nil), eqs[:pick]...), eqs[pick+1:]...)
		for i, e := range eqs {
			eqs[i] = e.AddScaled(e.Coef(v.Var).Neg(), by)
		}
	}
	return true
}

// normalGuard tightens linear atoms, drops true and repeated ones.
func normalGuard(t *Transition) bool {
	seen := map[string]int{}
	var out []Atom
	for _, a := range t.Guard {
		l, ok := a.Lin()
		if !ok {
			out = append(out, a)
			continue
		}
		if l.IsConst() {
			if s := l.Const.Sign(); s < 0 || s > 0 && a.Rel == EQ {
				return false
			}
			continue
		}
		g := l.Content()
		if a.Rel == EQ && !g.IsOne() {
			if !l.Const.FloorDiv(g).Mul(g).Equal(l.Const) {
				return false
			}
		}
		l = l.Tighten()
		key := string(rune('0'+a.Rel)) + l.Key()
		if i, dup := seen[key]; dup {
			old, _ := out[i].Lin()
			if a.Rel == EQ && !old.Const.Equal(l.Const) {
				return false
			}
			if l.Const.Cmp(old.Const) < 0 {
				out[i] = Atom{exact.PolyOf(l), a.Rel}
			}
			continue
		}
		seen[key] = len(out)
		out = append(out, Atom{exact.PolyOf(l), a.Rel})
	}
	t.Guard = out
	return true
}

// solveTemp replaces one temporary that an equation defines.
func solveTemp(n int, t *Transition) bool {
	for i, a := range t.Guard {
		l, ok := a.Lin()
		if !ok || a.Rel != EQ {
			continue
		}
		for k := len(l.Terms) - 1; k >= 0; k-- {
			term := l.Terms[k]
			if int(term.Var) < n || !term.Coef.Abs().IsOne() {
				continue
			}
			rest := l.Sub(exact.V(term.Var).Scale(term.Coef)).Scale(term.Coef.Neg())
			t.Guard = append(append([]Atom(nil), t.Guard[:i]...), t.Guard[i+1:]...)
			substTemp(t, term.Var, exact.PolyOf(rest))
			return true
		}
	}
	return false
}

func substTemp(t *Transition, v exact.Var, by exact.Poly) {
	f := func(p exact.Poly) exact.Poly {
		uses := false
		p.Vars(func(w exact.Var) { uses = uses || w == v })
		if !uses {
			return p
		}
		return p.Subst(func(w exact.Var) exact.Poly {
			if w == v {
				return by
			}
			return exact.PolyOf(exact.V(w))
		})
	}
	t.mapPolys(f)
}

// mapPolys replaces every polynomial of the transition, in fresh slices.
func (t *Transition) mapPolys(f func(exact.Poly) exact.Poly) {
	guard := make([]Atom, len(t.Guard))
	for i, a := range t.Guard {
		guard[i] = Atom{f(a.Poly), a.Rel}
	}
	t.Guard = guard
	t.Update = mapAll(t.Update, f)
	also := make([]Target, len(t.Also))
	for i, a := range t.Also {
		also[i] = Target{a.To, mapAll(a.Update, f)}
	}
	if len(also) > 0 {
		t.Also = also
	}
	t.Cost = f(t.Cost)
}

func mapAll(ps []exact.Poly, f func(exact.Poly) exact.Poly) []exact.Poly {
	out := make([]exact.Poly, len(ps))
	for i, p := range ps {
		out[i] = f(p)
	}
	return out
}

// compactTemps renumbers the temporaries that are still used.
func compactTemps(n int, t *Transition) {
	used := map[exact.Var]bool{}
	t.eachPoly(func(p exact.Poly) {
		p.Vars(func(v exact.Var) {
			if int(v) >= n {
				used[v] = true
			}
		})
	})
	if len(used) == t.Temps {
		return
	}
	to := map[exact.Var]exact.Var{}
	for i := 0; i < t.Temps; i++ {
		if v := exact.Var(n + i); used[v] {
			to[v] = exact.Var(n + len(to))
		}
	}
	t.Temps = len(to)
	t.mapPolys(func(p exact.Poly) exact.Poly {
		return p.Rename(func(v exact.Var) exact.Var {
			if w, ok := to[v]; ok {
				return w
			}
			return v
		})
	})
}

// eachPoly visits every polynomial of the transition.
func (t *Transition) eachPoly(f func(exact.Poly)) {
	for _, a := range t.Guard {
		f(a.Poly)
	}
	for _, p := range t.Update {
		f(p)
	}
	for _, a := range t.Also {
		for _, p := range a.Update {
			f(p)
		}
	}
	f(t.Cost)
}
