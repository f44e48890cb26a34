package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Ordered reports whether the code compares which of two addresses is the lower one, or how far they are apart, that it
// reads from two places: they lead into one object (C17 6.5.6p9, 6.5.8p5).
func (ps *Table) Ordered(p, q Place) bool { return ps.ordered[[2]Place{p, q}] }

// order notes the places whose addresses in orders.
func (ps *Table) order(vars map[ir.Value]*ir.Var, in *ir.Instr) {
	var sides [2][]Place
	switch {
	case in.Op == ir.OpIcmp && in.Args[0].Type().IsPtr() && in.Pred != ir.EQ && in.Pred != ir.NE:
		sides = [2][]Place{readFrom(vars, in.Args[0], 0), readFrom(vars, in.Args[1], 0)}
	case in.Op == ir.OpSub:
		for i, v := range in.Args {
			x, ok := v.(*ir.Instr)
			if !ok || x.Op != ir.OpPtrToInt {
				return
			}
			sides[i] = readFrom(vars, x.Args[0], 0)
		}
	}
	for _, p := range sides[0] {
		for _, q := range sides[1] {
			ps.ordered[[2]Place{p, q}], ps.ordered[[2]Place{q, p}] = true, true
		}
	}
}

// readFrom returns the places that an address was read from, before it was moved, or kept in variables.
func readFrom(vars map[ir.Value]*ir.Var, v ir.Value, depth int) []Place {
	ld, ok := ir.Root(v).(*ir.Instr)
	if !ok || ld.Op != ir.OpLoad || depth > policy.ReadFromDepth {
		return nil
	}
	if to, ok := ld.Args[0].(*ir.Instr); !ok || to.Op != ir.OpAlloca {
		return PlacesAt(vars, ld.Args[0])
	}
	var out []Place
	for _, st := range ir.StoresBefore(ld) {
		out = append(out, readFrom(vars, st.Args[0], depth+1)...)
	}
	return out
}
