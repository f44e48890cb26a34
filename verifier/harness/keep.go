package harness

import (
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// endPart begins the names of variables that hold where blocks of a harness are, and how much they hold.
const endPart = "firmproof.end."

// KeepWithin lets no execution of m go on in which one of some loads and stores goes past the end of a block that a
// harness made for a pointer of one of the names that stand beside it. It reports whether m has such blocks.
func KeepWithin(m *ir.Module, accesses map[*ir.Instr][]string) bool {
	k := &keeper{m: m, ends: map[string][]blockEnd{}}
	all := map[string]bool{}
	for _, names := range accesses {
		for _, name := range names {
			all[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		k.note(name)
	}
	blocks := map[*ir.Block]bool{}
	for at, names := range accesses {
		if slices.ContainsFunc(names, func(n string) bool { return len(k.ends[n]) > 0 }) {
			blocks[at.Block] = true
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if blocks[b] {
				k.keep(f, b, accesses)
			}
		}
	}
	return len(blocks) > 0
}

// keeper is the state of KeepWithin.
type keeper struct {
	m    *ir.Module
	ends map[string][]blockEnd // by the pointer that leads there
}

// blockEnd is the variables that hold where a block is, and its bytes.
type blockEnd struct{ at, size *ir.Global }

// note has the blocks for a pointer noted where they are made.
func (k *keeper) note(name string) {
	if k.ends[name] != nil {
		return
	}
	k.ends[name] = []blockEnd{}
	for _, f := range slices.Clone(k.m.Funcs) {
		for _, b := range f.Blocks {
			for _, in := range slices.Clone(b.Instrs) {
				if in.Model == ir.ModelMalloc && in.Name == ir.BehindPointer+name {
					k.ends[name] = append(k.ends[name], k.noteBlock(f, in))
				}
			}
		}
	}
}

func (k *keeper) noteBlock(f *ir.Func, block *ir.Instr) blockEnd {
	b := &irbuild.Builder{Module: k.m, Func: f}
	variable := func(what string, t *ir.Type, init *ir.Const) *ir.Global {
		g := &ir.Global{Name: fmt.Sprintf("%s%s%d", endPart, what, len(k.m.Globals)), T: t,
			Align: k.m.Layout.PtrBits / 8, Init: init}
		k.m.Globals = append(k.m.Globals, g)
		return g
	}
	end := blockEnd{at: variable("", b.Ptr(), &ir.Const{T: b.Ptr(), Kind: ir.ConstNull}),
		size: variable("size.", block.Args[0].Type(), intConst(block.Args[0].Type(), 0))}
	b.Rewrite(block.Block, func(in *ir.Instr) {
		if b.Keep(in); in == block {
			b.Store(block, b.AddrOfGlobal(end.at), 1)
			b.Store(block.Args[0], b.AddrOfGlobal(end.size), 1)
		}
	})
	b.Finish()
	return end
}

// keep puts what is assumed in front of the accesses of a block of instructions.
func (k *keeper) keep(f *ir.Func, block *ir.Block, accesses map[*ir.Instr][]string) {
	b := &irbuild.Builder{Module: k.m, Func: f}
	b.Rewrite(block, func(in *ir.Instr) {
		names := accesses[in]
		var to ir.Value
		bytes := int64(0)
		switch {
		case len(names) == 0:
		case in.Op == ir.OpLoad:
			to, bytes = in.Args[0], k.m.Layout.StoreSize(in.T)
		case in.Op == ir.OpStore:
			to, bytes = in.Args[1], k.m.Layout.StoreSize(in.Args[0].Type())
		}
		for _, name := range names {
			for _, end := range k.ends[name] {
				if to != nil {
					k.assume(b, to, bytes, end)
				}
			}
		}
		b.Keep(in)
	})
	b.Finish()
	k.m.Funcs = append(k.m.Funcs, b.Decls...)
}

// assume lets no execution pass in which an address leads into the block of end, and so many bytes from there on do not.
func (k *keeper) assume(b *irbuild.Builder, to ir.Value, bytes int64, end blockEnd) {
	at := b.Load(b.Ptr(), b.AddrOfGlobal(end.at)) // null where the block is not made
	inside := b.And(b.Compare(ir.NE, at, b.Null()), b.Model(ir.ModelSameObject, "firmproof.same", ir.Int(1), to, at))
	off := b.Model(ir.ModelPtrOffset, "firmproof.offset", b.Word(), to)
	size := b.Resize(b.Load(end.size.T, b.AddrOfGlobal(end.size)), b.Word())
	last := b.Binary(ir.OpSub, size, b.Int(b.Word(), bytes))
	b.Assume(b.Or(b.Xor(inside, b.Int(ir.Int(1), -1)), b.Compare(ir.SLE, off, last)))
}
