package weave

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// nearNull is below which a constant address is taken for a member of null: no register lies there that the target does not
// name.
const nearNull uint64 = 1 << 12

// Registers returns the memory map with what is at constant addresses that volatile code accesses and that the map has
// nothing at: registers, by all appearances, of a device that nobody named. Such an access assumes so (verdict.MappedAt), and
// what rests on it is conditional; what is no volatile access, or near null, is a violation there as before.
func Registers(m *ir.Module, known []ir.Region) []ir.Region {
	var found []ir.Region
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				r, ok := registerOf(m, in)
				if !ok || slices.ContainsFunc(known, func(k ir.Region) bool { return meet(&k, &r) }) {
					continue
				}
				found = append(found, r)
				if id := verdict.MappedAt(r.Base).ID; !slices.Contains(in.Assumes, id) {
					in.Assumes = append(in.Assumes, id)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b ir.Region) int { return cmp.Compare(a.Base, b.Base) })
	out := slices.Clone(known)
	for _, r := range found {
		if last := len(out) - 1; last >= len(known) && r.Base < out[last].Base+out[last].Size {
			out[last].Size = max(out[last].Size, r.Base+r.Size-out[last].Base)
			continue
		}
		out = append(out, r)
	}
	return out
}

// UndeclaredOf is what an access assumes of the address that it is of, if Registers had it assume that.
func UndeclaredOf(m *ir.Module, in *ir.Instr) (verdict.Assumption, bool) {
	if len(in.Assumes) == 0 {
		return verdict.Assumption{}, false
	}
	r, ok := registerOf(m, in)
	a := verdict.MappedAt(r.Base)
	return a, ok && slices.Contains(in.Assumes, a.ID)
}

// registerOf is the region that a volatile access at a constant address is of.
func registerOf(m *ir.Module, in *ir.Instr) (ir.Region, bool) {
	if !in.Flags.Has(ir.Volatile) || in.Op != ir.OpLoad && in.Op != ir.OpStore {
		return ir.Region{}, false
	}
	addr, t := in.Args[len(in.Args)-1], in.T
	if in.Op == ir.OpStore {
		t = in.Args[0].Type()
	}
	n, constant := ir.ConstantAddress(addr)
	at := uint64(n) & (1<<m.Layout.PtrBits - 1)
	size := uint64(m.Layout.SizeOf(t))
	if !constant || at < nearNull || at+size < at {
		return ir.Region{}, false
	}
	return ir.Region{Name: fmt.Sprintf("%#x", at), Base: at, Size: size, Access: ir.AccessVolatile}, true
}

// meet reports whether two regions have a byte in common.
func meet(a, b *ir.Region) bool { return a.Base < b.Base+b.Size && b.Base < a.Base+a.Size }
