package encode

import (
	"cmp"
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// instantiate adds the facts' instances: each at the values of its variables for which its body reads an element that
// the rest of the formula reads, and then at those that these instances read.
func (e *encoder) instantiate() {
	if len(e.quant.facts) == 0 {
		return
	}
	x := &instances{encoder: e, roots: map[ilr.Term]map[ilr.Term]bool{}, added: map[ilr.Term]bool{},
		vary: map[ilr.Term]bool{}, replacers: map[[2]ilr.Term]*ilr.Replacer{}, count: make([]int, len(e.quant.facts))}
	from := []ilr.Term{e.f.Ends}
	for i := range e.f.Claims {
		from = append(from, e.f.Claims[i].Unguarded, e.f.Claims[i].Violated)
	}
	for i := range e.f.Gaps {
		from = append(from, e.f.Gaps[i].Guard)
	}
	for i := range e.quant.facts {
		from = append(from, x.constants(i)...)
	}
	for range policy.InstanceRounds {
		from = x.round(from)
	}
}

// instances is the state of adding instances.
type instances struct {
	*encoder
	roots     map[ilr.Term]map[ilr.Term]bool // of arrays: the variables and literals that they are made of
	added     map[ilr.Term]bool
	replacers map[[2]ilr.Term]*ilr.Replacer
	vary      map[ilr.Term]bool // of varies
	count     []int             // by fact
}

// read is an element that is read.
type read struct {
	array ilr.Term
	at    sum
}

// round adds instances for what the terms of from read, and returns them.
func (x *instances) round(from []ilr.Term) (out []ilr.Term) {
	reads := x.reads(from, func(t ilr.Term) bool { return !x.varies(t) })
	for i := range x.quant.facts {
		f := &x.quant.facts[i]
		for _, p := range x.reads([]ilr.Term{f.body}, x.varies) {
			for _, r := range reads {
				if x.count[i] >= policy.MaxFactInstances || !x.meet(p.array, r.array) {
					continue
				}
				if values, ok := x.match(f, p.at, r.at); ok {
					out = append(out, x.add(i, values)...)
				}
			}
		}
	}
	return out
}

// add returns the instance of fact i at values, if it is new.
func (x *instances) add(i int, values []ilr.Term) []ilr.Term {
	f := x.quant.facts[i]
	t := f.body
	for k, v := range f.vars {
		at := [2]ilr.Term{v, values[k]}
		if x.replacers[at] == nil {
			x.replacers[at] = x.s.Replacer(v, values[k])
		}
		t = x.replacers[at].In(t)
	}
	t = x.s.Implies(f.holds, t)
	if x.s.IsTrue(t) || x.added[t] {
		return nil
	}
	x.added[t] = true
	x.count[i]++
	x.Assume(t)
	return []ilr.Term{t}
}

// constants adds instances of fact i at small numbers, if it reads no array at its variables: the elements of a small
// array are not read through one.
func (x *instances) constants(i int) (out []ilr.Term) {
	f := x.quant.facts[i]
	if len(x.reads([]ilr.Term{f.body}, x.varies)) > 0 {
		return nil
	}
	each := []int64{0, policy.AccessCells, 8, 4}[min(len(f.vars), 3)]
	values := make([]ilr.Term, len(f.vars))
	var all func(k int)
	all = func(k int) {
		if k == len(values) {
			out = append(out, x.add(i, values)...)
			return
		}
		for n := range each {
			values[k] = x.s.Int(x.s.Width(f.vars[k]), n)
			all(k + 1)
		}
	}
	all(0)
	return out
}

// reads lists the elements that the terms of from read, where the index is as asked, the newest first.
func (x *instances) reads(from []ilr.Term, asked func(index ilr.Term) bool) []read {
	var found []ilr.Term
	x.s.Walk(from, func(t ilr.Term) {
		if x.s.Kind(t) == ilr.KSelect && asked(x.s.Arg(t, 1)) {
			found = append(found, t)
		}
	})
	slices.SortFunc(found, func(a, b ilr.Term) int { return cmp.Compare(b, a) })
	out := make([]read, len(found))
	for i, t := range found {
		out[i] = read{array: x.s.Arg(t, 0), at: x.sumOf(x.s.Arg(t, 1))}
	}
	return out
}

// varies reports whether t holds a variable of a fact.
func (x *instances) varies(t ilr.Term) bool {
	if t < x.quant.facts[0].vars[0] { // older than all of them
		return false
	}
	v, known := x.vary[t]
	if !known {
		_, v = x.quant.made[t]
		for i := range x.s.NumArgs(t) {
			v = v || x.varies(x.s.Arg(t, i))
		}
		x.vary[t] = v
	}
	return v
}

// meet reports whether two arrays of one sort may be states of one.
func (x *instances) meet(a, b ilr.Term) bool {
	if x.s.Sort(a) != x.s.Sort(b) {
		return false
	}
	other := x.rootsOf(b)
	for t := range x.rootsOf(a) {
		if other[t] {
			return true
		}
	}
	return false
}

// rootsOf returns the arrays that a is made of by stores, copies and choices.
func (x *instances) rootsOf(a ilr.Term) map[ilr.Term]bool {
	if r := x.roots[a]; r != nil {
		return r
	}
	r := map[ilr.Term]bool{}
	seen := map[ilr.Term]bool{a: true}
	for todo := []ilr.Term{a}; len(todo) > 0; {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		leaf := true
		for i := range x.s.NumArgs(t) {
			u := x.s.Arg(t, i)
			if x.s.Sort(u).Kind != ilr.SortArray {
				continue
			}
			leaf = false
			if !seen[u] {
				seen[u] = true
				todo = append(todo, u)
			}
		}
		if leaf {
			r[t] = true
		}
	}
	x.roots[a] = r
	return r
}

// match returns values of f's variables at which the index p of its body is r, unless none are found. It divides what
// differs among the variables, those with the largest factors first. That it looks through conversions makes no instance
// wrong, since a fact holds of all values.
func (x *instances) match(f *fact, p, r sum) ([]ilr.Term, bool) {
	factors := map[ilr.Term]int64{}
	left := sum{number: r.number - p.number, factor: map[ilr.Term]int64{}}
	for t, k := range r.factor {
		left.factor[t] += k
	}
	for t, k := range p.factor {
		if _, ok := x.quant.made[t]; ok {
			factors[t] = k
		} else {
			left.factor[t] -= k
		}
	}
	order := slices.Clone(f.vars)
	for _, v := range order {
		if factors[v] == 0 {
			return nil, false
		}
	}
	slices.SortStableFunc(order, func(a, b ilr.Term) int { return cmp.Compare(abs(factors[b]), abs(factors[a])) })
	value := map[ilr.Term]ilr.Term{}
	for i, v := range order {
		q := left.number / factors[v]
		if left.number -= q * factors[v]; i == len(order)-1 && left.number != 0 {
			return nil, false
		}
		value[v] = x.s.Int(x.s.Width(v), q)
	}
	for _, t := range left.terms() {
		i := slices.IndexFunc(order, func(v ilr.Term) bool { return left.factor[t]%factors[v] == 0 })
		if i < 0 {
			return nil, false
		}
		v := order[i]
		w := x.s.Width(v)
		value[v] = x.s.Add(value[v], x.s.Mul(x.sized(t, w), x.s.Int(w, left.factor[t]/factors[v])))
	}
	out := make([]ilr.Term, len(f.vars))
	for i, v := range f.vars {
		out[i] = value[v]
	}
	return out, true
}

func abs(n int64) int64 { return max(n, -n) }

// sized is t, zero-extended or cut to w bits.
func (x *instances) sized(t ilr.Term, w int) ilr.Term {
	if x.s.Width(t) > w {
		return x.s.Trunc(t, w)
	}
	return x.s.Zext(t, w)
}

// sum is a linear expression over terms.
type sum struct {
	number int64
	factor map[ilr.Term]int64
}

// terms lists the terms with a factor other than 0.
func (s sum) terms() []ilr.Term {
	var out []ilr.Term
	for t, k := range s.factor {
		if k != 0 {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// sumOf takes t apart, as if numbers had no width.
func (x *instances) sumOf(t ilr.Term) sum {
	out := sum{factor: map[ilr.Term]int64{}}
	x.addTo(&out, t, 1, policy.MaxSumDepth)
	return out
}

// addTo adds k times t.
func (x *instances) addTo(out *sum, t ilr.Term, k int64, depth int) {
	if c, ok := x.s.ConstVal(t); ok {
		n, _ := c.Int64()
		out.number += k * n
		return
	}
	arg := func(i int, by int64) { x.addTo(out, x.s.Arg(t, i), k*by, depth-1) }
	factor := func(i int) (int64, bool) {
		c, ok := x.s.ConstVal(x.s.Arg(t, i))
		if !ok {
			return 0, false
		}
		return c.Int64()
	}
	kind := x.s.Kind(t)
	if depth == 0 {
		kind = ilr.KInvalid
	}
	switch kind {
	case ilr.KAdd:
		arg(0, 1)
		arg(1, 1)
		return
	case ilr.KNeg:
		arg(0, -1)
		return
	case ilr.KZext, ilr.KSext:
		arg(0, 1)
		return
	case ilr.KMul:
		if c, ok := factor(1); ok {
			arg(0, c)
			return
		}
	case ilr.KShl:
		if c, ok := factor(1); ok && c >= 0 && c < 32 {
			arg(0, 1<<uint(c))
			return
		}
	case ilr.KConcat:
		if c, ok := x.s.ConstVal(x.s.Arg(t, 1)); ok && x.s.Width(x.s.Arg(t, 1)) < 32 {
			out.number += k * int64(c.Low64())
			arg(0, 1<<uint(x.s.Width(x.s.Arg(t, 1))))
			return
		}
	case ilr.KExtract:
		if x.divided(out, t, k, depth) {
			return
		}
	}
	out.factor[t] += k
}

// divided adds k times the extract t, if what is below its bits is plainly 0.
func (x *instances) divided(out *sum, t ilr.Term, k int64, depth int) bool {
	low := x.s.Imm(t) & 0xffffffff
	if low >= 32 {
		return false
	}
	part := sum{factor: map[ilr.Term]int64{}}
	x.addTo(&part, x.s.Arg(t, 0), 1, depth-1)
	by := int64(1) << low
	for _, c := range part.factor {
		if c%by != 0 {
			return false
		}
	}
	out.number += k * (part.number >> low)
	for u, c := range part.factor {
		out.factor[u] += k * (c / by)
	}
	return true
}
