package ellipse

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// number is the value of a floating-point term: poly, up to err.
type number struct {
	poly form
	err  exact.Rat
}

// reader makes polynomials of floating-point terms in one case of the conditions that they choose by, where no variable
// exceeds its limit. Variables are the terms that are read no further.
type reader struct {
	*surroundings
	limits  map[ilr.Term]exact.Rat
	assumed map[ilr.Term]ilr.Term // that variables are within limits which nobody knows yet
	chosen  []choice
	open    ilr.Term // a condition that decides what the term is
	memo    map[ilr.Term]*number
}

// choice is a condition and whether it holds.
type choice struct {
	cond  ilr.Term
	holds bool
}

// surroundings hold what is known of terms by where they occur.
type surroundings struct {
	s        *ilr.Store
	depends  map[ilr.Term]bool        // on the variables of the loop
	squared  map[ilr.Term]bool        // numbers with products of two that do
	compared map[ilr.Term][]exact.Rat // magnitudes of constants
}

// survey looks at roots; vars are the variables of the loop.
func survey(s *ilr.Store, roots, vars []ilr.Term) *surroundings {
	x := &surroundings{s: s, depends: map[ilr.Term]bool{}, squared: map[ilr.Term]bool{},
		compared: map[ilr.Term][]exact.Rat{}}
	for _, v := range vars {
		x.depends[v] = true
	}
	s.Walk(roots, func(t ilr.Term) {
		for i := range s.NumArgs(t) {
			x.depends[t] = x.depends[t] || x.depends[s.Arg(t, i)]
			x.squared[t] = x.squared[t] || x.squared[s.Arg(t, i)]
		}
		switch s.Kind(t) {
		case ilr.KFLt, ilr.KFLe:
		case ilr.KFMul, ilr.KFFma:
			x.squared[t] = x.squared[t] || x.depends[s.Arg(t, 0)] && x.depends[s.Arg(t, 1)]
			return
		default:
			return
		}
		for i := range 2 {
			if c, ok := s.ConstVal(s.Arg(t, i)); ok {
				if k, ok := valueOf(c); ok {
					u := x.magnitude(s.Arg(t, 1-i))
					x.compared[u] = append(x.compared[u], abs(k))
				}
			}
		}
	})
	return x
}

// magnitude returns the term that t is without its sign, if it is such; else t.
func (x *surroundings) magnitude(t ilr.Term) ilr.Term {
	if x.s.Kind(t) == ilr.KBvAnd {
		for i := range 2 {
			if c, ok := x.s.ConstVal(x.s.Arg(t, i)); ok && c == bits.Not(bits.MinSigned(c.Width())) {
				return x.s.Arg(t, 1-i)
			}
		}
	}
	return t
}

// with returns a reader for the case of the choices within that of x.
func (x *reader) with(cs ...choice) *reader {
	y := *x
	y.chosen, y.open = slices.Concat(x.chosen, cs), 0
	y.assumed, y.memo, y.limits = map[ilr.Term]ilr.Term{}, map[ilr.Term]*number{}, map[ilr.Term]exact.Rat{}
	for v, k := range x.limits {
		if x.assumed[v] == 0 {
			y.limits[v] = k
		}
	}
	return &y
}

// cases calls f in each case of the conditions that t is chosen by, with what it is there, if that is seen.
func (x *reader) cases(t ilr.Term, f func(*reader, *number)) {
	n := x.read(t, 0)
	switch {
	case n != nil:
		f(x, n)
	case x.open != 0 && len(x.chosen) < policy.EllipseConditions:
		c := x.open
		x.with(choice{c, true}).cases(t, f)
		x.with(choice{c, false}).cases(t, f)
	}
}

// inCase returns t as it is in the case of x.
func (x *reader) inCase(t ilr.Term) ilr.Term {
	branch := map[ilr.Term]int{}
	for _, c := range x.chosen {
		branch[c.cond] = 2
		if c.holds {
			branch[c.cond] = 1
		}
	}
	for { // a branch may choose again
		is := x.s.Map(func(t ilr.Term) (ilr.Term, bool) {
			if x.s.Kind(t) == ilr.KIte && branch[x.s.Arg(t, 0)] > 0 {
				return x.s.Arg(t, branch[x.s.Arg(t, 0)]), true
			}
			return 0, false
		}, []ilr.Term{t})[0][0]
		if is == t {
			return t
		}
		t = is
	}
}

// conditions lists what is assumed in the case of x.
func (x *reader) conditions() []ilr.Term {
	var out []ilr.Term
	for _, c := range x.chosen {
		if c.holds {
			out = append(out, c.cond)
		} else {
			out = append(out, x.s.Not(c.cond))
		}
	}
	for _, v := range slices.Sorted(maps.Keys(x.assumed)) {
		out = append(out, x.assumed[v])
	}
	return out
}

// read returns what t is, nil if that is not seen.
func (x *reader) read(t ilr.Term, depth int) *number {
	if n, ok := x.memo[t]; ok {
		return n
	}
	if depth > policy.EllipseDepth {
		return nil
	}
	var n *number
	if _, known := x.limits[t]; known {
		n = &number{poly: form{{one, t}: exact.R(1)}}
	} else if n = x.operation(t, depth+1); n == nil && x.open == 0 {
		n = x.variable(t)
	}
	if n != nil && len(n.poly) > policy.EllipseParts {
		n = nil
	}
	x.memo[t] = n
	return n
}

func (x *reader) operation(t ilr.Term, depth int) *number {
	s := x.s
	w := s.Width(t)
	switch k := s.Kind(t); k {
	case ilr.KConst:
		c, _ := s.ConstVal(t)
		if v, ok := valueOf(c); ok {
			return &number{poly: constant(v)}
		}
	case ilr.KIte:
		return x.choose(t, depth)
	case ilr.KFAdd, ilr.KFMul, ilr.KFDiv, ilr.KFFma:
		if ilr.RoundingMode(s.Imm(t)) != ilr.RNE {
			return nil
		}
		var ns []*number
		for i := range s.NumArgs(t) {
			n := x.read(s.Arg(t, i), depth)
			if n == nil {
				return nil
			}
			ns = append(ns, n)
		}
		return x.rounded(w, x.arithmetic(k, ns))
	case ilr.KFToF:
		n := x.read(s.Arg(t, 0), depth)
		if from := s.Width(s.Arg(t, 0)); n == nil || from != 32 && from != 64 || w < from &&
			ilr.RoundingMode(s.Imm(t)) != ilr.RNE {
			return nil
		} else if w >= from {
			return n
		}
		return x.rounded(w, n)
	}
	return nil
}

// arithmetic returns what an operation is before it is rounded.
func (x *reader) arithmetic(k ilr.Kind, ns []*number) *number {
	a, b := ns[0], ns[1]
	switch k {
	case ilr.KFAdd:
		return &number{poly: a.poly.plus(exact.R(1), b.poly), err: a.err.Add(b.err)}
	case ilr.KFDiv:
		by, ok := b.poly.number()
		if !ok || by.IsZero() || !b.err.IsZero() {
			return nil
		}
		by = exact.R(1).Div(by)
		return &number{poly: form{}.plus(by, a.poly), err: a.err.Mul(abs(by))}
	}
	poly, ok := a.poly.times(b.poly)
	if !ok {
		return nil
	}
	err := a.poly.most(x.limits).Mul(b.err).Add(b.poly.most(x.limits).Mul(a.err)).Add(a.err.Mul(b.err))
	if k == ilr.KFFma {
		poly, err = poly.plus(exact.R(1), ns[2].poly), err.Add(ns[2].err)
	}
	return &number{poly: poly, err: err}
}

// rounded returns n rounded to the format of w bits, nil if it may overflow.
func (x *reader) rounded(w int, n *number) *number {
	if n == nil || w != 32 && w != 64 {
		return nil
	}
	err, ok := rounding(w, n.poly.most(x.limits).Add(n.err))
	if !ok {
		return nil
	}
	return &number{poly: n.poly, err: n.err.Add(err)}
}

// choose reads a term that is one of two: a number with the other sign, one of two results of nearly the same, or that
// of the case.
func (x *reader) choose(t ilr.Term, depth int) *number {
	s := x.s
	c := s.Arg(t, 0)
	if of, ok := x.negated(t); ok {
		n := x.read(of, depth)
		if n == nil {
			return nil
		}
		return &number{poly: form{}.plus(exact.R(-1), n.poly), err: n.err}
	}
	if !x.depends[t] {
		return nil
	}
	for _, known := range x.chosen {
		if known.cond == c && known.holds {
			return x.read(s.Arg(t, 1), depth)
		} else if known.cond == c {
			return x.read(s.Arg(t, 2), depth)
		}
	}
	a, b := x.read(s.Arg(t, 1), depth), x.read(s.Arg(t, 2), depth)
	if a != nil && b != nil && a.poly.same(b.poly) {
		return &number{poly: a.poly, err: larger(a.err, b.err)}
	}
	if x.open == 0 {
		x.open = c
	}
	return nil
}

// negated returns the number that t is with its sign changed: a NaN stays one, of others the sign bit changes.
func (x *reader) negated(t ilr.Term) (of ilr.Term, ok bool) {
	s := x.s
	w := s.Width(t)
	flipped := s.Arg(t, 2)
	if w != 32 && w != 64 || s.Kind(flipped) != ilr.KBvXor {
		return 0, false
	}
	for i := range 2 {
		if c, ok := s.ConstVal(s.Arg(flipped, i)); ok && c == bits.MinSigned(w) {
			of = s.Arg(flipped, 1-i)
		}
	}
	if of == 0 {
		return 0, false
	}
	infinity := bits.Trunc(bits.FormatOf(w).Inf(false), w-1)
	return of, s.Arg(t, 0) == s.Ult(s.Const(infinity), s.Trunc(of, w-1))
}
