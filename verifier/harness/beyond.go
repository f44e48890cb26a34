package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/harness/uses"
	"github.com/firmproof/firmproof/verifier/ir"
)

// A number of an enumeration is taken for one of its enumerators (state.go), but for an argument of which the function asks
// whether it is, by `if (m < COUNT)`; of a member, where only one version of a change does (pipeline/prepare). So is a
// member for what the program stores there.

// asksBeyond reports whether the function asks if parameter i, of an enumeration with these runs, is none of them.
func (h *harness) asksBeyond(i int, runs []ranges.Run) bool {
	return slices.ContainsFunc(h.uses[i].Bounds, func(b uses.Bound) bool {
		return ranges.Tells(runs, h.vars[i].T.Signed, b.Pred, b.With)
	})
}

// bounds returns who compares which place with constants.
func (p *Program) bounds() map[places.Place][]boundBy {
	if p.bounded != nil {
		return p.bounded
	}
	p.bounded = map[places.Place][]boundBy{}
	for _, f := range p.m.Funcs {
		vars := f.VarsBySlot()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				v, bound := uses.ComparedIn(in)
				ld, ok := resized(v).(*ir.Instr)
				if !ok || ld.Op != ir.OpLoad {
					continue
				}
				for _, at := range places.PlacesAt(vars, ld.Args[0]) {
					p.bounded[at] = append(p.bounded[at], boundBy{f, bound})
				}
			}
		}
	}
	return p.bounded
}

// boundBy is a comparison, and the function that it is in.
type boundBy struct {
	f *ir.Func
	uses.Bound
}

// resized returns the number that v is in another width.
func resized(v ir.Value) ir.Value {
	for in, ok := v.(*ir.Instr); ok; in, ok = v.(*ir.Instr) {
		if in.Op != ir.OpZext && in.Op != ir.OpSext && in.Op != ir.OpTrunc && in.Op != ir.OpFreeze {
			return v
		}
		v = in.Args[0]
	}
	return v
}

// noteBounds notes who asks whether member f of a t, which is taken to be in one of the runs, is.
func (h *harness) noteBounds(name string, t *ir.DType, f *ir.DField, runs []ranges.Run) {
	if runs == nil || h.out.Tests == nil {
		return
	}
	for _, b := range h.p.bounds()[places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}] {
		if h.reached.Funcs[b.f] && ranges.Tells(runs, f.T.Signed, b.Pred, b.With) {
			h.out.Tests[name+"|"+b.f.CName]++
		}
	}
}
