// Package interrupt lets handlers run between the steps of a program: where they may (interrupt.go), by the mask of the
// processor (masks.go, asm.go, sreg.go), and between the parts of an access that is more than one step (tear.go).
package interrupt

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Interrupt handlers run between the steps of a program. A handler changes the program
// only through memory that both touch, so it is enough to let handlers run in front of
// each step that the two do not do in either order:
//
//	(I1) an access of memory that a handler may write, and a write of memory that a
//	     handler may read (places.Touched)
//	(I2) an assertion, an assumption, the end of the program
//	(I3) the jump back of a loop that can go round without any of these, and a call of a
//	     function without a point that may go round or end the program (commute.go)
//	(I4) inline assembly, and other instructions that change the interrupt mask (masks.go)
//
// At such a point stands a call of irbuild.Point, a function in C (PointSource) that runs any
// handlers which have runs left, unless interrupts are masked or a handler runs already
// that they do not preempt. Which handlers preempt which is an assumption of the answer.

// What PointSource keeps of handlers and of the mask.
const (
	active  = irbuild.PointPrefix + "active"  // 1 + the number of the handler that runs; 1 where none preempts another
	onEntry = irbuild.PointPrefix + "entry"   // 1: the processor masks interrupts when a handler begins
	masked  = irbuild.PointPrefix + "masked"  // 1: the program masks interrupts
	ignored = irbuild.PointPrefix + "ignored" // 1: the processor ignores the mask
)

// Handler is a function that may run up to Max times, also while one of those that it preempts does.
type Handler struct {
	Name     string
	Max      int // AnyTimes: without a bound
	Preempts []string
}

// AnyTimes is the Max of a handler that may run any number of times.
const AnyTimes = math.MaxInt32

// AllHandlers is the subject of a limit on all handlers together.
const AllHandlers = "interrupt handlers"

// preempted returns the names of the handlers that others preempt.
func preempted(list []Handler) map[string]bool {
	out := map[string]bool{}
	for _, h := range list {
		for _, name := range h.Preempts {
			out[name] = true
		}
	}
	return out
}

// Turns is the number of runs of all handlers together, which bounds the loop in Point; AnyTimes: nothing does.
func Turns(list []Handler) int {
	n := 0
	for _, h := range list {
		n = min(n+h.Max, AnyTimes)
	}
	return n
}

// PointSource is the C of Point. A handler returns with interrupts unmasked: it ran, so
// they were, and the return restores that (on all architectures but those where the mask
// that a handler sets stays; there the handlers run more often than they can). Where
// entering a handler masks interrupts, others preempt it when it has unmasked them.
func PointSource(list []Handler) string {
	nests := len(preempted(list)) > 0
	index := map[string]int{}
	for i, h := range list {
		index[h.Name] = i
	}
	var b strings.Builder
	b.WriteString("_Bool firmproof_nondet_bool(void);\nint " + active + ", " + masked + ", " + ignored + ";\n")
	if nests {
		b.WriteString("#if defined(__AVR__) || defined(__MSP430__) || defined(__riscv) || defined(__mips__) || " +
			"defined(__aarch64__) || \\\n\tdefined(__arm__) && __ARM_ARCH_PROFILE != 'M'\n" +
			"enum { " + onEntry + " = 1 };\n#else\nenum { " + onEntry + " = 0 };\n#endif\n")
	}
	var may []string
	for i, h := range list {
		left := fmt.Sprintf("%sleft_%d", irbuild.PointPrefix, i)
		fmt.Fprintf(&b, "void %s(void);\n", h.Name)
		if h.Max < AnyTimes {
			fmt.Fprintf(&b, "unsigned %s = %d;\n", left, h.Max)
		} else {
			left = "1"
		}
		if nests {
			left = fmt.Sprintf("(%s && (!%s", left, active)
			for _, name := range h.Preempts {
				left += fmt.Sprintf(" || %s == %d", active, index[name]+1)
			}
			left += "))"
		}
		may = append(may, left)
	}
	none := fmt.Sprintf("%s && !%s", masked, ignored)
	if !nests {
		none = active + " || " + none
	}
	any := strings.Join(may, " | ")
	fmt.Fprintf(&b, "void %s(void) {\n\tif (%s) return;\n", irbuild.Point, none)
	turns := ";;"
	if n := Turns(list); n < AnyTimes {
		turns = fmt.Sprintf("unsigned i = 0; i < %du; i++", n)
	}
	fmt.Fprintf(&b, "\tfor (%s) {\n\t\tif (!(%s)) return;\n", turns, any)
	for i, h := range list {
		fmt.Fprintf(&b, "\t\tif (%s && firmproof_nondet_bool()) {\n", may[i])
		if h.Max < AnyTimes {
			fmt.Fprintf(&b, "\t\t\t%sleft_%d--;\n", irbuild.PointPrefix, i)
		}
		if nests {
			fmt.Fprintf(&b, "\t\t\tint was = %[1]s; %[1]s = %[2]d; %[3]s = %[4]s; %[5]s(); %[1]s = was;",
				active, i+1, masked, onEntry, h.Name)
		} else {
			fmt.Fprintf(&b, "\t\t\t%[1]s = 1; %[2]s(); %[1]s = 0;", active, h.Name)
		}
		fmt.Fprintf(&b, " %s = 0; continue;\n\t\t}\n", masked)
	}
	b.WriteString("\t\treturn;\n\t}\n}\n")
	fmt.Fprintf(&b, "_Bool %s(void) {\n\tif (%s || !(%s)) return 0;\n\treturn firmproof_nondet_bool();\n}\n",
		Tears, none, any)
	return b.String()
}

// Program says what to put points into, and for whom.
type Program struct {
	Module  *ir.Module // holds PointSource
	Entries []string   // where executions begin
	Known   []string   // its functions, which a mistaken name is compared with
	Devices places.Device
	Races   bool // put in what the check `race` needs
}

// Woven is a program whose handlers run between its steps.
type Woven struct {
	Assumptions []verdict.Assumption // in a fixed order
	handlers    map[string]int       // by their names, in the order of the list
	called      map[*ir.Func]bool    // also by the program itself
	active      *ir.Global           // says which handler runs
	commuting   commuting
}

// Runs reports a handler that runs between steps. w may be nil: none does.
func (w *Woven) Runs(f *ir.Func) bool {
	if w == nil {
		return false
	}
	_, is := w.handlers[f.Name]
	return is
}

// Meets reports whether handlers make a difference to a function.
func (w *Woven) Meets(f *ir.Func) bool { return w.commuting.met[f] }

// RunsAs is the variable that says which handler runs, and its value while f, a handler that the program does not call,
// does. nil: f is none.
func (w *Woven) RunsAs(f *ir.Func) (active *ir.Global, value int64) {
	k, ok := w.handlers[f.Name]
	if !ok || w.called[f] {
		return nil, 0
	}
	return w.active, int64(k) + 1
}

// Interrupts puts the points into a program.
func Interrupts(p *Program, list []Handler) (*Woven, error) {
	m, entries, races := p.Module, p.Entries, p.Races
	w := &interrupts{Builder: &irbuild.Builder{Module: m}, point: m.Func(irbuild.Point), tears: m.Func(Tears),
		turns:     Turns(list),
		processor: processorOf(m.Triple, m.CPUs)}
	out := &Woven{handlers: map[string]int{}}
	var handlers []*ir.Func
	var notes []verdict.Assumption
	for i, h := range list {
		f := m.Func(h.Name)
		if f == nil || f.IsDecl() {
			return nil, &ir.UnknownError{Kind: "interrupt handler", Name: h.Name, Nearest: verdict.Nearest(h.Name,
				slices.Sorted(slices.Values(p.Known)))}
		}
		if len(f.Params) > 0 {
			return nil, fmt.Errorf("interrupt handler %q has parameters", h.Name)
		}
		handlers = append(handlers, f)
		out.handlers[h.Name] = i
		relation, times := verdict.Limit, fmt.Sprintf("at most %d times", h.Max)
		switch h.Max {
		case 1:
			times = "at most once"
		case AnyTimes:
			relation, times = verdict.Meaning, "any number of times"
		}
		notes = append(notes, verdict.Assume(h.Name, relation, verdict.Declared, fmt.Sprintf(
			"interrupt handler %s runs %s, between any two steps where interrupts are not masked", h.Name, times)))
	}
	if w.point == nil || w.tears == nil {
		return nil, fmt.Errorf("interrupts: the program has no %s", irbuild.Point)
	}
	for _, g := range m.Globals {
		switch g.Name {
		case masked:
			w.mask = g
		case ignored:
			w.ignored = g
		case active:
			w.active = g
		}
	}
	nested := preempted(list)
	w.touch = places.TouchedBy(m, handlers, w.registers(p.Devices))
	w.sregEscapes = w.isAVR() && sregEscapes(m)
	used := usedElsewhere(m, w.point)
	out.called = maps.Clone(used)
	for _, e := range entries {
		used[m.Func(e)] = true
	}
	var woven []*ir.Func
	for _, f := range m.Funcs {
		if !f.IsDecl() && f != w.point && f != w.tears && (used[f] || nested[f.Name] || !slices.Contains(handlers, f)) {
			woven = append(woven, f)
		}
	}
	if races && w.mask != nil && w.ignored != nil && w.active != nil {
		w.races = w.racesOf(list, handlers, woven, entries)
	}
	w.commuting = w.commutes(woven)
	out.active, out.commuting = w.active, w.commuting
	for _, f := range woven {
		if entry := slices.Contains(entries, f.Name); entry || w.commuting.met[f] {
			w.function(f, entry)
		}
	}
	notes = append(notes, w.atReset(entries)...)
	m.Funcs = append(m.Funcs, w.Decls...)
	if w.turns >= policy.TearPhases && w.large {
		notes = append(notes, verdict.Assume(AllHandlers, verdict.Limit, verdict.Chosen, fmt.Sprintf(
			"interrupt handlers run at at most %d moments within one large copy", policy.TearPhases-1)))
	}
	out.Assumptions = append(notes, verdict.Assume("", verdict.Meaning, verdict.Declared, fmt.Sprintf(
		"a memory access of up to %d bytes at a multiple of its size is one step; %s", AtomicBytes(w.Module), nesting(list))),
		verdict.Assume("", verdict.Contents, verdict.Declared,
			"volatile variables change only by the program and its interrupt handlers"))
	return out, nil
}

// registers are those of devices that do not mask interrupts.
func (w *interrupts) registers(all places.Device) places.Device {
	if all == nil || !w.isAVR() {
		return all
	}
	sreg := uint64(w.processor.sreg)
	return func(at uint64, n int64) bool { return all(at, n) && (at > sreg || at+uint64(n) <= sreg) }
}

// nesting says which handlers interrupt which.
func nesting(list []Handler) string {
	var some []string
	for _, h := range list {
		if len(h.Preempts) > 0 {
			some = append(some, fmt.Sprintf("%s interrupts %s", h.Name, strings.Join(h.Preempts, " and ")))
		}
	}
	if len(some) == 0 {
		return "interrupt handlers do not interrupt each other"
	}
	return strings.Join(some, ", ") + ", and no other interrupt handlers interrupt each other"
}

// interrupts puts in the points of one program.
type interrupts struct {
	*irbuild.Builder
	point, tears  *ir.Func
	turns         int  // runs of all handlers together
	large         bool // a copy has fewer phases than these
	mask, ignored *ir.Global
	active        *ir.Global
	processor     *processor
	touch         *places.Touched
	commuting     commuting
	sregEscapes   bool // stores through pointers may write the AVR's status register

	late    *maskEffect // begins behind the next access, or at the end of the block
	escapes map[*ir.Instr]bool
	locals  []*ir.Instr             // new ones, of the function being changed
	has     map[*ir.Block]bool      // blocks with a point
	replace map[*ir.Instr]*ir.Instr // what is used in place of an instruction's value

	races   *races // nil: nobody asks for the check
	tearing tearing
}

// usedElsewhere finds the functions that code other than point calls, or takes the
// address of, also through the initialisers of variables that it names.
func usedElsewhere(m *ir.Module, point *ir.Func) map[*ir.Func]bool {
	funcs, globals := map[*ir.Func]bool{}, map[*ir.Global]bool{}
	var visit func(k *ir.Const)
	visit = func(k *ir.Const) {
		if k.Func != nil {
			funcs[k.Func] = true
		}
		if g := k.Global; g != nil && !globals[g] {
			globals[g] = true
			if g.Init != nil {
				visit(g.Init)
			}
		}
		for _, e := range k.Elems {
			visit(e)
		}
	}
	for _, f := range m.Funcs {
		if f == point {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range append([]ir.Value{in.Callee}, in.Args...) {
					if k, ok := a.(*ir.Const); ok && k != nil {
						visit(k)
					}
				}
			}
		}
	}
	return funcs
}

// function puts the points into f.
func (w *interrupts) function(f *ir.Func, entry bool) {
	w.has, w.replace, w.locals, w.escapes = map[*ir.Block]bool{}, map[*ir.Instr]*ir.Instr{}, nil, ir.Escapes(f)
	w.RewriteFunc(f, func(in *ir.Instr) {
		if w.races != nil && w.races.made[in] {
			w.Keep(in)
			return
		}
		if in.Op == ir.OpCall && in.Model == ir.ModelNone || in.Op == ir.OpAsm || in.Op.IsTerm() {
			w.masksNow() // at the latest
		}
		conflict := w.meets(in)
		if stops(in, entry) || in.Op == ir.OpAsm || conflict || w.needsPoint(in) {
			w.letIn()
		}
		if conflict {
			w.claimRaces(in)
			w.step(in)
			w.masksNow()
		} else {
			w.Keep(in)
		}
		switch {
		case in.Op == ir.OpAsm:
			w.masks(in)
		case w.isAVR():
			w.sreg(in)
		}
	})
	w.cycles()
	f.Blocks[0].Instrs = append(w.locals, f.Blocks[0].Instrs...)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if old, ok := a.(*ir.Instr); ok && w.replace[old] != nil && w.replace[old] != in {
					in.Args[i] = w.replace[old]
				}
			}
			if old, ok := in.Callee.(*ir.Instr); ok && w.replace[old] != nil {
				in.Callee = w.replace[old]
			}
		}
	}
	w.Finish()
}

// claimRaces claims what the check `race` asks in front of an access.
func (w *interrupts) claimRaces(in *ir.Instr) {
	if w.races == nil || w.races.sites[in] == nil {
		return
	}
	s := w.races.sites[in]
	if s.register != nil {
		w.races.claimRegister(s.register)
	}
	if s.update != nil {
		w.races.endUpdate(s.update)
	}
	for _, u := range s.reads {
		w.races.beginUpdate(u, in)
	}
}

// letIn puts a point here.
func (w *interrupts) letIn() {
	w.Call(w.point)
	w.has[w.Block] = true
}

// stops reports (I2).
func stops(in *ir.Instr, entry bool) bool {
	switch in.Model {
	case ir.ModelAssert, ir.ModelAssume, ir.ModelFail, ir.ModelAssertFail, ir.ModelExit, ir.ModelTrapI:
		return true
	}
	return entry && in.Op == ir.OpRet
}

// cycles puts a point into each cycle of the control flow that has none (I3).
func (w *interrupts) cycles() {
	const open, closed = 1, 2
	state := map[*ir.Block]int{}
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		state[b] = open
		for _, to := range b.Succs() {
			switch {
			case w.has[b]:
			case w.has[to] || state[to] == closed:
			case state[to] == open:
				last := b.Term()
				w.Rewrite(b, func(in *ir.Instr) {
					if in == last {
						w.letIn()
					}
					w.Keep(in)
				})
			default:
				visit(to)
			}
		}
		state[b] = closed
	}
	for _, b := range w.Func.Blocks {
		if state[b] == 0 && !w.has[b] {
			visit(b)
		}
	}
}
