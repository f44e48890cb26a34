package harness

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// A structure that is passed by value is one parameter in C, and in the IR of most targets the numbers, pointers or
// arrays of numbers that the ABI makes of it. At -O0 the function stores these to its variable first, which says what
// they are parts of.

// piece is the part of a structure that a parameter of the IR is.
type piece struct {
	of  *ir.Var
	off int64 // bytes
}

// pieces returns the parameters of f that are parts of structures in C. little says that the first byte of a number is
// its lowest.
func pieces(f *ir.Func, little bool) map[*ir.Param]piece {
	vars := map[ir.Value]*ir.Var{}
	for _, v := range f.Vars {
		if v.Param && v.Slot != nil && ir.IsAggregate(v.T) {
			vars[v.Slot] = v
		}
	}
	out := map[*ir.Param]piece{}
	if len(vars) == 0 || len(f.Blocks) == 0 {
		return out
	}
	spare := map[ir.Value][]*ir.Param{} // by an object that is copied to the variable
	for _, in := range f.Blocks[0].Instrs {
		switch {
		case in.Op == ir.OpStore:
			p, ok := unconverted(in.Args[0], little).(*ir.Param)
			at, off, fixed := fixedPlace(in.Args[1])
			if !ok || p.ByVal != nil || p.SRet != nil || !fixed {
				continue
			}
			if v := vars[at]; v != nil {
				out[p] = piece{v, off}
			} else if off == 0 {
				spare[at] = append(spare[at], p)
			}
		case in.Op == ir.OpCall && in.Model == ir.ModelMemcpy:
			to, off, fixed := fixedPlace(in.Args[0])
			from, start, known := fixedPlace(in.Args[1])
			if v := vars[to]; v != nil && fixed && known && start == 0 && len(spare[from]) == 1 {
				out[spare[from][0]] = piece{v, off}
			}
		}
	}
	return out
}

// unconverted returns what was made a pointer, or cut to its first bytes.
func unconverted(v ir.Value, little bool) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpIntToPtr && (in.Op != ir.OpTrunc || !little) {
			return v
		}
		v = in.Args[0]
	}
}

// fixedPlace returns the object that an address is a constant number of bytes into.
func fixedPlace(v ir.Value) (object ir.Value, off int64, fixed bool) {
	for {
		in, ok := v.(*ir.Instr)
		switch {
		case ok && in.Op == ir.OpBitcast:
		case ok && in.Op == ir.OpGep && len(in.Args) == 1:
			off += in.Off
		case ok && in.Op == ir.OpGep:
			return v, 0, false
		default:
			return v, off, true
		}
		v = in.Args[0]
	}
}

// part makes the argument for parameter p of the function, which is a part of a structure.
func (h *harness) part(p *ir.Param, of piece) ir.Value {
	block := h.structs[of.of]
	if block == nil {
		block = h.copied(of.of.Name, of.of.T, h.Int(h.Word(), ir.SizeInC(of.of.T)+policy.HarnessPiece))
		h.structs[of.of] = block
	}
	return h.Load(p.T, h.Gep(block, of.off, nil, 0))
}
