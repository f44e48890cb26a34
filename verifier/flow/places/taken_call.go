package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// call is instr for a call.
func (x *trail) call(in *ir.Instr) bool {
	switch in.Model {
	case ir.ModelFree, ir.ModelLifetimeStart, ir.ModelLifetimeEnd, ir.ModelMemcmp, ir.ModelStrlen, ir.ModelStrnlen,
		ir.ModelStrcmp, ir.ModelStrncmp, ir.ModelPrintf, ir.ModelROK, ir.ModelWOK, ir.ModelRWOK, ir.ModelObjectSize,
		ir.ModelPtrOffset, ir.ModelPtrObject, ir.ModelSameObject, ir.ModelNop:
		return false
	case ir.ModelMemset:
		return !ir.IsConst(in.Args[1], 0) && x.filled(in)
	case ir.ModelMemcpy, ir.ModelMemmove:
		return x.copies(in)
	}
	found := false
	for i, v := range in.Args {
		if x.slots[Uncast(v)] != 0 {
			return true
		}
		size := x.of(v, policy.ExpressionSteps)
		if f := ir.CalledFunc(in); size == 0 || f != nil && i < len(f.Params) && f.Params[i].ByVal != nil {
			continue
		}
		x.takes()
		found = x.passed(in, i, size) || found
	}
	return found
}

// passed reports whether a function that a call may be of may write the object, which it is passed the address of.
func (x *trail) passed(in *ir.Instr, i int, size int64) bool {
	if f := ir.CalledFunc(in); f != nil {
		return f.IsDecl() || i >= len(f.Params) || x.passes(f, i, size)
	}
	if from := cast(in.Callee); from != nil {
		for _, o := range ObjectsAt(x.vars, from.Args[0]) {
			t := PartAt(o.T, o.Off, IsFunction)
			if t != nil && i < len(t.Elem.Params) && t.Elem.Params[i] != nil && x.isPart(t.Elem.Params[i]) {
				return false
			}
		}
	}
	for _, f := range x.r.m.Funcs {
		if f.Addr && i < len(f.Params) && in.Sig != nil && f.Sig().Equal(in.Sig) &&
			(f.IsDecl() || x.passes(f, i, size)) {
			return true
		}
	}
	return false
}

// isPart reports whether a pointer of type t leads to the kind of structure that the object is, or is a part of.
func (x *trail) isPart(t *ir.DType) bool {
	return ir.IsAggregate(Element(x.t)) && t.Kind == ir.DPointer && ir.IsAggregate(t.Elem) && agrees(x.t, t.Elem)
}

// passes reports whether f may write the object, which it is passed the address of, as something else.
func (x *trail) passes(f *ir.Func, i int, size int64) bool {
	if v := ir.ParamVars(f)[i]; v != nil && v.T != nil && x.isPart(v.T) {
		return false
	}
	p := passing{to: f.Params[i], size: size}
	if t := Element(x.t); ir.IsAggregate(t) {
		p.kind = LayoutOf(t)
	} else {
		p.t = t
	}
	if known, ok := x.r.memo[p]; ok {
		return known
	}
	x.r.memo[p] = false // of calls in circles
	inner := &trail{r: x.r, f: f, vars: f.VarsBySlot(), t: x.t, param: f.Params[i], first: size}
	x.r.memo[p] = inner.writes()
	return x.r.memo[p]
}

// copies is instr for memcpy and memmove: a copy from an object of the same type is noted as such.
func (x *trail) copies(in *ir.Instr) bool {
	if x.of(in.Args[0], policy.ExpressionSteps) == 0 {
		return false
	}
	to, from := ObjectsAt(x.vars, in.Args[0]), ObjectsAt(x.vars, in.Args[1])
	same := len(to) > 0
	for _, o := range to {
		of := wholeAt(o, in.Args[2])
		same = same && of != nil && agrees(x.t, of)
		for _, s := range from { // none: a temporary variable
			if s.Global != nil && s.Global.Var == nil {
				continue // a constant of the compiler: see literal
			}
			as := wholeAt(s, in.Args[2])
			same = same && as != nil && LayoutOf(as) == LayoutOf(of)
		}
	}
	if !same {
		return x.filled(in)
	}
	if x.g != nil {
		x.r.Whole[x.g] = true
	}
	for _, of := range StructsIn(x.t) {
		x.r.Copied[of] = true
	}
	return false
}

// wholeAt returns the structure or union at o that one or more of are n bytes; nil: there is none.
func wholeAt(o Object, n ir.Value) *ir.DType {
	c, ok := n.(*ir.Const)
	if !ok || c.Kind != ir.ConstInt || !o.Known() || o.Beyond() {
		return nil
	}
	size := int64(c.Bits.Low64())
	return PartAt(o.T, o.Off, func(t *ir.DType) bool {
		return ir.IsAggregate(t) && ir.SizeInC(t) > 0 && size%ir.SizeInC(t) == 0
	})
}

// filled reports whether a call that writes any bytes at its first argument may write more of the object there than an
// array of numbers that holds as many.
func (x *trail) filled(in *ir.Instr) bool {
	size := x.of(in.Args[0], policy.ExpressionSteps)
	if size == 0 {
		return false
	}
	c, ok := in.Args[2].(*ir.Const)
	if !ok || c.Kind != ir.ConstInt {
		return true
	}
	n := int64(c.Bits.Low64())
	if size > 0 {
		return n > size
	}
	_, t, off := ObjectAt(x.vars, in.Args[0])
	part := PartAt(t, off, func(t *ir.DType) bool { return ir.SizeInC(t) >= n && !HoldsFunction(t) })
	return part == nil || n > ir.SizeInC(part)
}
