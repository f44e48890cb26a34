package interrupt

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// inOneStep reports whether no more than one part of a variable ever changes: whatever the program stores there fits in
// the part that the lowest bits are in.
func (r *races) inOneStep(addr ir.Value, size, unit int64) bool {
	at := spotOf(addr)
	g := at.global
	if g == nil || !at.exact || at.off != 0 || g.Extern || !g.T.IsInt() || r.Module.Layout.StoreSize(g.T) != size ||
		g.Init == nil || !fits(g.Init, 8*unit, g, policy.RaceFits) {
		return false
	}
	for _, other := range r.Module.Globals {
		if other.Init != nil && names(other.Init, g) {
			return false
		}
	}
	for _, f := range r.Module.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range append([]ir.Value{in.Callee}, in.Args...) {
					k, ok := v.(*ir.Const)
					switch {
					case !ok || k == nil || !names(k, g):
					case k.Off != 0 || k.Kind != ir.ConstAddr:
						return false
					case in.Op == ir.OpLoad && in.Access.Equal(g.T):
					case in.Op == ir.OpStore && i == 2 && fits(in.Args[0], 8*unit, g, policy.RaceFits):
					default:
						return false
					}
				}
			}
		}
	}
	return true
}

// names reports whether a constant has the address of g in it.
func names(k *ir.Const, g *ir.Global) bool {
	if k.Global == g {
		return true
	}
	for _, e := range k.Elems {
		if names(e, g) {
			return true
		}
	}
	return false
}

// fits reports whether a number is below 2^bits, if all that is read from g is.
func fits(v ir.Value, bits int64, g *ir.Global, depth int) bool {
	switch x := v.(type) {
	case *ir.Const:
		n, ok := x.Bits.Uint64()
		return x.Kind == ir.ConstInt && ok && (bits >= 64 || n < 1<<bits)
	case *ir.Instr:
		if depth == 0 {
			return false
		}
		switch x.Op {
		case ir.OpZext:
			return int64(x.Args[0].Type().Width) <= bits || fits(x.Args[0], bits, g, depth-1)
		case ir.OpLoad:
			k, ok := x.Args[0].(*ir.Const)
			return ok && k.Global == g && k.Off == 0 && x.Access.Equal(g.T)
		case ir.OpAnd:
			return fits(x.Args[0], bits, g, depth-1) || fits(x.Args[1], bits, g, depth-1)
		case ir.OpOr, ir.OpXor:
			return fits(x.Args[0], bits, g, depth-1) && fits(x.Args[1], bits, g, depth-1)
		case ir.OpSelect:
			return fits(x.Args[1], bits, g, depth-1) && fits(x.Args[2], bits, g, depth-1)
		case ir.OpPhi:
			for _, a := range x.Args {
				if !fits(a, bits, g, depth-1) {
					return false
				}
			}
			return true
		}
	}
	return false
}
