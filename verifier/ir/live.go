package ir

import (
	"maps"
	"slices"
)

// LiveAfter lists the values of f, in the order of definition, that may still be
// read once call c of f has returned: some path from behind c uses them before
// their definition is passed again. The result of c itself does not count.
func LiveAfter(c *Instr) []Value {
	f := c.Block.Func
	out := liveAtEnd(f)
	live := map[Value]bool{}
	for v := range out[c.Block] {
		live[v] = true
	}
	for i := len(c.Block.Instrs) - 1; i >= 0 && c.Block.Instrs[i] != c; i-- {
		passed(live, c.Block.Instrs[i])
	}
	delete(live, c)
	var list []Value
	for _, p := range f.Params {
		if live[p] {
			list = append(list, p)
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if live[in] {
				list = append(list, in)
			}
		}
	}
	return list
}

// LiveInto lists the instructions and parameters of b's function that executions from b on may still read before they are
// computed again, in no order.
func LiveInto(b *Block) []Value {
	live := map[Value]bool{}
	for v := range liveAtEnd(b.Func)[b] {
		live[v] = true
	}
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		passed(live, b.Instrs[i])
	}
	return slices.Collect(maps.Keys(live))
}

// liveAtEnd returns what each block's successors read of what came before (the
// backward data flow of Aho and others, Compilers, 9.2.5).
func liveAtEnd(f *Func) map[*Block]map[Value]bool {
	out := map[*Block]map[Value]bool{}
	for _, b := range f.Blocks {
		out[b] = map[Value]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(f.Blocks) - 1; i >= 0; i-- {
			b := f.Blocks[i]
			live := map[Value]bool{}
			for v := range out[b] {
				live[v] = true
			}
			for k := len(b.Instrs) - 1; k >= 0; k-- {
				passed(live, b.Instrs[k])
			}
			for _, p := range b.Preds {
				for v := range live {
					changed = changed || !out[p][v]
					out[p][v] = true
				}
				for _, phi := range b.Instrs {
					if phi.Op != OpPhi {
						break
					}
					for n, from := range phi.Incoming {
						if from == p && read(phi.Args[n]) && !out[p][phi.Args[n]] {
							out[p][phi.Args[n]], changed = true, true
						}
					}
				}
			}
		}
	}
	return out
}

// passed turns what is live behind in into what is live before it. The operands
// of a phi are read at the ends of its predecessors.
func passed(live map[Value]bool, in *Instr) {
	delete(live, in)
	if in.Op == OpPhi {
		return
	}
	for _, a := range in.Args {
		if read(a) {
			live[a] = true
		}
	}
	if in.Callee != nil && read(in.Callee) {
		live[in.Callee] = true
	}
}

// read reports whether v is computed by the function.
func read(v Value) bool {
	_, constant := v.(*Const)
	return !constant
}
