package weave

import "github.com/firmproof/firmproof/verifier/ir"

// LimitAllocations lets no call of malloc, calloc or realloc succeed that asks for more than most bytes. It reports
// whether it changed a call.
func LimitAllocations(m *ir.Module, most int64) bool {
	changed := false
	b := &builder{m: m}
	for _, f := range m.Funcs {
		b.f = f
		for _, blk := range f.Blocks {
			b.rewrite(blk, func(in *ir.Instr) {
				b.keep(in)
				size := allocated(b, in)
				if size == nil {
					return
				}
				limit := b.int(size.Type(), most)
				b.assume(b.or(b.compare(ir.ULE, size, limit), b.compare(ir.EQ, in, b.null())))
				changed = true
			})
		}
		ir.Number(f)
	}
	m.Funcs = append(m.Funcs, b.decls...)
	return changed
}

// allocated returns how many bytes in allocates; nil if it is no call of an allocator, or the number is a constant.
func allocated(b *builder, in *ir.Instr) ir.Value {
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
		size = b.binary(ir.OpMul, in.Args[0], in.Args[1])
	}
	if _, known := size.(*ir.Const); known {
		return nil
	}
	return size
}
