package pair

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// Callee is a function that both versions call, and that is the same in both with all that it comes to: what it gives,
// and whether it ends or violates a check, depends on its arguments and on memory that it reads, alone. So it need not be
// followed (Joined.Take).
type Callee struct {
	Name  string
	Loops bool // it has to be shown that it ends or violates a check, whatever it is called with
}

// Unchanged lists such functions, of those that old, a function of the program was, and now, of the program is, come to.
func Unchanged(was, is *ir.Module, old, now string) (out []Callee) {
	f, g := was.Func(old), is.Func(now)
	if f == nil || g == nil {
		return nil
	}
	before := places.Reached(was, f).Funcs
	same := map[*ir.Func]bool{}
	for h := range places.Reached(is, g).Funcs {
		o := was.Func(h.Name)
		same[h] = o != nil && before[o] && h.IsDecl() == o.IsDecl() && h.Model == o.Model && h.Sig().Equal(o.Sig()) &&
			(h.IsDecl() || is.Substance(h) == was.Substance(o))
	}
	for _, h := range is.Funcs {
		if !same[h] || h == g || h.IsDecl() || !h.Ret.IsInt() {
			continue
		}
		reach := places.Reached(is, h).Funcs
		c := Callee{Name: h.Name}
		fits := true
		for r := range reach {
			fits = fits && r != g && same[r] && onlyGives(is, r)
			c.Loops = c.Loops || !r.IsDecl() && len(unwind.Analyse(r).Loops) > 0
		}
		if fits {
			out = append(out, c)
		}
	}
	return out
}

// onlyGives reports whether f does nothing but to compute a number of its arguments and of memory that it reads: one that
// is not indeterminate, so that the caller may do with it what it likes. It keeps numbers and pointers in variables of its
// own, which nobody has the address of; no number in it stands for an address; all that it calls is known, and does not
// lead back to it.
func onlyGives(m *ir.Module, f *ir.Func) bool {
	if f.IsDecl() {
		return f.Model != ir.ModelNone
	}
	number := func(t *ir.Type) bool { return (t.IsInt() || t.Kind == ir.KindFloat) && t.Width <= 64 }
	if f.Variadic || !f.Ret.IsVoid() && !number(f.Ret) || len(ir.Escapes(f)) > 0 || readsUnwritten(f) {
		return false
	}
	for _, p := range f.Params {
		if p.ByVal != nil || p.SRet != nil || !number(p.T) && !p.T.IsPtr() {
			return false
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if !givesAlone(m, f, in, number) {
				return false
			}
		}
	}
	return true
}

// givesAlone is onlyGives of an instruction.
func givesAlone(m *ir.Module, f *ir.Func, in *ir.Instr, number func(*ir.Type) bool) bool {
	if in.Flags.Has(ir.Volatile) || slices.ContainsFunc(in.Args, notKnown) {
		return false
	}
	own := func(v ir.Value) bool { // a variable, and not a part of one
		a, ok := v.(*ir.Instr)
		return ok && a.Op == ir.OpAlloca
	}
	switch in.Op {
	case ir.OpAlloca:
		n, constant := constInt(in)
		return constant && n == 1 && (number(in.Access) || in.Access.IsPtr())
	case ir.OpLoad:
		if own(in.Args[0]) {
			return in.T.Equal(in.Args[0].(*ir.Instr).Access)
		}
		return number(in.T) && !isAlloca(ir.Root(in.Args[0]))
	case ir.OpStore:
		return own(in.Args[1]) && in.Args[0].Type().Equal(in.Args[1].(*ir.Instr).Access)
	case ir.OpCall:
		g := ir.CalledFunc(in)
		switch {
		case g == nil:
			return false
		case !g.IsDecl():
			return !places.Reached(m, g).Funcs[f]
		}
		switch g.Model {
		case ir.ModelLifetimeStart, ir.ModelLifetimeEnd, ir.ModelStrlen, ir.ModelStrnlen, ir.ModelBswap, ir.ModelCtpop,
			ir.ModelSmax, ir.ModelSmin, ir.ModelUmax, ir.ModelUmin, ir.ModelSaddO, ir.ModelUaddO, ir.ModelSsubO, ir.ModelUsubO,
			ir.ModelSmulO, ir.ModelUmulO, ir.ModelExpect:
			return true
		}
		return false
	case ir.OpRet, ir.OpBr, ir.OpCondBr, ir.OpSwitch, ir.OpUnreachable, ir.OpTrap, ir.OpGep, ir.OpTrunc, ir.OpZext, ir.OpSext,
		ir.OpIcmp, ir.OpFcmp, ir.OpPhi, ir.OpSelect, ir.OpBitcast, ir.OpExtractValue, ir.OpFpTrunc, ir.OpFpExt, ir.OpFpToUi, ir.OpFpToSi,
		ir.OpUiToFp, ir.OpSiToFp:
		return in.T.IsVoid() || number(in.T) || in.T.IsPtr()
	}
	return (in.Op.Class() == ir.ClassBinary || in.Op.Class() == ir.ClassFloat) && number(in.T)
}

// readsUnwritten reports whether f may read a variable of its own that was not written since it came to be.
func readsUnwritten(f *ir.Func) bool {
	own := map[*ir.Instr]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			own[in] = in.Op == ir.OpAlloca
		}
	}
	live := ir.LiveSlots(f, own)
	for _, b := range f.Blocks {
		for i, in := range b.Instrs {
			fresh := ir.Begun(in)
			if in.Op == ir.OpAlloca {
				fresh = in
			}
			if fresh != nil && ir.LiveSlotsFrom(b, i+1, own, live)[fresh] {
				return true
			}
		}
	}
	return false
}

// notKnown reports a value that may be another one each time.
func notKnown(v ir.Value) bool {
	c, ok := v.(*ir.Const)
	return ok && (c.Kind == ir.ConstUndef || c.Kind == ir.ConstPoison || c.Kind == ir.ConstAddrInt || c.Label != nil)
}

func isAlloca(v ir.Value) bool {
	in, ok := v.(*ir.Instr)
	return ok && in.Op == ir.OpAlloca
}
