package pair

import "github.com/firmproof/firmproof/verifier/ir"

// corresponds is true of pointers of both versions that lead to the same element of twins, or to the same member of it; same is
// true if they lead to twins of each other.
func (w *pairing) corresponds(x, y ir.Value) (equal, same ir.Value) {
	equal, same = w.Int(ir.Int(1), 0), w.Int(ir.Int(1), 0)
	was := w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), x)
	is := w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), y)
	for _, t := range w.twins {
		here := w.And(w.Model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), x, t.at[0]),
			w.Model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), y, t.at[1]))
		same = w.Or(same, here)
		var k ir.Value = w.Int(w.Word(), 0)
		if t.count > 1 {
			k = w.Binary(ir.OpUdiv, is, w.Int(w.Word(), t.size[1]))
		}
		if t.opaque {
			equal = w.Or(equal, here)
			continue
		}
		for _, off := range append(t.c.starts([2]int64{}), t.size) {
			at := func(side int) ir.Value {
				return w.Binary(ir.OpAdd, w.Binary(ir.OpMul, k, w.Int(w.Word(), t.size[side])), w.Int(w.Word(), off[side]))
			}
			equal = w.Or(equal, w.And(here, w.And(w.Compare(ir.EQ, was, at(0)), w.Compare(ir.EQ, is, at(1)))))
		}
	}
	return equal, same
}

// leadsToTwin is true of a pointer into memory that a version has a twin of.
func (w *pairing) leadsToTwin(side int, v ir.Value) ir.Value {
	var out ir.Value = w.Int(ir.Int(1), 0)
	for _, x := range w.twins {
		out = w.Or(out, w.Model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), v, x.at[side]))
	}
	return out
}

// starts lists where parts begin, in both layouts: of an array of the same layout, itself alone.
func (c *common) starts(from [2]int64) (out [][2]int64) {
	c.each(from, func(_ *common, at [2]int64) { out = append(out, at) })
	return out
}

// each has see look at c, at an offset in both layouts, and then at its parts.
func (c *common) each(from [2]int64, see func(c *common, at [2]int64)) {
	at := [2]int64{from[0] + c.off[0], from[1] + c.off[1]}
	see(c, at)
	switch c.kind {
	case commonStruct:
		for _, p := range c.parts {
			p.each(at, see)
		}
	case commonArray:
		one := c.parts[0]
		for k := range c.count {
			one.each([2]int64{at[0] + k*ir.SizeInC(one.t[0]), at[1] + k*ir.SizeInC(one.t[1])}, see)
		}
	}
}
