package ir

import "slices"

// AddressOf returns argument k of i where it is the address of a load, a store, or a range that is copied or set; nil
// otherwise.
func (i *Instr) AddressOf(k int) Value {
	if i == nil || k >= len(i.Args) {
		return nil
	}
	var at []int
	switch {
	case i.Op == OpLoad || i.Op == OpCmpXchg || i.Op == OpAtomicRMW || i.Op == OpCall && i.Model == ModelMemset:
		at = []int{0}
	case i.Op == OpStore:
		at = []int{1}
	case i.Op == OpCall && (i.Model == ModelMemcpy || i.Model == ModelMemmove):
		at = []int{0, 1}
	}
	if !slices.Contains(at, k) {
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
