package frontend

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// instr notes what an instruction has pointers lead to.
func (m *meeting) instr(in *ir.Instr) {
	for i, a := range in.Args {
		if a.Type().IsPtr() && in.AddressOf(i) == nil || in.Op == ir.OpCall && a.Type().IsPtr() {
			m.shares(a)
		}
	}
	switch in.Op {
	case ir.OpStore:
		if h := m.holder(in.Args[1]); h != "" && in.Args[0].Type().IsPtr() {
			m.hold(h, m.leads(in.Args[0], 0)...)
		} else if h != "" {
			m.hold(h, anyTarget)
		}
	case ir.OpRet:
		for _, a := range in.Args {
			if a.Type().IsPtr() {
				m.hold(m.out.Name+" result", m.leads(a, 0)...)
			}
		}
	case ir.OpCall:
		m.callOf(in)
	}
}

// shares notes an address of what holds a pointer that is more than read and written through: `&b->p`.
func (m *meeting) shares(a ir.Value) {
	x, ok := uncast(a).(*ir.Instr)
	if ok && x.Op == ir.OpGep && x.Flags.Has(ir.Member) {
		if h := m.holder(x); h != "" {
			m.hold(h, anyTarget)
		}
	}
	if c, ok := uncast(a).(*ir.Const); ok && c.Global != nil && c.Global.Var != nil && c.Global.Var.T != nil &&
		c.Global.Var.T.Kind == ir.DPointer {
		m.hold("&"+c.Global.Name, anyTarget)
	}
}

// callOf notes what a call hands on, and what a function without a body may write.
func (m *meeting) callOf(in *ir.Instr) {
	c, direct := in.Callee.(*ir.Const)
	if direct && c.Func != nil && !c.Func.IsDecl() {
		for i := range c.Func.Params {
			if i < len(in.Args) && in.Args[i].Type().IsPtr() {
				m.hold(parameter(c.Func, i), m.leads(in.Args[i], 0)...)
			}
		}
		return
	}
	switch in.Model {
	case ir.ModelFree, ir.ModelPrintf, ir.ModelMemcmp, ir.ModelLifetimeStart, ir.ModelLifetimeEnd, ir.ModelMemset,
		ir.ModelMalloc, ir.ModelCalloc, ir.ModelAssert, ir.ModelAssume, ir.ModelAssertFail:
		return
	case ir.ModelMemcpy, ir.ModelMemmove:
		to, off := m.place(in.Args[0])
		from, at := m.place(in.Args[1])
		if to != nil && from != nil && to.Name == from.Name && off == at {
			return
		}
		m.overwritten(to)
		return
	}
	for _, a := range in.Args {
		if a.Type().IsPtr() {
			t, _ := m.place(a)
			m.overwritten(t)
		}
	}
}

// overwritten notes that the pointers in a structure may lead anywhere.
func (m *meeting) overwritten(t *ir.DType) {
	for t != nil && t.Kind == ir.DArray {
		t = t.Elem
	}
	if t == nil || t.Kind != ir.DStruct {
		return
	}
	for _, f := range t.Fields {
		if f.T == nil {
			continue
		}
		if f.T.Kind == ir.DPointer {
			m.hold(cellAt(nil, t, f.BitOff/8), anyTarget)
		}
		m.overwritten(f.T)
	}
}

// access looks at a load or store through a pointer that is from elsewhere.
func (m *meeting) access(in *ir.Instr) {
	if in.Op != ir.OpLoad && in.Op != ir.OpStore || in.Flags.Has(ir.Volatile) || in.Pos == nil || in.Pos.InLibrary() {
		return
	}
	addr := address(in)
	if !m.fromElsewhere(addr) {
		return
	}
	is := accessKind(in.Access)
	list := m.leads(addr, 0)
	if is == "" || len(list) == 0 {
		return
	}
	for _, to := range list {
		if k := kindAt(to.of, to.off); k == "" || k == is {
			return
		}
	}
	of := memberAt(list[0].of, list[0].off)
	chosenFor(m.out, in, fmt.Sprintf("%s:%d: what is %s elsewhere and is accessed as %s here is one object to the "+
		"compiler, as with -fno-strict-aliasing (C17 6.5p7)", in.Pos.File, in.Pos.Line, of.Name, is))
}

// fromElsewhere reports whether an address comes out of memory, from a caller or a callee, through no union.
func (m *meeting) fromElsewhere(v ir.Value) bool {
	for {
		if t, _ := m.place(v); t != nil && t.Kind == ir.DUnion {
			return false
		}
		switch x := v.(type) {
		case *ir.Param:
			return true
		case *ir.Instr:
			switch x.Op {
			case ir.OpGep, ir.OpBitcast, ir.OpFreeze:
				v = x.Args[0]
				continue
			}
			return x.Op == ir.OpLoad || x.Op == ir.OpCall
		}
		return false
	}
}

// accessKind returns the kind of a scalar; empty where any object may be accessed as it, or where it is no scalar.
func accessKind(t *ir.Type) string {
	switch {
	case t.IsPtr():
		return "a pointer"
	case t.IsInt() && t.Width > 8 && t.Width%8 == 0:
		return fmt.Sprintf("an integer of %d bits", t.Width)
	case t.Kind == ir.KindFloat:
		return fmt.Sprintf("a floating-point number of %d bits", t.Width)
	}
	return ""
}

// kindAt returns the kind of the scalar off bytes into a t; empty where there is none, or it may be accessed as any: in
// unions, of bit-fields and characters.
func kindAt(t *ir.DType, off int64) string {
	for t != nil {
		switch t.Kind {
		case ir.DArray:
			size := ir.SizeInC(t.Elem)
			if size <= 0 {
				return ""
			}
			t, off = t.Elem, (off%size+size)%size
		case ir.DStruct:
			var next *ir.DType
			for _, f := range t.Fields {
				if f.T != nil && 8*off >= f.BitOff && 8*off < f.BitOff+f.BitSize && !f.IsBits {
					next, off = f.T, off-f.BitOff/8
					break
				}
			}
			t = next
		case ir.DPointer:
			return whole(off, "a pointer")
		case ir.DInt, ir.DEnum:
			if t.Bits > 8 {
				return whole(off, fmt.Sprintf("an integer of %d bits", t.Bits))
			}
			return ""
		case ir.DFloat:
			return whole(off, fmt.Sprintf("a floating-point number of %d bits", t.Bits))
		default:
			return ""
		}
	}
	return ""
}

func whole(off int64, kind string) string {
	if off != 0 {
		return ""
	}
	return kind
}
