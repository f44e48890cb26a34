package seg

import (
	"math/big"
	"math/rand"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// concrete is a machine state that an abstract state stands for.
type concrete struct {
	bytewise
	b       *builder
	value   map[exact.Var]exact.Int
	blobs   map[int]*blob
	globals map[*ir.Global]*blob
	tab     *linear.Tableau
}

// concretise returns some machine state that s stands for; nil where none was found.
func concretise(b *builder, s *state, r *rand.Rand) *concrete {
	c := &concrete{bytewise: bytewise{m: b.m, r: r, funcs: map[*ir.Func]uint64{}}, b: b,
		blobs: map[int]*blob{}, globals: map[*ir.Global]*blob{}, value: map[exact.Var]exact.Int{}}
	for n, f := range b.m.Funcs {
		c.funcs[f] = uint64(c.beyond(0)) + uint64(n)*16
	}
	for _, o := range s.objs {
		if o.list != nil {
			return nil
		}
	}
	if s.know.bad || !c.model(s) {
		return nil
	}
	for _, id := range s.order {
		if !c.fill(s.objs[id], c.blobs[id]) {
			return nil
		}
	}
	for _, id := range s.order {
		if !c.look(s.objs[id], c.blobs[id]) {
			return nil
		}
	}
	for _, f := range s.frames {
		g := &machineFrame{fn: f.fn, blk: f.blk, idx: f.idx, regs: map[ir.Value]word{}, call: f.call}
		for _, a := range sortedValues(f.vals) {
			w, ok := c.word(f.vals[a], a.Type())
			if !ok {
				return nil
			}
			g.regs[a] = w
		}
		for _, id := range f.objs {
			if c.blobs[id] != nil {
				g.own = append(g.own, c.blobs[id])
			}
		}
		if f.bottom {
			return nil
		}
		c.frames = append(c.frames, g)
	}
	return c
}

func (c *concrete) eval(e exact.Lin) (exact.Int, bool) {
	for _, t := range e.Terms {
		if _, ok := c.value[t.Var]; !ok {
			return exact.Int{}, false
		}
	}
	return e.Eval(func(v exact.Var) exact.Int { return c.value[v] }), true
}

// fill writes what s says of an object into p, and anything elsewhere.
func (c *concrete) fill(o *object, p *blob) bool {
	p.heap, p.readOnly = o.heap, o.global != nil && o.global.Const
	switch o.rest {
	case zeroBytes:
		clear(p.bytes)
	case initBytes:
		if c.image(o.global.T, o.global.Init, p.bytes, c.global) != nil {
			return false
		}
	}
	other := c.r.Intn(2) == 0
	for n := range p.set {
		p.set[n] = other || o.written.covers(exact.C(int64(n)), 1)
	}
	for _, x := range narrowFirst(o.cells) {
		off, inside := c.inside(x, p)
		w, ok := c.word(x.val, ir.Int(int(8*x.size)))
		if !inside || !ok {
			continue // see look
		}
		c.bytesOf(ir.Int(int(8*x.size)), w, p.bytes[off:])
	}
	return true
}

// inside is where a cell is in p, if it is known and all of it is there: of one that is not, nothing is said.
func (c *concrete) inside(x cell, p *blob) (int64, bool) {
	at, ok := c.eval(x.off)
	off, fits := at.Int64()
	return off, ok && fits && off >= 0 && off+x.size <= int64(len(p.bytes))
}

// look gives the numbers that stand for what was read of bytes their values, and reports whether all cells hold then.
func (c *concrete) look(o *object, p *blob) bool {
	for _, x := range narrowFirst(o.cells) {
		off, inside := c.inside(x, p)
		if !inside {
			continue
		}
		t := ir.Int(int(8 * x.size))
		is := c.get(t, p.bytes[off:])
		if len(x.val.lin.Terms) == 1 && x.val.kind == intValue {
			if v := x.val.lin.Terms[0].Var; x.val.lin.IsVar(v) {
				n := exact.FromBig(is.n)
				if x.val.rep == signed {
					n = exact.FromBig(signedOf(is.n, t.Width))
				}
				if _, known := c.value[v]; !known && !c.try(v, n) {
					return false
				}
			}
		}
		if w, ok := c.word(x.val, t); !ok || x.val.kind != opaqueValue && w.n.Cmp(is.n) != 0 {
			return false
		}
	}
	return true
}

func (c *concrete) global(g *ir.Global) *blob {
	if p := c.globals[g]; p != nil {
		return p
	}
	if g.Init == nil || g.Unsupported != "" {
		return nil
	}
	p := c.place(c.m.Layout.SizeOf(g.T), int64(g.Align))
	c.globals[g], p.readOnly = p, g.Const
	for n := range p.set {
		p.set[n] = true
	}
	if c.image(g.T, g.Init, p.bytes, c.global) != nil {
		return nil
	}
	return p
}

// word is some value that v stands for.
func (c *concrete) word(v value, t *ir.Type) (word, bool) {
	w := bitsOf(&c.m.Layout, t)
	if v.kind == aggValue {
		var out word
		for i, m := range v.agg {
			x, ok := c.word(m, t.ElemAt(i))
			if !ok {
				return word{}, false
			}
			out.elems = append(out.elems, x)
		}
		return out, true
	}
	if w == 0 {
		return word{}, v.kind == opaqueValue
	}
	switch v.kind {
	case intValue:
		n, ok := c.eval(v.lin)
		lo, hi := limits(w, v.rep)
		if v.rep == anyRep {
			lo, hi = exact.Int{}, smax(w)
		}
		return word{n: wrapped(n.Big(), w)}, ok && n.Cmp(lo) >= 0 && n.Cmp(hi) <= 0
	case ptrValue:
		n, ok := c.eval(v.lin)
		if p := c.blobs[v.obj]; p != nil {
			n = n.Add(exact.I(int64(p.at)))
		} else {
			n = n.Add(exact.I(c.beyond(1)))
		}
		return word{n: wrapped(n.Big(), w)}, ok
	case boolValue:
		n, ok := c.eval(v.cond.lin)
		holds := map[rel]bool{relGE: n.Sign() >= 0, relEQ: n.IsZero(), relNE: !n.IsZero(), relAny: c.r.Intn(2) == 0}
		if ok = ok || v.cond.rel == relAny; holds[v.cond.rel] {
			return word{n: big.NewInt(1)}, ok
		}
		return word{n: new(big.Int)}, ok
	case funcValue:
		return word{n: new(big.Int).SetUint64(c.funcs[v.fn])}, true
	}
	return word{n: c.any(w)}, true
}
