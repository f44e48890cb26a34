package seg

import (
	"cmp"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// memoryModel executes the allocation, copy and string functions.
func (b *builder) memoryModel(s *state, in *ir.Instr, m ir.Model) result {
	w := b.m.Layout.PtrBits
	num := func(n int) (exact.Lin, bool) {
		return b.read(s, b.value(s, in.Args[n]), in.Args[n].Type().Width, unsigned)
	}
	switch m {
	case ir.ModelMalloc:
		n, ok := num(0)
		return b.allocate(s, in, n, ok, freshBytes)
	case ir.ModelAligned:
		n, ok := num(1)
		return b.allocate(s, in, n, ok, freshBytes)
	case ir.ModelCalloc:
		x, ok := num(0)
		y, ok2 := num(1)
		switch {
		case !ok || !ok2:
			return b.allocate(s, in, x, false, zeroBytes)
		case x.IsConst():
			return b.allocate(s, in, y.Scale(x.Const), true, zeroBytes)
		case y.IsConst():
			return b.allocate(s, in, x.Scale(y.Const), true, zeroBytes)
		}
		return b.allocate(s, in, b.product(s, x, y), true, zeroBytes)
	case ir.ModelAllocaC:
		n, ok := num(0)
		if !ok {
			return b.unknown(s, in)
		}
		o := b.newObject(s, s.top().ctx+s.top().fn.Name+"."+b.label(in), b.nameOf(in), n)
		o.dynamic = true
		s.top().objs = append(s.top().objs, o.id)
		return b.set(s, in, value{kind: ptrValue, obj: o.id})
	case ir.ModelFree:
		return b.free(s, in)
	case ir.ModelMemcpy, ir.ModelMemmove:
		n, ok := num(2)
		if !ok || in.Flags.Has(ir.Volatile) && !b.opts.VolatileMemory {
			return b.overwrite(s, in, 0)
		}
		b.copyRange(s, b.value(s, in.Args[0]), b.value(s, in.Args[1]), n, m == ir.ModelMemcpy)
		return b.set(s, in, b.value(s, in.Args[0]))
	case ir.ModelMemset:
		return b.memset(s, in)
	case ir.ModelHavoc, ir.ModelHavocObj, ir.ModelMakeSymbolic, ir.ModelStrcpy, ir.ModelStrncpy, ir.ModelStrcat,
		ir.ModelStrncat:
		return b.overwrite(s, in, 0)
	case ir.ModelStrlen, ir.ModelStrnlen:
		return b.strlen(s, in, w)
	case ir.ModelMemchr, ir.ModelStrchr, ir.ModelStrrchr, ir.ModelStrstr:
		return b.search(s, in)
	case ir.ModelStrdup:
		v := b.newVar("strdup size")
		s.know.lower(v, exact.I(1))
		b.reads(s, "the string ends inside its object")
		s.inexact("strdup")
		return b.allocate(s, in, exact.V(v), true, unknownBytes)
	}
	return giveUp(verdict.Unsupported, "call of "+cmp.Or(in.CalledName(), string(m)))
}

// lifetime begins the scope of a local, with contents that nobody wrote, or ends
// it. A local whose scope ended stays: an access to it is a fault, and so is an
// address of it that is kept until its scope begins again.
func (b *builder) lifetime(s *state, in *ir.Instr, m ir.Model) result {
	v := b.value(s, in.Args[len(in.Args)-1])
	if v.kind != ptrValue || s.object(v.obj) == nil {
		return giveUp(verdict.Unsupported, string(m)+" of more than one object")
	}
	o := s.own(v.obj)
	if m == ir.ModelLifetimeStart {
		if o.ended && b.kept(s, o.id) {
			b.fault(s, verdict.Memory, "nobody keeps the address of the local of an earlier turn")
		}
		o.cells, o.rest, o.ended, o.written = nil, freshBytes, false, written{}
	} else if !o.private {
		o.cells, o.rest, o.ended = nil, unknownBytes, true
	}
	return result{kind: advanced}
}

// allocate makes a heap object, and beside it the case in which there is no memory.
func (b *builder) allocate(s *state, in *ir.Instr, size exact.Lin, ok bool, rest content) result {
	align := cmp.Or(int64(in.Align), b.m.Layout.MaxAlign())
	if in.Model == ir.ModelAligned {
		align = 1 // what was asked for may be less
	}
	if !ok {
		v := b.newVar("size")
		s.know.lower(v, exact.I(0))
		s.know.upper(v, umax(b.m.Layout.PtrBits))
		s.inexact("size of an allocation")
		size = exact.V(v)
	}
	var out []*state
	if !b.opts.MallocNeverFails && ir.Fails(in.CalledName()) {
		none := s.clone()
		b.set(none, in, number(exact.Lin{}, anyRep))
		none.input(MallocInput, in, 1, number(exact.Lin{}, anyRep))
		s.input(MallocInput, in, 1, number(exact.C(1), anyRep))
		none.top().idx++
		out = append(out, none)
	}
	// an object ends below the top of the address space
	top := exact.Lin{Terms: size.Neg().Terms, Const: umax(b.m.Layout.PtrBits).Sub(size.Const)}
	if b.ask.possible(s.know, top) {
		s.know.ge(top)
		f := s.top()
		o := b.newObject(s, f.ctx+f.fn.Name+"."+b.label(in), b.nameOf(in), size)
		o.heap, o.dynamic, o.rest, o.align = true, true, rest, align
		o.written.all = rest == zeroBytes
		b.allocates = true
		b.set(s, in, value{kind: ptrValue, obj: o.id})
		f.idx++
		out = append(out, s)
	}
	return fork(out)
}

func (b *builder) free(s *state, in *ir.Instr) result {
	v := b.value(s, in.Args[0])
	switch v.kind {
	case ptrValue:
		o := s.object(v.obj)
		if o == nil || o.list != nil {
			b.fault(s, verdict.Free, "the block is there")
			s.inexact("free of an object that is gone")
			b.loseFrame(s)
			return result{kind: advanced}
		}
		if !o.heap {
			b.fault(s, verdict.Free, "it was allocated")
			return stop("free of what was not allocated")
		}
		if !b.ask.provesEq(s.know, v.lin) {
			b.fault(s, verdict.Free, "it is the start of the block")
			if len(b.assume(s, cond{relEQ, v.lin})) == 0 {
				return stop("free inside a block")
			}
		}
		if b.owners > 1 {
			b.fault(s, verdict.Free, "it is of the owner that releases it")
		}
		s.drop(v.obj)
	case intValue:
		if v.lin.IsConst() && v.lin.Const.IsZero() {
			break
		}
		b.fault(s, verdict.Free, "the address is one of a block")
		s.inexact("free of an address that is not followed")
		b.loseFrame(s)
		for _, id := range append([]int(nil), s.order...) {
			// it may be any heap block, whose content nobody may read any more
			if s.objs[id].heap {
				b.forget(s, id)
			}
		}
	default:
		b.fault(s, verdict.Free, "the address is one of a block")
		s.inexact("free of an address that is not followed")
		b.loseFrame(s)
	}
	return result{kind: advanced}
}

// target is the object and range that a function writes; nil when unknown.
func (b *builder) target(s *state, p value, n exact.Lin) (*object, bool) {
	if p.kind != ptrValue || s.object(p.obj) == nil || s.object(p.obj).list != nil {
		if p.kind == intValue && !b.opts.AddressZero && !b.ask.possible(s.know, p.lin.AddInt(-1)) &&
			b.ask.proves(s.know, n.AddInt(-1)) {
			b.fault(s, verdict.Memory, notFollowed)
			return nil, false
		}
		b.fault(s, verdict.Memory, notFollowed)
		s.inexact("access through an address that is not followed")
		return nil, true
	}
	o := s.object(p.obj)
	if o.ended {
		b.fault(s, verdict.Memory, "the scope of the local is not over")
	}
	if !b.ask.proves(s.know, n.AddInt(-1)) { // a size of 0 needs no valid pointer
		if b.ask.proves(s.know, p.lin) && b.ask.proves(s.know, o.size.Sub(p.lin).Sub(n)) {
			return o, true
		}
		b.fault(s, verdict.Memory, "the range lies inside its object")
		return o, true
	}
	return o, b.between(s, p.lin, o.size.Sub(n), verdict.Memory)
}

// copyRange copies n bytes, which must not overlap if apart is set; cells of constant offset keep their values.
func (b *builder) copyRange(s *state, to, from value, n exact.Lin, apart bool) {
	src, ok := b.target(s, from, n)
	dst, ok2 := b.target(s, to, n)
	if apart && src != nil && dst != nil && src.id == dst.id {
		b.fault(s, verdict.Memory, "the ranges do not overlap")
	}
	if dst != nil && dst.global != nil && dst.global.Const {
		b.fault(s, verdict.Memory, "the object is no constant")
	}
	if !ok || !ok2 {
		s.know.bad = true
		return
	}
	if dst == nil {
		b.fault(s, verdict.Uninitialised, "the memory has a value")
		b.forgetAll(s)
		return
	}
	b.copyWritten(s, dst, src, to.lin, from.lin, n)
	var keep []cell
	whole := src != nil && n.IsConst() && from.lin.IsConst() && to.lin.IsConst()
	rest := unknownBytes
	if whole {
		parts := false // of cells, of which the rest stays behind, may be copied
		for _, c := range src.cells {
			before := from.lin.Sub(c.off).AddInt(-c.size)
			behind := c.off.Sub(from.lin).Sub(n)
			if b.ask.proves(s.know, c.off.Sub(from.lin)) && b.ask.proves(s.know, behind.Neg().AddInt(-c.size)) {
				keep = append(keep, cell{off: c.off.Sub(from.lin).Add(to.lin), size: c.size, val: c.val})
			} else if !b.ask.proves(s.know, before) && !b.ask.proves(s.know, behind) {
				parts = true
			}
		}
		if src.rest == initBytes && src.global != nil {
			for _, c := range b.scalars(src.global.T, from.lin, n) {
				if !b.covered(s, src, c) {
					v := b.readCell(s, src.id, c.off, c.size, c.typ, "copied", anyRep)
					keep = append(keep, cell{off: c.off.Sub(from.lin).Add(to.lin), size: c.size, val: v})
				}
			}
		}
		if src.rest == zeroBytes && !parts && n.Equal(dst.size) && to.lin.Const.IsZero() {
			rest = zeroBytes
		}
	}
	b.kill(s, dst.id, to.lin, n)
	s.own(dst.id).rest = rest
	for _, c := range keep {
		o := s.own(dst.id)
		o.cells = append(o.cells, c)
	}
}

// leaf is a scalar member of a global.
type leaf struct {
	off  exact.Lin
	size int64
	typ  *ir.Type
}

// scalars lists the members of t between from and from+n, at most 64.
func (b *builder) scalars(t *ir.Type, from, n exact.Lin) []leaf {
	lo, _ := from.Const.Int64()
	ln, _ := n.Const.Int64()
	var out []leaf
	var walk func(t *ir.Type, off int64)
	walk = func(t *ir.Type, off int64) {
		if len(out) > 64 || off >= lo+ln || off+b.m.Layout.SizeOf(t) <= lo {
			return
		}
		switch t.Kind {
		case ir.KindStruct, ir.KindArray:
			for i := 0; i < t.NumElems() && len(out) <= 64; i++ {
				walk(t.ElemAt(i), off+b.m.Layout.FieldOffset(t, i))
			}
		case ir.KindInt, ir.KindPtr:
			if size := b.m.Layout.StoreSize(t); off >= lo && off+size <= lo+ln {
				out = append(out, leaf{exact.C(off), size, t})
			}
		}
	}
	walk(t, 0)
	if len(out) > 64 {
		return nil
	}
	return out
}

func (b *builder) covered(s *state, o *object, l leaf) bool {
	for _, c := range o.cells {
		if !b.apart(s, c.off, c.size, l.off, l.size) {
			return true
		}
	}
	return false
}

func (b *builder) memset(s *state, in *ir.Instr) result {
	p := b.value(s, in.Args[0])
	n, ok := b.read(s, b.value(s, in.Args[2]), in.Args[2].Type().Width, unsigned)
	if !ok {
		return b.overwrite(s, in, 0)
	}
	o, ok := b.target(s, p, n)
	if o != nil && o.global != nil && o.global.Const {
		b.fault(s, verdict.Memory, "the object is no constant")
	}
	switch {
	case !ok:
		return stop("invalid write")
	case o == nil:
		b.forgetAll(s)
	default:
		b.forgetRange(s, o.id, p.lin, n)
		b.fills(s, o.id, p.lin, n)
		c := b.value(s, in.Args[1])
		if c.kind == intValue && c.lin.IsConst() && c.lin.Const.IsZero() && b.ask.provesEq(s.know, p.lin) &&
			b.ask.provesEq(s.know, o.size.Sub(n)) {
			s.own(o.id).rest = zeroBytes
		}
	}
	return b.set(s, in, p)
}

// copyWritten says which bytes have a value after n bytes at from of src were copied to those at to of dst.
func (b *builder) copyWritten(s *state, dst, src *object, to, from, n exact.Lin) {
	if src != nil && src.written.all {
		b.fills(s, dst.id, to, n)
		return
	}
	was := dst.written
	o := s.own(dst.id)
	o.written = written{}
	x, ok := from.Const.Int64()
	y, ok2 := to.Const.Int64()
	size, ok3 := n.Const.Int64()
	if src == nil || !from.IsConst() || !to.IsConst() || !n.IsConst() || !ok || !ok2 || !ok3 {
		return
	}
	if was.all && dst.size.IsConst() {
		if all, ok := dst.size.Const.Int64(); ok {
			was = written{spans: []span{{0, all}}}
		}
	}
	for _, w := range append(was.outside(y, y+size), src.written.moved(x, y, size).spans...) {
		o.written = o.written.with(exact.C(w.lo), w.hi-w.lo)
	}
}

// fills notes that n bytes at off of the object have a value.
func (b *builder) fills(s *state, id int, off, n exact.Lin) {
	o := s.own(id)
	off, n = s.know.plain(off), s.know.plain(n)
	if size, ok := n.Const.Int64(); ok && n.IsConst() {
		o.written = o.written.with(off, size)
	}
	if b.ask.provesEq(s.know, off) && b.ask.provesEq(s.know, o.size.Sub(n)) {
		o.written = written{all: true}
	}
}

// reads notes that it is not shown what a function reads: neither that it may, nor that it has a value.
func (b *builder) reads(s *state, what string) {
	b.fault(s, verdict.Memory, what)
	b.fault(s, verdict.Uninitialised, "the memory has a value")
}

// overwrite forgets the object that argument n points into.
func (b *builder) overwrite(s *state, in *ir.Instr, n int) result {
	b.reads(s, "the memory that the function reads and writes lies inside its objects")
	p := b.value(s, in.Args[n])
	s.inexact("memory that a function writes")
	if p.kind == ptrValue && s.object(p.obj) != nil && s.object(p.obj).list == nil {
		o := s.own(p.obj)
		o.cells, o.rest = nil, unknownBytes
	} else {
		b.forgetAll(s)
	}
	if in.T.IsPtr() {
		return b.set(s, in, p)
	}
	return b.set(s, in, b.fresh(s, in.T, "result", anyRep))
}

// strlen is below the size of the object.
func (b *builder) strlen(s *state, in *ir.Instr, w int) result {
	b.reads(s, "the string ends inside its object")
	s.inexact("length of a string")
	v := b.fresh(s, in.T, "strlen", unsigned)
	p := b.value(s, in.Args[0])
	if p.kind == ptrValue && s.object(p.obj) != nil {
		s.know.ge(s.object(p.obj).size.Sub(p.lin).Sub(v.lin))
	}
	if !b.ask.consistent(s.know) {
		return stop("invalid read")
	}
	return b.set(s, in, v)
}

// search returns null or a pointer into the first argument's object, not before it.
func (b *builder) search(s *state, in *ir.Instr) result {
	b.reads(s, "the search ends inside its object")
	s.inexact("search in memory")
	p := b.value(s, in.Args[0])
	if p.kind != ptrValue || s.object(p.obj) == nil {
		return b.unknown(s, in)
	}
	none := s.clone()
	b.set(none, in, number(exact.Lin{}, anyRep))
	none.top().idx++
	v := b.newVar("found")
	s.know.ge(exact.V(v).Sub(p.lin))
	s.know.ge(s.object(p.obj).size.Sub(exact.V(v)).AddInt(-1))
	if !b.ask.consistent(s.know) {
		return fork([]*state{none})
	}
	b.set(s, in, value{kind: ptrValue, obj: p.obj, lin: exact.V(v)})
	s.top().idx++
	return fork([]*state{none, s})
}
