package cycles

import "github.com/firmproof/firmproof/verifier/policy"

// state is what may be in the registers at a place. Memory holds anything, but for what the function itself pushed.
type state struct {
	regs  [32]set
	flags flags
	chain *chain // what flags were computed from; nil: not known
	stack *cell  // what was pushed, the last first
	base  *cell  // stack when the function began
	moved bool   // the stack pointer was read or written: what pop reads is not known, and stack is base
	above int    // if moved: bytes that were pushed and not popped since
}

// cell is a byte on the stack.
type cell struct {
	v  set
	up *cell
}

// chain is a sequence of operations, each of which takes the carry of the one before it, that computed the flags.
type chain struct {
	steps []link
	start flags // before the first one
}

// link is one operation: its operands when it ran, and which registers still hold these and its result (-1: none does).
type link struct {
	op               string
	a, b             set
	same             bool // both operands are one register
	aReg, bReg, oReg int
}

// write sets a register.
func (s *state) write(reg int, v set) {
	s.regs[reg] = v
	if s.chain == nil {
		return
	}
	for i := range s.chain.steps {
		if l := &s.chain.steps[i]; l.aReg == reg || l.bReg == reg || l.oReg == reg {
			c := &chain{start: s.chain.start}
			for _, l := range s.chain.steps {
				l.drop(reg)
				c.steps = append(c.steps, l)
			}
			s.chain = c
			return
		}
	}
}

// drop notes that a register holds another value now.
func (l *link) drop(reg int) {
	for _, r := range []*int{&l.aReg, &l.bReg, &l.oReg} {
		if *r == reg {
			*r = -1
		}
	}
}

// extends reports an operation that takes the carry and Z of a chain, whose last one set both.
func extends(c *chain, op string) bool {
	if c == nil || len(c.steps) >= policy.FollowedChain || op != "sbc" && op != "cpc" && op != "adcw" {
		return false
	}
	const both = 1<<flagC | 1<<flagZ
	return arithmetic[c.steps[len(c.steps)-1].op]&both == both
}

// values lists what a flag may be.
func (f flags) values(bit int) []uint8 {
	var out []uint8
	for v := uint8(0); v < 2; v++ {
		if f.may(bit, v) {
			out = append(out, v)
		}
	}
	return out
}

// arith carries out an operation on register d and on b, which register bReg holds (-1: a constant), and writes the result
// if it is asked to.
func (s *state) arith(op string, d int, b set, bReg int, write bool) {
	a, mask := s.regs[d], arithmetic[op]
	l := link{op: op, a: a, b: b, same: bReg == d, aReg: d, bReg: bReg, oReg: -1}
	res, learnt := anyByte, anyFlags
	cs, zs := s.flags.values(flagC), s.flags.values(flagZ)
	n := a.size() * len(cs) * len(zs)
	if !l.same {
		n *= b.size()
	}
	if n <= policy.FollowedCombinations {
		res, learnt = set{}, flags{}
		as, bs := a.list(), b.list()
		for _, x := range as {
			if l.same {
				bs = []uint8{x}
			}
			for _, y := range bs {
				for _, c := range cs {
					for _, z := range zs {
						r, f := alu(op, x, y, c<<flagC|z<<flagZ)
						res.put(r)
						learnt.learn(mask, f)
					}
				}
			}
		}
	}
	c := &chain{start: s.flags}
	var before []link
	if extends(s.chain, op) {
		c.start, before = s.chain.start, s.chain.steps
	}
	for _, earlier := range before {
		if write {
			earlier.drop(d)
		}
		c.steps = append(c.steps, earlier)
	}
	if write {
		s.write(d, res)
		l.drop(d)
		l.oReg = d
	}
	c.steps = append(c.steps, l)
	s.chain = c
	for v := range s.flags.can {
		s.flags.can[v] = s.flags.can[v]&^mask | learnt.can[v]&mask
	}
}

// forget gives up what is known of the flags of mask: something that is not followed sets them.
func (s *state) forget(mask uint8) {
	s.flags.can[0] |= mask
	s.flags.can[1] |= mask
	s.chain = nil
}

// where returns the part of the state in which a flag is v; ok is false where there is none.
func (s *state) where(bit int, v uint8) (out state, ok bool) {
	if !s.flags.may(bit, v) {
		return out, false
	}
	out = *s
	out.flags.can[1-v] &^= 1 << bit
	if s.chain == nil {
		return out, true
	}
	steps := s.chain.steps
	last := arithmetic[steps[len(steps)-1].op]
	if last>>bit&1 == 0 {
		return out, true
	}
	n := 4
	for i := range steps {
		if n *= steps[i].a.size(); !steps[i].same {
			n *= steps[i].b.size()
		}
		if n > policy.FollowedCombinations {
			return out, true
		}
	}
	e := enumeration{steps: steps, bit: bit, want: v, met: make([][3]set, len(steps)), now: make([][3]uint8, len(steps))}
	for _, c := range s.chain.start.values(flagC) {
		for _, z := range s.chain.start.values(flagZ) {
			e.from(0, c<<flagC|z<<flagZ)
		}
	}
	if !e.any {
		return out, false
	}
	for i := range steps {
		for j, reg := range []int{steps[i].aReg, steps[i].bReg, steps[i].oReg} {
			if reg >= 0 {
				out.regs[reg] = out.regs[reg].meet(e.met[i][j])
				if out.regs[reg] == (set{}) {
					return out, false
				}
			}
		}
	}
	return out, true
}

// enumeration collects the operands and results of a chain with which a flag is as wanted.
type enumeration struct {
	steps []link
	bit   int
	want  uint8
	now   [][3]uint8 // operands and result of each step
	met   [][3]set
	any   bool
}

func (e *enumeration) from(i int, sreg uint8) {
	if i == len(e.steps) {
		if sreg>>e.bit&1 == e.want {
			e.any = true
			for j, n := range e.now {
				for k := range n {
					e.met[j][k].put(n[k])
				}
			}
		}
		return
	}
	l := &e.steps[i]
	bs := l.b.list()
	for _, a := range l.a.list() {
		if l.same {
			bs = []uint8{a}
		}
		for _, b := range bs {
			res, f := alu(l.op, a, b, sreg)
			e.now[i] = [3]uint8{a, b, res}
			e.from(i+1, f)
		}
	}
}

// join returns a state that holds what either may be; ok is false where their stacks differ in depth.
func (s *state) join(o *state) (out state, ok bool) {
	out = *s
	for i := range out.regs {
		out.regs[i] = out.regs[i].join(o.regs[i])
	}
	for v := range out.flags.can {
		out.flags.can[v] |= o.flags.can[v]
	}
	if s.chain != o.chain {
		out.chain = nil
	}
	if out.moved = s.moved || o.moved; out.moved {
		out.stack, out.above = s.base, max(s.above, o.above)
		return out, true
	}
	out.stack, ok = joinStacks(s.stack, o.stack)
	return out, ok
}

func joinStacks(a, b *cell) (*cell, bool) {
	if a == b {
		return a, true
	}
	if a == nil || b == nil {
		return nil, false
	}
	up, ok := joinStacks(a.up, b.up)
	if v := a.v.join(b.v); up != a.up || v != a.v {
		return &cell{v, up}, ok
	}
	return a, ok
}

// same reports whether two states hold the same values.
func (s *state) same(o *state) bool {
	if s.regs != o.regs || s.flags != o.flags || s.moved != o.moved || s.above != o.above {
		return false
	}
	a, b := s.stack, o.stack
	for ; a != b; a, b = a.up, b.up {
		if a == nil || b == nil || a.v != b.v {
			return false
		}
	}
	return true
}
