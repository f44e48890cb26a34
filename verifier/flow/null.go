package flow

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A harness takes most addresses that it makes not to be null. As long as the program only accesses what they lead to,
// that is how pointers are used, and nothing rests on it. Once code asks, by a comparison or by the number that the
// address is, it takes null for possible: what that decides rests on the assumption, and so does each access through the
// address in a function that asks, or does something else by the answer.
//
// A variable that the program itself sets to null somewhere, by a constant, is asked about that.
//
// Addresses are followed through copies, memory, arguments and results, to members of what they lead to (whose address is
// null where theirs is), and through numbers that are computed from them. A parameter that an assertion at the head says
// not to be null is not, as callers keep to it.

// brings returns the assumptions that what in gives is not null.
func (r *Rests) brings(in *ir.Instr) set {
	var s set
	for _, id := range in.Assumes {
		if i, ok := r.bit[id]; ok && r.nonnull.has(i) {
			if s == nil {
				s = newSet(len(r.ids))
			}
			s.add(i)
		}
	}
	return s
}

// ask notes that f asks whether addresses are null, and that v depends on the answer.
func (r *Rests) ask(f *function, about set, v ir.Value) {
	if !r.asking || r.driving || len(about) == 0 {
		return
	}
	answer := newSet(len(r.ids))
	for i := range r.ids {
		if !about.has(i) || r.settled.has(i) {
			continue
		}
		answer.add(i)
		if !r.askers[i][f.Func] {
			if r.askers[i] == nil {
				r.askers[i] = map[*ir.Func]bool{}
			}
			r.asked.add(i)
			r.askers[i][f.Func], r.changed = true, true
		}
	}
	r.set(v, &value{tags: answer})
}

// asks notes what an instruction asks about: a comparison, and whatever has a number that is computed from an address, but
// further computations.
func (r *Rests) asks(f *function, in *ir.Instr) {
	if in.Model == ir.ModelKept {
		return
	}
	switch in.Op {
	case ir.OpIcmp:
		if f.sets[in] && !f.called {
			r.changed = r.settled.or(r.of(in.Args[0]).nonnull) || r.changed
		}
		if f.guards[in] || f.heads[in] && !f.called {
			return
		}
		x, y := r.of(in.Args[0]), r.of(in.Args[1])
		switch {
		case x.null && ir.IsNullConst(in.Args[1]), y.null && ir.IsNullConst(in.Args[0]):
		case placesInOne(x, y):
		default:
			r.ask(f, x.nonnull, in)
			r.ask(f, y.nonnull, in)
		}
	case ir.OpLoad, ir.OpStore, ir.OpGep, ir.OpPhi, ir.OpCall, ir.OpRet, ir.OpSelect, ir.OpCondBr, ir.OpSwitch, ir.OpAtomicRMW,
		ir.OpCmpXchg, ir.OpAsm:
		for _, a := range in.Args {
			if t := a.Type(); !t.IsPtr() && t.Kind != ir.KindStruct && t.Kind != ir.KindArray {
				r.ask(f, r.of(a).nonnull, a)
			}
		}
	}
}

// placesInOne reports whether two addresses are of one pointer, which one question is about: whether it is null decides
// neither their order nor their difference.
func placesInOne(x, y *value) bool { return x.nonnull.one() && slices.Equal(x.nonnull, y.nonnull) }

// presumed returns the assumptions that an address is not null through which in accesses something, or calls.
func (r *Rests) presumed(f *function, in *ir.Instr, addr *value) set {
	if len(addr.nonnull) == 0 || in.Op == ir.OpCall && in.Model == ir.ModelNone && addr != r.of(in.Callee) { // only handed on
		return nil
	}
	out := newSet(len(r.ids))
	for i := range r.ids {
		has := func(s set) bool { return s.has(i) }
		if addr.nonnull.has(i) && r.asked.has(i) && (r.askers[i][f.Func] ||
			slices.ContainsFunc(f.in, has) || slices.ContainsFunc(f.passed, has)) {
			out.add(i)
		}
	}
	return out
}

// Asked lists the assumptions that an address is not null about which the program asks.
func (r *Rests) Asked() []string { return r.names(r.asked) }

// addressTests finds the comparisons of f that ask for traps of addresses alone, or whether an assertion at its head
// fails, to which the driver keeps.
func (x *function) addressTests(heads map[*ir.Instr]bool) {
	x.guards, x.heads, x.sets = map[*ir.Instr]bool{}, map[*ir.Instr]bool{}, map[*ir.Instr]bool{}
	for _, b := range x.Blocks {
		for _, to := range b.Succs() {
			if trap := ir.TrapOf(to); trap != nil && (trap.Check == verdict.Nonnull || trap.Check == verdict.PointerOverflow) {
				tests(b, b.Term().Args[0], x.guards)
			}
		}
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && in.Model == ir.ModelKept { // a harness's, for such traps
				tests(b, in.Args[0], x.guards)
			}
		}
	}
	for b := x.Blocks[0]; b != nil && len(heads) > 0; {
		a := ir.AssertionAt(b)
		switch next := b.Term().Targets; {
		case a != nil && heads[a.Failure]:
			for t := range a.Tests {
				tests(t, t.Term().Args[0], x.heads)
				if in := notNull(t); in != nil && conjunction(a) && x.isParam(in.Args[0]) {
					x.sets[in] = true
				}
			}
			b = a.Holds
		case a == nil && len(next) == 1 && ir.WaysInto(next[0]) <= 1:
			b = next[0]
		default:
			b = nil
		}
	}
}

// conjunction reports whether each test of an assertion fails it.
func conjunction(a *ir.Assertion) bool {
	for t := range a.Tests {
		if !slices.ContainsFunc(t.Succs(), func(to *ir.Block) bool { return ir.AssertFails(to) != nil }) {
			return false
		}
	}
	return true
}

// isParam reports whether a value is a parameter, or read from the variable that holds one.
func (x *function) isParam(v ir.Value) bool {
	if in, ok := v.(*ir.Instr); ok {
		stores := x.last[in]
		return len(stores) == 1 && x.isParam(stores[0].Args[0])
	}
	_, is := v.(*ir.Param)
	return is
}

// notNull returns the comparison with null that a test of an assertion is, which fails where it is null; nil: it is another.
func notNull(t *ir.Block) *ir.Instr {
	in, ok := t.Term().Args[0].(*ir.Instr)
	if !ok || in.Op != ir.OpIcmp || !ir.IsNullConst(in.Args[1]) || in.Pred != ir.NE && in.Pred != ir.EQ {
		return nil
	}
	to := t.Term().Targets
	if in.Pred == ir.NE && ir.AssertFails(to[1]) != nil || in.Pred == ir.EQ && ir.AssertFails(to[0]) != nil {
		return in
	}
	return nil
}

// tests adds the comparisons in b that v is computed from to out.
func tests(b *ir.Block, v ir.Value, out map[*ir.Instr]bool) {
	in, ok := v.(*ir.Instr)
	if !ok || in.Block != b || out[in] {
		return
	}
	switch in.Op {
	case ir.OpIcmp, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpZext, ir.OpTrunc:
		out[in] = true
		for _, a := range in.Args {
			tests(b, a, out)
		}
	}
}
