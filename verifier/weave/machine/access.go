package machine

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// plainIn finds the variables of f that are loaded and stored as a whole alone: nobody sees in which order their bytes are.
func plainIn(f *ir.Func) map[ir.Value]bool {
	out := map[ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && !in.Access.IsAggregate() {
				if k, ok := in.Args[0].(*ir.Const); ok && k.Kind == ir.ConstInt && k.Bits.Low64() == 1 {
					out[in] = true
				}
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if slot, ok := a.(*ir.Instr); ok && out[slot] && !whole(in, i, slot.Access) && !marksLife(in) {
					delete(out, slot)
				}
			}
		}
	}
	return out
}

// whole reports whether operand i of in is the address that a load or store of type t goes to.
func whole(in *ir.Instr, i int, t *ir.Type) bool {
	return (in.Op == ir.OpLoad && i == 0 || in.Op == ir.OpStore && i == 1) && in.Access.Equal(t)
}

// marksLife reports whether in only tells where a variable begins or ends to live.
func marksLife(in *ir.Instr) bool {
	switch in.CalledModel() {
	case ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return true
	}
	if in.Op != ir.OpBitcast || !in.T.IsPtr() {
		return false
	}
	for _, u := range usesOf(in) {
		if u.Op == ir.OpBitcast || !marksLife(u) {
			return false
		}
	}
	return true
}

// directOnly finds the variables of the program that are numbers or pointers, and loaded and stored as a whole alone.
func (c *bringing) directOnly() map[*ir.Global]bool {
	out := map[*ir.Global]bool{}
	for _, g := range c.Module.Globals {
		out[g] = !g.T.IsAggregate()
	}
	for _, g := range c.Module.Globals {
		ir.EachAddress(g.Init, func(to *ir.Global) { out[to] = false })
	}
	for _, f := range c.Module.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, a := range append(in.Args[:len(in.Args):len(in.Args)], in.Callee) {
					if k, ok := a.(*ir.Const); ok && k.Global != nil && (k.Off != 0 || !whole(in, i, k.Global.T)) {
						out[k.Global] = false
					}
				}
			}
		}
	}
	return out
}

// picks reports whether a program takes structures apart, or makes them of parts, that are one value: those that calls give
// aside which compute a number and say whether it fits.
func picks(m *ir.Module) bool {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpInsertValue {
					return true
				}
				if in.Op != ir.OpExtractValue {
					continue
				}
				from, ok := in.Args[0].(*ir.Instr)
				if !ok || from.Op != ir.OpCmpXchg && (from.Op != ir.OpCall || from.CalledModel() == ir.ModelNone) {
					return true
				}
			}
		}
	}
	return false
}

// alloca brings a variable of a function.
func (c *bringing) alloca(in *ir.Instr) {
	brought, why := c.memory(in.Access)
	if in.Access.IsPtr() {
		why = "" // accesses of its parts are not modelled
	}
	if why != "" {
		c.leave(in, why)
		return
	}
	in.Access = brought
	c.Keep(in)
}

// access brings a load, a store or an atomic access.
func (c *bringing) access(in *ir.Instr) {
	at := 0
	if in.Op == ir.OpStore {
		at = 1
	}
	k, _ := in.Args[at].(*ir.Const)
	plain := c.plain[in.Args[at]]
	direct := k != nil && k.Global != nil && c.direct[k.Global]
	t := in.Access
	switch {
	case t.IsPtr():
		if c.resizes && !plain && !direct {
			c.leave(in, "a pointer in memory, where pointers of the other machine have another width")
			return
		}
		in.Access = c.value(t)
		c.Keep(in)
	case t.IsAggregate() || t.Kind == ir.KindVector:
		if brought, why := c.memory(t); why != "" || brought != t || c.swaps && (c.picks || t.Kind == ir.KindVector) { // else bytes are moved as they are
			c.leave(in, "a structure as one value")
			return
		}
		c.Keep(in)
	case !c.swaps || plain || t.Width <= 8:
		c.Keep(in)
	case t.Width%16 != 0 || in.Op != ir.OpLoad && in.Op != ir.OpStore:
		c.leave(in, "an access of a number in another order of bytes: "+t.String())
	case in.Flags.Has(ir.Volatile):
		c.leave(in, "a volatile access in another order of bytes")
	case in.Op == ir.OpLoad:
		c.loaded(in)
	default:
		n := ir.Int(t.Width)
		v := in.Args[0]
		if t.Kind == ir.KindFloat {
			v = c.Emit(&ir.Instr{Op: ir.OpBitcast, T: n, Args: []ir.Value{v}})
		}
		in.Args[0], in.Access = c.exchange(v), n
		c.Keep(in)
	}
}

// loaded brings a load whose bytes are in the other order.
func (c *bringing) loaded(in *ir.Instr) {
	t, n := in.T, ir.Int(in.T.Width)
	in.T, in.Access = n, n
	c.Keep(in)
	v := c.exchange(in)
	if t.Kind != ir.KindFloat {
		c.becomes(in, v, v)
		return
	}
	c.becomes(in, c.Emit(&ir.Instr{Op: ir.OpBitcast, T: t, Args: []ir.Value{v}}), v)
}

// exchange is a number of an even number of bytes with its bytes in the other order.
func (c *bringing) exchange(v ir.Value) *ir.Instr {
	t := v.Type()
	return c.Model(ir.ModelBswap, fmt.Sprintf("llvm.bswap.i%d", t.Width), t, v)
}

// models says how calls of what the engines do themselves are brought, where pointers have another width: which arguments are
// numbers as wide as pointers, and whether the result is one. What is not named here does not depend on it only if it is in
// anyWidth.
var models = map[ir.Model]struct {
	words  []int
	result bool
}{
	ir.ModelMemcpy: {words: []int{2}}, ir.ModelMemmove: {words: []int{2}}, ir.ModelMemset: {words: []int{2}},
	ir.ModelStrlen: {result: true}, ir.ModelStrnlen: {words: []int{1}, result: true},
	ir.ModelStrcpy: {}, ir.ModelStrncpy: {words: []int{2}}, ir.ModelStrcat: {}, ir.ModelMemcmp: {words: []int{2}}, ir.ModelStrcmp: {},
	ir.ModelStrncmp: {words: []int{2}},
}

// anyWidth are models whose meaning is in the types of their arguments.
var anyWidth = map[ir.Model]bool{ir.ModelNone: true, ir.ModelAssert: true, ir.ModelFail: true, ir.ModelAssertFail: true, ir.ModelNop: true,
	ir.ModelSaddO: true, ir.ModelUaddO: true, ir.ModelSsubO: true, ir.ModelUsubO: true, ir.ModelSmulO: true, ir.ModelUmulO: true,
	ir.ModelSaddSat: true, ir.ModelUaddSat: true, ir.ModelSsubSat: true, ir.ModelUsubSat: true, ir.ModelCtpop: true, ir.ModelCtlz: true,
	ir.ModelCttz: true, ir.ModelBswap: true, ir.ModelBitrev: true, ir.ModelFshl: true, ir.ModelFshr: true, ir.ModelAbsI: true,
	ir.ModelSmax: true, ir.ModelSmin: true, ir.ModelUmax: true, ir.ModelUmin: true, ir.ModelExpect: true, ir.ModelIsConst: true,
	ir.ModelLifetimeStart: true, ir.ModelLifetimeEnd: true, ir.ModelAbs: true, ir.ModelFabs: true, ir.ModelCopysign: true,
	ir.ModelStackSave: true, ir.ModelStackRestore: true}

// call brings a call.
func (c *bringing) call(in *ir.Instr) {
	m := in.CalledModel()
	if !c.resizes || anyWidth[m] {
		c.Keep(in)
		return
	}
	how, known := models[m]
	if !known {
		c.leave(in, "a call of "+in.CalledName()+", where pointers of the other machine have another width")
		return
	}
	args := in.Args
	for _, i := range how.words {
		if i < len(args) && args[i].Type().IsInt() {
			args[i] = c.Resize(args[i], c.Word())
		}
	}
	t := in.T
	if how.result && t.IsInt() {
		t = c.Word()
	}
	out := c.Model(m, in.CalledName(), t, args...)
	out.Flags = in.Flags
	if !in.T.IsVoid() {
		c.becomes(in, c.result(out, in.T))
	}
}

// result is the result of a call as a number of the width that the program has it in.
func (c *bringing) result(call *ir.Instr, t *ir.Type) ir.Value {
	if !t.IsInt() {
		return call
	}
	return c.Resize(call, t)
}
