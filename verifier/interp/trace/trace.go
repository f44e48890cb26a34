// Package trace collects the steps of a run in C terms: calls, inputs, branches and assignments (trace.go, input.go,
// write.go), values and memory as C writes them (show.go, memory.go), heap blocks by what holds them (blocks.go). It
// follows what the failure depends on (relevant.go), and which variables that are defined nowhere (undefined.go).
package trace

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Options say what a trace shows.
type Options struct {
	Detailed bool // also branches, and what variables hold before they are written
	Relevant bool // no steps that the failure does not depend on
	// variables of which nobody knows what they hold: Outcome.Undefined is those that the failure depends on
	Undefined []string
	Most      int // steps kept, the last ones; 0: ten thousand
}

// Steps returns what makes the observer that collects Outcome.Steps.
func Steps(ask Options) interp.Observe {
	if ask.Most == 0 {
		ask.Most = 10_000
	}
	return func(m *interp.Machine) interp.Observer {
		return &tracer{Machine: m, ask: ask, undefined: undefined{names: ask.Undefined},
			rel: &relevance{mem: map[*interp.Object]*memoryCauses{}, born: map[*interp.Object]*cause{},
				pdoms: map[*ir.Func][]*ir.Block{}}}
	}
}

// tracer collects the steps of a run: the last Most of them.
type tracer struct {
	interp.Silent
	*interp.Machine
	ask       Options
	steps     []verdict.Step
	dropped   int
	writes    map[*interp.Object]map[int64]*ir.Instr // last write of a byte
	unknown   map[firstRead]bool
	vars      map[*ir.Func][]*ir.Var // of parameters
	blocks    blocks
	leaked    *interp.Object // of the check leak
	old       *interp.Value  // of the place that is about to be written; nil: it cannot hold bit-fields
	undefined undefined
	rel       *relevance  // nil: not followed any more
	why       []*causesOf // by call
}

// Enter implements Observer.
func (x *tracer) Enter(fr *interp.Frame) {
	x.enterCauses(fr)
	x.traceCall(fr.Func, fr.Call, fr.Params)
}

// Leave implements Observer.
func (x *tracer) Leave(fr *interp.Frame, ret interp.Value, hasRet bool) {
	if hasRet {
		x.addStep(x.Instr, verdict.Step{Kind: verdict.StepReturn, What: fr.Func.CName, Value: x.show(fr.Func.DRet, ret),
			Type: fr.Func.DRet.String(), Bytes: x.hexBytes(ret.Bits)})
	}
	x.leaveCauses(fr, hasRet)
}

// Load implements Observer.
func (x *tracer) Load(in *ir.Instr, o *interp.Object, off int64, v interp.Value) {
	x.traceUnknown(in, o, off, v)
	x.traceRaw(in, o, off, v)
}

// End implements Observer: it adds the violation, with the variables that its condition read and where they were
// written last.
func (x *tracer) End(out *interp.Outcome) {
	if out.Kind == interp.Violation {
		x.addStep(out.Instr, verdict.Step{Kind: verdict.StepViolation, What: out.Message,
			Value: strings.Join(x.causes(), "; ")})
	}
	if cut := len(x.steps) - x.ask.Most; cut > 0 {
		x.steps, x.dropped = x.steps[cut:], x.dropped+cut
	}
	x.nameHeld()
	x.markRelevant()
	out.Undefined = x.undefinedUsed()
	x.numberObjects()
	out.Steps, out.Dropped = x.steps, x.dropped
}

// Skip implements Observer.
func (x *tracer) Skip(at *ir.Instr, turns int64) {
	x.addStep(at, verdict.Step{Kind: verdict.StepBranch, What: fmt.Sprintf("back, %d more times", turns)})
}

// LastWrite implements Observer.
func (x *tracer) LastWrite(o *interp.Object, off int64) *ir.Instr { return x.writes[o][off] }

// ofPoint reports that the current function lets interrupt handlers run (package
// weave): its own steps are none of the program.
func (x *tracer) ofPoint() bool {
	return len(x.Frames) > 0 && strings.HasPrefix(x.Frames[len(x.Frames)-1].Func.Name, ir.PointPrefix)
}

// Starts of the names of what generated harnesses add to the program (package weave).
const (
	heldPart  = "firmproof.held."
	truthPart = "firmproof.truth"
)

// contractPart is in all names that contracts are made of (package contract).
const contractPart = "firmproof_contract_"

// isWoven reports the name of a variable or function that is none of the user's program.
func isWoven(name string) bool {
	return strings.HasPrefix(name, ir.PointPrefix) || strings.HasPrefix(name, heldPart) ||
		strings.HasPrefix(name, truthPart) || strings.Contains(name, contractPart)
}

func (x *tracer) addStep(at *ir.Instr, s verdict.Step) {
	if x.ofPoint() || s.Kind != verdict.StepViolation && isWoven(s.What) {
		return
	}
	if at != nil {
		s.Pos = *at.Pos
	}
	s.Depth = max(0, len(x.Frames)-1)
	t := x
	if len(t.steps) >= 2*x.ask.Most {
		cut := len(t.steps) - x.ask.Most
		t.steps = append(t.steps[:0], t.steps[cut:]...)
		t.dropped += cut
	}
	if x.rel != nil && x.rel.cur != nil {
		x.rel.cur.steps = append(x.rel.cur.steps, t.dropped+len(t.steps))
	}
	t.steps = append(t.steps, s)
	x.Noted++
}

// paramVars are f's parameters as C variables, nil where there is none: at -O0
// a parameter is stored to its variable first.
func (x *tracer) paramVars(f *ir.Func) []*ir.Var {
	if got, ok := x.vars[f]; ok {
		return got
	}
	out := make([]*ir.Var, len(f.Params))
	for _, i := range f.Blocks[0].Instrs {
		if i.Op != ir.OpStore {
			continue
		}
		if p, ok := i.Args[0].(*ir.Param); ok {
			if a, ok := i.Args[1].(*ir.Instr); ok && x.Slots[a] != nil {
				out[p.Index] = x.Slots[a]
			}
		}
	}
	for i, p := range f.Params {
		if v := interp.ParamVar(f, p); v != nil {
			out[i] = v
		}
	}
	if x.vars == nil {
		x.vars = map[*ir.Func][]*ir.Var{}
	}
	x.vars[f] = out
	return out
}

// Param implements Observer: it notes an input of the entry.
func (x *tracer) Param(p *ir.Param, v interp.Value) {
	s := verdict.Step{Kind: verdict.StepInput, What: p.Name, Pos: x.Options.Entry.Pos, Type: p.T.String()}
	var t *ir.DType
	if c := x.paramVars(x.Options.Entry)[p.Index]; c != nil {
		t, s.What, s.Type = c.T, c.Name, c.T.String()
	}
	s.Value, s.Bytes = x.show(t, v), x.hexBytes(v.Bits)
	if x.rel != nil {
		x.rel.cur = &cause{}
		x.rel.entry = append(x.rel.entry, x.rel.cur)
	}
	x.addStep(nil, s)
}

func (x *tracer) traceCall(f *ir.Func, call *ir.Instr, args []interp.Value) {
	vars := x.paramVars(f)
	var parts []string
	for i, a := range args {
		switch v := vars[i]; {
		case f.Params[i].SRet != nil:
		case v != nil:
			parts = append(parts, v.Name+" = "+x.showIn(v.Name, v.T, a))
		default:
			parts = append(parts, x.show(nil, a))
		}
	}
	s := verdict.Step{Kind: verdict.StepCall, What: f.CName, Callee: f.Name, Value: strings.Join(parts, ", "), Pos: f.Pos}
	if n := len(x.Frames); n >= 2 && x.Frames[n-2].Func.Name == ir.Point {
		s.Kind, call = verdict.StepInterrupt, x.Frames[n-2].Call
	}
	x.addStep(call, s)
}

// Fresh implements Observer: it notes a read that the environment answers.
func (x *tracer) Fresh(in *ir.Instr, o *interp.Object, off int64, v interp.Value) {
	name, t := x.PlaceName(o, off, x.Layout.StoreSize(in.Access), in.Access)
	x.addStep(in, verdict.Step{Kind: verdict.StepVolatile, What: name, Value: x.show(t, v), Bytes: x.hexBytes(v.Bits),
		Type: typeText(t, in.Access), Object: o.Number + 1, Frame: o.Frame})
}

// numberObjects numbers the objects of the steps from 1 in the order in which the trace meets them, so that the numbers
// do not depend on what else the program has.
func (t *tracer) numberObjects() {
	numbers := map[int]int{}
	for i := range t.steps {
		s := &t.steps[i]
		if s.Object == 0 {
			continue
		}
		if numbers[s.Object] == 0 {
			numbers[s.Object] = len(numbers) + 1
		}
		s.Object = numbers[s.Object]
	}
}

// Branch implements Observer: it notes which block in goes on at, and for which value.
func (x *tracer) Branch(in *ir.Instr, v interp.Value, to *ir.Block) {
	if x.ask.Detailed {
		x.addStep(in, verdict.Step{Kind: verdict.StepBranch, What: to.Name, Value: cexpr.Value(nil, v.Bits),
			Bytes: x.hexBytes(v.Bits)})
	}
}
