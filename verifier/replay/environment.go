package replay

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// leavesByReads reports whether each branch by which l is left depends on what the loop reads of the environment: volatile
// numbers, and what functions without a body return.
func leavesByReads(g *unwind.Graph, l *unwind.Loop) bool {
	inside := func(b *ir.Block) bool { return g.In(b, l) }
	return !slices.ContainsFunc(g.Order, func(b *ir.Block) bool {
		leaves := g.In(b, l) && slices.ContainsFunc(b.Succs(), func(s *ir.Block) bool {
			return !g.In(s, l) && s.Term().Op != ir.OpUnreachable
		})
		r := &reads{inside: inside, seen: map[ir.Value]bool{}}
		return leaves && (len(b.Term().Args) == 0 || !r.environment(b.Term().Args[0]))
	})
}

// reads follows values to the reads that they are computed from.
type reads struct {
	inside func(b *ir.Block) bool // that count
	seen   map[ir.Value]bool      // lead to none, or are looked at
}

// environment reports whether v is computed from a read of the environment.
func (r *reads) environment(v ir.Value) bool {
	in, ok := v.(*ir.Instr)
	if !ok || r.seen[v] || !r.inside(in.Block) {
		return false
	}
	r.seen[v] = true
	switch in.Op {
	case ir.OpLoad:
		return in.Flags.Has(ir.Volatile) || r.stored(in)
	case ir.OpCall:
		return r.returned(in)
	}
	return slices.ContainsFunc(in.Args, r.environment)
}

// stored reports whether what a load of a variable of the function gives is stored there inside, and read of the environment.
func (r *reads) stored(load *ir.Instr) bool {
	slot, ok := load.Args[0].(*ir.Instr)
	if !ok || slot.Op != ir.OpAlloca {
		return false
	}
	for _, b := range load.Block.Func.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpStore && in.Args[1] == load.Args[0] && r.inside(b) && r.environment(in.Args[0]) {
				return true
			}
		}
	}
	return false
}

// returned reports whether the function that is called returns what it reads of the environment.
func (r *reads) returned(call *ir.Instr) bool {
	f := ir.CalledFunc(call)
	if f == nil || f.Model != ir.ModelNone {
		return false
	}
	if f.IsDecl() {
		return true
	}
	all := &reads{inside: func(*ir.Block) bool { return true }, seen: r.seen}
	return slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool {
		ret := b.Term()
		return ret.Op == ir.OpRet && len(ret.Args) > 0 && all.environment(ret.Args[0])
	})
}
