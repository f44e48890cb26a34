package interp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Machine is one run. Observers look at it.
type Machine struct {
	*Facts
	Module  *ir.Module
	Layout  *ir.Layout
	Options Options
	src     input.Source
	PtrBits int      // pointer width in bits
	zero    bits.Vec // of pointer width

	Frames  []*Frame
	Frame   *Frame    // the innermost
	Instr   *ir.Instr // being executed; nil before the first
	Outcome *Outcome  // set when the run is over

	Objects  []*Object // by number, from 0; nil for globals not yet touched
	funcs    []*Object // by index in the module
	labels   map[*ir.Block]*Object
	null     *Object // nowhere, once needed
	regions  []*Object
	Placed   []*Object // with an address, by address
	touched  []*Object // ranges of regions that were accessed
	cursor   uint64    // where the next address is tried
	Executed int64
	Visits   map[*ir.Block]int64
	ways     map[ir.Spot]bool // with Options.Ways
	Asked    int64            // inputs so far
	Passed   []ir.At
	effort   effort
	on       observers
	skipped  int // objects that skipped turns would have made
	Noted    int // steps of a trace so far
}

// Frame is one call.
type Frame struct {
	Func    *ir.Func
	Call    *ir.Instr // in the caller; nil for the entry
	Params  []Value
	Extra   []Value // variadic arguments
	Values  []Value // by instruction
	Block   *ir.Block
	Prev    *ir.Block
	Next    int       // index in Block of the instruction to execute
	Objects []*Object // that die when the call returns
	began   bool      // a block: its first instruction that is no phi is the next one
}

func newMachine(m *ir.Module, opts Options, src input.Source) (*Machine, error) {
	if opts.Entry == nil {
		opts.Entry = m.Func("main")
	}
	if opts.Entry == nil || opts.Entry.IsDecl() {
		return nil, errors.New("interp: the entry has no body")
	}
	if opts.Checks == nil {
		opts.Checks = verdict.DefaultChecks()
	}
	if opts.MaxSteps == 0 {
		opts.MaxSteps = 10_000_000
	}
	if opts.MaxDepth == 0 {
		opts.MaxDepth = 10_000
	}
	if w := opts.Watch; w != nil && (w.Loops != nil || w.Funcs != nil) {
		opts.EveryTurn = true
	}
	if opts.Facts == nil || opts.Facts.of != m {
		opts.Facts = NewFacts(m)
	}
	x := &Machine{Facts: opts.Facts, Module: m, Layout: &m.Layout, Options: opts, src: src, PtrBits: m.Layout.PtrBits,
		zero:    bits.New(m.Layout.PtrBits, 0),
		Objects: make([]*Object, len(m.Globals)), funcs: make([]*Object, len(m.Funcs)), labels: map[*ir.Block]*Object{},
		Visits: map[*ir.Block]int64{}, ways: map[ir.Spot]bool{}, cursor: lowestAddress}
	x.addRegions()
	if opts.Watch != nil {
		x.on = append(x.on, &watcher{x: x, watch: opts.Watch,
			entries: map[*Frame]map[*Loop][]bits.Vec{}})
	}
	for _, observe := range opts.Observe {
		if o := observe(x); o != nil {
			x.on = append(x.on, o)
		}
	}
	return x, nil
}

// start enters the entry with unknown parameters.
func (x *Machine) start() {
	f := x.Options.Entry
	args := make([]Value, len(f.Params))
	for i, p := range f.Params {
		if p.ByVal != nil {
			x.EndRun(Unsupported, "", "entry with a by-value parameter")
			return
		}
		args[i] = x.inputs(input.Param, p.T)
		x.on.Param(p, args[i])
	}
	x.enter(f, nil, args, nil)
}

// enter pushes a frame; by-value parameters get their copies.
func (x *Machine) enter(f *ir.Func, call *ir.Instr, args, extra []Value) {
	if len(x.Frames) >= x.Options.MaxDepth {
		x.EndRun(StepLimit, "", fmt.Sprintf("more than %d calls deep", x.Options.MaxDepth))
		return
	}
	fr := &Frame{Func: f, Call: call, Params: args, Extra: extra, Values: x.valuesOf(f), Block: f.Blocks[0]}
	for i, p := range f.Params {
		if p.ByVal == nil {
			continue
		}
		o := x.newObject(StackObject, x.Layout.SizeOf(p.ByVal), max(x.Layout.AlignOf(p.ByVal), int64(p.Align)), call)
		o.Variable = ParamVar(f, p)
		if !x.copyRange(Value{Bits: x.zero, Object: o}, args[i], uint64(o.Size), false) {
			return
		}
		args[i] = Value{Bits: x.zero, Object: o}
		fr.Objects = append(fr.Objects, o)
	}
	x.Frames = append(x.Frames, fr)
	x.Frame = fr
	x.Visits[fr.Block]++
	x.on.Enter(fr)
	x.checkStack()
}

// ParamVar is the C variable that a by-value parameter is.
func ParamVar(f *ir.Func, p *ir.Param) *ir.Var {
	for _, v := range f.Vars {
		if v.Slot == ir.Value(p) {
			return v
		}
	}
	return nil
}

// leave pops the frame and hands the result to the call.
func (x *Machine) leave(ret Value, hasRet bool) {
	fr := x.Frame
	x.lostBy(ret)
	if len(x.Frames) == 1 {
		x.on.Leave(fr, ret, hasRet)
		if !x.asksLost() {
			x.leaks(ir.EndReturn)
		}
		x.EndRun(Returned, "", "")
		if x.Outcome.Kind == Returned && hasRet && ret.Elems == nil {
			if x.Outcome.Ret = ret.Bits; fr.Func.Ret.IsPtr() {
				x.Outcome.Ret = x.ToInt(ret, ret.Bits.Width()).Bits
			}
		}
		return
	}
	for _, o := range fr.Objects {
		o.Dead, o.Pages, o.Pointers = afterReturn, nil, nil
		x.Objects[o.Number] = nil // pointers to it may live on, its number does not matter any more
	}
	x.Frames = x.Frames[:len(x.Frames)-1]
	x.Frame = x.Frames[len(x.Frames)-1]
	x.on.Leave(fr, ret, hasRet)
	x.release(fr)
	if hasRet {
		x.Frame.Values[fr.Call.ID] = ret
	}
}

// step executes one instruction.
func (x *Machine) step() {
	fr := x.Frame
	in := fr.Block.Instrs[fr.Next]
	x.Instr = in
	x.Executed++
	if x.Executed > x.Options.MaxSteps {
		x.EndRun(StepLimit, "", fmt.Sprintf("more than %d instructions", x.Options.MaxSteps))
		return
	}
	if in.Op == ir.OpPhi {
		x.on.Phis(fr)
		x.phis(fr)
		return
	}
	if fr.began {
		fr.began = false
		x.on.Begin(fr)
	}
	fr.Next++
	x.on.Before(fr, in)
	x.execute(in)
	x.on.After(fr, in)
}

// execute executes an instruction that is no phi.
func (x *Machine) execute(in *ir.Instr) {
	switch in.Op.Class() {
	case ir.ClassTerm:
		x.term(in)
	case ir.ClassBinary:
		x.set(in, x.binary(in))
	case ir.ClassFloat:
		x.set(in, x.float(in))
	case ir.ClassAggregate:
		x.set(in, x.aggregate(in))
	case ir.ClassMemory:
		x.memory(in)
	case ir.ClassConversion:
		x.set(in, x.conversion(in))
	default:
		x.other(in)
	}
}

func (x *Machine) set(in *ir.Instr, v Value) {
	if w := v.Bits.Width(); w > 64 || v.Elems != nil {
		x.spend(int64(w/8) + int64(len(v.Elems))*policy.ElementBytes)
	}
	x.Frame.Values[in.ID] = v
}

// phis evaluates all phis of the block at once (LangRef: phi).
func (x *Machine) phis(fr *Frame) {
	var got []Value
	for _, in := range fr.Block.Instrs[fr.Next:] {
		if in.Op != ir.OpPhi {
			break
		}
		x.Instr = in
		for n, b := range in.Incoming {
			if b == fr.Prev {
				got = append(got, x.Eval(in.Args[n]))
			}
		}
	}
	for _, v := range got {
		fr.Values[fr.Block.Instrs[fr.Next].ID] = v
		fr.Next++
	}
	x.Executed += int64(len(got)) - 1
}

// PhisOf are the phis that b begins with.
func PhisOf(b *ir.Block) []*ir.Instr {
	n := slices.IndexFunc(b.Instrs, func(in *ir.Instr) bool { return in.Op != ir.OpPhi })
	return b.Instrs[:n]
}

// jump continues at block b.
func (x *Machine) jump(b *ir.Block) {
	if x.Options.Ways {
		x.ways[ir.Spot{Instr: x.Frame.Block.Term(), To: b}] = true
	}
	x.Frame.Prev, x.Frame.Block, x.Frame.Next, x.Frame.began = x.Frame.Block, b, 0, true
	x.Visits[b]++
	x.on.Jump(b)
}

// EndRun finishes the run; the first reason counts.
func (x *Machine) EndRun(k Kind, c verdict.Check, msg string) { x.endAs(k, c, msg, nil) }

func (x *Machine) endAs(k Kind, c verdict.Check, msg string, why *verdict.Failure) {
	if x.Outcome != nil {
		return
	}
	x.Outcome = &Outcome{Kind: k, Check: c, Instr: x.Instr, Message: msg, Failure: why}
	if x.Instr != nil {
		x.Outcome.Pos = *x.Instr.Pos
	}
	for _, f := range x.Frames {
		if f.Call != nil {
			x.Outcome.CallPath = append(x.Outcome.CallPath, f.Call)
		}
	}
}

// violate ends the run because check c fails; nothing happens if it is off,
// and false tells the caller to go on. Use stop where nothing can go on.
func (x *Machine) violate(c verdict.Check, format string, args ...any) bool {
	return x.violateAs("", c, format, args...)
}

// violateAs is violate where c fails in more ways than one; an object among args stands for its description.
func (x *Machine) violateAs(kind verdict.FailureKind, c verdict.Check, format string, args ...any) bool {
	if !x.asks(x.Instr, c) {
		x.pass(x.Instr, c)
		return false
	}
	message, why := x.worded(kind, format, args)
	x.endAs(Violation, c, message, why)
	return true
}

// asks reports whether check c is claimed at in.
func (x *Machine) asks(in *ir.Instr, c verdict.Check) bool {
	return x.Options.Checks.Has(c) && !x.Options.Past[ir.At{Instr: in, Check: c}]
}

// pass notes that the run goes on past a claim that is violated.
func (x *Machine) pass(in *ir.Instr, c verdict.Check) {
	if at := (ir.At{Instr: in, Check: c}); x.Options.Past[at] && !slices.Contains(x.Passed, at) {
		x.Passed = append(x.Passed, at)
	}
}

// stop ends the run as a violation of c, or as Undefined if c is off.
func (x *Machine) stop(c verdict.Check, format string, args ...any) {
	x.stopAs("", c, format, args...)
}

// stopAs is stop where c fails in more ways than one, as violateAs is.
func (x *Machine) stopAs(kind verdict.FailureKind, c verdict.Check, format string, args ...any) {
	if !x.violateAs(kind, c, format, args...) {
		message, why := x.worded(kind, format, args)
		x.endAs(Undefined, c, message, why)
	}
}

// decide is the check `uninitialised`: v decides what happens next. It reports
// whether the run goes on.
func (x *Machine) decide(v Value, what string) bool {
	if v.Defined() {
		return true
	}
	return !x.violate(verdict.Uninitialised, "%s is indeterminate: it was never written", what)
}

// decideShown does so with the operands of in that the world outside sees.
func (x *Machine) decideShown(in *ir.Instr, args []Value) bool {
	for i := range ir.Shown(in) {
		if !x.decide(args[i], ir.ShownAs(in)) {
			return false
		}
	}
	return true
}

// decideResult does so with the value that a return statement gives to code that is not known.
func (x *Machine) decideResult(in *ir.Instr, v Value) bool {
	f := x.Frame.Func
	if ir.Returned(in) == nil || f.Driven() || len(x.Frames) > 1 && !x.Frames[len(x.Frames)-2].Func.Driven() {
		return true
	}
	return x.decide(v, "the result of "+f.CName)
}

func (x *Machine) finish() *Outcome {
	x.Outcome.Executed, x.Outcome.Accessed = x.Executed, x.effort.bytes
	x.Outcome.Visits, x.Outcome.Ways, x.Outcome.Passed = x.Visits, x.ways, x.Passed
	x.on.End(x.Outcome)
	x.nameBlocks()
	return x.Outcome
}
