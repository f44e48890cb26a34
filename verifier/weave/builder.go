package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// builder appends instructions to a block of a module.
type builder struct {
	m     *ir.Module
	f     *ir.Func // the function that is made or changed
	block *ir.Block
	out   *[]*ir.Instr // where new instructions are added: block's, or its future ones
	pos   *verdict.Pos // of the new instructions
	decls []*ir.Func   // declarations that done adds to the module
	// IDs of the assumptions that new instructions bring into the program
	assumes []string
}

// newFunction begins a function of m that returns what like returns, at pos.
func newFunction(m *ir.Module, name string, ret *ir.Type, at verdict.Pos) *builder {
	b := &builder{m: m, f: &ir.Func{Name: name, CName: name, Ret: ret, Pos: at}, pos: &at}
	b.at(b.newBlock("entry"))
	return b
}

// around begins a function of m that is called in place of entry, with its position
// and its result.
func around(m *ir.Module, name string, entry *ir.Func) *builder {
	b := newFunction(m, name, entry.Ret, entry.Pos)
	b.f.DRet = entry.DRet
	b.pos = &verdict.Pos{File: entry.Pos.File, Line: entry.Pos.Line, Column: entry.Pos.Column, Function: entry.CName}
	return b
}

// done numbers the function that was made and adds it to the module.
func (b *builder) done() *ir.Func {
	b.finish()
	b.m.Funcs = append(append(b.m.Funcs, b.decls...), b.f)
	return b.f
}

// rewrite gives blk a new list of instructions: emit is called for each instruction of
// the old list, with the builder at its position, and adds what takes its place.
func (b *builder) rewrite(blk *ir.Block, emit func(in *ir.Instr)) {
	out := make([]*ir.Instr, 0, len(blk.Instrs))
	b.block, b.out = blk, &out
	for _, in := range blk.Instrs {
		b.pos = in.Pos
		emit(in)
	}
	blk.Instrs = out
}

// keep appends an instruction of the program itself.
func (b *builder) keep(in *ir.Instr) {
	in.Block = b.block
	*b.out = append(*b.out, in)
}

// rewriteFunc does that for all blocks of f. emit may split the block that it writes: it
// ends it and goes on in a new one.
func (b *builder) rewriteFunc(f *ir.Func, emit func(in *ir.Instr)) {
	blocks := f.Blocks
	b.f, f.Blocks = f, make([]*ir.Block, 0, len(blocks))
	ends := map[*ir.Block]*ir.Block{} // where the terminator of a block is now
	for _, blk := range blocks {
		old := blk.Instrs
		blk.Instrs = make([]*ir.Instr, 0, len(old))
		b.at(blk)
		for _, in := range old {
			b.pos = in.Pos
			emit(in)
		}
		ends[blk] = b.block
	}
	for _, blk := range blocks {
		for _, in := range blk.Instrs {
			if in.Op != ir.OpPhi {
				break
			}
			for i, from := range in.Incoming {
				in.Incoming[i] = ends[from]
			}
		}
	}
	b.finish()
}

// finish numbers the function's blocks and instructions.
func (b *builder) finish() {
	for i, blk := range b.f.Blocks {
		blk.Index = i
	}
	ir.Number(b.f)
	ir.SetPreds(b.f)
}

func (b *builder) newBlock(name string) *ir.Block { return &ir.Block{Name: name, Func: b.f} }

// at continues in blk, which becomes the function's next block.
func (b *builder) at(blk *ir.Block) {
	b.f.Blocks = append(b.f.Blocks, blk)
	b.block, b.out = blk, &blk.Instrs
}

func (b *builder) emit(in *ir.Instr) *ir.Instr {
	if in.T == nil {
		in.T = ir.Void()
	}
	in.Block, in.Pos = b.block, b.pos
	in.Assumes = append(in.Assumes, b.assumes...)
	*b.out = append(*b.out, in)
	return in
}

func (b *builder) ptr() *ir.Type { return ir.Ptr(b.m.Layout.PtrBits) }

// word is the integer type as wide as a pointer.
func (b *builder) word() *ir.Type { return ir.Int(b.m.Layout.PtrBits) }

func (b *builder) null() ir.Value { return &ir.Const{T: b.ptr(), Kind: ir.ConstNull} }

func (b *builder) int(t *ir.Type, n int64) ir.Value {
	return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.NewInt(t.Width, n)}
}

func (b *builder) addrOfFunc(f *ir.Func) ir.Value {
	return &ir.Const{T: b.ptr(), Kind: ir.ConstAddr, Func: f}
}

func (b *builder) addrOfGlobal(g *ir.Global) ir.Value {
	return &ir.Const{T: b.ptr(), Kind: ir.ConstAddr, Global: g}
}

func (b *builder) call(f *ir.Func, args ...ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpCall, T: f.Ret, Args: args, Sig: f.Sig(), Model: f.Model, Callee: b.addrOfFunc(f)})
}

// letHandlersRun puts a point for interrupt handlers here, if the program has any.
func (b *builder) letHandlersRun() {
	if point := b.m.Func(Point); point != nil && !point.IsDecl() {
		b.call(point)
	}
}

// model calls a function that the engines implement themselves. It is declared under
// name, if the module does not declare it like this already.
func (b *builder) model(k ir.Model, name string, ret *ir.Type, args ...ir.Value) *ir.Instr {
	return b.call(b.declare(k, name, ret, args), args...)
}

// declare finds or makes the declaration of such a function.
func (b *builder) declare(k ir.Model, name string, ret *ir.Type, args []ir.Value) *ir.Func {
	f := &ir.Func{Name: name, CName: name, Ret: ret, Model: k, Pos: b.f.Pos}
	for i, a := range args {
		f.Params = append(f.Params, &ir.Param{Index: i, T: a.Type()})
	}
	for _, old := range slices.Concat(b.decls, b.m.Funcs) {
		if old.Name == name && old.Model == k && old.Sig().Equal(f.Sig()) {
			return old
		}
	}
	b.decls = append(b.decls, f)
	return f
}

// nondet is any value of type t, shown under a name.
func (b *builder) nondet(name string, t *ir.Type) *ir.Instr { return b.model(ir.ModelNondet, name, t) }

func (b *builder) assume(c ir.Value) *ir.Instr {
	return b.model(ir.ModelAssume, "firmproof.assume", ir.Void(), c)
}

func (b *builder) compare(p ir.Pred, x, y ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpIcmp, T: ir.Int(1), Pred: p, Args: []ir.Value{x, y}})
}

// bounds returns the conditions that the number v, with a sign or without, is at least low and at most high.
func (b *builder) bounds(v ir.Value, low, high int64, signed bool) (least, most *ir.Instr) {
	t, below, above := v.Type(), ir.ULE, ir.UGE
	if signed {
		below, above = ir.SLE, ir.SGE
	}
	return b.compare(above, v, b.int(t, fits(low, t.Width, signed))),
		b.compare(below, v, b.int(t, fits(high, t.Width, signed)))
}

// resize zero-extends or truncates v to t.
func (b *builder) resize(v ir.Value, t *ir.Type) ir.Value {
	switch w := v.Type().Width; {
	case w < t.Width:
		return b.emit(&ir.Instr{Op: ir.OpZext, T: t, Args: []ir.Value{v}})
	case w > t.Width:
		return b.emit(&ir.Instr{Op: ir.OpTrunc, T: t, Args: []ir.Value{v}})
	}
	return v
}

func (b *builder) alloca(name string, t *ir.Type, n ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpAlloca, Name: name, T: b.ptr(), Access: t, Args: []ir.Value{n},
		Align: int(b.m.Layout.AlignOf(t))})
}

// binary computes x op y, of integers of one type.
func (b *builder) binary(op ir.Op, x, y ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: op, T: x.Type(), Args: []ir.Value{x, y}})
}

func (b *builder) and(x, y ir.Value) *ir.Instr { return b.binary(ir.OpAnd, x, y) }
func (b *builder) or(x, y ir.Value) *ir.Instr  { return b.binary(ir.OpOr, x, y) }
func (b *builder) xor(x, y ir.Value) *ir.Instr { return b.binary(ir.OpXor, x, y) }

// load reads a value at an address of any alignment.
func (b *builder) load(t *ir.Type, from ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpLoad, T: t, Args: []ir.Value{from}, Access: t, Align: 1})
}

// store writes v to an address that is a multiple of align bytes.
func (b *builder) store(v, to ir.Value, align int) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpStore, Args: []ir.Value{v, to}, Access: v.Type(), Align: align})
}

// gep is p + off + i*scale; i may be nil.
func (b *builder) gep(p ir.Value, off int64, i ir.Value, scale int64) *ir.Instr {
	in := &ir.Instr{Op: ir.OpGep, T: b.ptr(), Args: []ir.Value{p}, Off: off}
	if i != nil {
		in.Args, in.Scales = append(in.Args, i), []int64{scale}
	}
	return b.emit(in)
}

func (b *builder) jump(to *ir.Block) { b.emit(&ir.Instr{Op: ir.OpBr, Targets: []*ir.Block{to}}) }

func (b *builder) branch(c ir.Value, yes, no *ir.Block) {
	b.emit(&ir.Instr{Op: ir.OpCondBr, Args: []ir.Value{c}, Targets: []*ir.Block{yes, no}})
}

// ret ends the function with the result of call, if the function has one.
func (b *builder) ret(call *ir.Instr) {
	in := &ir.Instr{Op: ir.OpRet}
	if !b.f.Ret.IsVoid() {
		in.Args = []ir.Value{call}
	}
	b.emit(in)
}

// unsupported is a construct that is not modelled: a run that reaches it is unknown.
func (b *builder) unsupported(what string) { b.emit(&ir.Instr{Op: ir.OpUnsupported, What: what}) }

// root returns the pointer that an address is computed from.
func root(v ir.Value) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpGep && in.Op != ir.OpBitcast && in.Op != ir.OpFreeze {
			return v
		}
		v = in.Args[0]
	}
}

// paramVars are f's parameters as C variables: at -O0 a parameter is stored to its
// variable first. nil where there is none.
func paramVars(f *ir.Func) []*ir.Var {
	slots := map[ir.Value]*ir.Var{}
	out := make([]*ir.Var, len(f.Params))
	for _, v := range f.Vars {
		if p, ok := v.Slot.(*ir.Param); ok {
			out[p.Index] = v
		} else if v.Slot != nil {
			slots[v.Slot] = v
		}
	}
	for _, i := range f.Blocks[0].Instrs {
		if i.Op != ir.OpStore {
			continue
		}
		if p, ok := i.Args[0].(*ir.Param); ok && slots[i.Args[1]] != nil {
			out[p.Index] = slots[i.Args[1]]
		}
	}
	return out
}

// calledFunc is the function that in calls directly, or nil.
func calledFunc(in *ir.Instr) *ir.Func {
	if k, ok := in.Callee.(*ir.Const); ok && in.Op == ir.OpCall && k.Kind == ir.ConstAddr && k.Off == 0 {
		return k.Func
	}
	return nil
}
