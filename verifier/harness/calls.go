package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// An entry of calls is a function without parameters that calls functions of a program in any order, any number of
// times, with any arguments that Harness would make. What is in variables comes from their initialisers and from these
// calls:
//
//	begin    structures that the functions are handed are made (calls_handle.go)
//	         functions that set pointers up are called (calls_begin.go)
//	loop     the end, or a call of one of the functions (calls_cone.go says which), and on
//
// A violation there is a sequence of calls that anybody can make. A proof there holds of every such sequence; whether
// these are all that reach a variable, calls_closed.go says.

// callsPrefix starts the names of the functions that Calls makes.
const callsPrefix = "firmproof.calls."

// statePrefix starts the names of the functions that AnyState makes.
const statePrefix = "firmproof.state."

// AnyState adds to the program a harness of f for which variables hold any numbers at first: what holds there rests on
// no call before, and on no initialiser. nil where f reaches no such variable.
func (p *Program) AnyState(f *ir.Func) *Harnessed {
	reached := places.Reached(p.m, f)
	if !slices.ContainsFunc(p.m.Globals, func(g *ir.Global) bool {
		return reached.Globals[g] && p.varies(g) && onlyNumbers(g)
	}) {
		return nil
	}
	h, err := p.callOf(f, statePrefix, func(h *harness) { h.variant, h.anyState = "state.", true })
	if err != nil {
		return nil
	}
	return h
}

// Calls is an entry that brings a function about, and the state before it, by calls.
type Calls struct {
	Entry     *ir.Func
	Functions []string // that it calls, by their names in C
	Alone     bool     // a structure that it hands them comes from no function: one call shows nothing
	// as of Harnessed; those about variables say what is in them
	Assumptions, Open []verdict.Assumption
	Guesses           []string
	// IDs of assumptions about structures that the program has from elsewhere, too
	Elsewhere []string
}

// Calls adds to the program an entry of calls for f; nil where nothing that f depends on comes from calls. linkage
// tells whether no other file can name a function, where that is known.
func (p *Program) Calls(f *ir.Func, linkage func(*ir.Func) (static, known bool)) *Calls {
	if f.IsDecl() || TakesVariable(f) {
		return nil
	}
	c := p.coneOf(f, linkage)
	if c == nil {
		return nil
	}
	w := &callWriter{Builder: irbuild.Function(p.m, callsPrefix+f.Name, ir.Void(), f.Pos), p: p, cone: c, first: map[string]*ir.Func{}}
	w.Func.CName = "any calls"
	w.out.Functions = namesOf(c.list)
	w.makeHandles()
	w.setUp()
	w.loop()
	w.out.Assumptions = append(w.states(), w.out.Assumptions...)
	w.out.Entry = w.Done()
	return &w.out
}

func namesOf(list []*ir.Func) []string {
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = f.CName
	}
	return out
}

// callWriter writes one entry of calls.
type callWriter struct {
	*irbuild.Builder
	p      *Program
	cone   *cone
	made   int  // calls that were written
	begun  bool // calls come first without which others are not made
	limits []limited
	first  map[string]*ir.Func // by type: any function that a pointer led to first
	handed map[int]*shared     // what the next call gets for parameters (made.go); nil: what handleFor says
	out    Calls
}

// loop writes calls in any order.
func (w *callWriter) loop() {
	head, end := w.NewBlock("calls"), w.NewBlock("end")
	w.Jump(head)
	w.At(head)
	next := w.Nondet("next call", ir.Int(8))
	for i, f := range w.cone.list {
		here, other := w.NewBlock("call."+f.Name), w.NewBlock("no."+f.Name)
		w.Branch(w.Compare(ir.EQ, next, w.Int(ir.Int(8), int64(i+1))), here, other)
		w.At(here)
		w.callOf(f, nil)
		if w.cone.ends[f] || w.once(f) {
			w.Jump(end)
		} else {
			w.keepLimits()
			w.Jump(head)
		}
		w.At(other)
	}
	w.Jump(end)
	w.At(end)
	w.Ret(nil)
}

// once reports whether f is called only as the last one: what it does to a structure that comes from no function shows
// nothing for the next call, unless anybody may make both.
func (w *callWriter) once(f *ir.Func) bool { return w.out.Alone && f == w.cone.of && w.cone.static(f) }

// callOf writes a call of f with any arguments, and returns its result. into is where one goes that is returned by the
// address of its place; nil: to a block of its own.
func (w *callWriter) callOf(f *ir.Func, into ir.Value) *ir.Instr {
	w.made++
	h := w.p.newHarness(w.Builder, f)
	h.calls = w
	if f != w.cone.of {
		h.prefix = f.CName + "."
	}
	args := make([]ir.Value, len(f.Params))
	if i := returnsAt(f); i >= 0 && into != nil {
		args[i] = into
	}
	for i := range f.Params {
		if args[i] == nil {
			_ = h.param(i, args) // fails for none that coneOf takes
		}
	}
	h.apart(args)
	h.quiet(args)
	h.replaceable()
	h.showHeld()
	h.preconditions(args)
	h.onlyWhileHeld(args)
	var out *ir.Instr
	h.among(func() { out = h.Builder.Call(f, args...) })
	h.noteVolatile()
	h.noteNonnull()
	w.take(h)
	return out
}

// take adds what a call, or what is made before the calls, takes for granted, and the functions that its pointers lead to.
func (w *callWriter) take(h *harness) {
	h.finishFunctions()
	w.out.Assumptions = verdict.AddAssumptions(w.out.Assumptions, h.out.Assumptions...)
	w.out.Open = verdict.AddAssumptions(w.out.Open, h.out.Open...)
	for _, g := range h.out.Guesses {
		if g = h.prefix + g; !slices.Contains(w.out.Guesses, g) {
			w.out.Guesses = append(w.out.Guesses, g)
		}
	}
}

// oneOf writes a call of one of several functions, each by call.
func (w *callWriter) oneOf(list []*ir.Func, call func(*ir.Func)) {
	end := w.NewBlock("begun")
	for i, f := range list {
		if i == len(list)-1 {
			call(f)
			break
		}
		here, other := w.NewBlock("begin."+f.Name), w.NewBlock("not."+f.Name)
		w.Branch(w.Nondet("begins with "+f.CName, ir.Int(1)), here, other)
		w.At(here)
		call(f)
		w.Jump(end)
		w.At(other)
	}
	w.Jump(end)
	w.At(end)
}

// states says of each variable that the calls can come to what is in it.
func (w *callWriter) states() []verdict.Assumption {
	var out []verdict.Assumption
	names := strings.Join(w.out.Functions, ", ")
	for _, g := range w.Module.Globals {
		switch {
		case w.cone.hidden[g]: // others call the library, too
			out = append(out, verdict.Assume(g.Name, verdict.Start, verdict.Chosen, ir.NameOf(g)+" has its initial value"))
			continue
		case !w.cone.state[g]:
			continue
		}
		if w.cone.closed(g) && !w.begun {
			out = append(out, verdict.Assume(g.Name, verdict.Start, verdict.Shown, fmt.Sprintf(
				"%s holds at first what any calls of %s leave in it: nothing else of the program changes it", ir.NameOf(g), names)))
			continue
		}
		out = append(out, verdict.Assume(g.Name, verdict.Start, verdict.Chosen, fmt.Sprintf(
			"%s holds at first its initial value, or what calls of %s leave in it", ir.NameOf(g), names)))
	}
	return out
}
