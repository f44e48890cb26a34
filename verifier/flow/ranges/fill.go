package ranges

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// filled names a place that holds a pointer, or a value that gives one: after this many more loads from there, numbers
// are written through what was loaded.
type filled struct {
	at    any // a local variable, parameter, place, or function
	loads int
}

// fills notes the pointers that an instruction of f writes numbers through, and where these pointers came from.
func (x *raws) fills(m *ir.Module, f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr) {
	switch in.Op {
	case ir.OpStore:
		if !in.Args[0].Type().IsPtr() {
			if !ir.IsConst(in.Args[0], 0) { // zeros alone say nothing, as those of memset
				x.writes(vars, in.Args[1], 0, policy.FlowChoices)
			}
			return
		}
		for _, n := range x.nodes(vars, in.Args[1]) {
			x.same(vars, n, in.Args[0])
		}
	case ir.OpAtomicRMW, ir.OpCmpXchg:
		x.writes(vars, in.Args[0], 0, policy.FlowChoices)
	case ir.OpRet:
		if len(in.Args) == 1 {
			x.same(vars, f, in.Args[0])
		}
	case ir.OpCall:
		list := callees(m, in)
		for i, v := range in.Args {
			if v.Type().IsPtr() && modelFills(vars, in, i) {
				x.writes(vars, v, 0, policy.FlowChoices)
			}
			for _, g := range list {
				if i < len(g.Params) {
					x.same(vars, g.Params[i], v)
				}
			}
		}
	}
}

// same notes that v is the pointer that n holds: what is written through that one is written through v.
func (x *raws) same(vars map[ir.Value]*ir.Var, n any, v ir.Value) {
	for loads := 0; loads < policy.FilledLoads && v.Type().IsPtr(); loads++ {
		if x.filled[filled{n, loads}] {
			x.writes(vars, v, loads, policy.FlowChoices)
		}
	}
}

// modelFills reports whether a call of a function that has no body writes bytes at its argument i.
func modelFills(vars map[ir.Value]*ir.Var, in *ir.Instr, i int) bool {
	switch in.Model {
	case ir.ModelMemcpy, ir.ModelMemmove:
		to, from := objectType(vars, in.Args[0]), objectType(vars, in.Args[1])
		return i == 0 && !(ir.IsStruct(to) && ir.IsStruct(from) && places.LayoutOf(to) == places.LayoutOf(from))
	case ir.ModelMemset:
		return i == 0 && !ir.IsConst(in.Args[1], 0)
	case ir.ModelNone:
		if g := ir.CalledFunc(in); g == nil || !g.IsDecl() {
			return false
		}
		for _, o := range places.ObjectsAt(vars, in.Args[i]) {
			if ir.IsAggregate(places.Element(o.T)) {
				return false // it is taken to write what it is given the type of
			}
		}
		return true
	}
	return false
}

// callees returns the functions with a body that a call may lead to by its type.
func callees(m *ir.Module, in *ir.Instr) []*ir.Func {
	return slices.DeleteFunc(m.MayCall(in), func(f *ir.Func) bool {
		return ir.CalledFunc(in) == nil && !f.Sig().Equal(in.Sig)
	})
}

// writes notes that numbers are written through the pointer that this many loads from v on give.
func (x *raws) writes(vars map[ir.Value]*ir.Var, v ir.Value, loads, steps int) {
	if loads > policy.FilledLoads || steps == 0 || loads == 0 && isOwn(vars, v) {
		return
	}
	if loads > 0 {
		if loads == 1 {
			x.stored(vars, v)
		}
		list := x.nodes(vars, v)
		for _, n := range list {
			x.fill(n, loads-1)
		}
		if len(list) > 0 {
			return
		}
	}
	switch y := ir.Root(v).(type) {
	case *ir.Param:
		x.fill(y, loads)
	case *ir.Instr:
		switch y.Op {
		case ir.OpAlloca:
			if t := vars[y]; t != nil && loads == 0 {
				x.s.other(t.T, 0)
			}
		case ir.OpLoad:
			x.writes(vars, y.Args[0], loads+1, steps)
		case ir.OpPhi, ir.OpSelect:
			for _, a := range y.Args {
				if a.Type().IsPtr() {
					x.writes(vars, a, loads, steps-1)
				}
			}
		case ir.OpCall:
			x.gives(ir.CalledFunc(y), loads)
		}
	}
}

// gives notes that numbers are written through the pointer that this many loads from the result of f on give.
func (x *raws) gives(f *ir.Func, loads int) {
	if f == nil {
		return
	}
	x.fill(f, loads)
	if loads == 0 && f.DRet != nil && f.DRet.Kind == ir.DPointer {
		x.taken(places.LeadsTo(f.DRet), []any{f})
	}
}

func (x *raws) fill(n any, loads int) {
	k := filled{n, loads}
	x.again = x.again || !x.filled[k]
	x.filled[k] = true
}

// isOwn reports whether v is the address of a member of a structure, which is written as what it is. One that has
// nothing but arrays of numbers is a buffer.
func isOwn(vars map[ir.Value]*ir.Var, v ir.Value) bool {
	if !isMember(v) {
		return false
	}
	for _, o := range places.ObjectsAt(vars, v) {
		if isBuffer(places.Element(o.T)) {
			return false
		}
	}
	return true
}

// isBuffer reports whether t is a structure of arrays of numbers alone.
func isBuffer(t *ir.DType) bool {
	if !ir.IsStruct(t) {
		return false
	}
	for i := range t.Fields {
		if f := t.Fields[i].T; f == nil || f.Kind != ir.DArray || !ir.IsNumber(places.Element(f)) {
			return false
		}
	}
	return len(t.Fields) > 0
}
