package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// result is the effect of an instruction on a state.
type result struct {
	kind   resultKind
	states []*state // forked: the cases, each at the same instruction or moved already
	why    string   // stopped, gaveUp
	rkind  verdict.ReasonKind
	fn     string // gaveUp at the call of a function without a body: its name
}

type resultKind uint8

const (
	advanced resultKind = iota + 1 // go on with the next instruction
	moved                          // the state has its new position
	forked                         // states replace the state
	stopped                        // the run ends here
	gaveUp                         // not modelled
)

func stop(why string) result { return result{kind: stopped, why: why} }

func giveUp(k verdict.ReasonKind, why string) result { return result{kind: gaveUp, rkind: k, why: why} }

func fork(states []*state) result { return result{kind: forked, states: states} }

// assume gives the states in which c holds: none, one, or two for a disequality.
func (b *builder) assume(s *state, c cond) []*state {
	switch c.rel {
	case relGE:
		if !b.ask.possible(s.know, c.lin) {
			return nil
		}
		s.know.ge(c.lin)
	case relEQ:
		if !b.ask.possible(s.know, c.lin) || !b.ask.possible(s.know, c.lin.Neg()) {
			return nil
		}
		s.know.eq(c.lin)
		if !b.ask.consistent(s.know) {
			return nil
		}
	case relNE:
		below := s.clone()
		out := b.assume(s, cond{relGE, c.lin.AddInt(-1)})
		return append(out, b.assume(below, cond{relGE, c.lin.Neg().AddInt(-1)})...)
	case relAny:
		s.inexact("condition that is not followed")
	}
	if s.know.bad {
		return nil
	}
	return []*state{s}
}

// decide tells whether c is known to hold or to fail.
func (b *builder) decide(s *state, c cond) (holds, known bool) {
	switch c.rel {
	case relGE:
		if b.ask.proves(s.know, c.lin) {
			return true, true
		}
		if b.ask.proves(s.know, c.lin.Neg().AddInt(-1)) {
			return false, true
		}
	case relEQ:
		if b.ask.proves(s.know, c.lin.AddInt(-1)) || b.ask.proves(s.know, c.lin.Neg().AddInt(-1)) ||
			indivisible(c.lin) {
			return false, true
		}
		if b.ask.provesEq(s.know, c.lin) {
			return true, true
		}
	case relNE:
		h, k := b.decide(s, c.not())
		return !h, k
	}
	return false, false
}

// indivisible reports that e = 0 has no integer solution, by the common divisor of the coefficients.
func indivisible(e exact.Lin) bool {
	g := e.Content()
	return !g.IsZero() && !e.Const.FloorDiv(g).Mul(g).Equal(e.Const)
}

// splitOn makes the cases of c; set is called in each with the outcome.
func (b *builder) splitOn(s *state, c cond, set func(*state, bool)) result {
	no := s.clone()
	var out []*state
	for _, t := range b.assume(s, c) {
		set(t, true)
		out = append(out, t)
	}
	for _, t := range b.assume(no, c.not()) {
		set(t, false)
		out = append(out, t)
	}
	return fork(out)
}

// settle replaces conditions among the operands by their outcome, splitting if
// need be; true when the state was split.
func (b *builder) settle(s *state, args []ir.Value) (result, bool) {
	for _, a := range args {
		v := b.value(s, a)
		if v.kind != boolValue {
			continue
		}
		if _, ok := a.(*ir.Const); ok {
			continue
		}
		if h, known := b.decide(s, v.cond); known {
			s.top().vals[a] = value{kind: boolValue, cond: truth(h)}
			continue
		}
		return b.splitOn(s, v.cond, func(t *state, h bool) {
			t.top().vals[a] = value{kind: boolValue, cond: truth(h)}
		}), true
	}
	return result{}, false
}

// step executes the instruction at the state's position.
func (b *builder) step(s *state) result {
	f := s.top()
	in := f.blk.Instrs[f.idx]
	s.cost++
	if r, split := b.unfoldFor(s, in); split {
		return r
	}
	switch in.Op {
	case ir.OpCondBr:
		return b.condBr(s, in)
	case ir.OpIcmp:
		return b.set(s, in, b.icmp(s, in))
	case ir.OpBr:
		return b.branch(s, in.Targets[0])
	case ir.OpXor:
		if in.T.Width == 1 {
			if c, ok := in.Args[1].(*ir.Const); ok && c.Kind == ir.ConstInt && c.Bits.IsOne() {
				if v := b.value(s, in.Args[0]); v.kind == boolValue {
					return b.set(s, in, value{kind: boolValue, cond: v.cond.not()})
				}
			}
		}
	}
	if r, split := b.settle(s, in.Args); split {
		s.cost--
		for _, t := range r.states {
			if t != s {
				t.cost--
			}
		}
		return r
	}
	switch in.Op.Class() {
	case ir.ClassTerm:
		return b.terminator(s, in)
	case ir.ClassBinary:
		return b.binary(s, in)
	case ir.ClassFloat:
		return b.unknown(s, in)
	case ir.ClassAggregate:
		return b.aggregate(s, in)
	case ir.ClassMemory:
		return b.memory(s, in)
	case ir.ClassConversion:
		return b.convert(s, in)
	}
	return b.other(s, in)
}

// set gives the instruction its value.
func (b *builder) set(s *state, in *ir.Instr, v value) result {
	if !in.T.IsVoid() {
		s.top().vals[in] = v
	}
	return result{kind: advanced}
}

// unknown gives the instruction some value of its type, which the program may not have.
func (b *builder) unknown(s *state, in *ir.Instr) result {
	s.inexact(in.Op.String() + " at " + in.Pos.String())
	return b.set(s, in, b.fresh(s, in.T, b.nameOf(in), b.class(in)))
}

func (b *builder) condBr(s *state, in *ir.Instr) result {
	v := b.value(s, in.Args[0])
	c := cond{rel: relAny}
	if v.kind == boolValue {
		c = v.cond
	}
	for n, t := range in.Targets {
		if first := t.Instrs[0]; first.Op == ir.OpTrap && passedBy(first.Check) {
			return b.branch(s, in.Targets[1-n])
		}
		if b.opts.Wrap && overflowTrap(t) {
			return b.pastTrap(s, c, n, in.Targets[1-n])
		}
	}
	if in.Targets[0] == in.Targets[1] {
		return b.branch(s, in.Targets[0])
	}
	if h, known := b.decide(s, c); known {
		if h {
			return b.branch(s, in.Targets[0])
		}
		return b.branch(s, in.Targets[1])
	}
	no := s.clone()
	var out []*state
	for _, t := range b.assume(s, c) {
		b.branch(t, in.Targets[0])
		out = append(out, t)
	}
	for _, t := range b.assume(no, c.not()) {
		b.branch(t, in.Targets[1])
		out = append(out, t)
	}
	return fork(out)
}

// passedBy reports a check beside which runs go on, whether or not it holds: compilers give its violation a meaning.
func passedBy(c verdict.Check) bool { return c == verdict.Unsequenced || c == verdict.Race }

// pastTrap goes on behind the check for overflow that jumps to its trap when the
// outcome of c is n: with the runs that overflow apart.
func (b *builder) pastTrap(s *state, c cond, n int, to *ir.Block) result {
	if n == 1 {
		c = c.not()
	}
	over := s.clone()
	var out []*state
	for _, t := range b.assume(s, c.not()) {
		b.branch(t, to)
		out = append(out, t)
	}
	for _, t := range b.assume(over, c) {
		t.overflowed = true
		b.branch(t, to)
		out = append(out, t)
	}
	return fork(out)
}

// overflowTrap reports that the block is a sanitizer's report of signed overflow, in a shift to
// the left perhaps.
func overflowTrap(blk *ir.Block) bool {
	in := blk.Instrs[0]
	return in.Op == ir.OpTrap && (in.Check == verdict.SignedOverflow || in.Check == verdict.Shift)
}

// branch moves to a block; its phis are evaluated together, by the old values.
func (b *builder) branch(s *state, to *ir.Block) result {
	f := s.top()
	next := map[ir.Value]value{}
	idx := 0
	for ; idx < len(to.Instrs) && to.Instrs[idx].Op == ir.OpPhi; idx++ {
		phi := to.Instrs[idx]
		for n, p := range phi.Incoming {
			if p == f.blk {
				next[phi] = b.value(s, phi.Args[n])
			}
		}
	}
	for k, v := range next {
		f.vals[k] = v
	}
	f.blk, f.idx = to, idx
	s.cost += int64(idx)
	return result{kind: moved}
}

func (b *builder) terminator(s *state, in *ir.Instr) result {
	switch in.Op {
	case ir.OpRet:
		return b.ret(s, in)
	case ir.OpSwitch:
		return b.switchOn(s, in)
	case ir.OpUnreachable:
		b.fault(s, verdict.Unreachable, "it is not reached")
		return stop("unreachable")
	}
	return giveUp(verdict.Unsupported, in.Op.String())
}

// switchOn tries the cases in turn; the default keeps what is left.
func (b *builder) switchOn(s *state, in *ir.Instr) result {
	v := b.value(s, in.Args[0])
	w := in.Args[0].Type().Width
	e, ok := b.read(s, v, w, signed)
	var out []*state
	rest := []*state{s}
	for n, c := range in.Cases {
		if !ok {
			t := s.clone()
			t.inexact("switch on a value that is not followed")
			b.branch(t, in.Targets[n+1])
			out = append(out, t)
			continue
		}
		d := e.Sub(constInt(exact.FromBig(c.Signed())))
		var left []*state
		for _, r := range rest {
			for _, t := range b.assume(r.clone(), cond{relEQ, d}) {
				b.branch(t, in.Targets[n+1])
				out = append(out, t)
			}
			left = append(left, b.assume(r, cond{relNE, d})...)
		}
		rest = left
	}
	for _, r := range rest {
		if !ok {
			r.inexact("switch on a value that is not followed")
		}
		b.branch(r, in.Targets[0])
		out = append(out, r)
	}
	return fork(out)
}
