// Package irbuild appends instructions to functions of a module.
package irbuild

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Builder appends instructions to a block of a module.
type Builder struct {
	Module *ir.Module
	Func   *ir.Func // the function that is made or changed
	Block  *ir.Block
	Out    *[]*ir.Instr // where new instructions are added: block's, or its future ones
	Pos    *verdict.Pos // of the new instructions
	Decls  []*ir.Func   // declarations that done adds to the module
	// IDs of the assumptions that new instructions bring into the program
	Assumes []string
}

// Function begins a function of m that returns what like returns, at pos.
func Function(m *ir.Module, name string, ret *ir.Type, at verdict.Pos) *Builder {
	b := &Builder{Module: m, Func: &ir.Func{Name: name, CName: name, Ret: ret, Pos: at}, Pos: &at}
	b.At(b.NewBlock("entry"))
	return b
}

// Around begins a function of m that is called in place of entry, with its position
// and its result.
func Around(m *ir.Module, name string, entry *ir.Func) *Builder {
	b := Function(m, name, entry.Ret, entry.Pos)
	b.Func.DRet = entry.DRet
	b.Pos = &verdict.Pos{File: entry.Pos.File, Line: entry.Pos.Line, Column: entry.Pos.Column, Function: entry.CName}
	return b
}

// Done numbers the function that was made and adds it to the module.
func (b *Builder) Done() *ir.Func {
	b.Finish()
	b.Module.Funcs = append(append(b.Module.Funcs, b.Decls...), b.Func)
	return b.Func
}

// Rewrite gives blk a new list of instructions: emit is called for each instruction of
// the old list, with the builder at its position, and adds what takes its place.
func (b *Builder) Rewrite(blk *ir.Block, emit func(in *ir.Instr)) {
	out := make([]*ir.Instr, 0, len(blk.Instrs))
	b.Block, b.Out = blk, &out
	for _, in := range blk.Instrs {
		b.Pos = in.Pos
		emit(in)
	}
	blk.Instrs = out
}

// Keep appends an instruction of the program itself.
func (b *Builder) Keep(in *ir.Instr) {
	in.Block = b.Block
	*b.Out = append(*b.Out, in)
}

// RewriteFunc does that for all blocks of f. emit may split the block that it writes: it
// ends it and goes on in a new one.
func (b *Builder) RewriteFunc(f *ir.Func, emit func(in *ir.Instr)) {
	blocks := f.Blocks
	b.Func, f.Blocks = f, make([]*ir.Block, 0, len(blocks))
	ends := map[*ir.Block]*ir.Block{} // where the terminator of a block is now
	for _, blk := range blocks {
		old := blk.Instrs
		blk.Instrs = make([]*ir.Instr, 0, len(old))
		b.At(blk)
		for _, in := range old {
			b.Pos = in.Pos
			emit(in)
		}
		ends[blk] = b.Block
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
	b.Finish()
}

// Finish numbers the function's blocks and instructions.
func (b *Builder) Finish() {
	for i, blk := range b.Func.Blocks {
		blk.Index = i
	}
	ir.Number(b.Func)
	ir.SetPreds(b.Func)
}

// NewBlock makes a block that the function does not have yet (At).
func (b *Builder) NewBlock(name string) *ir.Block { return &ir.Block{Name: name, Func: b.Func} }

// At continues in blk, which becomes the function's next block.
func (b *Builder) At(blk *ir.Block) {
	b.Func.Blocks = append(b.Func.Blocks, blk)
	b.Block, b.Out = blk, &blk.Instrs
}

// Emit adds an instruction at the position of the builder, with the assumptions that are to be brought in.
func (b *Builder) Emit(in *ir.Instr) *ir.Instr {
	if in.T == nil {
		in.T = ir.Void()
	}
	in.Block, in.Pos = b.Block, b.Pos
	in.Assumes = append(in.Assumes, b.Assumes...)
	*b.Out = append(*b.Out, in)
	return in
}

// Ptr is the type of addresses.
func (b *Builder) Ptr() *ir.Type { return ir.Ptr(b.Module.Layout.PtrBits) }

// Word is the integer type as wide as a pointer.
func (b *Builder) Word() *ir.Type { return ir.Int(b.Module.Layout.PtrBits) }

// Null is the null pointer.
func (b *Builder) Null() ir.Value { return &ir.Const{T: b.Ptr(), Kind: ir.ConstNull} }

// Int is n of type t.
func (b *Builder) Int(t *ir.Type, n int64) ir.Value {
	return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.NewInt(t.Width, n)}
}

// AddrOfFunc is the address of f.
func (b *Builder) AddrOfFunc(f *ir.Func) ir.Value {
	return &ir.Const{T: b.Ptr(), Kind: ir.ConstAddr, Func: f}
}

// AddrOfGlobal is the address of g.
func (b *Builder) AddrOfGlobal(g *ir.Global) ir.Value {
	return &ir.Const{T: b.Ptr(), Kind: ir.ConstAddr, Global: g}
}

// Call calls f.
func (b *Builder) Call(f *ir.Func, args ...ir.Value) *ir.Instr {
	return b.Emit(&ir.Instr{Op: ir.OpCall, T: f.Ret, Args: args, Sig: f.Sig(), Model: f.Model, Callee: b.AddrOfFunc(f)})
}

// LetHandlersRun puts a point for interrupt handlers here, if the program has any.
func (b *Builder) LetHandlersRun() {
	if point := b.Module.Func(Point); point != nil && !point.IsDecl() {
		b.Call(point)
	}
}

// Model calls a function that the engines implement themselves. It is declared under
// name, if the module does not declare it like this already.
func (b *Builder) Model(k ir.Model, name string, ret *ir.Type, args ...ir.Value) *ir.Instr {
	return b.Call(b.Declare(k, name, ret, args), args...)
}

// Declare finds or makes the declaration of such a function.
func (b *Builder) Declare(k ir.Model, name string, ret *ir.Type, args []ir.Value) *ir.Func {
	f := &ir.Func{Name: name, CName: name, Ret: ret, Model: k, Pos: b.Func.Pos}
	for i, a := range args {
		f.Params = append(f.Params, &ir.Param{Index: i, T: a.Type()})
	}
	for _, old := range slices.Concat(b.Decls, b.Module.Funcs) {
		if old.Name == name && old.Model == k && old.Sig().Equal(f.Sig()) {
			return old
		}
	}
	b.Decls = append(b.Decls, f)
	return f
}

// Nondet is any value of type t, shown under a name.
func (b *Builder) Nondet(name string, t *ir.Type) *ir.Instr { return b.Model(ir.ModelNondet, name, t) }

// Assume lets no execution pass in which c is false.
func (b *Builder) Assume(c ir.Value) *ir.Instr {
	return b.Model(ir.ModelAssume, "firmproof.assume", ir.Void(), c)
}

// Compare is the truth of x p y.
func (b *Builder) Compare(p ir.Pred, x, y ir.Value) *ir.Instr {
	return b.Emit(&ir.Instr{Op: ir.OpIcmp, T: ir.Int(1), Pred: p, Args: []ir.Value{x, y}})
}

// Bounds returns the conditions that the number v, with a sign or without, is at least low and at most high.
func (b *Builder) Bounds(v ir.Value, low, high int64, signed bool) (least, most *ir.Instr) {
	t, below, above := v.Type(), ir.ULE, ir.UGE
	if signed {
		below, above = ir.SLE, ir.SGE
	}
	return b.Compare(above, v, b.Int(t, fits(low, t.Width, signed))),
		b.Compare(below, v, b.Int(t, fits(high, t.Width, signed)))
}

// Resize zero-extends or truncates v to t.
func (b *Builder) Resize(v ir.Value, t *ir.Type) ir.Value {
	switch w := v.Type().Width; {
	case w < t.Width:
		return b.Emit(&ir.Instr{Op: ir.OpZext, T: t, Args: []ir.Value{v}})
	case w > t.Width:
		return b.Emit(&ir.Instr{Op: ir.OpTrunc, T: t, Args: []ir.Value{v}})
	}
	return v
}

// Alloca makes n objects of type t that live until the function returns.
func (b *Builder) Alloca(name string, t *ir.Type, n ir.Value) *ir.Instr {
	return b.Emit(&ir.Instr{Op: ir.OpAlloca, Name: name, T: b.Ptr(), Access: t, Args: []ir.Value{n},
		Align: int(b.Module.Layout.AlignOf(t))})
}

// Binary computes x op y, of integers of one type.
func (b *Builder) Binary(op ir.Op, x, y ir.Value) *ir.Instr {
	return b.Emit(&ir.Instr{Op: op, T: x.Type(), Args: []ir.Value{x, y}})
}

// And is x & y.
func (b *Builder) And(x, y ir.Value) *ir.Instr { return b.Binary(ir.OpAnd, x, y) }

// Or is x | y.
func (b *Builder) Or(x, y ir.Value) *ir.Instr { return b.Binary(ir.OpOr, x, y) }

// Xor is x ^ y.
func (b *Builder) Xor(x, y ir.Value) *ir.Instr { return b.Binary(ir.OpXor, x, y) }

// Load reads a value at an address of any alignment.
func (b *Builder) Load(t *ir.Type, from ir.Value) *ir.Instr {
	return b.Emit(&ir.Instr{Op: ir.OpLoad, T: t, Args: []ir.Value{from}, Access: t, Align: 1})
}

// Store writes v to an address that is a multiple of align bytes.
func (b *Builder) Store(v, to ir.Value, align int) *ir.Instr {
	return b.Emit(&ir.Instr{Op: ir.OpStore, Args: []ir.Value{v, to}, Access: v.Type(), Align: align})
}

// Gep is p + off + i*scale; i may be nil.
func (b *Builder) Gep(p ir.Value, off int64, i ir.Value, scale int64) *ir.Instr {
	in := &ir.Instr{Op: ir.OpGep, T: b.Ptr(), Args: []ir.Value{p}, Off: off}
	if i != nil {
		in.Args, in.Scales = append(in.Args, i), []int64{scale}
	}
	return b.Emit(in)
}

// Jump ends the block: it goes on in to.
func (b *Builder) Jump(to *ir.Block) { b.Emit(&ir.Instr{Op: ir.OpBr, Targets: []*ir.Block{to}}) }

// Branch ends the block: it goes on in yes where c holds, else in no.
func (b *Builder) Branch(c ir.Value, yes, no *ir.Block) {
	b.Emit(&ir.Instr{Op: ir.OpCondBr, Args: []ir.Value{c}, Targets: []*ir.Block{yes, no}})
}

// Ret ends the function with the result of call, if the function has one.
func (b *Builder) Ret(call *ir.Instr) {
	in := &ir.Instr{Op: ir.OpRet}
	if !b.Func.Ret.IsVoid() {
		in.Args = []ir.Value{call}
	}
	b.Emit(in)
}

// Unsupported is a construct that is not modelled: a run that reaches it is unknown.
func (b *Builder) Unsupported(what string) { b.Emit(&ir.Instr{Op: ir.OpUnsupported, What: what}) }

// fits returns the number of w bits that is nearest to n.
func fits(n int64, w int, signed bool) int64 {
	switch {
	case !signed && w < 63:
		return max(0, min(n, 1<<w-1))
	case !signed:
		return max(0, n)
	case w < 64:
		return max(-1<<(w-1), min(n, 1<<(w-1)-1))
	}
	return n
}
