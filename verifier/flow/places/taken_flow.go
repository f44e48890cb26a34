package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// trail follows the addresses of one object, or of one kind of object, through a function.
type trail struct {
	r     *rewritten
	f     *ir.Func
	vars  map[ir.Value]*ir.Var
	g     *ir.Global         // the object
	t     *ir.DType          // its type
	param *ir.Param          // that leads to it; g and param are nil: all that is a t
	first int64              // what of gives for param
	slots map[ir.Value]int64 // local variables that may hold such an address as a pointer to something else
}

// anywhere stands for an address that may be moved to any place in the object.
const anywhere int64 = -1

// writes reports whether the function may write such an object as something else than it is.
func (x *trail) writes() bool {
	x.slots = map[ir.Value]int64{}
	for again := true; again; {
		again = false
		for _, b := range x.f.Blocks {
			for _, in := range b.Instrs {
				again = x.holds(in) || again
			}
		}
	}
	found := false
	for _, b := range x.f.Blocks {
		for _, in := range b.Instrs {
			found = x.instr(in) || found
		}
	}
	return found
}

// holds notes a local variable that such an address is stored in, and reports whether that is news.
func (x *trail) holds(in *ir.Instr) bool {
	if in.Op != ir.OpStore {
		return false
	}
	to, local := in.Args[1].(*ir.Instr)
	size := x.of(in.Args[0], policy.ExpressionSteps)
	if size == 0 || !local || to.Op != ir.OpAlloca || ir.IsAggregate(Element(x.t)) && x.typed(in.Args[1]) {
		return false
	}
	if old := x.slots[to]; old != 0 && (old == anywhere || old <= size && size != anywhere) {
		return false
	}
	x.slots[to] = size
	return true
}

// typed reports whether the pointer at addr is one to the type of the object.
func (x *trail) typed(addr ir.Value) bool {
	list := ObjectsAt(x.vars, addr)
	for _, o := range list {
		types := PointersAt(o.T, o.Off)
		if o.Cast || o.Moved || len(types) == 0 {
			return false
		}
		for _, t := range types {
			if !agrees(x.t, t) {
				return false
			}
		}
	}
	return len(list) > 0
}

// of returns 0 where v is no address of the object, the bytes of the number that it is the address of, or anywhere.
func (x *trail) of(v ir.Value, steps int) int64 {
	if steps == 0 || !v.Type().IsPtr() {
		return 0
	}
	if size := x.origin(v); size != 0 {
		return size
	}
	in, ok := v.(*ir.Instr)
	if !ok {
		return 0
	}
	switch in.Op {
	case ir.OpLoad:
		return x.slots[in.Args[0]]
	case ir.OpBitcast, ir.OpFreeze:
		return x.of(in.Args[0], steps)
	case ir.OpGep:
		size := x.of(in.Args[0], steps)
		if size > 0 && (len(in.Args) > 1 || in.Off != 0) {
			return anywhere
		}
		return size
	case ir.OpPhi, ir.OpSelect:
		out := int64(0)
		for _, a := range in.Args {
			if size := x.of(a, steps-1); size == anywhere || out == 0 || size > 0 && size < out {
				out = size
			}
			if out == anywhere {
				break
			}
		}
		return out
	}
	return 0
}

// origin is of for an address that is computed from the object's own.
func (x *trail) origin(v ir.Value) int64 {
	base := ir.Root(v)
	switch {
	case x.param != nil:
		if base != ir.Value(x.param) {
			return 0
		}
		if Uncast(v) == base {
			return x.first
		}
		return anywhere
	case x.g != nil:
		if c, ok := base.(*ir.Const); !ok || c.Global != x.g {
			return 0
		}
	default:
		found := false
		for _, o := range x.r.origins(x.vars, base) {
			found = found || o.Global == nil && LayoutOf(o.T) == LayoutOf(x.t)
		}
		if !found {
			return 0
		}
	}
	list := ObjectsAt(x.vars, v)
	if len(list) != 1 || !list[0].Known() || hasIndex(v) {
		return anywhere
	}
	of, f, at := MemberIn(list[0].T, list[0].Off)
	if of != nil && !f.IsBits && at == f.BitOff/8 && f.T.Kind != ir.DPointer && f.T.Kind != ir.DUnion {
		return max(ir.SizeInC(f.T), 1)
	}
	return anywhere
}

// hasIndex reports whether an index that varies is in the computation of an address.
func hasIndex(v ir.Value) bool {
	for in, ok := v.(*ir.Instr); ok && ir.Root(in) != ir.Value(in); in, ok = in.Args[0].(*ir.Instr) {
		if len(in.Scales) > 0 {
			return true
		}
	}
	return false
}

// instr reports whether an instruction may write the object as something else, or hands its address to what may. It
// notes what else happens to it.
func (x *trail) instr(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpGep, ir.OpBitcast, ir.OpFreeze, ir.OpPhi, ir.OpSelect, ir.OpIcmp:
		return false
	case ir.OpStore:
		return x.store(in)
	case ir.OpCall:
		return x.call(in)
	}
	for i, v := range in.Args {
		size := x.of(v, policy.ExpressionSteps)
		if x.slots[Uncast(v)] != 0 {
			return true
		}
		switch {
		case size == 0:
		case in.Op == ir.OpRet && x.f.DRet != nil && x.f.DRet.Kind == ir.DPointer && agrees(x.t, x.f.DRet.Elem):
			x.takes()
		case i == 0 && (in.Op == ir.OpAtomicRMW || in.Op == ir.OpCmpXchg) &&
			x.fits(v, size, in.Args[1], true):
		default:
			x.takes()
			return true
		}
	}
	return false
}

// takes notes that the address of a variable leads to it from elsewhere.
func (x *trail) takes() {
	if x.g != nil {
		x.r.Taken[x.g] = true
	}
}

// store is instr for a store.
func (x *trail) store(in *ir.Instr) bool {
	value, addr := in.Args[0], in.Args[1]
	if x.slots[Uncast(value)] != 0 {
		return true
	}
	if size := x.of(value, policy.ExpressionSteps); size != 0 {
		x.takes()
		to, local := addr.(*ir.Instr)
		if !(local && to.Op == ir.OpAlloca) && !x.typed(addr) {
			return true
		}
	}
	size, number := x.of(addr, policy.ExpressionSteps), !value.Type().IsPtr()
	if size == 0 || !number && isFunctionValue(x.vars, value) || x.byValue(in) || isPadding(value) {
		return false
	}
	return !x.fits(addr, size, value, number && !isZero(value))
}

// isZero reports whether v is a number that leaves a pointer null.
func isZero(v ir.Value) bool {
	c, ok := v.(*ir.Const)
	return ok && (c.Kind == ir.ConstZero || c.Kind == ir.ConstInt && c.Bits.IsZero())
}

// fits reports whether an address of the object is that of a part of it that value is written to as what it is. That is no
// pointer to a function where unnoted: Table.instr notes stores of pointers alone.
func (x *trail) fits(addr ir.Value, size int64, value ir.Value, unnoted bool) bool {
	n := x.r.m.Layout.SizeOf(value.Type())
	if size > 0 && n <= size {
		return true
	}
	for _, o := range ObjectsAt(x.vars, addr) {
		if unnoted && PartAt(o.T, o.Off, IsFunction) != nil {
			return false
		}
		if IsFunction(o.T) && o.Known() {
			continue
		}
		if !o.Known() || o.Beyond() || !agrees(x.t, o.T) || !isScalar(o.T, o.Off, n) {
			return false
		}
	}
	return true
}

// isScalar reports whether a bit-field, or a number or pointer of n bytes, stands off bytes into a t.
func isScalar(t *ir.DType, off, n int64) bool {
	for t != nil && (t.Kind == ir.DArray || t.Kind == ir.DStruct) {
		if f := fieldAt(t, off); t.Kind == ir.DStruct && f != nil && f.IsBits {
			return true
		}
		t, off = Into(t, off)
	}
	return t != nil && t.Kind != ir.DUnion && off == 0 && n <= max(ir.SizeInC(t), 1)
}

// isPadding reports whether v is what an initialiser puts between members.
func isPadding(v ir.Value) bool {
	if in, ok := v.(*ir.Instr); ok && in.Op == ir.OpFreeze {
		v = in.Args[0]
	}
	c, ok := v.(*ir.Const)
	return ok && c.Kind == ir.ConstUndef
}

// byValue reports whether a store puts a part of a structure that is passed, or given back, by value where it belongs.
func (x *trail) byValue(in *ir.Instr) bool {
	v := in.Args[0]
	if y, ok := v.(*ir.Instr); ok && y.Op == ir.OpExtractValue {
		v = y.Args[0]
	}
	if to, ok := ir.Root(in.Args[1]).(*ir.Instr); !ok || to.Op != ir.OpAlloca {
		return false
	}
	switch y := v.(type) {
	case *ir.Param:
		return true
	case *ir.Instr:
		f := ir.CalledFunc(y)
		return f != nil && ir.IsAggregate(f.DRet)
	}
	return false
}
