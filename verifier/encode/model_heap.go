package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// heap evaluates allocation and release (LL-107 to LL-111; docs/SEMANTICS.md).
func (c *modelCall) heap(m ir.Model) (memory.Val, bool) {
	switch m {
	case ir.ModelMalloc:
		p, _ := c.allocate(c.count(0), int64(c.in.Align), false)
		return p, true
	case ir.ModelCalloc:
		a, b := c.count(0), c.count(1)
		over := c.s.UmulO(a, b)
		c.split(over, func(st *memory.State) memory.Val { return memory.Val{Ptr: c.Null()} },
			func(st *memory.State) memory.Val {
				p, _ := c.allocate(c.s.Mul(a, b), 0, true)
				return p
			})
		return c.joined(), true
	case ir.ModelAligned:
		align := c.count(0)
		k, ok := c.ConstOf(align)
		if !ok || k == 0 || k&(k-1) != 0 {
			c.gap(c.st, c.in, verdict.Unsupported, "%s with an alignment that is not a constant power of two", c.name)
			return memory.Val{}, true
		}
		p, _ := c.allocate(c.count(1), int64(min(k, 1<<20)), false)
		return p, true
	case ir.ModelMemalign:
		return c.memalign(), true
	case ir.ModelAllocaC:
		return memory.Val{Ptr: c.newLocal(c.fr, c.st, c.in, c.in.Name, c.count(0), nil, 16)}, true
	case ir.ModelRealloc:
		return c.realloc(), true
	case ir.ModelFree:
		c.release(c.args[0])
		return memory.Val{}, true
	}
	return memory.Val{}, false
}

// split evaluates one of two continuations by a condition and joins them.
func (c *modelCall) split(cond ilr.Term, yes, no func(*memory.State) memory.Val) {
	saved := c.st
	var ends []edge
	for i, f := range []func(*memory.State) memory.Val{yes, no} {
		lit := cond
		if i == 1 {
			lit = c.s.Not(cond)
		}
		if st := c.fork(saved, lit); st != nil {
			c.st = st
			v := f(st)
			if st.PC != nil {
				ends = append(ends, edge{st: st, vals: []memory.Val{v}})
			}
		}
	}
	c.st = saved
	if len(ends) == 0 {
		saved.PC = nil
		c.got = memory.Val{}
		return
	}
	out := c.mergeEdges(ends)
	*saved = *out.st
	c.got = out.vals[0]
}

// joined is the value that the last split gave.
func (c *modelCall) joined() memory.Val { return c.got }

// allocate is a new heap block of n bytes, or null when the environment has it
// so. ok is the condition of success.
func (c *modelCall) allocate(n ilr.Term, align int64, zeros bool) (p memory.Val, ok ilr.Term) {
	e, st := c.encoder, c.st
	if st.PC == nil {
		return memory.Val{Ptr: e.Null()}, e.s.False()
	}
	ok = e.s.True()
	if !e.opts.MallocNeverFails && ir.Fails(c.name) {
		v := e.s.Fresh("malloc", ilr.BV(1))
		e.Event(memory.Event{Kind: input.MallocOK, Instr: c.in, Guard: st.PC.All, Value: v, Name: c.name})
		ok = e.Bit(v)
	}
	fits := e.s.Ule(n, e.s.Const(bits.MaxSigned(e.w)))
	if !e.s.IsTrue(fits) {
		e.note("no allocation of more than half of the address space succeeds")
		st.PC = e.And(st.PC, e.s.Implies(ok, fits))
		if st.PC == nil {
			return memory.Val{Ptr: e.Null()}, e.s.False()
		}
	}
	if align == 0 {
		align = e.lay.MaxAlign() // malloc: good for every type
	}
	o := e.NewObject(memory.Object{Kind: memory.ObjHeap, Name: heapName(c.in), Owner: ir.OwnerOf(c.name), Align: align,
		Instr: c.in,
		Born:  e.s.And(st.PC.All, ok)}, n)
	b := e.UnknownBase(o)
	if zeros {
		b = e.ZeroBase(o)
	}
	e.BeginIf(st, o, ok, &memory.Content{Live: e.s.True(), Base: b})
	return memory.Val{Ptr: e.PickPtr(ok, e.To(o, 0), e.Null())}, ok
}

// memalign is posix_memalign(&p, align, n): 0, or ENOMEM or EINVAL and p unchanged. Of a block with an alignment that
// is not constant, less is known than its address is a multiple of.
func (c *modelCall) memalign() memory.Val {
	s, pointer := c.s, int64(c.w/8)
	align, n := c.count(1), c.count(2)
	least := pointer
	if k, ok := c.ConstOf(align); ok {
		least = int64(min(k, 1<<20))
	}
	one, zero := s.Int(c.w, 1), s.Int(c.w, 0)
	valid := s.And(s.Not(s.Eq(align, zero)), s.Eq(s.BvAnd(align, s.Sub(align, one)), zero))
	valid = s.And(valid, s.Eq(s.BvAnd(align, s.Int(c.w, pointer-1)), zero))
	c.split(valid, func(*memory.State) memory.Val { return c.aligned(n, least) },
		func(*memory.State) memory.Val { return c.number(22) })
	return c.joined()
}

// aligned is posix_memalign with an alignment that it takes.
func (c *modelCall) aligned(n ilr.Term, align int64) memory.Val {
	e := c.encoder
	e.checkAccess(c.fr, c.st, c.in, c.args[0], e.wantConst(int64(e.w/8), 1, true), e.s.True())
	p, done := c.allocate(n, align, false)
	if c.st.PC == nil {
		return memory.Val{}
	}
	block := memory.Val{Ptr: e.To(p.Ptr.Alts[len(p.Ptr.Alts)-1].Object, 0)}
	c.split(done, func(st *memory.State) memory.Val {
		e.store(c.fr, st, c.in, c.args[0], block, ir.Ptr(e.w), 1)
		return c.number(0)
	}, func(*memory.State) memory.Val { return c.number(12) })
	return c.joined()
}

// heapName says where a block was allocated.
func heapName(in *ir.Instr) string { return fmt.Sprintf("block allocated at line %d", in.Pos.Line) }

// arrayName is the name of o in front of an index or a member: of a block, the call that gave it.
func arrayName(o *memory.Object) string {
	if o.Kind == memory.ObjHeap && o.Instr != nil && o.Instr.Op == ir.OpCall && o.Name == heapName(o.Instr) {
		return fmt.Sprintf("(%s at line %d)", o.Instr.CalledName(), o.Instr.Pos.Line)
	}
	return o.Name
}

// release frees what p points to, after the claim that it may be freed.
func (c *modelCall) release(p memory.Val) {
	e, st := c.encoder, c.st
	e.checkAddress(c.fr, st, c.in, p)
	if st.PC == nil {
		return
	}
	ts := c.checkFree(st, p)
	if st.PC == nil {
		return
	}
	for _, t := range ts {
		e.end(st, t)
	}
}

// realloc is a new block with the old contents; on failure the old one stays.
func (c *modelCall) realloc() memory.Val {
	e, st := c.encoder, c.st
	old := c.args[0]
	n := c.count(1)
	e.checkAddress(c.fr, st, c.in, old)
	if st.PC == nil {
		return memory.Val{}
	}
	ts := c.checkFree(st, old)
	if st.PC == nil {
		return memory.Val{}
	}
	c.split(c.freedByZero(n), func(st *memory.State) memory.Val {
		for _, t := range ts {
			e.end(st, t)
		}
		return memory.Val{Ptr: e.Null()}
	}, func(st *memory.State) memory.Val { return c.moved(st, ts, n) })
	return c.joined()
}

// moved is the new block of n bytes with the contents of the old one, one of ts, which ends.
func (c *modelCall) moved(st *memory.State, ts []target, n ilr.Term) memory.Val {
	e := c.encoder
	p, ok := c.allocate(n, 0, false)
	if st.PC == nil || len(p.Ptr.Alts) == 0 {
		return memory.Val{}
	}
	fresh := p.Ptr.Alts[len(p.Ptr.Alts)-1].Object
	for _, t := range ts {
		was := st.Get(t.obj)
		now := st.Get(fresh)
		size := e.s.Ite(e.s.Ult(n, t.obj.Size), n, t.obj.Size)
		zero := e.s.Int(e.w, 0)
		d, good := e.copyInto(fresh, now, zero, t.obj, was, zero, size)
		if !good {
			e.gap(st, c.in, verdict.Unsupported, "realloc of a large object to an unknown size")
			return memory.Val{}
		}
		st.Put(fresh, e.MergeContents(fresh, t.g, d, now))
		t.g = e.s.And(t.g, ok)
		e.end(st, t)
	}
	fresh.Lives = nil // the block may stay where it was: the new one takes the place of the old one
	e.Begin(st, fresh, st.Get(fresh))
	return p
}

// end makes the object of t dead where t is it.
func (e *encoder) end(st *memory.State, t target) {
	k := *st.Get(t.obj)
	k.Live = e.s.And(k.Live, e.s.Not(t.g))
	st.Put(t.obj, &k)
}

// freedByZero is the condition that a realloc to 0 bytes gives null and frees the block.
// Otherwise it gives a new one, or null and keeps it (C17 7.22.3.5p4).
func (c *modelCall) freedByZero(n ilr.Term) ilr.Term {
	e := c.encoder
	none := e.Eq(n, e.s.Int(e.w, 0))
	other := e.fork(c.st, none)
	if other == nil {
		return e.s.False()
	}
	return e.s.And(none, e.Cond(e.Fresh(other, input.Unspecified, c.in, ir.Int(1), c.name)))
}

// checkFree claims that p is null or the start of a live heap block (LL-110,
// LL-111) of the owner that the function has, and gives the blocks that it can be.
func (c *modelCall) checkFree(st *memory.State, p memory.Val) []target {
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
	ts := e.targets(st, p.Ptr)
	e.unknownTarget(st, in, verdict.Free, e.s.True(), ts, "free")
	for _, t := range ts {
		switch {
		case t.obj == nil:
			fail(e.s.And(t.g, e.s.Not(e.Eq(t.off, e.s.Int(e.w, 0)))), "free of an address that is no heap block")
			continue
		case t.obj.Kind != memory.ObjHeap:
			fail(t.g, "free of %s, which is no heap block", t.obj.What())
			continue
		}
		k := st.Get(t.obj)
		dead := e.s.True()
		if k != nil {
			dead = e.s.Not(k.Live)
		}
		fail(e.s.And(t.g, dead), "%s is freed again", t.obj.What())
		fail(e.s.And(t.g, e.s.Not(e.Eq(t.off, e.s.Int(e.w, 0)))), "free of a pointer into the middle of %s",
			t.obj.What())
		if t.obj.Owner != owner {
			fail(t.g, "%s is from %s, and %s releases what is from %s", t.obj.What(), t.obj.Owner, owner.Released(),
				owner)
		}
		if k != nil {
			good = append(good, t)
		}
	}
	e.claim(fr, st, in, verdict.Free, bad, true, verdict.Free.Of().Holds, cases...)
	return good
}
