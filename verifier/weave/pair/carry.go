package pair

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// carry gives what the old version has at to what the new one has at from, as far as both have it.
func (w *pairing) carry(c *common, to, from ir.Value) {
	w.lost(c, to)
	switch c.kind {
	case commonBytes:
		w.copyBytes(to, from, w.Int(w.Word(), ir.SizeInC(c.t[1])))
	case commonStruct:
		for _, p := range c.parts {
			w.carry(p, w.Gep(to, p.off[0], nil, 0), w.Gep(from, p.off[1], nil, 0))
		}
	case commonArray:
		one := c.parts[0]
		if one.kind == commonBytes {
			w.copyBytes(to, from, w.Int(w.Word(), c.count*ir.SizeInC(one.t[1])))
			return
		}
		for k := range c.count {
			w.carry(one, w.Gep(to, k*ir.SizeInC(one.t[0]), nil, 0), w.Gep(from, k*ir.SizeInC(one.t[1]), nil, 0))
		}
	case commonPointer:
		w.Store(w.corresponding(c.name, w.Load(w.Ptr(), from), c.t[1]), to, 1)
	case commonNumber:
		v := w.number(c, 1, from)
		w.setNumber(c.bits[0], to, v)
		w.Assume(w.Compare(ir.EQ, w.number(c, 0, to), v)) // both can hold it
		if c.t[0].Kind == ir.DBool || c.t[1].Kind == ir.DBool {
			w.Assume(w.Compare(ir.ULE, v, w.Int(v.Type(), 1)))
		}
	}
}

// number reads a number of a version, extended so that numbers of both can be compared.
func (w *pairing) number(c *common, side int, at ir.Value) ir.Value {
	b := c.bits[side]
	var v ir.Value = w.Load(ir.Int(int(b.read)), at)
	if b.swapped {
		v = w.exchanged(v)
	}
	if b.off > 0 {
		v = w.Binary(ir.OpLshr, v, w.Int(v.Type(), b.off))
	}
	v = w.Resize(v, ir.Int(int(b.width)))
	return w.widen(v, int(max(c.bits[0].width, c.bits[1].width)+1), &ir.DType{Signed: b.signed})
}

// setNumber writes a number where its bits are.
func (w *pairing) setNumber(b bits, at, v ir.Value) {
	v = w.Resize(v, ir.Int(int(b.width)))
	if b.swapped {
		v = w.exchanged(v)
	}
	if b.width == b.read {
		w.Store(v, at, 1)
		return
	}
	t := ir.Int(int(b.read))
	one := w.Binary(ir.OpShl, w.Resize(w.Int(ir.Int(int(b.width)), -1), t), w.Int(t, b.off))
	set := w.Binary(ir.OpShl, w.Resize(v, t), w.Int(t, b.off))
	kept := w.And(w.Load(t, at), w.Xor(one, w.Int(t, -1)))
	w.Store(w.Or(kept, set), at, 1)
}

// lost gives pointers and truth values among the members that the old version alone has values. What such a pointer leads
// to is not known: what goes there is no finding.
func (w *pairing) lost(c *common, at ir.Value) {
	for _, f := range c.gone {
		if f.IsBits || f.T == nil {
			continue
		}
		off := f.BitOff / 8
		if f.T.Kind == ir.DBool {
			w.Store(w.Resize(w.Nondet(f.Name, ir.Int(1)), ir.Int(max(8, f.T.Bits))), w.Gep(at, off, nil, 0), 1)
		}
		for _, p := range places.PointersIn(f.T, f.Name, off) {
			null := w.Nondet(p.Name+" is null", ir.Int(1))
			v := w.Emit(&ir.Instr{Op: ir.OpSelect, T: w.Ptr(), Args: []ir.Value{null, w.Null(), w.nowhere(p.Name)}})
			w.Store(v, w.Gep(at, p.Off, nil, 0), 1)
		}
	}
}

// nowhere is a block that stands for what a pointer leads to of which nothing is known.
func (w *pairing) nowhere(name string) ir.Value {
	p := w.Model(ir.ModelMalloc, "malloc", w.Ptr(), w.Int(w.Word(), 1))
	p.Name = ir.BehindPointer + OldPrefix + name
	w.Assume(w.Compare(ir.NE, p, w.Null()))
	w.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), p, w.Int(w.Word(), 1))
	w.out.Guesses = append(w.out.Guesses, OldPrefix+name)
	w.out.Assumptions = verdict.AddAssumptions(w.out.Assumptions, verdict.Assume(OldPrefix+name, verdict.Extent, verdict.Chosen,
		"what "+name+", which only the old version has, leads to is not known"))
	return p
}

// corresponding is what the old version has in the place of a pointer v of the new one, of type t.
func (w *pairing) corresponding(name string, v ir.Value, t *ir.DType) ir.Value {
	out := v
	one := ir.Int(1)
	not := func(v ir.Value) ir.Value { return w.Xor(v, w.Int(one, -1)) }
	var known ir.Value = w.Compare(ir.EQ, v, w.Null())
	var whole ir.Value = w.Int(one, -1)
	off := w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), v)
	for _, x := range w.twins {
		here := w.Model(ir.ModelSameObject, "firmproof.same.object", one, v, x.at[1])
		size := w.Int(w.Word(), x.size[1])
		known = w.Or(known, here)
		whole = w.And(whole, w.Or(not(here), w.Compare(ir.EQ, w.Binary(ir.OpUrem, off, size), w.Int(w.Word(), 0))))
		to := w.Gep(x.at[0], 0, w.Binary(ir.OpUdiv, off, size), x.size[0])
		out = w.Emit(&ir.Instr{Op: ir.OpSelect, T: w.Ptr(), Args: []ir.Value{here, to, out}})
	}
	if t != nil && t.Kind == ir.DPointer && w.hasTwin(t.Elem) {
		whole = w.And(whole, known)
	}
	w.claim(FactPointer, name, whole)
	return out
}

// compareCommon asserts that both versions hold the same, as far as both have it: p of the new version, q of the old one.
func (w *pairing) compareCommon(kind FactKind, name string, c *common, p, q ir.Value) {
	switch name += c.name; c.kind {
	case commonBytes:
		w.compareAt(kind, name, c.t[1], p, q)
	case commonStruct:
		for _, x := range c.parts {
			w.compareCommon(kind, name, x, w.Gep(p, x.off[1], nil, 0), w.Gep(q, x.off[0], nil, 0))
		}
	case commonArray:
		one := c.parts[0]
		i := w.indexBelow(name, c.count)
		w.compareCommon(kind, name, one, w.Gep(p, 0, i, ir.SizeInC(one.t[1])), w.Gep(q, 0, i, ir.SizeInC(one.t[0])))
	case commonPointer:
		w.comparePointers(kind, name, w.Load(w.Ptr(), q), w.Load(w.Ptr(), p))
	case commonNumber:
		w.claim(kind, name, w.Compare(ir.EQ, w.number(c, 0, q), w.number(c, 1, p)))
	}
}
