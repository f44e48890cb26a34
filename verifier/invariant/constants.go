package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// comparisons finds what each number at a header is compared with, and set to:
// the constants that clauses about it are made of.
type comparisons struct {
	f       *encode.Formula
	vars    map[ilr.Term][][2]int // header and variable, by the term at a site
	out     map[[2]int][]bits.Vec
	pairs   map[[3]int]bool // header and two variables that are compared with each other, or one set to the other
	leaves  map[ilr.Term][]ilr.Term
	kin     map[[2]int][2]int // by header and variable: another that it is set to or compared with, its own at the end
	counts  map[[2]int]bool   // variables that some turn adds a constant to
	partial bool              // something was not picked

	products bool                  // numbers are multiplied with each other
	extended map[ilr.Term]ilr.Kind // how a narrow number is made wider

	floats     map[[2]int]bool    // header and variable, where it is a floating-point number
	magnitudes map[int][]bits.Vec // of the floating-point constants that occur, by width
}

// compared looks at all of f.
func compared(f *encode.Formula) *comparisons {
	x := &comparisons{f: f, vars: map[ilr.Term][][2]int{}, out: map[[2]int][]bits.Vec{}, pairs: map[[3]int]bool{},
		leaves: map[ilr.Term][]ilr.Term{}, kin: map[[2]int][2]int{}, counts: map[[2]int]bool{},
		extended: map[ilr.Term]ilr.Kind{}, floats: map[[2]int]bool{}, magnitudes: map[int][]bits.Vec{}}
	var roots []ilr.Term
	for i := range f.Headers {
		h := &f.Headers[i]
		for _, s := range h.Sites {
			for v, t := range s.Values {
				x.vars[t] = append(x.vars[t], [2]int{i, v})
			}
		}
		for _, a := range h.Arrivals {
			roots = append(append(roots, a.Guard), a.Values...)
		}
	}
	for i := range f.Claims {
		roots = append(roots, f.Claims[i].Violated)
	}
	f.Store.Walk(roots, x.visit)
	for i := range f.Headers {
		for _, a := range f.Headers[i].Arrivals {
			for v, t := range a.Values {
				for _, l := range x.leavesOf(t) {
					if k, ok := f.Store.ConstVal(l); ok {
						x.put([2]int{i, v}, k)
					}
					for _, u := range x.vars[l] {
						x.pair([2]int{i, v}, u)
					}
					x.counts[[2]int{i, v}] = x.counts[[2]int{i, v}] || x.stepped(l, [2]int{i, v})
				}
			}
		}
	}
	return x
}

// pair notes that u and v, if they are at one header, have to do with each other.
func (x *comparisons) pair(u, v [2]int) {
	if u[0] == v[0] {
		x.pairs[[3]int{u[0], min(u[1], v[1]), max(u[1], v[1])}] = true
		if a, b := x.root(u), x.root(v); a != b {
			x.kin[a] = b
		}
	}
}

// kindred reports that what u and v at header i hold may meet in one place.
func (x *comparisons) kindred(i, u, v int) bool {
	return x != nil && x.root([2]int{i, u}) == x.root([2]int{i, v})
}

// root returns the variable that stands for all that v has to do with, directly or through others.
func (x *comparisons) root(v [2]int) [2]int {
	for {
		up, ok := x.kin[v]
		if !ok {
			return v
		}
		v = up
	}
}

// stepped reports that t is v and a constant.
func (x *comparisons) stepped(t ilr.Term, v [2]int) bool {
	s := x.f.Store
	switch s.Kind(t) {
	case ilr.KExtract:
		return x.stepped(s.Arg(t, 0), v)
	case ilr.KAdd:
		for i := range 2 {
			_, known := s.ConstVal(s.Arg(t, i))
			if known && slices.ContainsFunc(x.leavesOf(s.Arg(t, 1-i)), func(l ilr.Term) bool {
				return slices.Contains(x.vars[l], v)
			}) {
				return true
			}
		}
	}
	return false
}

// related reports that u and v at header i have to do with each other: directly, or one never changes and what the
// other holds may come from there.
func (x *comparisons) related(i, u, v int) bool {
	if x == nil || x.pairs[[3]int{i, min(u, v), max(u, v)}] {
		return true
	}
	vars := x.f.Headers[i].Vars
	if (!vars[u].Moves || !vars[v].Moves) && x.root([2]int{i, u}) == x.root([2]int{i, v}) {
		return true
	}
	x.partial = true
	return false
}

// unsigned reports that v at header i is a narrow number that the program takes for one without a sign.
func (x *comparisons) unsigned(i, v int) bool {
	return x != nil && slices.ContainsFunc(x.f.Headers[i].Sites, func(s encode.Site) bool {
		return x.extended[s.Values[v]] == ilr.KZext
	})
}

// constants are what v at header i is compared with and set to, with the numbers
// below; all where there are none.
func (x *comparisons) constants(i, v int, all []bits.Vec) []bits.Vec {
	if x == nil || len(x.out[[2]int{i, v}]) == 0 {
		return all
	}
	var out []bits.Vec
	for _, k := range x.out[[2]int{i, v}] {
		out = append(out, bits.Sub(k, bits.New(k.Width(), 1)), k)
		if n, ok := k.Int64(); ok && x.counts[[2]int{i, v}] && n <= policy.MaxSteps {
			for n--; n > 0; n-- {
				out = append(out, bits.NewInt(k.Width(), n-1))
			}
		}
	}
	x.partial = x.partial || slices.ContainsFunc(all, func(k bits.Vec) bool { return !slices.Contains(out, k) })
	return out
}

// visit notes the constants and the pairs of a comparison.
func (x *comparisons) visit(t ilr.Term) {
	s := x.f.Store
	switch s.Kind(t) {
	case ilr.KEq, ilr.KUlt, ilr.KSlt:
	case ilr.KMul:
		x.products = x.products || s.Kind(s.Arg(t, 0)) != ilr.KConst && s.Kind(s.Arg(t, 1)) != ilr.KConst
		return
	case ilr.KZext, ilr.KSext:
		x.extended[s.Arg(t, 0)] = s.Kind(t)
		return
	case ilr.KFAdd, ilr.KFMul, ilr.KFDiv, ilr.KFLt, ilr.KFLe, ilr.KFEq:
		x.visitFloats(t)
		return
	default:
		return
	}
	for _, l := range x.leavesOf(s.Arg(t, 0)) {
		for _, r := range x.leavesOf(s.Arg(t, 1)) {
			for _, u := range x.vars[l] {
				for _, v := range x.vars[r] {
					x.pair(u, v)
				}
			}
		}
	}
	for i := range 2 {
		c, ok := s.ConstVal(s.Arg(t, i))
		if !ok || c.Width() < 2 {
			continue
		}
		for _, l := range x.leavesOf(s.Arg(t, 1-i)) {
			for _, v := range x.vars[l] {
				x.put(v, c)
			}
		}
	}
}

// put notes k for variable v, if it is a number of its width.
func (x *comparisons) put(v [2]int, k bits.Vec) {
	w := x.f.Headers[v[0]].Vars[v[1]].Width
	switch {
	case k.Width() > w:
		low := bits.Trunc(k, w)
		if bits.Sext(low, k.Width()) != k && bits.Zext(low, k.Width()) != k {
			return
		}
		k = low
	case k.Width() < w:
		k = bits.Sext(k, w)
	}
	if !slices.Contains(x.out[v], k) {
		x.out[v] = append(x.out[v], k)
	}
}

// leavesOf are the numbers that t chooses from.
func (x *comparisons) leavesOf(t ilr.Term) []ilr.Term {
	if out, ok := x.leaves[t]; ok {
		return out
	}
	s := x.f.Store
	var out []ilr.Term
	add := func(ts []ilr.Term) {
		for _, l := range ts {
			if !slices.Contains(out, l) && len(out) < policy.MaxChoices {
				out = append(out, l)
			}
		}
	}
	switch s.Kind(t) {
	case ilr.KIte:
		add(x.leavesOf(s.Arg(t, 1)))
		add(x.leavesOf(s.Arg(t, 2)))
	case ilr.KZext, ilr.KSext:
		add(x.leavesOf(s.Arg(t, 0)))
	default:
		out = []ilr.Term{t}
	}
	x.leaves[t] = out
	return out
}
