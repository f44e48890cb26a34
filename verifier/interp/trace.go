package interp

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// tracer collects the steps of a run: the last MaxTrace of them.
type tracer struct {
	steps   []verdict.Step
	dropped int
	writes  map[*object]map[int64]*ir.Instr // last write of a byte
	unknown map[firstRead]bool
	params  map[*ir.Func][]*ir.Var
	blocks  blocks
}

// ofPoint reports that the current function lets interrupt handlers run (package
// weave): its own steps are none of the program.
func (x *machine) ofPoint() bool {
	return len(x.frames) > 0 && strings.HasPrefix(x.frames[len(x.frames)-1].fn.Name, irqPrefix)
}

// Names of package weave.
const (
	irqPrefix = "firmproof_irq_"
	irqPoint  = irqPrefix + "point"
)

// Starts of the names of what generated harnesses add to the program (package weave).
const (
	heldPart  = "firmproof.held."
	truthPart = "firmproof.truth"
)

// contractPart is in all names that contracts are made of (package contract).
const contractPart = "firmproof_contract_"

// isWoven reports the name of a variable or function that is none of the user's program.
func isWoven(name string) bool {
	return strings.HasPrefix(name, irqPrefix) || strings.HasPrefix(name, heldPart) ||
		strings.HasPrefix(name, truthPart) || strings.Contains(name, contractPart)
}

func (x *machine) addStep(at *ir.Instr, s verdict.Step) {
	if x.ofPoint() || s.Kind != verdict.StepViolation && isWoven(s.What) {
		return
	}
	if at != nil {
		s.Pos = *at.Pos
	}
	s.Depth = max(0, len(x.frames)-1)
	t := &x.trace
	if len(t.steps) >= 2*x.o.MaxTrace {
		cut := len(t.steps) - x.o.MaxTrace
		t.steps = append(t.steps[:0], t.steps[cut:]...)
		t.dropped += cut
	}
	if x.rel != nil && x.rel.cur != nil {
		x.rel.cur.steps = append(x.rel.cur.steps, t.dropped+len(t.steps))
	}
	t.steps = append(t.steps, s)
}

// paramVars are f's parameters as C variables, nil where there is none: at -O0
// a parameter is stored to its variable first.
func (x *machine) paramVars(f *ir.Func) []*ir.Var {
	if got, ok := x.trace.params[f]; ok {
		return got
	}
	out := make([]*ir.Var, len(f.Params))
	for _, i := range f.Blocks[0].Instrs {
		if i.Op != ir.OpStore {
			continue
		}
		if p, ok := i.Args[0].(*ir.Param); ok {
			if a, ok := i.Args[1].(*ir.Instr); ok && x.slots[a] != nil {
				out[p.Index] = x.slots[a]
			}
		}
	}
	for i, p := range f.Params {
		if v := paramVar(f, p); v != nil {
			out[i] = v
		}
	}
	if x.trace.params == nil {
		x.trace.params = map[*ir.Func][]*ir.Var{}
	}
	x.trace.params[f] = out
	return out
}

// traceParam notes an input of the entry.
func (x *machine) traceParam(p *ir.Param, v value) {
	if !x.o.Trace {
		return
	}
	s := verdict.Step{Kind: verdict.StepInput, What: p.Name, Pos: x.o.Entry.Pos, Type: p.T.String()}
	var t *ir.DType
	if c := x.paramVars(x.o.Entry)[p.Index]; c != nil {
		t, s.What, s.Type = c.T, c.Name, c.T.String()
	}
	s.Value, s.Bytes = x.show(t, v), x.hexBytes(v.bits)
	if x.rel != nil {
		x.rel.cur = &cause{}
		x.rel.entry = append(x.rel.entry, x.rel.cur)
	}
	x.addStep(nil, s)
}

func (x *machine) traceCall(f *ir.Func, call *ir.Instr, args []value) {
	if !x.o.Trace {
		return
	}
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
	s := verdict.Step{Kind: verdict.StepCall, What: f.CName, Value: strings.Join(parts, ", "), Pos: f.Pos}
	if n := len(x.frames); n >= 2 && x.frames[n-2].fn.Name == irqPoint {
		s.Kind, call = verdict.StepInterrupt, x.frames[n-2].call
	}
	x.addStep(call, s)
}

func (x *machine) traceReturn(f *ir.Func, v value) {
	if x.o.Trace {
		x.addStep(x.cur, verdict.Step{Kind: verdict.StepReturn, What: f.CName, Value: x.show(f.DRet, v),
			Type: f.DRet.String(), Bytes: x.hexBytes(v.bits)})
	}
}

// traceVolatile notes a read that the environment answers.
func (x *machine) traceVolatile(in *ir.Instr, o *object, off int64, v value) {
	if !x.o.Trace {
		return
	}
	name, t := x.placeName(o, off, x.l.StoreSize(in.Access), in.Access)
	x.addStep(in, verdict.Step{Kind: verdict.StepVolatile, What: name, Value: x.show(t, v), Bytes: x.hexBytes(v.bits),
		Type: typeText(t, in.Access), Object: o.num + 1, Frame: o.frame})
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

// traceBranch notes which block in goes on at, and for which value.
func (x *machine) traceBranch(in *ir.Instr, v value, to *ir.Block) {
	if x.o.Trace && x.o.Detailed {
		x.addStep(in, verdict.Step{Kind: verdict.StepBranch, What: to.Name, Value: FormatValue(nil, v.bits),
			Bytes: x.hexBytes(v.bits)})
	}
}
