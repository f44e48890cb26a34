package seg

import (
	"math/big"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// memory executes the memory instructions.
func (b *builder) memory(s *state, in *ir.Instr) result {
	switch in.Op {
	case ir.OpAlloca:
		return b.alloca(s, in)
	case ir.OpGep:
		return b.gep(s, in)
	case ir.OpLoad:
		return b.load(s, in)
	case ir.OpStore:
		return b.store(s, in)
	case ir.OpAtomicRMW:
		return b.update(s, in)
	case ir.OpFence:
		return result{kind: advanced}
	}
	return giveUp(verdict.Unsupported, in.Op.String())
}

func (b *builder) alloca(s *state, in *ir.Instr) result {
	f := s.top()
	w := in.Args[0].Type().Width
	n, ok := b.read(s, b.value(s, in.Args[0]), w, unsigned)
	if !ok {
		return giveUp(verdict.Unsupported, "alloca of a size that is not followed")
	}
	size := n.Scale(exact.I(b.m.Layout.SizeOf(in.Access)))
	o := b.newObject(s, f.ctx+f.fn.Name+"."+b.label(in), b.nameOf(in), size)
	o.align = int64(in.Align)
	o.private = !b.escapes(f.fn)[in]
	o.dynamic = !o.private && in.Block != f.fn.Blocks[0]
	f.objs = append(f.objs, o.id)
	return b.set(s, in, value{kind: ptrValue, obj: o.id})
}

// gep is byte arithmetic; inside an object the result stays in [0, size] or
// creating it is undefined (LangRef: inbounds).
func (b *builder) gep(s *state, in *ir.Instr) result {
	v := b.value(s, in.Args[0])
	w := b.m.Layout.PtrBits
	off := exact.C(in.Off)
	for n, scale := range in.Scales {
		a := in.Args[n+1]
		x, ok := b.read(s, b.value(s, a), a.Type().Width, signed)
		if !ok {
			return b.unknown(s, in)
		}
		if a.Type().Width > w {
			x = b.fit(s, x, w, signed)
		}
		off = off.AddScaled(exact.I(scale), x)
	}
	if in.Flags.Has(ir.InBounds|ir.NUW) && !b.opts.Leave &&
		!b.atLeastZero(s, verdict.PointerOverflow, "an unsigned index does not wrap around", off) {
		return stop("an unsigned index wraps around")
	}
	switch v.kind {
	case ptrValue:
		o := s.object(v.obj)
		if o == nil || o.list != nil {
			if in.Flags.Has(ir.InBounds) {
				b.fault(s, verdict.PointerOverflow, "the object is there")
			}
			return b.unknown(s, in)
		}
		b.takeFor(s, o, v, in)
		e := v.lin.Add(off)
		if in.Flags.Has(ir.InBounds) && !b.opts.Leave {
			if !b.between(s, e, o.size, verdict.PointerOverflow) {
				return stop("pointer leaves its object")
			}
		} else if !b.ask.proves(s.know, e) || !b.ask.proves(s.know, o.size.Sub(e)) {
			e = b.fit(s, e, w, signed)
		}
		return b.set(s, in, value{kind: ptrValue, obj: v.obj, lin: e})
	case intValue:
		e := v.lin.Add(off)
		if in.Flags.Has(ir.InBounds) && !b.opts.MathInts && !b.opts.Leave {
			b.fault(s, verdict.PointerOverflow, "the pointer is one into an object")
			if !b.within(s, e, exact.Int{}, umax(w), verdict.PointerOverflow) {
				return stop("pointer wraps")
			}
			return b.set(s, in, number(e, unsigned))
		}
		return b.set(s, in, number(b.fit(s, e, w, unsigned), unsigned))
	}
	if in.Flags.Has(ir.InBounds) {
		b.fault(s, verdict.PointerOverflow, "the pointer is one into an object")
	}
	return b.unknown(s, in)
}

// between demands 0 <= e <= size.
func (b *builder) between(s *state, e, size exact.Lin, check verdict.Check) bool {
	return b.atLeastZero(s, check, "the address stays inside its object", e, size.Sub(e))
}

// atLeastZero takes the terms to be at least 0, which is a fault where it is not known; it returns false where that cannot be.
func (b *builder) atLeastZero(s *state, check verdict.Check, what string, terms ...exact.Lin) bool {
	for _, g := range terms {
		if b.ask.proves(s.know, g) || b.distinct(s) && b.ask.proves(s.know, g) {
			continue
		}
		b.fault(s, check, what)
		if !b.ask.possible(s.know, g) {
			return false
		}
		s.know.ge(g)
	}
	return !s.know.bad
}

// notFollowed says what is not shown of an access through an address of which no object is known.
const notFollowed = "the address is one of an object"

// access checks that n bytes at v can be accessed, at an address that is a multiple of align; the run
// ends where they cannot. The object is nil for an address that is not known to be in one.
func (b *builder) access(s *state, v value, n, align int64) (*object, bool) {
	switch v.kind {
	case ptrValue:
		o := s.object(v.obj)
		if o == nil || o.list != nil {
			b.fault(s, verdict.Memory, "the object is there")
			s.inexact("access through a pointer to an object that is gone")
			return nil, true
		}
		if o.ended {
			b.fault(s, verdict.Memory, "the scope of the local is not over")
		}
		if !b.opts.AnyAlignment && !s.know.aligned(v.lin, o.align, align) {
			b.fault(s, verdict.Memory, "the address is aligned")
		}
		return o, b.between(s, v.lin, o.size.AddInt(-n), verdict.Memory)
	case intValue:
		b.fault(s, verdict.Memory, notFollowed)
		s.inexact("access through an address that is not followed")
		if b.opts.AddressZero {
			return nil, true
		}
		if !b.ask.possible(s.know, v.lin.AddInt(-1)) {
			return nil, false // null
		}
		s.know.ge(v.lin.AddInt(-1))
		return nil, !s.know.bad
	case funcValue:
		b.fault(s, verdict.Memory, "the address is no function's")
		return nil, false
	}
	b.fault(s, verdict.Memory, notFollowed)
	s.inexact("access through an address that is not followed")
	return nil, true
}

// aligned reports that an address is a multiple of n: its object's is one of objAlign.
func (k *know) aligned(off exact.Lin, objAlign, n int64) bool {
	if n <= 1 {
		return true
	}
	r := k.residue(off)
	multiple := func(c exact.Int) bool { return c.Sub(c.FloorDiv(exact.I(n)).Mul(exact.I(n))).IsZero() }
	return objAlign%n == 0 && multiple(r.mod) && multiple(r.rest)
}

// inRegion reports whether n bytes at the address p lie in one volatile region.
func (b *builder) inRegion(s *state, p value, n int64) bool {
	if p.kind != intValue {
		return false
	}
	i := s.know.interval(p.lin)
	for _, r := range b.opts.Regions {
		if r.Access != ir.AccessVolatile || r.NoRead {
			continue
		}
		lo, end := exact.FromBig(new(big.Int).SetUint64(r.Base)), exact.FromBig(new(big.Int).SetUint64(r.Base))
		end = end.Add(exact.FromBig(new(big.Int).SetUint64(r.Size)))
		if i.hasLo && i.hasHi && i.lo.Cmp(lo) >= 0 && i.hi.Add(exact.I(n)).Cmp(end) <= 0 {
			return true
		}
	}
	return false
}

func (b *builder) store(s *state, in *ir.Instr) result {
	return b.put(s, in, in.Args[1], b.value(s, in.Args[0]))
}

// update reads, and writes what an atomicrmw makes of it; handlers that run in between are woven in (LangRef: atomicrmw).
func (b *builder) update(s *state, in *ir.Instr) result {
	if r := b.load(s, in); r.kind != advanced {
		return r
	}
	old, by := b.value(s, in), b.value(s, in.Args[1])
	switch {
	case in.RMW == "xchg":
		return b.put(s, in, in.Args[0], by)
	case (in.RMW == "add" || in.RMW == "sub") && old.kind == intValue && by.kind == intValue:
		w, as := in.T.Width, b.wrapping(in)
		x, _ := b.read(s, old, w, as)
		y, _ := b.read(s, by, w, as)
		if in.RMW == "sub" {
			y = y.Neg()
		}
		return b.put(s, in, in.Args[0], number(b.fit(s, x.Add(y), w, as), as))
	}
	s.inexact(in.RMW + " of an atomicrmw")
	return b.put(s, in, in.Args[0], b.fresh(s, in.T, b.nameOf(in), b.class(in)))
}

// put writes v to an address.
func (b *builder) put(s *state, in *ir.Instr, address ir.Value, v value) result {
	n := b.m.Layout.StoreSize(in.Access)
	p := b.value(s, address)
	o, ok := b.access(s, p, n, int64(in.Align))
	if !ok {
		return stop("invalid write")
	}
	if o == nil {
		if !b.inRegion(s, p, n) {
			b.forgetAll(s)
		}
		return result{kind: advanced}
	}
	if o.global != nil && o.global.Const {
		b.fault(s, verdict.Memory, "the object is no constant")
		return stop("write to a constant")
	}
	b.learnStore(s, o, p.lin, v)
	b.write(s, o.id, p.lin, n, v)
	return result{kind: advanced}
}

// write puts a value into an object and forgets what it may overlap.
func (b *builder) write(s *state, id int, off exact.Lin, n int64, v value) {
	read := b.kill(s, id, off, exact.C(n))
	o := s.own(id)
	o.written = o.written.with(s.know.plain(off), n)
	switch v.kind {
	case intValue, ptrValue, funcValue, boolValue, opaqueValue:
		o.cells = append(o.cells, cell{off: off, size: n, val: v, read: read})
	default:
		o.rest = unknownBytes
	}
}

// kill forgets the cells that may overlap n bytes at off. The bytes between
// stay known only when the write covers them: with a constant length that
// follows from the cell that the caller puts there. It tells whether such a cell
// was read since the last cut point.
func (b *builder) kill(s *state, id int, off, n exact.Lin) (read bool) {
	o := s.own(id)
	kept := o.cells[:0]
	for _, c := range o.cells {
		before := b.ask.proves(s.know, off.Sub(c.off).AddInt(-c.size))
		if before || b.ask.proves(s.know, c.off.Sub(off).Sub(n)) {
			kept = append(kept, c)
			continue
		}
		if n.IsConst() && n.Const.Equal(exact.I(c.size)) && b.same(s, c.off, off) {
			read = read || c.read
		} else {
			o.rest = unknownBytes // bytes of c that the write leaves are no longer known
		}
	}
	o.cells = kept
	return read
}

// forget drops what is known of an object's content that others can reach.
func (b *builder) forget(s *state, id int) {
	o := s.objs[id]
	switch {
	case o.private, o.global != nil && o.global.Const:
	case o.list != nil:
		if b.mayHold(s, o) {
			b.fault(s, verdict.Leak, "heap memory stays known")
		}
		s.drop(id) // who knows what its blocks point to now
	default:
		o = s.own(id)
		o.cells, o.rest = nil, unknownBytes
	}
}

// forgetAll drops what a write through an unknown address may change.
func (b *builder) forgetAll(s *state) {
	b.loseFrame(s)
	for _, id := range append([]int(nil), s.order...) {
		b.forget(s, id)
	}
}

// forgetRange drops n bytes at off of an object.
func (b *builder) forgetRange(s *state, id int, off, n exact.Lin) {
	b.kill(s, id, off, n)
	s.own(id).rest = unknownBytes
}
