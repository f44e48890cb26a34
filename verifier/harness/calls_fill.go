package harness

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// fills reports whether g fills a handle that it is handed: it stores all pointers, or all numbers where there are
// none, and reads none of it that it did not store before.
func (c *cone) fills(g *ir.Func, hd *shared) bool {
	if !slices.ContainsFunc(c.p.effectsOf(g).handed, func(t *ir.DType) bool {
		return sameLayout(t, hd.t) && !strings.HasPrefix(t.Name, "const ")
	}) || !ir.IsStruct(hd.t) {
		return false
	}
	all, reads := c.stores(g, hd, false)
	return all && !reads
}

// stores reports whether g stores all pointers of a handle, or all numbers where there are none; and whether it reads
// some of it before it stores that. null: a pointer may be stored that is null.
func (c *cone) stores(g *ir.Func, hd *shared, null bool) (all, reads bool) {
	stored, vars, whole := map[int64]bool{}, g.VarsBySlot(), false
	var loads, before []partAccess
	of := func(addr ir.Value) (int64, bool) { return hd.partAt(vars, addr) }
	for _, b := range g.Blocks {
		for n, in := range b.Instrs {
			switch {
			case in.Op == ir.OpLoad:
				if off, own := of(in.Args[0]); own {
					loads = append(loads, partAccess{b, n, off})
				}
			case in.Op == ir.OpStore:
				off, ok := of(in.Args[1])
				if ok {
					before = append(before, partAccess{b, n, off})
				}
				if ok && (!ir.IsNullConst(in.Args[0]) || null) {
					stored[off] = true
				}
			case in.Model == ir.ModelMemcpy:
				if off, ok := of(in.Args[0]); ok && off == 0 {
					whole = true
					before = append(before, partAccess{b, n, wholeOf(hd.t, in)})
				}
			case in.Model == ir.ModelMemset:
				if off, ok := of(in.Args[0]); ok && off == 0 {
					before = append(before, partAccess{b, n, wholeOf(hd.t, in)})
					for i := range hd.t.Fields {
						if f := &hd.t.Fields[i]; f.T != nil && f.T.Kind != ir.DPointer {
							stored[f.BitOff/8] = true
						}
					}
				}
			}
		}
	}
	over := g.Dominators()
	for _, l := range loads {
		reads = reads || !slices.ContainsFunc(before, func(s partAccess) bool {
			return (s.off == l.off || s.off < 0) && s.comesBefore(l, over)
		})
	}
	pointers, numbers := members(hd.t)
	if len(pointers) > 0 {
		numbers = pointers
	}
	return whole || len(numbers) > 0 && !slices.ContainsFunc(numbers, func(off int64) bool { return !stored[off] }), reads
}

// partAt returns how far into a structure of the handle's type an address is; own is false where it is in none.
func (hd *shared) partAt(vars map[ir.Value]*ir.Var, addr ir.Value) (off int64, own bool) {
	v, t, off := places.ObjectAt(vars, addr)
	return off, v == nil && ir.IsStruct(t) && places.LayoutOf(t) == places.LayoutOf(hd.t)
}

// partAccess is an access to a structure: instruction n of b, off bytes into it; below zero: to all of it.
type partAccess struct {
	b   *ir.Block
	n   int
	off int64
}

// wholeOf returns where in a t a copy or fill stores: -1 where that is all of it.
func wholeOf(t *ir.DType, in *ir.Instr) int64 {
	if c, ok := in.Args[2].(*ir.Const); ok && c.Kind == ir.ConstInt {
		if n, fits := c.Bits.Int64(); fits && n >= ir.SizeInC(t) {
			return -1
		}
	}
	return 0
}

// comesBefore reports whether each way to instruction b passes a. over are the dominators of their function.
func (a partAccess) comesBefore(b partAccess, over []*ir.Block) bool {
	if a.b == b.b {
		return a.n < b.n
	}
	for d := over[b.b.Index]; d != nil; d = over[d.Index] {
		if d == a.b {
			return true
		}
	}
	return false
}

// members returns where in a structure pointers stand, and numbers.
func members(t *ir.DType) (pointers, numbers []int64) {
	for i := range t.Fields {
		switch f := &t.Fields[i]; {
		case f.IsBits || f.T == nil:
		case f.T.Kind == ir.DPointer:
			pointers = append(pointers, f.BitOff/8)
		case ir.IsNumber(f.T) || f.T.Kind == ir.DEnum || f.T.Kind == ir.DBool:
			numbers = append(numbers, f.BitOff/8)
		}
	}
	return pointers, numbers
}
