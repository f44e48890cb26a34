package ring

import "github.com/firmproof/firmproof/verifier/ilr"

// Abstract returns the lists of terms with each product of two variable words replaced by any word. What is impossible
// then, is impossible.
func Abstract(s *ilr.Store, lists ...[]ilr.Term) [][]ilr.Term {
	memo := map[ilr.Term]ilr.Term{}
	var args []ilr.Term
	visit := func(t ilr.Term) {
		memo[t] = t
		if product(s, t) {
			memo[t] = s.Fresh("product", s.Sort(t))
			return
		}
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
	var out [][]ilr.Term
	for _, l := range lists {
		s.Walk(l, func(t ilr.Term) {
			if _, seen := memo[t]; !seen {
				visit(t)
			}
		})
		var ts []ilr.Term
		for _, t := range l {
			ts = append(ts, memo[t])
		}
		out = append(out, ts)
	}
	return out
}

// product reports whether t multiplies two words that are no constants.
func product(s *ilr.Store, t ilr.Term) bool {
	return s.Kind(t) == ilr.KMul && s.Kind(s.Arg(t, 0)) != ilr.KConst && s.Kind(s.Arg(t, 1)) != ilr.KConst
}
