package interp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// machine is one run.
type Machine struct {
	m    *ir.Module
	l    *ir.Layout
	o    Options
	src  input.Source
	pw   int      // pointer width in bits
	zero bits.Vec // of pointer width

	frames []*frame
	fr     *frame    // the innermost
	cur    *ir.Instr // being executed; nil before the first
	out    *Outcome  // set when the run is over

	objects  []*object // by number, from 0; nil for globals not yet touched
	funcs    []*object // by index in the module
	funcNum  map[*ir.Func]int
	globNum  map[*ir.Global]int
	labels   map[*ir.Block]*object
	null     *object // nowhere, once needed
	regions  []*object
	placed   []*object // with an address, by address
	touched  []*object // ranges of regions that were accessed
	cursor   uint64    // where the next address is tried
	escapes  map[*ir.Func]map[*ir.Instr]bool
	slots    map[*ir.Instr]*ir.Var           // C variable of an alloca
	scoped   map[*ir.Func]map[*ir.Instr]bool // ir.Scoped
	executed int64
	visits   map[*ir.Block]int64
	ways     map[ir.Spot]bool // with Options.Ways
	asked    int64            // inputs so far
	passed   []ir.At
	effort   effort
	on       observers
	skipped  int // objects that skipped turns would have made
	noted    int // steps of a trace so far
}

// frame is one call.
type frame struct {
	fn     *ir.Func
	call   *ir.Instr // in the caller; nil for the entry
	params []value
	extra  []value // variadic arguments
	vals   []value // by instruction
	blk    *ir.Block
	prev   *ir.Block
	next   int       // index in blk of the instruction to execute
	objs   []*object // that die when the call returns
	began  bool      // a block: its first instruction that is no phi is the next one
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
	x := &Machine{m: m, l: &m.Layout, o: opts, src: src, pw: m.Layout.PtrBits, zero: bits.New(m.Layout.PtrBits, 0),
		objects: make([]*object, len(m.Globals)), funcs: make([]*object, len(m.Funcs)), funcNum: map[*ir.Func]int{},
		globNum: map[*ir.Global]int{},
		labels:  map[*ir.Block]*object{}, escapes: map[*ir.Func]map[*ir.Instr]bool{}, slots: map[*ir.Instr]*ir.Var{},
		visits: map[*ir.Block]int64{}, ways: map[ir.Spot]bool{}, cursor: lowestAddress,
		scoped: map[*ir.Func]map[*ir.Instr]bool{}}
	for i, f := range m.Funcs {
		x.funcNum[f] = i
		for _, v := range f.Vars {
			if a, ok := v.Slot.(*ir.Instr); ok {
				x.slots[a] = v
			}
		}
	}
	for i, g := range m.Globals {
		x.globNum[g] = i
	}
	x.addRegions()
	if opts.Watch != nil {
		x.on = append(x.on, &watcher{x: x, watch: opts.Watch, entries: map[*frame]map[*Loop][]bits.Vec{}})
	}
	for _, observe := range opts.Observe {
		x.on = append(x.on, observe(x))
	}
	return x, nil
}

// start enters the entry with unknown parameters.
func (x *Machine) start() {
	f := x.o.Entry
	args := make([]value, len(f.Params))
	for i, p := range f.Params {
		if p.ByVal != nil {
			x.end(Unsupported, "", "entry with a by-value parameter")
			return
		}
		args[i] = x.inputs(input.Param, p.T)
		x.on.Param(p, args[i])
	}
	x.enter(f, nil, args, nil)
}

// enter pushes a frame; by-value parameters get their copies.
func (x *Machine) enter(f *ir.Func, call *ir.Instr, args, extra []value) {
	if len(x.frames) >= x.o.MaxDepth {
		x.end(StepLimit, "", fmt.Sprintf("more than %d calls deep", x.o.MaxDepth))
		return
	}
	fr := &frame{fn: f, call: call, params: args, extra: extra, vals: make([]value, f.NumInstr), blk: f.Blocks[0]}
	for i, p := range f.Params {
		if p.ByVal == nil {
			continue
		}
		o := x.newObject(stackObject, x.l.SizeOf(p.ByVal), max(x.l.AlignOf(p.ByVal), int64(p.Align)), call)
		o.variable = paramVar(f, p)
		if !x.copyRange(value{bits: x.zero, obj: o}, args[i], uint64(o.size), false) {
			return
		}
		args[i] = value{bits: x.zero, obj: o}
		fr.objs = append(fr.objs, o)
	}
	x.frames = append(x.frames, fr)
	x.fr = fr
	x.visits[fr.blk]++
	x.on.Enter(fr)
	x.checkStack()
}

// paramVar is the C variable that a by-value parameter is.
func paramVar(f *ir.Func, p *ir.Param) *ir.Var {
	for _, v := range f.Vars {
		if v.Slot == ir.Value(p) {
			return v
		}
	}
	return nil
}

// leave pops the frame and hands the result to the call.
func (x *Machine) leave(ret value, hasRet bool) {
	fr := x.fr
	if len(x.frames) == 1 {
		x.on.Leave(fr, ret, hasRet)
		x.leaks(ir.EndReturn)
		x.end(Returned, "", "")
		if x.out.Kind == Returned && hasRet && ret.elems == nil {
			if x.out.Ret = ret.bits; fr.fn.Ret.IsPtr() {
				x.out.Ret = x.toInt(ret, ret.bits.Width()).bits
			}
		}
		return
	}
	for _, o := range fr.objs {
		o.dead, o.pages, o.ptrs = afterReturn, nil, nil
		x.objects[o.num] = nil // pointers to it may live on, its number does not matter any more
	}
	x.frames = x.frames[:len(x.frames)-1]
	x.fr = x.frames[len(x.frames)-1]
	x.on.Leave(fr, ret, hasRet)
	if hasRet {
		x.fr.vals[fr.call.ID] = ret
	}
}

// step executes one instruction.
func (x *Machine) step() {
	fr := x.fr
	in := fr.blk.Instrs[fr.next]
	x.cur = in
	x.executed++
	if x.executed > x.o.MaxSteps {
		x.end(StepLimit, "", fmt.Sprintf("more than %d instructions", x.o.MaxSteps))
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
	fr.next++
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

func (x *Machine) set(in *ir.Instr, v value) {
	if w := v.bits.Width(); w > 64 || v.elems != nil {
		x.spend(int64(w/8) + int64(len(v.elems))*elementBytes)
	}
	x.fr.vals[in.ID] = v
}

// phis evaluates all phis of the block at once (LangRef: phi).
func (x *Machine) phis(fr *frame) {
	var got []value
	for _, in := range fr.blk.Instrs[fr.next:] {
		if in.Op != ir.OpPhi {
			break
		}
		x.cur = in
		for n, b := range in.Incoming {
			if b == fr.prev {
				got = append(got, x.eval(in.Args[n]))
			}
		}
	}
	for _, v := range got {
		fr.vals[fr.blk.Instrs[fr.next].ID] = v
		fr.next++
	}
	x.executed += int64(len(got)) - 1
}

// phisOf are the phis that b begins with.
func phisOf(b *ir.Block) []*ir.Instr {
	n := slices.IndexFunc(b.Instrs, func(in *ir.Instr) bool { return in.Op != ir.OpPhi })
	return b.Instrs[:n]
}

// jump continues at block b.
func (x *Machine) jump(b *ir.Block) {
	if x.o.Ways {
		x.ways[ir.Spot{Instr: x.fr.blk.Term(), To: b}] = true
	}
	x.fr.prev, x.fr.blk, x.fr.next, x.fr.began = x.fr.blk, b, 0, true
	x.visits[b]++
	x.on.Jump(b)
}

// end finishes the run; the first reason counts.
func (x *Machine) end(k Kind, c verdict.Check, msg string) { x.endAs(k, c, msg, nil) }

func (x *Machine) endAs(k Kind, c verdict.Check, msg string, why *verdict.Failure) {
	if x.out != nil {
		return
	}
	x.out = &Outcome{Kind: k, Check: c, Instr: x.cur, Message: msg, Failure: why}
	if x.cur != nil {
		x.out.Pos = *x.cur.Pos
	}
	for _, f := range x.frames {
		if f.call != nil {
			x.out.CallPath = append(x.out.CallPath, f.call)
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
	if !x.asks(x.cur, c) {
		x.pass(x.cur, c)
		return false
	}
	message, why := x.worded(kind, format, args)
	x.endAs(Violation, c, message, why)
	return true
}

// asks reports whether check c is claimed at in.
func (x *Machine) asks(in *ir.Instr, c verdict.Check) bool {
	return x.o.Checks.Has(c) && !x.o.Past[ir.At{Instr: in, Check: c}]
}

// pass notes that the run goes on past a claim that is violated.
func (x *Machine) pass(in *ir.Instr, c verdict.Check) {
	if at := (ir.At{Instr: in, Check: c}); x.o.Past[at] && !slices.Contains(x.passed, at) {
		x.passed = append(x.passed, at)
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
func (x *Machine) decide(v value, what string) bool {
	if v.defined() {
		return true
	}
	return !x.violate(verdict.Uninitialised, "%s is indeterminate: it was never written", what)
}

// decideShown does so with the operands of in that the world outside sees.
func (x *Machine) decideShown(in *ir.Instr, args []value) bool {
	for i := range ir.Shown(in) {
		if !x.decide(args[i], ir.ShownAs(in)) {
			return false
		}
	}
	return true
}

// decideResult does so with the value that a return statement gives to code that is not known.
func (x *Machine) decideResult(in *ir.Instr, v value) bool {
	f := x.fr.fn
	if ir.Returned(in) == nil || f.Driven() || len(x.frames) > 1 && !x.frames[len(x.frames)-2].fn.Driven() {
		return true
	}
	return x.decide(v, "the result of "+f.CName)
}

func (x *Machine) finish() *Outcome {
	x.out.Executed, x.out.Accessed = x.executed, x.effort.bytes
	x.out.Visits, x.out.Ways, x.out.Passed = x.visits, x.ways, x.passed
	x.on.End(x.out)
	x.nameBlocks()
	return x.out
}
