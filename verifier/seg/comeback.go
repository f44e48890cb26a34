package seg

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// A recursive function's runs that come back are generalised too: to one state, the summary's back, of the
// values that the parameters had at entry, the result, and the memory that the function could reach (MO-52 to
// MO-58). A call takes the memory that the callee reaches out of its state and puts in what that state says; the
// rest is as it was (the frame rule), because a write or free that is not followed to an object that the callee
// reaches sets unframed, and calls forget as much as effectsOf says then.

// addresses are the pointer parameters of fn with the values that they have at its entry.
func (b *builder) addresses(fn *ir.Func) []*ir.Param {
	f := b.factsOf(fn)
	if f.addresses == nil {
		f.addresses = []*ir.Param{}
		for _, p := range fn.Params {
			if p.T.IsPtr() && p.ByVal == nil && len(f.addresses) < policy.SummaryParams {
				f.addresses = append(f.addresses, &ir.Param{Index: addressIndex + p.Index, Name: p.Name + " at entry",
					T: p.T})
			}
		}
	}
	return f.addresses
}

// resultOf stands for what fn returns.
func (b *builder) resultOf(fn *ir.Func) *ir.Param {
	f := b.factsOf(fn)
	if f.result == nil {
		f.result = &ir.Param{Index: resultIndex, Name: "result", T: fn.Ret}
	}
	return f.result
}

// addressIndex keeps the places of addresses behind those of ghosts; the result is before them, because heaps are
// compared in this order.
const (
	addressIndex = ghostIndex + 100
	resultIndex  = addressIndex - 1
)

// enteredWith gives the parameters of fn that are kept for its way back the values in the frame.
func (b *builder) enteredWith(fn *ir.Func, g *frame) {
	for _, p := range b.ghosts(fn) {
		g.vals[p] = g.vals[fn.Params[p.Index-ghostIndex]]
	}
	for _, p := range b.addresses(fn) {
		g.vals[p] = g.vals[fn.Params[p.Index-addressIndex]]
	}
}

// loseFrame notes that a write or free in s is not followed to an object.
func (b *builder) loseFrame(s *state) {
	if b.unframed || !s.frames[0].bottom {
		return
	}
	b.unframed = true
	for _, sum := range b.summaries {
		b.touch(sum)
	}
}

// comeBack adds a run that returns v from a function entered without callers to its summary's state.
func (b *builder) comeBack(s *state, v value) {
	if b.unframed || s.know.bad || !b.ask.consistent(s.know) {
		return
	}
	t := s.clone()
	f := t.top()
	vals := map[ir.Value]value{}
	for x, y := range f.vals {
		if isGhost(x) {
			vals[x] = y
		}
	}
	if v.kind == intValue || v.kind == ptrValue {
		vals[b.resultOf(f.fn)] = v
	}
	for _, id := range f.objs {
		t.drop(id)
	}
	f.objs, f.vals, f.ctx = nil, vals, "back "
	f.blk, f.idx = firstReturn(f.fn)
	b.distinct(t)
	b.dropDead(t)
	sum := b.summaryOf(f.fn)
	arrived := t.clone()
	m, slots, at, changed := b.generalise(sum.back, t)
	if sum.back == nil {
		sum.back = &cutPoint{pos: "back " + f.fn.Name}
	}
	if changed {
		b.merges++
		sum.back.merges++
		sum.back.st, sum.back.slots, sum.back.tracked = m.j, slots, m.tracked
		b.touch(sum)
	}
	b.current.exits = append(b.current.exits, &edge{from: b.current, to: sum.back, arrived: arrived, st: t, vals: at,
		tag: "return from " + f.fn.Name})
}

// firstReturn names the place of all returns of fn.
func firstReturn(fn *ir.Func) (*ir.Block, int) {
	for _, blk := range fn.Blocks {
		if n := len(blk.Instrs) - 1; blk.Instrs[n].Op == ir.OpRet {
			return blk, n
		}
	}
	return fn.Blocks[0], 0
}

// takeBack makes s the state behind call in of fn, which reached the objects of reach.
func (b *builder) takeBack(s *state, in *ir.Instr, fn *ir.Func, reach map[int]bool) {
	s.inexact("what the recursion of " + fn.Name + " leaves behind")
	from := b.summaryOf(fn).back.st.clone()
	b.renamed(s, from)
	t := &transfer{b: b, s: s, from: from, reach: reach, ids: map[int]int{}, stay: map[int]bool{}}
	vals := from.frames[0].vals
	args := make([]value, len(b.addresses(fn)))
	for i, p := range b.addresses(fn) {
		a, r := b.value(s, in.Args[p.Index-addressIndex]), vals[p]
		args[i] = a
		if a.kind == ptrValue && r.kind == ptrValue && a.obj == r.obj && s.objs[a.obj] != nil &&
			!s.objs[a.obj].dynamic {
			t.stay[a.obj] = true
		}
	}
	t.number()
	for i, p := range b.addresses(fn) {
		if r, ok := vals[p]; ok {
			t.bind(s.plain(args[i]), t.value(r))
		}
	}
	t.replace()
	for _, g := range b.ghosts(fn) {
		r, ok := vals[g]
		x, ok2 := b.read(s, b.value(s, in.Args[g.Index-ghostIndex]), g.T.Width, reading(r.rep))
		if ok && ok2 && r.kind == intValue {
			s.know.eq(r.lin.Sub(x))
		}
	}
	if r, ok := vals[b.resultOf(fn)]; ok {
		s.top().vals[in] = t.value(r)
	} else if !in.T.IsVoid() {
		s.top().vals[in] = b.fresh(s, in.T, b.nameOf(in), b.class(in))
	}
	s.top().idx++
}

// renamed gives the numbers of state from variables of their own, of which s knows what from knows.
func (b *builder) renamed(s, from *state) {
	vars := map[exact.Var]exact.Var{}
	fresh := func(v exact.Var) exact.Var {
		if v < 0 {
			return v
		}
		w, ok := vars[v]
		if !ok {
			w = b.newVar(b.names[v])
			vars[v] = w
		}
		return w
	}
	rename(from, fresh)
	for _, v := range slices.Sorted(maps.Keys(from.know.iv)) {
		w, i := fresh(v), from.know.iv[v]
		if i.hasLo {
			s.know.lower(w, i.lo)
		}
		if i.hasHi {
			s.know.upper(w, i.hi)
		}
	}
	for _, v := range slices.Sorted(maps.Keys(from.know.residues)) {
		s.know.residues[fresh(v)] = from.know.residues[v]
	}
	for _, r := range from.know.rows {
		e := r.Lin.Subst(func(v exact.Var) exact.Lin { return exact.V(fresh(v)) })
		if r.EQ {
			s.know.eq(e)
		} else {
			s.know.ge(e)
		}
	}
}
