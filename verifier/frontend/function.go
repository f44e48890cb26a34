package frontend

import (
	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// fn translates one body. Values may be used before their block comes in file
// order, so every instruction gets its result first and its operands later.
type fn struct {
	*translator
	src    *llir.Func
	out    *ir.Func
	values map[value.Value]ir.Value
	blk    *ir.Block // where emit appends
	pos    *verdict.Pos
	phis   []phiWork
	tails  map[*ir.Block][]*ir.Instr // expansions for phis, in front of the terminator
	locals []*ir.Instr               // allocas of our own, for the front of the entry block
	conds  map[*ir.Block]value.Value // condition of the branch into a block, made when asked for

	// the debug scopes of C
	home    map[ir.Value]metadata.Field    // of the block that a local belongs to
	homes   map[ir.Value][]metadata.Field  // likewise, of all locals that clang made one alloca of
	scopes  map[*ir.Block][]metadata.Field // of the instructions of a block, labels among them
	scopeOf map[*ir.Instr]metadata.Field   // innermost one of each instruction that has one of its own
	scope   metadata.Field                 // of the instruction at hand; nil: not known
}

// phiWork is a phi whose operands are still to be filled in.
type phiWork struct {
	src *llir.InstPhi
	out *ir.Instr
}

// body translates f's blocks into out.
func (t *translator) body(out *ir.Func, f *llir.Func) {
	fallback := t.dbg.subprogram(out, f)
	if out.IsDecl() {
		return
	}
	x := &fn{translator: t, src: f, out: out, values: map[value.Value]ir.Value{}, tails: map[*ir.Block][]*ir.Instr{},
		home: map[ir.Value]metadata.Field{}, homes: map[ir.Value][]metadata.Field{},
		scopes: map[*ir.Block][]metadata.Field{}, scopeOf: map[*ir.Instr]metadata.Field{}}
	for i, p := range f.Params {
		x.values[p] = out.Params[i]
	}
	for _, b := range f.Blocks {
		for _, in := range b.Insts {
			if v, ok := in.(value.Named); ok {
				x.values[v] = &ir.Instr{}
			}
		}
		if v, ok := b.Term.(value.Named); ok {
			x.values[v] = &ir.Instr{}
		}
	}
	x.pos = fallback
	for _, b := range f.Blocks {
		x.block(b)
	}
	ir.SetPreds(out)
	for _, w := range x.phis {
		x.fillPhi(w)
	}
	x.finish()
	if inC(f) {
		x.endLiterals()
		x.endUnmarked()
	}
	x.findTurns()
	ir.Number(out)
}

// block translates the instructions of b up to its terminator, or up to a call
// that never comes back.
func (x *fn) block(b *llir.Block) {
	x.blk = x.blocks[b]
	x.scope = nil
	for _, in := range b.Insts {
		x.setPos(in)
		if ended := x.inst(in); ended {
			x.emit(&ir.Instr{Op: ir.OpUnreachable, T: x.void})
			return
		}
	}
	x.setPos(b.Term)
	x.term(b.Term)
}

// finish inserts the expansions for phis and numbers the instructions.
func (x *fn) finish() {
	x.contract()
	first := x.out.Blocks[0]
	first.Instrs = append(x.locals, first.Instrs...)
	for _, b := range x.out.Blocks {
		if tail := x.tails[b]; len(tail) > 0 {
			term := b.Term()
			b.Instrs = append(append(b.Instrs[:len(b.Instrs)-1], tail...), term)
		}
		for _, i := range b.Instrs {
			i.Block = b
		}
	}
	ir.Number(x.out)
}

// setPos takes the location of v; without one, or with line 0, the last one stays.
func (x *fn) setPos(v any) {
	h, ok := v.(interface{ MDAttachments() []*metadata.Attachment })
	if !ok {
		return
	}
	for _, a := range h.MDAttachments() {
		l, ok := a.Node.(*metadata.DILocation)
		for ok && l.Line == 0 && l.InlinedAt != nil { // from LLVM 21 on, of a trap with its reason as a function
			l = l.InlinedAt
		}
		if ok && a.Name == "dbg" && l.Line > 0 {
			x.scope = l.Scope
			x.pos = x.dbg.location(l)
			if list := x.scopes[x.blk]; len(list) == 0 || list[len(list)-1] != l.Scope {
				x.scopes[x.blk] = append(list, l.Scope)
			}
			return
		}
	}
}

// emit appends an instruction that has no name in LLVM's text.
func (x *fn) emit(i *ir.Instr) *ir.Instr {
	i.Block = x.blk
	if i.Pos == nil {
		i.Pos = x.pos
	}
	if i.T == nil {
		i.T = x.void
	}
	x.blk.Instrs = append(x.blk.Instrs, i)
	if x.scopeOf != nil && x.scope != nil {
		x.scopeOf[i] = x.scope
	}
	return i
}

// define appends the instruction that computes v: the place made for v in body
// takes over what i says, because others may point to it already.
func (x *fn) define(v value.Named, i ir.Instr) *ir.Instr {
	slot, ok := x.values[v].(*ir.Instr)
	if !ok {
		slot = &ir.Instr{}
	}
	*slot = i
	if n, ok := v.(interface{ IsUnnamed() bool }); ok && !n.IsUnnamed() {
		slot.Name = v.Name()
	}
	return x.emit(slot)
}

// anyValue defines v as a value of type ty that is not followed; what says what would make it.
func (x *fn) anyValue(v value.Named, ty *ir.Type, what string) {
	x.define(v, ir.Instr{Op: ir.OpAsm, T: ty, What: what, Asm: &ir.Asm{Any: what}})
}

// unsupported appends an instruction that makes the answer unknown when reached.
// v is its result, or nil.
func (x *fn) unsupported(v value.Named, ty *ir.Type, what string) {
	i := ir.Instr{Op: ir.OpUnsupported, T: ty, What: what}
	if v == nil || ty.IsVoid() {
		x.emit(&i)
		return
	}
	x.define(v, i)
}

// operand is the value of v here; constant expressions become instructions.
func (x *fn) operand(v value.Value) ir.Value {
	switch v := v.(type) {
	case *llir.Arg:
		return x.operand(v.Value)
	case constant.Constant:
		return x.constant(v)
	}
	if got, ok := x.values[v]; ok {
		return got
	}
	return x.emit(&ir.Instr{Op: ir.OpUnsupported, T: x.typ(v.Type()), What: "operand " + goName(typeName(v), "")})
}

func (x *fn) operands(vs ...value.Value) []ir.Value {
	var out []ir.Value
	for _, v := range vs {
		out = append(out, x.operand(v))
	}
	return out
}

// phi appends a phi; its operands follow when all predecessors are known.
func (x *fn) phi(in *llir.InstPhi) {
	out := x.define(in, ir.Instr{Op: ir.OpPhi, T: x.typ(in.Typ)})
	x.phis = append(x.phis, phiWork{in, out})
}

// fillPhi takes one incoming value per predecessor; what a constant expression
// needs goes to the end of that predecessor.
func (x *fn) fillPhi(w phiWork) {
	from := map[*ir.Block]value.Value{}
	for _, inc := range w.src.Incs {
		if b, ok := inc.Pred.(*llir.Block); ok {
			from[x.blocks[b]] = inc.X
		}
	}
	for _, p := range w.out.Block.Preds {
		v, ok := from[p]
		if !ok {
			w.out.Args = append(w.out.Args, &ir.Const{T: w.out.T, Kind: ir.ConstPoison})
		} else {
			w.out.Args = append(w.out.Args, x.atEnd(p, v))
		}
		w.out.Incoming = append(w.out.Incoming, p)
	}
}

// atEnd is operand at the end of block p.
func (x *fn) atEnd(p *ir.Block, v value.Value) ir.Value {
	scratch := &ir.Block{}
	x.blk, x.pos = scratch, p.Term().Pos
	got := x.operand(v)
	x.tails[p] = append(x.tails[p], scratch.Instrs...)
	return got
}

// intConst is a literal of type iW.
func (x *fn) intConst(w int, v int64) *ir.Const {
	return &ir.Const{T: x.intType(w), Kind: ir.ConstInt, Bits: bits.NewInt(w, v)}
}
