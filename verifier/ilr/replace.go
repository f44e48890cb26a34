package ilr

// Replacer rebuilds terms with a variable replaced by a term. What it rebuilt it keeps.
type Replacer struct {
	s    *Store
	x    Term
	memo map[Term]Term
}

// Replacer returns one that puts y, of x's sort, in the place of the variable x.
func (s *Store) Replacer(x, y Term) *Replacer {
	return &Replacer{s: s, x: x, memo: map[Term]Term{x: y}}
}

// In returns t with the variable replaced.
func (r *Replacer) In(t Term) Term {
	var args []Term
	for todo := []Term{t}; len(todo) > 0; {
		u := todo[len(todo)-1]
		if _, done := r.done(u); done {
			todo = todo[:len(todo)-1]
			continue
		}
		n, changed := len(todo), false
		args = r.s.Args(args[:0], u)
		for i, a := range args {
			b, done := r.done(a)
			if !done {
				todo = append(todo, a)
				continue
			}
			changed = changed || a != b
			args[i] = b
		}
		switch {
		case len(todo) > n:
		case changed:
			r.memo[u] = r.s.Rebuild(u, args)
		default:
			r.memo[u] = u
		}
	}
	out, _ := r.done(t)
	return out
}

// done returns what t becomes, if that is known. What was made before the variable does not hold it.
func (r *Replacer) done(t Term) (Term, bool) {
	if t < r.x {
		return t, true
	}
	u, ok := r.memo[t]
	return u, ok
}

// Map returns the lists of terms with each subterm replaced for which replace gives another.
func (s *Store) Map(replace func(Term) (Term, bool), lists ...[]Term) [][]Term {
	memo := map[Term]Term{}
	var args []Term
	visit := func(t Term) {
		if u, ok := replace(t); ok {
			memo[t] = u
			return
		}
		memo[t] = t
		args = s.Args(args[:0], t)
		changed := false
		for i, a := range args {
			args[i] = memo[a]
			changed = changed || memo[a] != a
		}
		if changed {
			memo[t] = s.Rebuild(t, args)
		}
	}
	var out [][]Term
	for _, l := range lists {
		s.Walk(l, func(t Term) {
			if _, seen := memo[t]; !seen {
				visit(t)
			}
		})
		var ts []Term
		for _, t := range l {
			ts = append(ts, memo[t])
		}
		out = append(out, ts)
	}
	return out
}
