package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// heap evaluates allocation and release (LL-107 to LL-111; docs/SEMANTICS.md).
func (c *modelCall) heap(m ir.Model) (val, bool) {
	switch m {
	case ir.ModelMalloc:
		p, _ := c.allocate(c.count(0), 0, false)
		return p, true
	case ir.ModelCalloc:
		a, b := c.count(0), c.count(1)
		over := c.s.UmulO(a, b)
		c.split(over, func(st *state) val { return val{p: c.null()} }, func(st *state) val {
			p, _ := c.allocate(c.s.Mul(a, b), 0, true)
			return p
		})
		return c.joined(), true
	case ir.ModelAligned:
		align := c.count(0)
		k, ok := c.constOf(align)
		if !ok || k == 0 || k&(k-1) != 0 {
			c.gap(c.st, c.in, verdict.Unsupported, "%s with an alignment that is not a constant power of two", c.name)
			return val{}, true
		}
		p, _ := c.allocate(c.count(1), int64(min(k, 1<<20)), false)
		return p, true
	case ir.ModelMemalign:
		return c.memalign(), true
	case ir.ModelAllocaC:
		return val{p: c.newLocal(c.fr, c.st, c.in, c.in.Name, c.count(0), nil, 16)}, true
	case ir.ModelRealloc:
		return c.realloc(), true
	case ir.ModelFree:
		c.release(c.args[0])
		return val{}, true
	}
	return val{}, false
}

// split evaluates one of two continuations by a condition and joins them.
func (c *modelCall) split(cond ilr.Term, yes, no func(*state) val) {
	saved := c.st
	var ends []edge
	for i, f := range []func(*state) val{yes, no} {
		lit := cond
		if i == 1 {
			lit = c.s.Not(cond)
		}
		if st := c.fork(saved, lit); st != nil {
			c.st = st
			v := f(st)
			if st.pc != nil {
				ends = append(ends, edge{st: st, vals: []val{v}})
			}
		}
	}
	c.st = saved
	if len(ends) == 0 {
		saved.pc = nil
		c.got = val{}
		return
	}
	out := c.mergeEdges(ends)
	*saved = *out.st
	c.got = out.vals[0]
}

// joined is the value that the last split gave.
func (c *modelCall) joined() val { return c.got }

// allocate is a new heap block of n bytes, or null when the environment has it
// so. ok is the condition of success.
func (c *modelCall) allocate(n ilr.Term, align int64, zeros bool) (p val, ok ilr.Term) {
	e, st := c.encoder, c.st
	if st.pc == nil {
		return val{p: e.null()}, e.s.False()
	}
	ok = e.s.True()
	if !e.opts.MallocNeverFails && ir.Fails(c.name) {
		v := e.s.Fresh("malloc", ilr.BV(1))
		e.event(Event{Kind: input.MallocOK, Instr: c.in, Guard: st.pc.all, Value: v, Name: c.name})
		ok = e.bit(v)
	}
	fits := e.s.Ule(n, e.s.Const(bits.MaxSigned(e.w)))
	if !e.s.IsTrue(fits) {
		e.note("no allocation of more than half of the address space succeeds")
		st.pc = e.and(st.pc, e.s.Implies(ok, fits))
		if st.pc == nil {
			return val{p: e.null()}, e.s.False()
		}
	}
	if align == 0 {
		align = e.lay.MaxAlign() // malloc: good for every type
	}
	o := e.newObject(object{kind: objHeap, name: heapName(c.in), owner: ir.OwnerOf(c.name), align: align, in: c.in,
		born: e.s.And(st.pc.all, ok)}, n)
	b := e.unknownBase(o)
	if zeros {
		b = e.zeroBase(o)
	}
	e.begin(st, o, &content{live: e.s.True(), base: b})
	return val{p: e.pickPtr(ok, e.to(o, 0), e.null())}, ok
}

// memalign is posix_memalign(&p, align, n): 0, or ENOMEM or EINVAL and p unchanged. Of a block with an alignment that
// is not constant, less is known than its address is a multiple of.
func (c *modelCall) memalign() val {
	s, pointer := c.s, int64(c.w/8)
	align, n := c.count(1), c.count(2)
	least := pointer
	if k, ok := c.constOf(align); ok {
		least = int64(min(k, 1<<20))
	}
	one, zero := s.Int(c.w, 1), s.Int(c.w, 0)
	valid := s.And(s.Not(s.Eq(align, zero)), s.Eq(s.BvAnd(align, s.Sub(align, one)), zero))
	valid = s.And(valid, s.Eq(s.BvAnd(align, s.Int(c.w, pointer-1)), zero))
	c.split(valid, func(*state) val { return c.aligned(n, least) }, func(*state) val { return c.number(22) })
	return c.joined()
}

// aligned is posix_memalign with an alignment that it takes.
func (c *modelCall) aligned(n ilr.Term, align int64) val {
	e := c.encoder
	e.checkAccess(c.fr, c.st, c.in, c.args[0], e.wantConst(int64(e.w/8), 1, true), e.s.True())
	p, done := c.allocate(n, align, false)
	if c.st.pc == nil {
		return val{}
	}
	block := val{p: e.to(p.p.alts[len(p.p.alts)-1].obj, 0)}
	c.split(done, func(st *state) val {
		e.store(c.fr, st, c.in, c.args[0], block, ir.Ptr(e.w), 1)
		return c.number(0)
	}, func(*state) val { return c.number(12) })
	return c.joined()
}

// heapName says where a block was allocated.
func heapName(in *ir.Instr) string { return fmt.Sprintf("block allocated at line %d", in.Pos.Line) }

// asArray is the name of o in front of an index or a member: of a block, the call that gave it.
func (o *object) asArray() string {
	if o.kind == objHeap && o.in != nil && o.in.Op == ir.OpCall && o.name == heapName(o.in) {
		return fmt.Sprintf("(%s at line %d)", o.in.CalledName(), o.in.Pos.Line)
	}
	return o.name
}

// release frees what p points to, after the claim that it may be freed.
func (c *modelCall) release(p val) {
	e, st := c.encoder, c.st
	e.checkAddress(c.fr, st, c.in, p)
	if st.pc == nil {
		return
	}
	ts := c.checkFree(st, p)
	if st.pc == nil {
		return
	}
	for _, t := range ts {
		e.end(st, t)
	}
}

// realloc is a new block with the old contents; on failure the old one stays.
func (c *modelCall) realloc() val {
	e, st := c.encoder, c.st
	old := c.args[0]
	n := c.count(1)
	e.checkAddress(c.fr, st, c.in, old)
	if st.pc == nil {
		return val{}
	}
	ts := c.checkFree(st, old)
	if st.pc == nil {
		return val{}
	}
	c.split(c.freedByZero(n), func(st *state) val {
		for _, t := range ts {
			e.end(st, t)
		}
		return val{p: e.null()}
	}, func(st *state) val { return c.moved(st, ts, n) })
	return c.joined()
}

// moved is the new block of n bytes with the contents of the old one, one of ts, which ends.
func (c *modelCall) moved(st *state, ts []target, n ilr.Term) val {
	e := c.encoder
	p, ok := c.allocate(n, 0, false)
	if st.pc == nil || len(p.p.alts) == 0 {
		return val{}
	}
	fresh := p.p.alts[len(p.p.alts)-1].obj
	for _, t := range ts {
		was := st.get(t.obj)
		now := st.get(fresh)
		size := e.s.Ite(e.s.Ult(n, t.obj.size), n, t.obj.size)
		zero := e.s.Int(e.w, 0)
		d, good := e.copyInto(fresh, now, zero, t.obj, was, zero, size)
		if !good {
			e.gap(st, c.in, verdict.Unsupported, "realloc of a large object to an unknown size")
			return val{}
		}
		st.put(fresh, e.mergeContents(fresh, t.g, d, now))
		t.g = e.s.And(t.g, ok)
		e.end(st, t)
	}
	fresh.lives = nil // the block may stay where it was: the new one takes the place of the old one
	e.begin(st, fresh, st.get(fresh))
	return p
}

// end makes the object of t dead where t is it.
func (e *encoder) end(st *state, t target) {
	k := *st.get(t.obj)
	k.live = e.s.And(k.live, e.s.Not(t.g))
	st.put(t.obj, &k)
}

// freedByZero is the condition that a realloc to 0 bytes gives null and frees the block.
// Otherwise it gives a new one, or null and keeps it (C17 7.22.3.5p4).
func (c *modelCall) freedByZero(n ilr.Term) ilr.Term {
	e := c.encoder
	none := e.eq(n, e.s.Int(e.w, 0))
	other := e.fork(c.st, none)
	if other == nil {
		return e.s.False()
	}
	return e.s.And(none, e.cond(e.fresh(other, input.Unspecified, c.in, ir.Int(1), c.name)))
}

// checkFree claims that p is null or the start of a live heap block (LL-110,
// LL-111) of the owner that the function has, and gives the blocks that it can be.
func (c *modelCall) checkFree(st *state, p val) []target {
	e, fr, in := c.encoder, c.fr, c.in
	owner := ir.OwnerOf(c.name)
	bad := e.s.False()
	var good []target
	var cases []failure
	fail := func(when ilr.Term, format string, args ...any) {
		if !e.s.IsFalse(when) {
			cases = append(cases, failure{when: when, text: fmt.Sprintf(format, args...)})
			bad = e.s.Or(bad, when)
		}
	}
	ts := e.targets(st, p.p)
	e.unknownTarget(st, in, verdict.Free, e.s.True(), ts, "free")
	for _, t := range ts {
		switch {
		case t.obj == nil:
			fail(e.s.And(t.g, e.s.Not(e.eq(t.off, e.s.Int(e.w, 0)))), "free of an address that is no heap block")
			continue
		case t.obj.kind != objHeap:
			fail(t.g, "free of %s, which is no heap block", t.obj.what())
			continue
		}
		k := st.get(t.obj)
		dead := e.s.True()
		if k != nil {
			dead = e.s.Not(k.live)
		}
		fail(e.s.And(t.g, dead), "%s is freed again", t.obj.what())
		fail(e.s.And(t.g, e.s.Not(e.eq(t.off, e.s.Int(e.w, 0)))), "free of a pointer into the middle of %s",
			t.obj.what())
		if t.obj.owner != owner {
			fail(t.g, "%s is from %s, and %s releases what is from %s", t.obj.what(), t.obj.owner, owner.Released(),
				owner)
		}
		if k != nil {
			good = append(good, t)
		}
	}
	e.claim(fr, st, in, verdict.Free, bad, true, verdict.Free.Of().Holds, cases...)
	return good
}
