package weave

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// LimitAllocations lets no call of malloc, calloc or realloc succeed that asks for more than most bytes. It reports
// whether it changed a call.
func LimitAllocations(m *ir.Module, most int64) bool {
	changed := false
	b := &irbuild.Builder{Module: m}
	for _, f := range m.Funcs {
		b.Func = f
		for _, blk := range f.Blocks {
			b.Rewrite(blk, func(in *ir.Instr) {
				b.Keep(in)
				size := allocated(b, in)
				if size == nil {
					return
				}
				limit := b.Int(size.Type(), most)
				b.Assume(b.Or(b.Compare(ir.ULE, size, limit), b.Compare(ir.EQ, in, b.Null())))
				changed = true
			})
		}
		ir.Number(f)
	}
	m.Funcs = append(m.Funcs, b.Decls...)
	return changed
}

// allocated returns how many bytes in allocates; nil if it is no call of an allocator, or the number is a constant.
func allocated(b *irbuild.Builder, in *ir.Instr) ir.Value {
	if in.Op != ir.OpCall {
		return nil
	}
	var size ir.Value
	switch in.Model {
	case ir.ModelMalloc:
		size = in.Args[0]
	case ir.ModelRealloc:
		size = in.Args[1]
	case ir.ModelCalloc: // where the product wraps, it fails
		size = b.Binary(ir.OpMul, in.Args[0], in.Args[1])
	}
	if _, known := size.(*ir.Const); known {
		return nil
	}
	return size
}
