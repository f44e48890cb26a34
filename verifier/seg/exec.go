package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// result is what an instruction did to a state.
type result struct {
	kind   resultKind
	states []*state // forked: the cases, each at the same instruction or moved already
	why    string   // stopped, gaveUp
	rkind  verdict.ReasonKind
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

// indivisible: e = 0 has no integer solution.
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

// overflowTrap: the block is a sanitizer's report of signed overflow, in a shift to
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
	return result{kind: moved}
}

func (b *builder) terminator(s *state, in *ir.Instr) result {
	switch in.Op {
	case ir.OpRet:
		return b.ret(s, in)
	case ir.OpSwitch:
		return b.switchOn(s, in)
	case ir.OpUnreachable:
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

// icmp makes a condition.
func (b *builder) icmp(s *state, in *ir.Instr) value {
	l, r := b.value(s, in.Args[0]), b.value(s, in.Args[1])
	t := in.Args[0].Type()
	if t.Kind == ir.KindPtr {
		return value{kind: boolValue, cond: b.comparePointers(s, in.Pred, l, r)}
	}
	if l.kind == boolValue || r.kind == boolValue || t.Kind != ir.KindInt {
		return value{kind: boolValue, cond: b.compareBools(s, in.Pred, l, r)}
	}
	as := signed
	switch in.Pred {
	case ir.UGT, ir.UGE, ir.ULT, ir.ULE:
		as = unsigned
	case ir.EQ, ir.NE:
		if l.kind == intValue && r.kind == intValue {
			as = l.rep
			if as == anyRep {
				as = r.rep
			}
			if as == anyRep {
				as = signed
			}
		}
	}
	x, ok := b.read(s, l, t.Width, as)
	y, ok2 := b.read(s, r, t.Width, as)
	if !ok || !ok2 {
		return value{kind: boolValue, cond: cond{rel: relAny}}
	}
	return value{kind: boolValue, cond: compare(in.Pred, x, y)}
}

func compare(p ir.Pred, x, y exact.Lin) cond {
	switch p {
	case ir.EQ:
		return cond{relEQ, x.Sub(y)}
	case ir.NE:
		return cond{relNE, x.Sub(y)}
	case ir.UGE, ir.SGE:
		return cond{relGE, x.Sub(y)}
	case ir.UGT, ir.SGT:
		return cond{relGE, x.Sub(y).AddInt(-1)}
	case ir.ULE, ir.SLE:
		return cond{relGE, y.Sub(x)}
	}
	return cond{relGE, y.Sub(x).AddInt(-1)}
}

// compareBools compares an i1 with a constant; anything else is not followed.
func (b *builder) compareBools(s *state, p ir.Pred, l, r value) cond {
	if l.kind != boolValue || r.kind != boolValue {
		return cond{rel: relAny}
	}
	h, known := b.decide(s, r.cond)
	c := l.cond
	if !known {
		h, known = b.decide(s, l.cond)
		c = r.cond
	}
	switch {
	case known && p == ir.EQ && h || known && p == ir.NE && !h:
		return c
	case known && (p == ir.EQ || p == ir.NE):
		return c.not()
	}
	return cond{rel: relAny}
}

// comparePointers: into one object the offsets, with null by liveness, else the addresses.
func (b *builder) comparePointers(s *state, p ir.Pred, l, r value) cond {
	if l.kind == ptrValue && r.kind == ptrValue && l.obj == r.obj {
		return compare(p, l.lin, r.lin) // offsets are kept in [0, size]
	}
	if c, ok := b.nullCheck(s, p, l, r); ok {
		return c
	}
	if l.kind == funcValue && r.kind == funcValue && (p == ir.EQ || p == ir.NE) {
		return truth((l.fn == r.fn) == (p == ir.EQ))
	}
	if l.kind == ptrValue && r.kind == ptrValue && s.block(l.obj) && s.block(r.obj) &&
		(p == ir.EQ || p == ir.NE) && b.inside(s, l) && b.inside(s, r) {
		return truth(p == ir.NE)
	}
	if l.kind != intValue || r.kind != intValue {
		return cond{rel: relAny}
	}
	return compare(p, l.lin, r.lin)
}

// nullCheck compares an object's or a function's address with null.
func (b *builder) nullCheck(s *state, p ir.Pred, l, r value) (cond, bool) {
	if l.kind == intValue {
		l, r = r, l
	}
	if r.kind != intValue || len(r.lin.Terms) > 0 || !r.lin.Const.IsZero() || p != ir.EQ && p != ir.NE {
		return cond{}, false
	}
	switch {
	case l.kind == ptrValue && s.block(l.obj) && !b.maybeNull(s.object(l.obj)), l.kind == funcValue && !l.fn.Weak:
		return truth(p == ir.NE), true
	}
	return cond{}, false
}

// maybeNull: a weak symbol can be missing.
func (b *builder) maybeNull(o *object) bool {
	return o.global != nil && o.global.Weak && o.global.Extern || b.opts.AddressZero
}

// inside: the pointer is known to be to a byte of its object.
func (b *builder) inside(s *state, v value) bool {
	o := s.object(v.obj)
	return b.ask.proves(s.know, v.lin) && b.ask.proves(s.know, o.size.Sub(v.lin).AddInt(-1))
}
