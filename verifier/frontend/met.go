package frontend

import (
	"fmt"
	"strconv"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Types that meet through memory (C17 6.5p7): a pointer is kept in a member of a structure or a variable, or handed to
// a function, and leads to variables of one type whoever sets it, but is accessed as another elsewhere. What a single
// function says itself is noted from the syntax tree (pipeline/compile/syntax); this is about the linked program, by the
// sizes and kinds of scalars. Where a pointer may lead to one variable that fits, or to anything that is not known,
// nothing is said: functions take `void *` of several types by cases.

// target is a place that a pointer may lead to: off bytes into a variable of a type. nil type: not known.
type target struct {
	of  *ir.DType
	off int64
}

// anyTarget is what is not known.
var anyTarget = target{}

// meeting follows the pointers of a program, in no order.
type meeting struct {
	*fn                         // the function at hand, as far as its variables go
	held    map[string][]target // by what holds them
	escapes map[*ir.Func]map[*ir.Instr]bool
	news    bool
}

// met notes accesses of what pointers from elsewhere lead to, as another type.
func (t *translator) met(src *llir.Module) {
	strict := strictFunctions(t, src)
	if len(strict) == 0 {
		return
	}
	m := &meeting{held: map[string][]target{}, escapes: map[*ir.Func]map[*ir.Instr]bool{}}
	for _, g := range t.m.Globals {
		if g.Init != nil && g.Var != nil {
			m.initial(t, g, g.Init, 0)
		}
	}
	for range policy.MetRounds {
		m.news = false
		for _, f := range t.m.Funcs {
			m.function(t, f, nil)
		}
		if !m.news {
			break
		}
	}
	if m.news {
		return
	}
	for _, f := range t.m.Funcs {
		if strict[f] {
			m.function(t, f, m.access)
		}
	}
}

// strictFunctions returns the functions of units whose compiler may use the types of accesses.
func strictFunctions(t *translator, src *llir.Module) map[*ir.Func]bool {
	def := src.NamedMetadataDefs["firmproof.strict"]
	if def == nil {
		return nil
	}
	units := map[string]bool{}
	for _, n := range def.Nodes {
		if tuple, ok := n.(*metadata.Tuple); ok && len(tuple.Fields) == 1 {
			if s, ok := tuple.Fields[0].(*metadata.String); ok {
				units[s.Value] = true
			}
		}
	}
	out := map[*ir.Func]bool{}
	for _, s := range src.Funcs {
		if f := t.funcs[s]; f != nil && !f.IsDecl() && units[t.unitOf(s)] {
			out[f] = true
		}
	}
	return out
}

// function follows the instructions of f, or looks at each.
func (m *meeting) function(t *translator, f *ir.Func, look func(*ir.Instr)) {
	if f.IsDecl() {
		return
	}
	m.fn = &fn{translator: t, out: f}
	if m.escapes[f] == nil {
		m.escapes[f] = ir.Escapes(f)
	}
	if f.Addr {
		for i := range f.Params {
			m.hold(parameter(f, i), anyTarget)
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if look != nil {
				look(in)
			} else {
				m.instr(in)
			}
		}
	}
}

func parameter(f *ir.Func, i int) string { return fmt.Sprintf("%s $%d", f.Name, i) }

// hold adds targets to what a holder may lead to.
func (m *meeting) hold(holder string, list ...target) {
	for _, to := range list {
		have := m.held[holder]
		known := false
		for _, h := range have {
			known = known || h == to || h == anyTarget
		}
		switch {
		case known:
		case to == anyTarget || len(have) > policy.MetTargets:
			m.held[holder], m.news = []target{anyTarget}, true
		default:
			m.held[holder], m.news = append(have, to), true
		}
	}
}

// initial notes the addresses in an initialiser.
func (m *meeting) initial(t *translator, g *ir.Global, c *ir.Const, off int64) {
	switch {
	case c.Kind == ir.ConstAgg:
		for i, e := range c.Elems {
			at := off + int64(i)*t.m.Layout.SizeOf(e.T)
			if c.T.Kind == ir.KindStruct {
				at = off + t.m.Layout.FieldOffset(c.T, i)
			}
			m.initial(t, g, e, at)
		}
	case c.Kind == ir.ConstAddr && c.Global != nil:
		m.fn = &fn{translator: t, out: &ir.Func{}}
		m.hold(cellAt(g, g.Var.T, off), m.leads(c, 0)...)
	case c.Kind == ir.ConstInt && c.T.IsPtr():
		m.hold(cellAt(g, g.Var.T, off), anyTarget)
	}
}

// cellAt names what holds a pointer off bytes into a t: a member, of all structures with that name, or a variable.
func cellAt(g *ir.Global, t *ir.DType, off int64) string {
	name := ""
	if g != nil {
		name = "&" + g.Name
	}
	for t != nil {
		switch {
		case t.Kind == ir.DPointer && off == 0:
			return name
		case t.Kind == ir.DStruct:
			var next *ir.DType
			for _, f := range t.Fields {
				if f.T != nil && !f.IsBits && 8*off >= f.BitOff && 8*off < f.BitOff+f.BitSize {
					name, next, off = t.Name+"+"+strconv.FormatInt(off, 10), f.T, off-f.BitOff/8
					break
				}
			}
			t = next
		default:
			return ""
		}
	}
	return ""
}

// holder names what holds the pointer at an address; empty where that is not followed.
func (m *meeting) holder(address ir.Value) string {
	switch x := uncast(address).(type) {
	case *ir.Const:
		if x.Kind == ir.ConstAddr && x.Global != nil && x.Global.Var != nil {
			return cellAt(x.Global, x.Global.Var.T, x.Off)
		}
		return ""
	case *ir.Instr:
		if x.Op == ir.OpAlloca {
			if !m.escapes[m.out][x] && x.Access.IsPtr() {
				return fmt.Sprintf("%s %d", m.out.Name, x.ID)
			}
			return ""
		}
	}
	t, off := m.place(address)
	if t != nil && t.Kind == ir.DStruct {
		return cellAt(nil, t, off)
	}
	return ""
}

// leads returns what a pointer may lead to.
func (m *meeting) leads(v ir.Value, depth int) []target {
	unknown := []target{anyTarget}
	if depth > policy.ExpressionSteps {
		return unknown
	}
	switch x := v.(type) {
	case *ir.Param:
		return m.held[parameter(m.out, x.Index)]
	case *ir.Const:
		switch {
		case x.Kind == ir.ConstNull:
			return nil
		case x.Kind == ir.ConstAddr && x.Global != nil && x.Global.Var != nil:
			return []target{{x.Global.Var.T, x.Off}}
		}
	case *ir.Instr:
		switch x.Op {
		case ir.OpAlloca:
			if t := m.variable(x); t != nil {
				return []target{{t, 0}}
			}
		case ir.OpBitcast, ir.OpFreeze:
			return m.leads(x.Args[0], depth+1)
		case ir.OpGep:
			return furtherOn(m.leads(x.Args[0], depth+1), x)
		case ir.OpSelect, ir.OpPhi:
			var out []target
			for _, a := range x.Args {
				if a.Type().IsPtr() {
					out = append(out, m.leads(a, depth+1)...)
				}
			}
			return out
		case ir.OpLoad:
			if h := m.holder(x.Args[0]); h != "" {
				return m.held[h]
			}
		case ir.OpCall:
			if c, ok := x.Callee.(*ir.Const); ok && c.Func != nil && !c.Func.IsDecl() {
				return m.held[c.Func.Name+" result"]
			}
		}
	}
	return unknown
}

// furtherOn returns where a gep leads from targets: an index is one of an element of an array.
func furtherOn(list []target, gep *ir.Instr) []target {
	var out []target
	for _, to := range list {
		for _, scale := range gep.Scales {
			if to.of != nil && (to.of.Kind != ir.DArray || ir.SizeInC(to.of.Elem) != scale) && ir.SizeInC(to.of) != scale {
				to = anyTarget
			}
		}
		if to.of != nil {
			to.off += gep.Off
		}
		out = append(out, to)
	}
	return out
}
