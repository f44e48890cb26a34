package flow

import "github.com/firmproof/firmproof/verifier/ir"

// lastStores finds for each load of a plain local variable of f the stores that may be the last ones before it, as
// ir.StoresBefore, for all of them together.
func lastStores(f *ir.Func, l *ir.Layout) map[*ir.Instr][]*ir.Instr {
	slots := l.Slots(f, ir.Escapes(f))
	last := make([]map[ir.Value]*ir.Instr, len(f.Blocks)) // by block and variable: the last store of the block
	for _, b := range f.Blocks {
		last[b.Index] = map[ir.Value]*ir.Instr{}
		for _, in := range b.Instrs {
			if in.Op == ir.OpStore {
				last[b.Index][in.Args[1]] = in
			}
		}
	}
	out := map[*ir.Instr][]*ir.Instr{}
	for _, b := range f.Blocks {
		here := map[ir.Value]*ir.Instr{}
		for _, in := range b.Instrs {
			switch in.Op {
			case ir.OpStore:
				here[in.Args[1]] = in
			case ir.OpLoad:
				if at, ok := in.Args[0].(*ir.Instr); !ok || !slots[at] {
					continue
				}
				if s := here[in.Args[0]]; s != nil {
					out[in] = []*ir.Instr{s}
				} else {
					out[in] = before(b, in.Args[0], last)
				}
			}
		}
	}
	return out
}

// before lists the stores to a variable that may be the last ones where control comes to b.
func before(b *ir.Block, at ir.Value, last []map[ir.Value]*ir.Instr) []*ir.Instr {
	out, seen, todo := []*ir.Instr{}, map[*ir.Block]bool{}, []*ir.Block{b}
	for len(todo) > 0 {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range from.Preds {
			if seen[p] {
				continue
			}
			seen[p] = true
			if s := last[p.Index][at]; s != nil {
				out = append(out, s)
			} else {
				todo = append(todo, p)
			}
		}
	}
	return out
}
