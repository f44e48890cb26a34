package ir

// Escapes tells which allocas of f have an address that leaves f or that other
// code may get hold of: it is stored, passed, returned, compared or turned into
// an integer. Reading or writing through it, and the calls that mark lifetimes
// or copy and set memory, do not count.
func Escapes(f *Func) map[*Instr]bool {
	out := map[*Instr]bool{}
	root := map[*Instr][]*Instr{} // derived address -> its allocas
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if i.Op == OpAlloca && root[i] == nil {
					root[i], changed = []*Instr{i}, true
				}
				for n, a := range i.Args {
					d, ok := a.(*Instr)
					if !ok || root[d] == nil {
						continue
					}
					switch {
					case derives(i):
						changed = merge(root, i, root[d]) || changed
					case !Accessed(i, n):
						for _, r := range root[d] {
							changed = changed || !out[r]
							out[r] = true
						}
					}
				}
			}
		}
	}
	return out
}

func derives(i *Instr) bool {
	switch i.Op {
	case OpGep, OpBitcast, OpPhi, OpSelect, OpFreeze:
		return i.T.IsPtr()
	}
	return false
}

// Accessed reports whether operand n of i is only accessed through.
func Accessed(i *Instr, n int) bool {
	switch i.Op {
	case OpLoad, OpVaArg:
		return true
	case OpStore:
		return n == 1
	case OpCmpXchg, OpAtomicRMW:
		return n == 0
	case OpCall:
		switch i.Model {
		case ModelMemcpy, ModelMemmove, ModelMemset, ModelLifetimeStart, ModelLifetimeEnd:
			return true
		}
	}
	return false
}

func merge(root map[*Instr][]*Instr, i *Instr, from []*Instr) bool {
	changed := false
	for _, r := range from {
		have := false
		for _, o := range root[i] {
			have = have || o == r
		}
		if !have {
			root[i], changed = append(root[i], r), true
		}
	}
	return changed
}
