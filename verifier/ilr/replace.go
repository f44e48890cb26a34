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

// Mapping rebuilds terms with each subterm replaced for which a function gives another. What it rebuilt it keeps.
type Mapping struct {
	s       *Store
	replace func(Term) (Term, bool)
	memo    map[Term]Term
}

// Mapping returns one that replaces as replace says.
func (s *Store) Mapping(replace func(Term) (Term, bool)) *Mapping {
	return &Mapping{s: s, replace: replace, memo: map[Term]Term{}}
}

// Map returns the lists of terms with each subterm replaced for which replace gives another.
func (s *Store) Map(replace func(Term) (Term, bool), lists ...[]Term) (out [][]Term) {
	m := s.Mapping(replace)
	for _, l := range lists {
		out = append(out, m.In(l...))
	}
	return out
}

// In returns the terms with what is to be replaced replaced. Of what it returned before, nothing is.
func (m *Mapping) In(ts ...Term) []Term {
	var todo, args []Term
	for _, t := range ts {
		if _, done := m.memo[t]; !done {
			todo = append(todo, t)
		}
	}
	m.s.Walk(todo, func(t Term) {
		if _, done := m.memo[t]; done {
			return
		}
		if u, ok := m.replace(t); ok {
			m.memo[t] = u
			return
		}
		m.memo[t] = t
		args = m.s.Args(args[:0], t)
		changed := false
		for i, a := range args {
			args[i] = m.memo[a]
			changed = changed || m.memo[a] != a
		}
		if changed {
			m.memo[t] = m.s.Rebuild(t, args)
		}
	})
	out := make([]Term, len(ts))
	for i, t := range ts {
		out[i] = m.memo[t]
	}
	for _, t := range out {
		m.memo[t] = t
	}
	return out
}
