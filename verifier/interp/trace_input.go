package interp

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Local implements Observer: it notes what an integer variable holds that has just come to life.
func (x *tracer) Local(in *ir.Instr, o *object) {
	if !x.ask.Detailed || o.variable == nil || o.variable.Param || o.init == nil {
		return
	}
	t := o.dtype()
	if t == nil || t.Kind != ir.DInt && t.Kind != ir.DChar && t.Kind != ir.DBool || o.size > 8 {
		return
	}
	v := x.getBits(o, 0, o.size, int(8*o.size))
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: o.variable.Name, Value: x.show(t, v), Type: t.String(),
		Bytes: x.hexBytes(v.bits)})
	if s := x.steps; len(s) > 0 && o.variable.Pos.Line > 0 {
		s[len(s)-1].Pos = o.variable.Pos
	}
}

// firstRead is a place of an object of which a step says what it held at first.
type firstRead struct {
	o   *object
	off int64
}

// traceUnknown notes what a variable holds that has any value at the start, where the program first reads it.
func (x *tracer) traceUnknown(in *ir.Instr, o *object, off int64, v value) {
	if o.kind != globalObject || o.fill != fillUnknown {
		return
	}
	at := firstRead{o, off}
	if _, written := x.writes[o][off]; written || x.unknown[at] {
		return
	}
	if x.unknown == nil {
		x.unknown = map[firstRead]bool{}
	}
	x.unknown[at] = true
	name, t := x.placeName(o, off, x.l.StoreSize(in.Access), in.Access)
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: name, Value: x.show(t, v), Bytes: x.hexBytes(v.bits),
		Type: typeText(t, in.Access), Object: o.num + 1})
}

// traceRaw notes a pointer that is made of bytes which a generated harness filled a block with: it leads nowhere.
func (x *tracer) traceRaw(in *ir.Instr, o *object, off int64, v value) {
	if !in.Access.IsPtr() || v.obj != nil || v.bits.IsZero() || o.pointer() == "" {
		return
	}
	if w := x.writes[o][off]; w != nil && (w.Model != ir.ModelHavoc || !w.Block.Func.Driven()) {
		return // the program's
	}
	name, t := x.placeName(o, off, x.l.StoreSize(in.Access), in.Access)
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: name, Value: x.show(t, v), Bytes: x.hexBytes(v.bits),
		Type: typeText(t, in.Access), Object: o.num + 1, Behind: o.pointer(), Pointer: true})
}

// Input implements Observer: it notes what a nondet function gave.
func (x *tracer) Input(in *ir.Instr, name string, v value) {
	if in.T.IsVoid() {
		return
	}
	t := &ir.DType{Kind: ir.DInt, Signed: !strings.Contains(name, "_u") && !strings.Contains(name, "size"),
		Name: in.T.String(), Bits: in.T.Width}
	switch {
	case in.T.Kind == ir.KindFloat:
		t.Kind = ir.DFloat
	case in.T.IsPtr():
		t.Kind = ir.DPointer
	case in.T.Width == 1 || strings.HasSuffix(name, "bool"):
		t.Kind = ir.DBool
	}
	what := name
	from, null := strings.CutSuffix(name, ir.IsNull)
	if !null { // a call of a function
		what += "()"
	}
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: what, Value: x.show(t, v),
		Bytes: x.hexBytes(v.bits), Type: nondetType(name, in.T), From: from, Null: null})
}

// Fill implements Observer: it notes a range written at once.
func (x *tracer) Fill(in *ir.Instr, o *object, off, n int64) {
	if in == nil {
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
		s.Pointer = holdsPointers(t, nil)
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
func (x *tracer) madeBehind(o *object) string {
	if len(x.frames) > 1 {
		return ""
	}
	return o.pointer()
}

// Alloc implements Observer.
func (x *tracer) Alloc(in *ir.Instr, o *object, n uint64) {
	if x.rel != nil && o != nil {
		x.rel.born[o] = x.rel.cur
	}
	s := verdict.Step{Kind: verdict.StepAlloc, What: fmt.Sprintf("%d %s", n, plural(n, "byte")), Value: "NULL"}
	if o != nil {
		s.Value = "&" + blockMark(o)
		if name := o.pointer(); name != "" {
			s.What, s.Value, s.Behind = s.What+", what '"+name+"' leads to", "", name
		}
	}
	x.addStep(in, s)
}

// Free implements Observer.
func (x *tracer) Free(in *ir.Instr, o *object) {
	x.wroteBytes(o, 0, o.size)
	x.addStep(in, verdict.Step{Kind: verdict.StepFree, What: "&" + blockMark(o)})
}
