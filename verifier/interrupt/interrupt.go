// Package interrupt lets interrupt handlers run between the steps of a program.
//
// A handler changes the program only through memory that both touch, so it is enough
// to let handlers run in front of each step that the two do not do in either order:
//
//	(I1) an access of memory that a handler may touch, and a library call that may
//	(I2) an assertion, an assumption, the end of the program
//	(I3) the jump back of a loop that has none of these
//	(I4) inline assembly that changes the interrupt mask, which then counts
//
// At such a point stands a call of Point, a function in C (Source) that runs any
// handlers which have runs left, unless interrupts are masked or a handler runs
// already. A memory access of any width is one step, and handlers do not interrupt
// each other: both are assumptions of the answer.
package interrupt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Names of what Source defines. Everything of ours begins with Prefix, and traces leave it out.
const (
	Prefix = "firmproof_irq_"
	Point  = Prefix + "point"
	masked = Prefix + "masked"
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

// Source is the C of Point.
func Source(list []Handler) string {
	var b strings.Builder
	b.WriteString("_Bool firmproof_nondet_bool(void);\nint " + Prefix + "active, " + masked + ";\n")
	var left []string
	for i, h := range list {
		left = append(left, fmt.Sprintf("%sleft_%d", Prefix, i))
		fmt.Fprintf(&b, "void %s(void);\nunsigned %s = %d;\n", h.Name, left[i], h.Max)
	}
	fmt.Fprintf(&b, "void %s(void) {\n\tif (%sactive || %s) return;\n\tfor (unsigned i = 0; i < %du; i++) {\n\t\tif (!(%s)) return;\n", Point, Prefix, masked, Turns(list), strings.Join(left, " | "))
	for i, h := range list {
		fmt.Fprintf(&b, "\t\tif (%s && firmproof_nondet_bool()) { %s--; %sactive = 1; %s(); %sactive = 0; continue; }\n", left[i], left[i], Prefix, h.Name, Prefix)
	}
	b.WriteString("\t\treturn;\n\t}\n}\n")
	return b.String()
}

// UnknownError says that there is no function of a handler's name.
type UnknownError struct{ Handler, Nearest string }

// Error names the nearest function.
func (e *UnknownError) Error() string {
	s := fmt.Sprintf("interrupt handler %q: there is no such function", e.Handler)
	if e.Nearest != "" {
		s += fmt.Sprintf(", did you mean %q?", e.Nearest)
	}
	return s
}

// Weave puts the points into m, which holds Source. entries are where executions begin,
// known the functions of the program, which a mistaken name is compared with. It gives the assumptions, in a fixed order.
func Weave(m *ir.Module, list []Handler, entries, known []string) ([]string, error) {
	w := &weaver{m: m, skip: map[string]bool{Point: true}}
	names := slices.Sorted(slices.Values(known))
	var roots []*ir.Func
	for _, h := range list {
		f := m.Func(h.Name)
		if f == nil || f.IsDecl() {
			return nil, &UnknownError{h.Name, verdict.Nearest(h.Name, names)}
		}
		if len(f.Params) > 0 {
			return nil, fmt.Errorf("interrupt handler %q has parameters", h.Name)
		}
		w.skip[f.Name] = true
		roots = append(roots, f)
	}
	if w.point = m.Func(Point); w.point == nil {
		return nil, fmt.Errorf("interrupts: the program has no %s", Point)
	}
	for _, g := range m.Globals {
		if g.Name == masked {
			w.mask = g
		}
	}
	w.touched(roots)
	ends := map[string]bool{}
	for _, e := range entries {
		ends[e] = true
	}
	for _, f := range m.Funcs {
		if !f.IsDecl() && !w.skip[f.Name] {
			w.function(f, ends[f.Name])
		}
	}
	var said []string
	for _, h := range list {
		said = append(said, fmt.Sprintf(
			"interrupt handler %s runs at most %d times, between any two steps where interrupts are not masked",
			h.Name, h.Max))
	}
	return append(said, "a memory access is one step, and interrupt handlers do not interrupt each other",
		"volatile variables change only by the program and its interrupt handlers"), nil
}

type weaver struct {
	m       *ir.Module
	point   *ir.Func
	mask    *ir.Global
	skip    map[string]bool
	globals map[*ir.Global]bool // that handlers name
	wild    bool                // handlers reach memory through pointers
}

// touched finds what the handlers and the functions below them may touch.
func (w *weaver) touched(roots []*ir.Func) {
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
func (w *weaver) names(k *ir.Const, funcs *[]*ir.Func) {
	if k.Global != nil {
		w.globals[k.Global] = true
		if k.Global.Init != nil && pointsOn(k.Global.Init) {
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

func pointsOn(k *ir.Const) bool {
	if k.Global != nil || k.Func != nil {
		return true
	}
	for _, e := range k.Elems {
		if pointsOn(e) {
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

// root is what an address is computed from.
func root(v ir.Value) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpGep && in.Op != ir.OpBitcast && in.Op != ir.OpFreeze {
			return v
		}
		v = in.Args[0]
	}
}

// function puts the points into f.
func (w *weaver) function(f *ir.Func, entry bool) {
	escapes := ir.Escapes(f)
	has := make([]bool, len(f.Blocks))
	for _, b := range f.Blocks {
		var out []*ir.Instr
		for _, in := range b.Instrs {
			if w.shared(in, escapes) || entry && in.Op == ir.OpRet {
				out, has[b.Index] = append(out, w.call(in)), true
			}
			out = append(out, in)
			if in.Op == ir.OpAsm {
				out = append(out, w.masks(in)...)
			}
		}
		b.Instrs = out
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
				b.Instrs = append(b.Instrs[:len(b.Instrs)-1], w.call(last), last)
				has[b.Index] = true
			}
		}
	}
	ir.Number(f)
}

// shared reports (I1), (I2) and (I4).
func (w *weaver) shared(in *ir.Instr, escapes map[*ir.Instr]bool) bool {
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

// call is a point in front of in.
func (w *weaver) call(in *ir.Instr) *ir.Instr {
	return &ir.Instr{Op: ir.OpCall, T: ir.Void(), Block: in.Block, Pos: in.Pos, Sig: w.point.Sig(),
		Callee: &ir.Const{T: ir.Ptr(w.m.Layout.PtrBits), Kind: ir.ConstAddr, Func: w.point}}
}

// masks are the changes of the interrupt mask behind inline assembly. What may take
// the mask away in a way that is not known takes it away: handlers run then.
func (w *weaver) masks(in *ir.Instr) []*ir.Instr {
	if w.mask == nil || in.Asm == nil {
		return nil
	}
	text := strings.ToLower(in.Asm.Template)
	has := func(words ...string) bool {
		for _, x := range words {
			if strings.Contains(text, x) {
				return true
			}
		}
		return false
	}
	int32T := w.mask.T
	constant := func(n uint64) ir.Value {
		return &ir.Const{T: int32T, Kind: ir.ConstInt, Bits: bits.New(int32T.Width, n)}
	}
	store := func(v ir.Value) *ir.Instr {
		return &ir.Instr{Op: ir.OpStore, T: ir.Void(), Args: []ir.Value{v, &ir.Const{T: ir.Ptr(w.m.Layout.PtrBits),
			Kind: ir.ConstAddr, Global: w.mask}},
			Access: int32T, Align: 1, Block: in.Block, Pos: in.Pos}
	}
	switch {
	case has("cpsie", "sei", "sti", "popf", "eint", "csrsi mstatus", "csrs mstatus", "csrw mstatus", "basepri",
		"faultmask"):
		return []*ir.Instr{store(constant(0))}
	case has("msr primask"):
		if len(in.Args) == 1 && in.Args[0].Type().Equal(int32T) {
			return []*ir.Instr{store(in.Args[0])}
		}
		return []*ir.Instr{store(constant(0))}
	case has("cpsid i", "cli", "dint", "csrci mstatus"):
		return []*ir.Instr{store(constant(1))}
	}
	return nil
}
