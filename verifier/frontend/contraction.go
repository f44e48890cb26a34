package frontend

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Contraction across statements (-ffp-contract=fast, GCC's default): a sum may be rounded
// together with a product that reaches it through local variables. Beside each such
// variable lie the factors of the product that it holds, and whether it holds one:
//
//	t = a * b;  ->  t = a * b; t.x = a; t.y = b; t.is = 1
//	t + c       ->  t.is ? fmuladd(t.x, t.y, c) : t + c
//
// Products in other memory, in parameters and in results of calls are not followed.

// product holds the factors of a value, if is (nil: always) is not 0.
type product struct{ a, b, is ir.Value }

// contraction is the work on one function.
type contraction struct {
	*fn
	slots    map[*ir.Instr]*product // by variable: the places of the factors and of the mark
	products map[ir.Value]*product
	out      []*ir.Instr // the block, rewritten
}

// contract rewrites the function's sums, if its machine can round once.
func (x *fn) contract() {
	c := &contraction{fn: x, slots: map[*ir.Instr]*product{}, products: map[ir.Value]*product{}}
	sums := false
	for _, b := range x.out.Blocks {
		for _, i := range b.Instrs {
			sums = sums || contractible(i, ir.OpFadd, ir.OpFsub) && x.fuses(i.T)
		}
	}
	if !sums {
		return
	}
	c.variables()
	for _, b := range x.out.Blocks {
		c.out, x.pos = nil, nil
		for _, i := range b.Instrs {
			x.blk, x.pos = b, i.Pos
			c.instr(i)
		}
		b.Instrs = c.out
	}
}

func contractible(i *ir.Instr, ops ...ir.Op) bool {
	return i.Flags.Has(ir.Contract) && i.T.Kind == ir.KindFloat && i.T.Width <= 64 && slices.Contains(ops, i.Op)
}

// variables finds the local variables that products are stored to and that are only
// loaded and stored, and makes the places beside them.
func (c *contraction) variables() {
	used := map[*ir.Instr]bool{} // in another way
	stored := map[*ir.Instr][]ir.Value{}
	casts := map[*ir.Instr]*ir.Instr{}
	for _, b := range c.fn.out.Blocks {
		for _, i := range b.Instrs {
			for n, v := range i.Args {
				a, ok := v.(*ir.Instr)
				if ok && casts[a] != nil {
					used[casts[a]] = used[casts[a]] || i.Model != ir.ModelLifetimeStart &&
						i.Model != ir.ModelLifetimeEnd
				}
				if !ok || a.Op != ir.OpAlloca {
					continue
				}
				switch {
				case i.Op == ir.OpBitcast:
					casts[i] = a
				case i.Model == ir.ModelLifetimeStart, i.Model == ir.ModelLifetimeEnd: // without a cast, from LLVM 15 on
				case i.Flags.Has(ir.Volatile), i.Access == nil || i.Access.Kind != ir.KindFloat:
					used[a] = true
				case i.Op == ir.OpStore && n == 1:
					stored[a] = append(stored[a], i.Args[0])
				case i.Op != ir.OpLoad:
					used[a] = true
				}
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for a, vs := range stored {
			if used[a] || c.slots[a] != nil || a.Access.Kind != ir.KindFloat || a.Access.Width > 64 {
				continue
			}
			if slices.ContainsFunc(vs, c.mayBeProduct) {
				c.slots[a], grown = &product{}, true
			}
		}
	}
	for _, b := range c.fn.out.Blocks { // in order
		for _, a := range b.Instrs {
			if p := c.slots[a]; p != nil {
				*p = product{c.beside(a, a.Access), c.beside(a, a.Access), c.beside(a, c.intType(8))}
			}
		}
	}
}

func (c *contraction) mayBeProduct(v ir.Value) bool {
	i, ok := v.(*ir.Instr)
	if !ok {
		return false
	}
	from, _ := load(i)
	return contractible(i, ir.OpFmul) || from != nil && c.slots[from] != nil
}

// load is the variable that i loads.
func load(i *ir.Instr) (*ir.Instr, bool) {
	if i.Op != ir.OpLoad || len(i.Args) == 0 {
		return nil, false
	}
	a, ok := i.Args[0].(*ir.Instr)
	return a, ok
}

// beside makes a place of type t, 0 at first, that lives as long as the function.
func (c *contraction) beside(a *ir.Instr, t *ir.Type) ir.Value {
	own := &ir.Instr{Op: ir.OpAlloca, T: c.ptr, Access: t, Align: int(c.m.Layout.AlignOf(t)),
		Args: []ir.Value{c.intConst(32, 1)}, Pos: a.Pos, Name: a.Name + ".factor"}
	zero := &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.New(t.Width, 0)}
	c.locals = append(c.locals, own, &ir.Instr{Op: ir.OpStore, T: c.void, Access: t, Align: own.Align, Pos: a.Pos,
		Args: []ir.Value{zero, own}})
	return own
}

func (c *contraction) put(i *ir.Instr) *ir.Instr {
	if i.T == nil {
		i.T = c.void
	}
	i.Pos, i.Block = c.pos, c.blk
	c.out = append(c.out, i)
	return i
}

func (c *contraction) store(v, to ir.Value, t *ir.Type) {
	c.put(&ir.Instr{Op: ir.OpStore, Access: t, Align: int(c.m.Layout.AlignOf(t)), Args: []ir.Value{v, to}})
}

func (c *contraction) load(from ir.Value, t *ir.Type) ir.Value {
	return c.put(&ir.Instr{Op: ir.OpLoad, T: t, Access: t, Align: int(c.m.Layout.AlignOf(t)), Args: []ir.Value{from}})
}

// instr appends i with what belongs to it.
func (c *contraction) instr(i *ir.Instr) {
	if contractible(i, ir.OpFadd, ir.OpFsub) && c.fuses(i.T) {
		c.sum(i)
		return
	}
	c.out = append(c.out, i)
	switch from, _ := load(i); {
	case contractible(i, ir.OpFmul):
		c.products[i] = &product{a: i.Args[0], b: i.Args[1]}
	case from != nil && c.slots[from] != nil:
		p := c.slots[from]
		c.products[i] = &product{c.load(p.a, i.T), c.load(p.b, i.T), c.load(p.is, c.intType(8))}
	case i.Op == ir.OpStore:
		to, _ := i.Args[1].(*ir.Instr)
		place := c.slots[to]
		if place == nil {
			return
		}
		p := c.products[i.Args[0]]
		if p == nil {
			c.store(c.intConst(8, 0), place.is, c.intType(8))
			return
		}
		is := p.is
		if is == nil {
			is = c.intConst(8, 1)
		}
		c.store(p.a, place.a, i.Access)
		c.store(p.b, place.b, i.Access)
		c.store(is, place.is, c.intType(8))
	}
}

// sum makes i what it is, or rounded once with one of its operands that is a product.
func (c *contraction) sum(i *ir.Instr) {
	plain := *i
	var now ir.Value = c.put(&plain)
	var last *ir.Instr
	for n, v := range i.Args {
		p := c.products[v]
		if p == nil {
			continue
		}
		a, other := p.a, i.Args[1-n]
		if i.Op == ir.OpFsub {
			if n == 0 {
				other = c.negated(other)
			} else {
				a = c.negated(a)
			}
		}
		fused := c.fmuladd(a, p.b, other)
		cond := c.holds(p)
		if last != nil { // either product
			any := c.put(&ir.Instr{Op: ir.OpIcmp, Pred: ir.SLT, T: c.intType(1),
				Args: []ir.Value{c.callOf(c.helper("firmproof.truth.i8", c.intType(8), c.intType(8)), c.intConst(8, 1)),
					c.intConst(8, 0)}})
			cond = c.put(&ir.Instr{Op: ir.OpAnd, T: c.intType(1), Args: []ir.Value{cond, any}})
		}
		last = c.put(&ir.Instr{Op: ir.OpSelect, T: i.T, Args: []ir.Value{cond, fused, now}})
		now = last
	}
	if last == nil {
		c.out[len(c.out)-1] = i
		return
	}
	c.out = c.out[:len(c.out)-1] // i itself takes the place of the last choice: others name it
	name := i.Name
	*i = *last
	i.Name = name
	c.out = append(c.out, i)
}

// holds is the condition that p is there.
func (c *contraction) holds(p *product) ir.Value {
	if p.is == nil {
		return c.intConst(1, 1)
	}
	return c.put(&ir.Instr{Op: ir.OpIcmp, Pred: ir.NE, T: c.intType(1), Args: []ir.Value{p.is, c.intConst(8, 0)}})
}

func (c *contraction) negated(v ir.Value) ir.Value {
	return c.put(&ir.Instr{Op: ir.OpFneg, T: v.Type(), Args: []ir.Value{v}})
}

func (c *contraction) fmuladd(a, b, sum ir.Value) ir.Value {
	t := sum.Type()
	name := map[int]string{16: "llvm.fmuladd.f16", 32: "llvm.fmuladd.f32", 64: "llvm.fmuladd.f64"}[t.Width]
	return c.callOf(c.helper(name, t, t, t, t), a, b, sum)
}

func (c *contraction) callOf(f *ir.Func, args ...ir.Value) ir.Value {
	return c.put(&ir.Instr{Op: ir.OpCall, T: f.Ret, Callee: &ir.Const{T: c.ptr, Kind: ir.ConstAddr, Func: f},
		Model: f.Model, Sig: signatureOf(f), Args: args})
}
