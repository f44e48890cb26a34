package ir

// AddressOf returns argument k of i where it is the address of a load, a store, or a range that is copied or set; nil
// otherwise.
func (i *Instr) AddressOf(k int) Value {
	if i == nil || k >= len(i.Args) {
		return nil
	}
	is := false
	switch i.Op {
	case OpLoad, OpCmpXchg, OpAtomicRMW:
		is = k == 0
	case OpStore:
		is = k == 1
	case OpCall:
		copies := i.Model == ModelMemcpy || i.Model == ModelMemmove
		is = k == 0 && (copies || i.Model == ModelMemset) || k == 1 && copies
	}
	if !is {
		return nil
	}
	return i.Args[k]
}

// Bases returns the pointers whose member or element address is, the nearest first.
func Bases(address Value) []Value {
	var out []Value
	for {
		in, ok := address.(*Instr)
		if !ok || in.Op != OpGep && in.Op != OpBitcast {
			return out
		}
		if address = in.Args[0]; in.Op == OpGep {
			out = append(out, address)
		}
	}
}
