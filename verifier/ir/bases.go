package ir

// Bases returns the pointers whose member or element in, a load or a store, accesses, the nearest first: those that
// the address is computed of. Of another instruction, its first argument is taken for the address.
func (i *Instr) Bases() []Value {
	at := 0
	if i.Op == OpStore {
		at = 1
	}
	if len(i.Args) <= at {
		return nil
	}
	var out []Value
	for {
		gep, ok := i.Args[at].(*Instr)
		if !ok || gep.Op != OpGep {
			return out
		}
		i, at = gep, 0
		out = append(out, gep.Args[0])
	}
}
