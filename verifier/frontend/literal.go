package frontend

import (
	"slices"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/ir"
)

// The lifetime of compound literals. One lives until its block ends (C17 6.5.2.5p5), but clang marks no scope for it.
// Its block is the scope of the debug information in which it is made: where control leaves that, it is dead.

// inC reports whether f was written in C.
func inC(f *llir.Func) bool {
	return slices.ContainsFunc(f.Metadata, func(a *metadata.Attachment) bool {
		sp, ok := a.Node.(*metadata.DISubprogram)
		return ok && sp.Unit != nil && (sp.Unit.Language == enum.DwarfLangC || sp.Unit.Language == enum.DwarfLangC89 ||
			sp.Unit.Language == enum.DwarfLangC99 || sp.Unit.Language == enum.DwarfLangC11)
	})
}

func isLiteral(name string) bool { return strings.HasPrefix(name, ".compoundliteral") }

// endLiterals ends each compound literal where control leaves its block.
func (x *fn) endLiterals() {
	var literals []*ir.Instr
	for _, b := range x.out.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && isLiteral(in.Name) {
				literals = append(literals, in)
			}
		}
	}
	for _, a := range literals {
		if first, block := x.made(a); first != nil {
			x.endOutside(a, block)
			x.mark(a, first.Block, slices.Index(first.Block.Instrs, first), ir.ModelLifetimeStart)
			x.home[a] = block
		}
	}
}

// made returns the first use of a literal and its block; nil where that is the function's, or not known: every use has
// to be behind the first, in the block.
func (x *fn) made(a *ir.Instr) (first *ir.Instr, block *metadata.DILexicalBlock) {
	for _, b := range x.out.Blocks {
		for _, in := range b.Instrs {
			if !slices.Contains(in.Args, ir.Value(a)) {
				continue
			}
			if first == nil {
				first, block = in, blockOf(x.scopeOf[in])
			}
			if block == nil || !inside(x.scopeOf[in], block) || !dominates(first.Block, in.Block) {
				return nil, nil
			}
		}
	}
	return first, block
}

// dominates reports whether control comes to block b by way of d only.
func dominates(d, b *ir.Block) bool {
	entry := b.Func.Blocks[0]
	if b == d || d == entry || b == entry {
		return b == d || d == entry
	}
	return !entry.Reaches(b, func(at *ir.Block) bool { return at != d })
}

// blockOf returns the innermost block of a scope; nil: the function, or nothing that is known.
func blockOf(s metadata.Field) *metadata.DILexicalBlock {
	for {
		switch n := s.(type) {
		case *metadata.DILexicalBlock:
			return n
		case *metadata.DILexicalBlockFile:
			s = n.Scope
		default:
			return nil
		}
	}
}

// inside reports whether a scope lies in block.
func inside(s metadata.Field, block *metadata.DILexicalBlock) bool {
	for b := blockOf(s); b != nil; b = blockOf(b.Scope) {
		if b == block {
			return true
		}
	}
	return false
}

// endOutside ends a where control leaves block: within a basic block, and at the begin of those that follow on one of
// its instructions and have none themselves.
func (x *fn) endOutside(a *ir.Instr, block *metadata.DILexicalBlock) {
	last := map[*ir.Block]int{} // 1 + the last instruction in block; 0: there is none
	next := map[*ir.Block]int{} // the first behind it that is known to be outside; -1: there is none
	for _, b := range x.out.Blocks {
		next[b] = -1
		for i, in := range b.Instrs {
			s := x.scopeOf[in]
			switch {
			case s == nil:
			case inside(s, block):
				last[b], next[b] = i+1, -1
			case next[b] < 0 && in.Op != ir.OpPhi:
				next[b] = i
			}
		}
	}
	for _, b := range x.out.Blocks {
		follows := slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return last[p] > 0 })
		if next[b] >= 0 && (last[b] > 0 || follows) {
			x.mark(a, b, next[b], ir.ModelLifetimeEnd)
		}
	}
}

// mark puts the begin or the end of a local object's life before instruction i of b.
func (x *fn) mark(a *ir.Instr, b *ir.Block, i int, m ir.Model) {
	f := x.helper(string(m)+".p0i8", x.void, x.intType(64), x.ptr)
	in := &ir.Instr{Op: ir.OpCall, T: x.void, Block: b, Pos: b.Instrs[i].Pos, Model: m, Sig: signatureOf(f),
		Callee: &ir.Const{T: x.ptr, Kind: ir.ConstAddr, Func: f},
		Args:   []ir.Value{x.intConst(64, x.size(a.Access)), a}}
	b.Instrs = slices.Insert(b.Instrs, i, in)
}
