package invariant

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Lemmas that claims about elements ask for. A claim about a[i] in a loop over i is violated where some conditions hold
// at once. With the ghost index in the place of i they speak of any element: that they do not hold at once is proposed of
// the elements that the loops before have passed.

// assertion is a claim about elements, with the ghost index in the place of the index that it reads at.
type assertion struct {
	conditions []ilr.Term // the violation is all of them
	index      []ilr.Term // that the ghost index is one that the claim reads at
}

// assertions lists the claims about elements, once for each index that they read at.
func assertions(f *encode.Formula) []assertion {
	s := f.Store
	if f.Ghost == 0 {
		return nil
	}
	var out []assertion
	for _, g := range problem.GroupsOf(f) {
		if g.First.Check == verdict.Unwinding {
			continue
		}
		for _, c := range g.Instances {
			if s.IsFalse(c.Violated) || c.Reads == 0 {
				continue
			}
			conditions := conjuncts(s, c.Violated)
			if !hasSelect(s, conditions) {
				continue
			}
			for _, idx := range indexes(f, c.Reads) {
				if len(out) < policy.MaxAsserted {
					out = append(out, generalise(f, conditions, idx))
				}
			}
		}
	}
	return out
}

// conjuncts lists the conditions that t is the conjunction of, those aside that are large.
func conjuncts(s *ilr.Store, t ilr.Term) []ilr.Term {
	var out []ilr.Term
	seen := map[ilr.Term]bool{}
	for todo := []ilr.Term{t}; len(todo) > 0 && len(seen) < policy.MaxConjuncts; {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case seen[t]:
		case s.Kind(t) == ilr.KAnd:
			seen[t] = true
			todo = append(todo, s.Arg(t, 0), s.Arg(t, 1))
		case !s.Larger(t, policy.MaxTree):
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// hasSelect reports that some of the terms reads an array.
func hasSelect(s *ilr.Store, ts []ilr.Term) bool {
	found := false
	s.Walk(ts, func(u ilr.Term) { found = found || s.Kind(u) == ilr.KSelect })
	return found
}

// indexes lists the last indices that the first reads read arrays at, as counts of elements.
func indexes(f *encode.Formula, reads int) []ilr.Term {
	s := f.Store
	var out []ilr.Term
	for _, r := range f.Reads[max(0, reads-policy.MaxReads):reads] {
		t := r.Index
		if s.Kind(t) == ilr.KUdiv && s.Kind(s.Arg(t, 0)) == ilr.KMul {
			for i, m := 0, s.Arg(t, 0); i < 2; i++ {
				if s.Arg(m, i) == s.Arg(t, 1) {
					t = s.Arg(m, 1-i)
					break
				}
			}
		}
		if _, known := s.ConstVal(t); !known && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// generalise puts the ghost index in the place of idx, and what makes idx that in the place of the variable in it.
func generalise(f *encode.Formula, conditions []ilr.Term, idx ilr.Term) assertion {
	s, k := f.Store, f.Ghost
	var out assertion
	put := map[ilr.Term]ilr.Term{idx: k}
	if x, c, d, ok := linear(s, idx); ok {
		w := s.Width(k)
		of := s.Sub(k, s.Int(w, d))
		if c != 1 {
			of = s.Udiv(of, s.Int(w, c))
			out.index = append(out.index, s.Eq(s.Add(s.Mul(of, s.Int(w, c)), s.Int(w, d)), k))
		}
		put[x] = of
		switch n := s.Width(x); {
		case n > w:
			put[x] = s.Sext(of, n)
		case n < w:
			put[x], put[s.Sext(x, w)], put[s.Zext(x, w)] = s.Trunc(of, n), of, of
		}
		s.Walk(conditions, func(t ilr.Term) {
			if s.Kind(t) != ilr.KSelect {
				return
			}
			t = s.Arg(t, 1)
			if y, e, g, ok := linear(s, t); ok && y == x && e == c && g == d && s.Width(t) < w {
				put[t] = s.Trunc(k, s.Width(t))
			}
		})
	}
	for _, t := range conditions {
		out.conditions = append(out.conditions, replaced(s, t, put))
	}
	return out
}

// linear returns idx as c*x+d, where x is a variable. Widths are left aside.
func linear(s *ilr.Store, idx ilr.Term) (x ilr.Term, c, d int64, ok bool) {
	for c, x = 1, idx; max(c, -c, d, -d) < policy.MaxScaled; {
		switch k := s.Kind(x); {
		case k == ilr.KVar:
			return x, c, d, c > 0
		case k == ilr.KSext, k == ilr.KZext, k == ilr.KExtract && uint32(s.Imm(x)) == 0:
			x = s.Arg(x, 0)
		case k == ilr.KAdd, k == ilr.KMul:
			v, i := constantArg(s, x)
			n, fits := v.Int64()
			if i < 0 || !fits || max(n, -n) >= policy.MaxScaled {
				return 0, 0, 0, false
			}
			if x = s.Arg(x, 1-i); k == ilr.KAdd {
				d += c * n
			} else {
				c *= n
			}
		default:
			return 0, 0, 0, false
		}
	}
	return 0, 0, 0, false
}

// constantArg returns the argument of t, which has two, that is a constant, and its place; -1 without one.
func constantArg(s *ilr.Store, t ilr.Term) (v bits.Vec, at int) {
	for i := range 2 {
		if v, known := s.ConstVal(s.Arg(t, i)); known {
			return v, i
		}
	}
	return v, -1
}

// replaced returns t with the terms of put replaced.
func replaced(s *ilr.Store, t ilr.Term, put map[ilr.Term]ilr.Term) ilr.Term {
	memo := maps.Clone(put)
	s.Walk([]ilr.Term{t}, func(u ilr.Term) {
		if _, done := memo[u]; done {
			return
		}
		args := s.Args(nil, u)
		changed := false
		for i, a := range args {
			args[i] = memo[a]
			changed = changed || args[i] != a
		}
		if memo[u] = u; changed {
			memo[u] = s.Rebuild(u, args)
		}
	})
	return memo[t]
}
