package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Interrupt handlers run between the steps of a program. A handler changes the program
// only through memory that both touch, so it is enough to let handlers run in front of
// each step that the two do not do in either order:
//
//	(I1) an access of memory that a handler may touch, and a library call that may
//	(I2) an assertion, an assumption, the end of the program
//	(I3) the jump back of a loop that has none of these
//	(I4) inline assembly that changes the interrupt mask, which then counts
//
// At such a point stands a call of Point, a function in C (PointSource) that runs any
// handlers which have runs left, unless interrupts are masked or a handler runs
// already. A memory access of any width is one step, and handlers do not interrupt
// each other: both are assumptions of the answer.

// Names of what PointSource defines. All begin with pointPrefix, and traces leave them out.
const (
	pointPrefix = "firmproof_irq_"
	Point       = pointPrefix + "point"
	masked      = pointPrefix + "masked"
)

// Handler is a function that may run up to Max times.
type Handler struct {
	Name string
	Max  int
}

// Turns is the number of runs of all handlers together, which bounds the loop in Point.
func Turns(list []Handler) int {
	n := 0
	for _, h := range list {
		n += h.Max
	}
	return n
}

// PointSource is the C of Point.
func PointSource(list []Handler) string {
	var b strings.Builder
	b.WriteString("_Bool firmproof_nondet_bool(void);\nint " + pointPrefix + "active, " + masked + ";\n")
	var left []string
	for i, h := range list {
		left = append(left, fmt.Sprintf("%sleft_%d", pointPrefix, i))
		fmt.Fprintf(&b, "void %s(void);\nunsigned %s = %d;\n", h.Name, left[i], h.Max)
	}
	fmt.Fprintf(&b, "void %s(void) {\n\tif (%sactive || %s) return;\n\tfor (unsigned i = 0; i < %du; i++) {\n\t\tif (!(%s)) return;\n", Point, pointPrefix, masked, Turns(list), strings.Join(left, " | "))
	for i, h := range list {
		fmt.Fprintf(&b, "\t\tif (%s && firmproof_nondet_bool()) { %s--; %sactive = 1; %s(); %sactive = 0; continue; }\n", left[i], left[i], pointPrefix, h.Name, pointPrefix)
	}
	b.WriteString("\t\treturn;\n\t}\n}\n")
	return b.String()
}

// Interrupts puts the points into m, which holds PointSource. entries are where
// executions begin, known the functions of the program, which a mistaken name is
// compared with. It gives the assumptions, in a fixed order.
func Interrupts(m *ir.Module, list []Handler, entries, known []string) ([]string, error) {
	w := &interrupts{builder: &builder{m: m}, point: m.Func(Point)}
	skip := map[*ir.Func]bool{w.point: true}
	var handlers []*ir.Func
	var notes []string
	for _, h := range list {
		f := m.Func(h.Name)
		if f == nil || f.IsDecl() {
			return nil, &UnknownError{"interrupt handler", h.Name, verdict.Nearest(h.Name,
				slices.Sorted(slices.Values(known)))}
		}
		if len(f.Params) > 0 {
			return nil, fmt.Errorf("interrupt handler %q has parameters", h.Name)
		}
		skip[f] = true
		handlers = append(handlers, f)
		notes = append(notes, fmt.Sprintf(
			"interrupt handler %s runs at most %d times, between any two steps where interrupts are not masked",
			h.Name, h.Max))
	}
	if w.point == nil {
		return nil, fmt.Errorf("interrupts: the program has no %s", Point)
	}
	for _, g := range m.Globals {
		if g.Name == masked {
			w.mask = g
		}
	}
	w.touched(handlers)
	for _, f := range m.Funcs {
		if !f.IsDecl() && !skip[f] {
			w.function(f, slices.Contains(entries, f.Name))
		}
	}
	return append(notes, "a memory access is one step, and interrupt handlers do not interrupt each other",
		"volatile variables change only by the program and its interrupt handlers"), nil
}

// interrupts puts in the points of one program.
type interrupts struct {
	*builder
	point   *ir.Func
	mask    *ir.Global
	globals map[*ir.Global]bool // that handlers name
	wild    bool                // handlers reach memory through pointers
}

// touched finds what the handlers and the functions below them may touch.
func (w *interrupts) touched(roots []*ir.Func) {
	w.globals = map[*ir.Global]bool{}
	seen := map[*ir.Func]bool{}
	for len(roots) > 0 {
		f := roots[len(roots)-1]
		roots = roots[:len(roots)-1]
		if seen[f] || f.IsDecl() {
			continue
		}
		seen[f] = true
		escapes := ir.Escapes(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range append([]ir.Value{in.Callee}, in.Args...) {
					if k, ok := a.(*ir.Const); ok {
						w.names(k, &roots)
					}
				}
				_, direct := in.Callee.(*ir.Const)
				w.wild = w.wild || in.Op == ir.OpCall && !direct
				for _, a := range addresses(in) {
					switch r := root(a).(type) {
					case *ir.Const:
					case *ir.Instr:
						w.wild = w.wild || r.Op != ir.OpAlloca || escapes[r]
					default:
						w.wild = true
					}
				}
			}
		}
	}
}

// names notes the globals and functions of a constant.
func (w *interrupts) names(k *ir.Const, funcs *[]*ir.Func) {
	if k.Global != nil {
		w.globals[k.Global] = true
		if k.Global.Init != nil && namesSymbol(k.Global.Init) {
			w.wild = true
		}
	}
	if k.Func != nil {
		*funcs = append(*funcs, k.Func)
	}
	for _, e := range k.Elems {
		w.names(e, funcs)
	}
}

// namesSymbol reports whether an initialiser holds the address of a variable or function.
func namesSymbol(k *ir.Const) bool {
	if k.Global != nil || k.Func != nil {
		return true
	}
	for _, e := range k.Elems {
		if namesSymbol(e) {
			return true
		}
	}
	return false
}

// addresses are the operands through which in reads or writes memory.
func addresses(in *ir.Instr) []ir.Value {
	switch in.Op {
	case ir.OpLoad, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg:
		return in.Args[:1]
	case ir.OpStore:
		return in.Args[1:]
	case ir.OpCall:
		if in.Model == ir.ModelNone || in.Model == ir.ModelLifetimeStart || in.Model == ir.ModelLifetimeEnd {
			return nil
		}
		var out []ir.Value
		for _, a := range in.Args {
			if a.Type().IsPtr() {
				out = append(out, a)
			}
		}
		return out
	}
	return nil
}

// function puts the points into f.
func (w *interrupts) function(f *ir.Func, entry bool) {
	escapes := ir.Escapes(f)
	has := make([]bool, len(f.Blocks))
	for _, b := range f.Blocks {
		w.rewrite(b, func(in *ir.Instr) {
			if w.shared(in, escapes) || entry && in.Op == ir.OpRet {
				w.call(w.point)
				has[b.Index] = true
			}
			w.keep(in)
			if in.Op == ir.OpAsm {
				w.masks(in)
			}
		})
	}
	for _, b := range f.Blocks { // (I3)
		for _, to := range b.Succs() {
			if to.Index > b.Index {
				continue
			}
			any := false
			for k := to.Index; k <= b.Index; k++ {
				any = any || has[k]
			}
			if !any {
				last := b.Term()
				w.rewrite(b, func(in *ir.Instr) {
					if in == last {
						w.call(w.point)
					}
					w.keep(in)
				})
				has[b.Index] = true
			}
		}
	}
	ir.Number(f)
}

// shared reports (I1), (I2) and (I4).
func (w *interrupts) shared(in *ir.Instr, escapes map[*ir.Instr]bool) bool {
	switch in.Model {
	case ir.ModelAssert, ir.ModelAssume, ir.ModelFail, ir.ModelAssertFail, ir.ModelExit:
		return true
	}
	if in.Op == ir.OpAsm {
		return true
	}
	for _, a := range addresses(in) {
		switch r := root(a).(type) {
		case *ir.Const:
			if r.Global == nil || w.globals[r.Global] || w.wild && !r.Global.Const {
				return true
			}
		case *ir.Instr:
			if r.Op != ir.OpAlloca || escapes[r] && w.wild {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// masks adds the changes of the interrupt mask behind inline assembly. What may take
// the mask away in a way that is not known takes it away: handlers run then.
func (w *interrupts) masks(in *ir.Instr) {
	if w.mask == nil || in.Asm == nil {
		return
	}
	text := strings.ToLower(in.Asm.Template)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(x string) bool { return strings.Contains(text, x) })
	}
	set := func(v ir.Value) { w.store(v, w.addrOfGlobal(w.mask), 1) }
	switch {
	case has("cpsie", "sei", "sti", "popf", "eint", "csrsi mstatus", "csrs mstatus", "csrw mstatus", "basepri",
		"faultmask"):
		set(w.int(w.mask.T, 0))
	case has("msr primask"):
		if len(in.Args) == 1 && in.Args[0].Type().Equal(w.mask.T) {
			set(in.Args[0])
		} else {
			set(w.int(w.mask.T, 0))
		}
	case has("cpsid i", "cli", "dint", "csrci mstatus"):
		set(w.int(w.mask.T, 1))
	}
}
