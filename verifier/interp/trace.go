package interp

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// tracer collects the steps of a run: the last MaxTrace of them.
type tracer struct {
	steps   []verdict.Step
	dropped int
	writes  map[*object]map[int64]*ir.Instr // last write of a byte
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

// contractPart is in all names that contracts are made of (package contract).
const contractPart = "firmproof_contract_"

func (x *machine) addStep(at *ir.Instr, s verdict.Step) {
	if x.ofPoint() || strings.HasPrefix(s.What, irqPrefix) ||
		strings.Contains(s.What, contractPart) {
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
		case f.Params[i].SRet:
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

func typeText(t *ir.DType, access *ir.Type) string {
	if t != nil {
		return t.String()
	}
	return widthText(access)
}

// before is what traceStore needs to know of a range that is about to be
// written: its bits as an integer; nil if it cannot hold bit-fields.
func (x *machine) before(o *object, off, n int64) *value {
	if !x.o.Trace || n > 8 || o.dtype() == nil {
		return nil
	}
	v := x.getBits(o, off, n, int(n*8))
	return &v
}

// traceStore notes an assignment; bit-fields that share the stored unit only if they change.
func (x *machine) traceStore(in *ir.Instr, o *object, off int64, t *ir.Type, old *value) {
	if !x.o.Trace {
		return
	}
	size := x.l.StoreSize(t)
	if in.Op == ir.OpStore {
		x.noteHolder(o, off, x.eval(in.Args[0]))
	}
	x.noteWrite(in, o, off, size)
	if _, param := in.Args[0].(*ir.Param); param && o.variable != nil && o.variable.Param {
		return // the call shows it
	}
	if o.variable == nil && o.global == nil && o.kind == stackObject {
		return // a temporary of the compiler
	}
	if o.global != nil && strings.HasPrefix(o.global.Name, ".") {
		return // no name of C: a helper of the frontend or the compiler
	}
	if isPadding(o.dtype(), off*8, size*8) || x.traceBitFields(in, o, off, size, old) {
		return
	}
	v := x.get(o, off, t)
	show := func(o *object, s *verdict.Step) {
		var ct *ir.DType
		s.What, ct = x.placeName(o, off, size, t)
		s.Type, s.Value = typeText(ct, t), x.showIn(s.What, ct, v)
		if ct != nil && (ct.Kind == ir.DStruct || ct.Kind == ir.DUnion || ct.Kind == ir.DArray) {
			s.Value = x.memoryText(o, off, ct, 0)
		}
	}
	s := x.assignTo(o)
	s.Bytes = x.bytesAt(o, off, size, v)
	show(o, &s)
	x.addStep(in, s)
	x.showLater(o, off, size, show)
}

// assignTo is a step that writes to o, without place and value.
func (x *machine) assignTo(o *object) verdict.Step {
	return verdict.Step{Kind: verdict.StepAssign, Object: o.num + 1, Frame: o.frame, Behind: x.madeBehind(o)}
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

// bytesAt is the memory in hexadecimal; whole pointers have no bytes yet.
func (x *machine) bytesAt(o *object, off, n int64, v value) string {
	if v.obj != nil || n > 16 {
		return ""
	}
	parts := make([]string, n)
	for i := range parts {
		b, _ := o.byteAt(off + int64(i))
		parts[i] = fmt.Sprintf("%02x", b)
	}
	return strings.Join(parts, " ")
}

func (x *machine) noteWrite(in *ir.Instr, o *object, off, n int64) {
	if x.trace.writes == nil {
		x.trace.writes = map[*object]map[int64]*ir.Instr{}
	}
	w := x.trace.writes[o]
	if w == nil {
		w = map[int64]*ir.Instr{}
		x.trace.writes[o] = w
	}
	for i := int64(0); i < min(n, 256); i++ {
		w[off+i] = in
	}
}

// traceBitFields handles a store to a unit that holds bit-fields.
func (x *machine) traceBitFields(in *ir.Instr, o *object, off, size int64, old *value) bool {
	t := o.dtype()
	if t == nil || old == nil {
		return false
	}
	name := x.name(o)
	bitOff := off * 8
	for t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0 {
		n := int64(t.Elem.Bits)
		name, bitOff, t = fmt.Sprintf("%s[%d]", name, bitOff/n), bitOff%n, t.Elem
	}
	found := false
	for i := range t.Fields {
		f := &t.Fields[i]
		if t.Kind == ir.DStruct && !f.IsBits && f.BitOff <= bitOff && bitOff+size*8 <= f.BitOff+f.BitSize &&
			f.T.Kind == ir.DStruct {
			return false // nested: shown as a whole
		}
		if !f.IsBits || f.BitOff < bitOff || f.BitOff+f.BitSize > bitOff+size*8 {
			continue
		}
		found = true
		unit := x.getBits(o, off, size, int(size*8)).bits
		now, was := x.field(unit, f, bitOff, size), x.field(old.bits, f, bitOff, size)
		if now != was || !x.field(old.mask(), f, bitOff, size).IsZero() {
			s := x.assignTo(o)
			s.What, s.Value, s.Type = name+"."+f.Name, FormatValue(f.T, now), f.T.String()
			x.addStep(in, s)
		}
	}
	return found
}

// field takes a bit-field out of its unit, extended to its type.
func (x *machine) field(unit bits.Vec, f *ir.DField, unitOff, size int64) bits.Vec {
	lo := f.BitOff - unitOff
	if x.l.BigEndian {
		lo = size*8 - lo - f.BitSize
	}
	v := bits.Extract(unit, int(lo+f.BitSize-1), int(lo))
	w := max(f.T.Bits, v.Width())
	if f.T.Signed {
		return bits.Sext(v, w)
	}
	return bits.Zext(v, w)
}

// traceBranch notes which block in goes on at, and for which value.
func (x *machine) traceBranch(in *ir.Instr, v value, to *ir.Block) {
	if x.o.Trace && x.o.Detailed {
		x.addStep(in, verdict.Step{Kind: verdict.StepBranch, What: to.Name, Value: FormatValue(nil, v.bits),
			Bytes: x.hexBytes(v.bits)})
	}
}

// traceInitial notes what an integer variable holds that has just come to life.
func (x *machine) traceInitial(in *ir.Instr, o *object) {
	if !x.o.Trace || !x.o.Detailed || o.variable == nil || o.variable.Param || o.init == nil {
		return
	}
	t := o.dtype()
	if t == nil || t.Kind != ir.DInt && t.Kind != ir.DChar && t.Kind != ir.DBool || o.size > 8 {
		return
	}
	v := x.getBits(o, 0, o.size, int(8*o.size))
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: o.variable.Name, Value: x.show(t, v), Type: t.String(),
		Bytes: x.hexBytes(v.bits)})
	if s := x.trace.steps; len(s) > 0 && o.variable.Pos.Line > 0 {
		s[len(s)-1].Pos = o.variable.Pos
	}
}

// traceInput notes what a nondet function gave.
func (x *machine) traceInput(in *ir.Instr, name string, v value) {
	if !x.o.Trace || in.T.IsVoid() {
		return
	}
	t := &ir.DType{Kind: ir.DInt, Signed: !strings.Contains(name, "_u") && !strings.Contains(name, "size"),
		Name: in.T.String(), Bits: in.T.Width}
	switch {
	case in.T.Kind == ir.KindFloat:
		t.Kind = ir.DFloat
	case in.T.IsPtr():
		t.Kind = ir.DPointer
	case strings.HasSuffix(name, "bool"):
		t.Kind = ir.DBool
	}
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: name + "()", Value: x.show(t, v),
		Bytes: x.hexBytes(v.bits), Type: nondetType(name, in.T)})
}

// traceBytes notes a range written at once.
func (x *machine) traceBytes(in *ir.Instr, o *object, off, n int64) {
	if !x.o.Trace || in == nil {
		return
	}
	x.noteWrite(in, o, off, n)
	if o.variable == nil && o.global == nil && o.kind == stackObject {
		return
	}
	x.notePointers(o, off, n)
	show := func(o *object, s *verdict.Step) {
		var t *ir.DType
		s.What, t = x.placeName(o, off, n, nil)
		s.Type, s.Value = fmt.Sprintf("%d %s", n, plural(uint64(n), "byte")), x.bytesText(o, off, n)
		if t != nil {
			s.Type = t.String()
			if int64(t.Bits) == n*8 {
				s.Value = x.memoryText(o, off, t, 0)
			}
		}
	}
	s := x.assignTo(o)
	show(o, &s)
	x.addStep(in, s)
	x.showLater(o, off, n, show)
}

// madeBehind returns the pointer whose block a generated harness fills, as long as it does; else "".
func (x *machine) madeBehind(o *object) string {
	if o.kind != heapObject || o.born == nil || len(x.frames) > 1 {
		return ""
	}
	if name, made := strings.CutPrefix(o.born.Name, ir.BehindPointer); made {
		return name
	}
	return ""
}

func (x *machine) traceAlloc(in *ir.Instr, o *object, n uint64) {
	if !x.o.Trace {
		return
	}
	s := verdict.Step{Kind: verdict.StepAlloc, What: fmt.Sprintf("%d %s", n, plural(n, "byte")), Value: "NULL"}
	if o != nil {
		s.Value = "&" + blockMark(o)
		if name, made := strings.CutPrefix(in.Name, ir.BehindPointer); made {
			s.What, s.Value, s.Behind = s.What+", what '"+name+"' leads to", "", name
		}
	}
	x.addStep(in, s)
}

func (x *machine) traceFree(in *ir.Instr, o *object) {
	x.wroteBytes(o, 0, o.size)
	if x.o.Trace {
		x.addStep(in, verdict.Step{Kind: verdict.StepFree, What: "&" + blockMark(o)})
	}
}

// traceEnd adds the violation, with the variables that its condition read and
// where they were written last.
func (x *machine) traceEnd() {
	if !x.o.Trace {
		return
	}
	if x.out.Kind == Violation {
		x.addStep(x.out.Instr, verdict.Step{Kind: verdict.StepViolation, What: x.out.Message,
			Value: strings.Join(x.causes(), "; ")})
	}
	t := &x.trace
	if cut := len(t.steps) - x.o.MaxTrace; cut > 0 {
		t.steps, t.dropped = t.steps[cut:], t.dropped+cut
	}
}
