package pair

import (
	"cmp"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// Callee is a function that both versions call, and of which is known that it does the same in both: it did not change,
// with all that it comes to, or that was shown (Changed). What it gives, and whether it ends or violates a check, depends on
// its arguments and on memory that it reads, alone. So it need not be followed (Joined.Take).
type Callee struct {
	Name, Old string // of the new version, and of the old one
	Loops     bool   // it has to be shown that the old version ends or violates a check, whatever it is called with
}

// callees finds such functions, of those that old, a function of the program was, and now, of the program is, come to.
type callees struct {
	was, is  *ir.Module
	old, now *ir.Func
	before   map[*ir.Func]bool // what old comes to
	names    map[string]string // of functions with another name, that of the old version
	shown    map[string]string // of functions that changed and do the same, that of the old version
	reach    map[*ir.Func]map[*ir.Func]bool
	gives    map[*ir.Func]bool
	fit      map[*ir.Func]bool
}

func calleesOf(was, is *ir.Module, old, now string) *callees {
	c := &callees{was: was, is: is, old: was.Func(old), now: is.Func(now), reach: map[*ir.Func]map[*ir.Func]bool{},
		gives: map[*ir.Func]bool{}, fit: map[*ir.Func]bool{}}
	if c.old == nil || c.now == nil {
		return nil
	}
	c.before = c.from(was, c.old)
	return c
}

// Unchanged lists functions that need not be followed. shown has those that changed and of which is known that they do
// the same with any arguments, in any memory: the old version's name by that of the new one.
func Unchanged(was, is *ir.Module, old, now string, shown map[string]string) (out []Callee) {
	c := calleesOf(was, is, old, now)
	if c == nil {
		return nil
	}
	c.shown = shown
	reached := c.from(is, c.now)
	for _, h := range is.Funcs {
		if reached[h] && !h.IsDecl() && h.Ret.IsInt() && c.fits(h) {
			o := c.other(h)
			out = append(out, Callee{Name: h.Name, Old: o.Name, Loops: c.loops(o)})
		}
	}
	return out
}

// Changed lists functions that both come to, that changed, and that need not be followed if it is shown that they do the
// same, those that others come to before these. names has the old version's name of those that had another one.
func Changed(was, is *ir.Module, old, now string, names map[string]string) (out []Callee) {
	c := calleesOf(was, is, old, now)
	if c == nil {
		return nil
	}
	c.names = names
	reached := c.from(is, c.now)
	for _, h := range is.Funcs {
		if !reached[h] || h.IsDecl() || !h.Ret.IsInt() {
			continue
		}
		o := c.other(h)
		if c.pairs(h, o) && asksAsMuch(h, o) && !(h.Name == o.Name && c.same(h, o)) && c.apart(h, o) {
			out = append(out, Callee{Name: h.Name, Old: o.Name, Loops: c.loops(o)})
		}
	}
	slices.SortStableFunc(out, func(a, b Callee) int { // there is no recursion among them
		return cmp.Compare(len(c.from(is, is.Func(a.Name))), len(c.from(is, is.Func(b.Name))))
	})
	return out
}

// from returns what f, a function of m, comes to.
func (c *callees) from(m *ir.Module, f *ir.Func) map[*ir.Func]bool {
	if c.reach[f] == nil {
		c.reach[f] = places.Reached(m, f).Funcs
	}
	return c.reach[f]
}

// other returns the old version of a function; nil: there is none.
func (c *callees) other(h *ir.Func) *ir.Func {
	for _, names := range []map[string]string{c.shown, c.names} {
		if name := names[h.Name]; name != "" {
			return c.was.Func(name)
		}
	}
	return c.was.Func(h.Name)
}

// pairs reports whether h and o, its old version, are called alike, and both come to them.
func (c *callees) pairs(h, o *ir.Func) bool {
	return o != nil && c.before[o] && h != c.now && o != c.old && h.IsDecl() == o.IsDecl() && h.Model == o.Model && h.Sig().Equal(o.Sig())
}

// asksAsMuch reports whether both versions of a function ask the same of callers by attributes, and no other file may define
// it instead.
func asksAsMuch(h, o *ir.Func) bool {
	for i, p := range h.Params {
		if q := o.Params[i]; p.NonNull != q.NonNull || p.Align != q.Align {
			return false
		}
	}
	return !h.Weak && !o.Weak && !h.Replaceable && !o.Replaceable
}

// same reports whether h and o are the same themselves.
func (c *callees) same(h, o *ir.Func) bool { return c.is.Substance(h) == c.was.Substance(o) }

// apart reports whether all that both versions of a function come to only gives, and whether that is neither of the
// functions that are compared.
func (c *callees) apart(h, o *ir.Func) bool {
	return c.onlyGive(c.is, h, c.now) && c.onlyGive(c.was, o, c.old)
}

func (c *callees) onlyGive(m *ir.Module, f, but *ir.Func) bool {
	for r := range c.from(m, f) {
		if r == but {
			return false
		}
		if _, known := c.gives[r]; !known {
			c.gives[r] = c.onlyGives(m, r)
		}
		if !c.gives[r] {
			return false
		}
	}
	return true
}

// fits reports whether h need not be followed.
func (c *callees) fits(h *ir.Func) bool {
	if fit, known := c.fit[h]; known {
		return fit
	}
	c.fit[h] = false // what leads back to it does not
	o := c.other(h)
	if !c.pairs(h, o) || !c.apart(h, o) {
		return false
	}
	if c.shown[h.Name] == "" {
		called := map[*ir.Func]bool{h: true}
		if h.Name != o.Name || !c.same(h, o) || !c.fitCalled(h, called) || len(called) < len(c.from(c.is, h)) {
			return false
		}
	}
	c.fit[h] = true
	return true
}

// fitCalled reports whether what h calls fits, by the names that h calls it by, and adds that to called, with what it comes
// to in turn.
func (c *callees) fitCalled(h *ir.Func, called map[*ir.Func]bool) bool {
	for _, b := range h.Blocks {
		for _, in := range b.Instrs {
			g := ir.CalledFunc(in)
			if g == nil {
				continue
			}
			o := c.other(g)
			if o == nil || o.Name != g.Name || g.IsDecl() && !c.pairs(g, o) || !g.IsDecl() && !c.fits(g) {
				return false
			}
			for r := range c.from(c.is, g) {
				called[r] = true
			}
		}
	}
	return true
}

// loops reports whether an old version, or what it comes to, has loops.
func (c *callees) loops(o *ir.Func) bool {
	for r := range c.from(c.was, o) {
		if !r.IsDecl() && len(unwind.Analyse(r).Loops) > 0 {
			return true
		}
	}
	return false
}

// onlyGives reports whether f does nothing but to compute a number of its arguments and of memory that it reads: one that
// is not indeterminate, so that the caller may do with it what it likes. It keeps numbers and pointers in variables of its
// own, which nobody has the address of; no number in it stands for an address; all that it calls is known, and does not
// lead back to it.
func (c *callees) onlyGives(m *ir.Module, f *ir.Func) bool {
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
			if g := ir.CalledFunc(in); !givesAlone(in, number) || g != nil && !g.IsDecl() && c.from(m, g)[f] {
				return false
			}
		}
	}
	return true
}

// givesAlone is onlyGives of an instruction.
func givesAlone(in *ir.Instr, number func(*ir.Type) bool) bool {
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
			return true
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
