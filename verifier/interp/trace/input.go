package trace

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Local implements Observer: it notes what an integer variable holds that has just come to life.
func (x *tracer) Local(in *ir.Instr, o *interp.Object) {
	if !x.ask.Detailed || o.Variable == nil || o.Variable.Param || o.Source == nil {
		return
	}
	t := o.CType()
	if t == nil || t.Kind != ir.DInt && t.Kind != ir.DChar && t.Kind != ir.DBool || o.Size > 8 {
		return
	}
	v := x.GetBits(o, 0, o.Size, int(8*o.Size))
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: o.Variable.Name, Value: x.show(t, v), Type: t.String(),
		Bytes: x.hexBytes(v.Bits)})
	if s := x.steps; len(s) > 0 && o.Variable.Pos.Line > 0 {
		s[len(s)-1].Pos = o.Variable.Pos
	}
}

// firstRead is a place of an object of which a step says what it held at first.
type firstRead struct {
	o   *interp.Object
	off int64
}

// traceUnknown notes what a variable holds that has any value at the start, where the program first reads it.
func (x *tracer) traceUnknown(in *ir.Instr, o *interp.Object, off int64, v interp.Value) {
	if o.Kind != interp.GlobalObject || o.Fill != interp.FillUnknown {
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
	name, t := x.PlaceName(o, off, x.Layout.StoreSize(in.Access), in.Access)
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: name, Value: x.show(t, v), Bytes: x.hexBytes(v.Bits),
		Type: typeText(t, in.Access), Object: o.Number + 1})
}

// traceRaw notes a pointer that is made of bytes which a generated harness filled a block with: it leads nowhere.
func (x *tracer) traceRaw(in *ir.Instr, o *interp.Object, off int64, v interp.Value) {
	if !in.Access.IsPtr() || v.Object != nil || v.Bits.IsZero() || o.HarnessPointer() == "" {
		return
	}
	if w := x.writes[o][off]; w != nil && (w.Model != ir.ModelHavoc || !w.Block.Func.Driven()) {
		return // the program's
	}
	name, t := x.PlaceName(o, off, x.Layout.StoreSize(in.Access), in.Access)
	x.addStep(in, verdict.Step{Kind: verdict.StepInput, What: name, Value: x.show(t, v), Bytes: x.hexBytes(v.Bits),
		Type: typeText(t, in.Access), Object: o.Number + 1, Behind: o.HarnessPointer(), Pointer: true})
}

// Input implements Observer: it notes what a nondet function gave.
func (x *tracer) Input(in *ir.Instr, name string, v interp.Value) {
	if in.T.IsVoid() {
		return
	}
	t := &ir.DType{Kind: ir.DInt, Signed: signedResult(in, name), Name: in.T.String(), Bits: in.T.Width}
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
		Bytes: x.hexBytes(v.Bits), Type: nondetType(name, in.T), From: from, Null: null})
}

// signedResult reports whether the result of a call is a signed number in C: by the name of a nondet function, else by
// what is done with it. Where nothing tells, one of 8 or 16 bits is unsigned: it is a byte or a half-word more often.
func signedResult(in *ir.Instr, name string) bool {
	if _, kind, ok := strings.Cut(name, "nondet_"); ok && nondetTypes[kind] != "" {
		return !strings.HasPrefix(kind, "u") && kind != "size_t"
	}
	for _, b := range in.Block.Func.Blocks {
		for _, use := range b.Instrs {
			if len(use.Args) == 0 || use.Args[0] != ir.Value(in) {
				continue
			}
			switch use.Op {
			case ir.OpZext:
				return false
			case ir.OpSext:
				return true
			}
		}
	}
	return in.T.Width > 16
}

// Fill implements Observer: it notes a range written at once.
func (x *tracer) Fill(in *ir.Instr, o *interp.Object, off, n int64) {
	if in == nil {
		return
	}
	x.noteWrite(in, o, off, n)
	if o.Variable == nil && o.Global == nil && o.Kind == interp.StackObject {
		return
	}
	x.notePointers(o, off, n)
	show := func(o *interp.Object, s *verdict.Step) {
		var t *ir.DType
		s.What, t = x.PlaceName(o, off, n, nil)
		s.Type, s.Value = fmt.Sprintf("%d %s", n, interp.Plural(uint64(n), "byte")), x.bytesText(o, off, n)
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
func (x *tracer) madeBehind(o *interp.Object) string {
	if len(x.Frames) > 1 {
		return ""
	}
	return o.HarnessPointer()
}

// Alloc implements Observer.
func (x *tracer) Alloc(in *ir.Instr, o *interp.Object, n uint64) {
	if x.rel != nil && o != nil {
		x.rel.born[o] = x.rel.cur
	}
	s := verdict.Step{Kind: verdict.StepAlloc, What: fmt.Sprintf("%d %s", n, interp.Plural(n, "byte")), Value: "NULL"}
	if o != nil {
		s.Value = "&" + interp.BlockMark(o)
		if name := o.HarnessPointer(); name != "" {
			s.What, s.Value, s.Behind = s.What+", what '"+name+"' leads to", "", name
		}
	}
	x.addStep(in, s)
}

// Free implements Observer.
func (x *tracer) Free(in *ir.Instr, o *interp.Object) {
	x.wroteBytes(o, 0, o.Size)
	x.addStep(in, verdict.Step{Kind: verdict.StepFree, What: "&" + interp.BlockMark(o)})
}
