package encode

import (
	"bytes"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// modelCall is a call of a function that the engine implements itself.
type modelCall struct {
	*encoder
	fr   *frame
	st   *memory.State
	in   *ir.Instr
	name string
	fn   *ir.Func // nil where only the model is known
	args []memory.Val
	got  memory.Val // of the last split
}

// model evaluates model m of f (nil when only the model is known).
func (e *encoder) model(fr *frame, st *memory.State, in *ir.Instr, f *ir.Func, m ir.Model,
	args []memory.Val) memory.Val {
	c := &modelCall{encoder: e, fr: fr, st: st, in: in, name: string(m), fn: f, args: args}
	if f != nil {
		c.name = f.Name
	}
	if len(args) < minArgs[m] {
		e.gap(st, in, verdict.Unsupported, "call of %s with too few arguments", c.name)
		return memory.Val{}
	}
	for _, group := range []func(ir.Model) (memory.Val, bool){c.harness, c.stub, c.objects, c.heap, c.ranges, c.strings,
		c.intrinsic, c.floats, c.variadic} {
		if v, ok := group(m); ok {
			return v
		}
	}
	e.gap(st, in, verdict.Unsupported, "call of %s", c.name)
	return memory.Val{}
}

var minArgs = map[ir.Model]int{
	ir.ModelAssume: 1, ir.ModelKept: 1, ir.ModelAssert: 1, ir.ModelHavoc: 2, ir.ModelHavocObj: 1, ir.ModelROK: 2,
	ir.ModelWOK: 2, ir.ModelRWOK: 2,
	ir.ModelObjectSize: 1, ir.ModelPtrOffset: 1, ir.ModelPtrObject: 1, ir.ModelSameObject: 2, ir.ModelDynObject: 1,
	ir.ModelMakeSymbolic: 2,
	ir.ModelMalloc:       1, ir.ModelCalloc: 2, ir.ModelRealloc: 2, ir.ModelAligned: 2, ir.ModelMemalign: 3,
	ir.ModelAllocaC: 1, ir.ModelFree: 1,
	ir.ModelMemcpy: 3, ir.ModelMemmove: 3, ir.ModelMemset: 3, ir.ModelMemcmp: 3, ir.ModelMemchr: 3, ir.ModelStrlen: 1,
	ir.ModelStrnlen: 2,
	ir.ModelStrcpy:  2, ir.ModelStrncpy: 3, ir.ModelStrcat: 2, ir.ModelStrncat: 3, ir.ModelStrcmp: 2,
	ir.ModelStrncmp: 3, ir.ModelStrchr: 2,
	ir.ModelStrrchr: 2, ir.ModelStrstr: 2, ir.ModelStrdup: 1, ir.ModelAbs: 1, ir.ModelCtype: 1, ir.ModelRange: 2,
	ir.ModelForAll: 1, ir.ModelHavocRest: 1,
}

// harness evaluates the intrinsics of harnesses, and what ends the program.
func (c *modelCall) harness(m ir.Model) (memory.Val, bool) {
	e, st := c.encoder, c.st
	switch m {
	case ir.ModelNondet:
		return e.Fresh(st, input.Nondet, c.in, c.in.T, c.name), true
	case ir.ModelNondetNonNeg:
		v := e.Fresh(st, input.Nondet, c.in, c.in.T, c.name)
		t := e.Num(v)
		st.PC = e.And(st.PC, e.s.Not(e.s.Slt(t, e.s.Int(e.s.Width(t), 0))))
		return v, true
	case ir.ModelAssume:
		e.checkDefined(c.fr, st, c.in, c.args[0], "assumption")
		e.suppose(st, c.in, e.Cond(c.args[0]))
		return c.number(0), true
	case ir.ModelKept:
		if e.opts.KeepsRanges {
			e.suppose(st, c.in, e.Cond(c.args[0]))
		}
		return memory.Val{}, true
	case ir.ModelAssert:
		e.checkDefined(c.fr, st, c.in, c.args[0], "assertion")
		if st.PC != nil {
			if !e.opts.Past[ir.At{Instr: c.in, Check: verdict.Assert}] {
				c.leaksWhen(e.s.Not(e.Cond(c.args[0])))
			}
			e.claim(c.fr, st, c.in, verdict.Assert, e.s.Not(e.Cond(c.args[0])), true, "assertion holds"+c.text(1),
				failure{when: e.s.True(), text: "assertion fails" + c.text(1)})
		}
		return c.number(0), true
	case ir.ModelFail:
		c.leaksWhen(e.s.True())
		e.claim(c.fr, st, c.in, verdict.Assert, e.s.True(), true, c.name+" is never reached",
			failure{when: e.s.True(), text: c.name + " is reached"})
	case ir.ModelAssertFail:
		c.leaksWhen(e.s.True())
		text := c.text(ir.AssertedText(c.name))
		e.claim(c.fr, st, c.in, verdict.Assert, e.s.True(), true, "assertion holds"+text,
			failure{when: e.s.True(), text: "assertion fails" + text})
	case ir.ModelNop:
		return e.Fresh(st, input.Undef, c.in, c.in.T, c.name), true
	case ir.ModelExit:
		e.checkLeak(c.fr, st, c.in, ir.EndOf(c.name))
		if st.PC != nil {
			e.finish(st)
		}
		st.PC = nil
	case ir.ModelPrintf:
		return c.printf(), true
	case ir.ModelTrapI:
		e.checkLeak(c.fr, st, c.in, ir.EndAbort)
		if st.PC != nil {
			e.finish(st)
		}
		st.PC = nil
	case ir.ModelRange:
		v := e.Fresh(st, input.Nondet, c.in, c.in.T, c.name)
		t := e.Num(v)
		st.PC = e.And(st.PC, e.s.And(e.s.Sle(e.Num(c.args[0]), t), e.s.Slt(t, e.Num(c.args[1]))))
		return v, true
	default:
		return memory.Val{}, false
	}
	return memory.Val{}, true
}

// number is an integer of the call's type; nothing for a void call.
func (c *modelCall) number(n int64) memory.Val {
	if !c.in.T.IsInt() {
		return memory.Val{}
	}
	return c.Scalar(c.s.Int(c.in.T.Width, n))
}

// sized is t, unsigned, in the call's type.
func (c *modelCall) sized(t ilr.Term) memory.Val {
	if !c.in.T.IsInt() {
		return memory.Val{}
	}
	return c.Resize(memory.Val{Term: t}, c.in.T.Width)
}

// count is argument i as a number of bytes in the pointer's width.
func (c *modelCall) count(i int) ilr.Term {
	c.checkDefined(c.fr, c.st, c.in, c.args[i], "size")
	return c.Num(c.Resize(c.args[i], c.w))
}

// text is ": " and the literal string that argument i points to, if it does.
func (c *modelCall) text(i int) string {
	if i >= len(c.args) || c.args[i].Ptr == nil {
		return ""
	}
	a, ok := c.args[i].Ptr.Only()
	off, known := c.ConstOf(a.Off)
	if !ok || !known || a.Object == nil || !a.Object.ReadOnly || a.Object.Init == nil ||
		a.Object.Init.Base.Kind != memory.BaseTable ||
		off >= uint64(len(a.Object.Init.Base.Data)) {
		return ""
	}
	text, _, _ := bytes.Cut(a.Object.Init.Base.Data[off:], []byte{0})
	if len(text) == 0 {
		return ""
	}
	return ": " + verdict.Text(text, policy.TextShown)
}

// objects evaluates the predicates over objects (CBMC's).
func (c *modelCall) objects(m ir.Model) (memory.Val, bool) {
	e := c.encoder
	byTarget := func(f func(target) ilr.Term, p memory.Val) memory.Val {
		w := c.in.T.Width
		t := e.s.Int(w, 0)
		for _, x := range e.targets(c.st, p.Ptr) {
			t = e.s.Ite(x.g, f(x), t)
		}
		return e.Scalar(t)
	}
	fit := func(t ilr.Term) ilr.Term { return e.Num(e.Resize(memory.Val{Term: t}, c.in.T.Width)) }
	switch m {
	case ir.ModelROK, ir.ModelWOK, ir.ModelRWOK:
		n := c.count(1)
		w := want{n: n, align: 1, write: m != ir.ModelROK, what: "access"}
		return byTarget(func(t target) ilr.Term {
			_, bad := e.wrong(c.st, t, w)
			return e.s.BoolToBV(e.s.Not(bad), c.in.T.Width)
		}, c.args[0]), true
	case ir.ModelObjectSize:
		return byTarget(func(t target) ilr.Term {
			switch {
			case t.vol != nil:
				return e.s.Int(c.in.T.Width, int64(t.vol.Size))
			case t.obj == nil:
				return e.s.Int(c.in.T.Width, 0)
			}
			return fit(t.obj.Size)
		}, c.args[0]), true
	case ir.ModelPtrOffset:
		return byTarget(func(t target) ilr.Term {
			return e.Num(memory.Val{Term: e.signed(memory.Val{Term: t.off}, c.in.T.Width)})
		},
			c.args[0]), true
	case ir.ModelNow:
		return e.Scalar(e.s.Int(c.in.T.Width, int64(len(e.Objects)))), true
	case ir.ModelSince:
		since := c.Num(c.Resize(c.args[1], c.w))
		return byTarget(func(t target) ilr.Term {
			made := t.obj != nil && (t.obj.Kind == memory.ObjHeap || t.obj.Kind == memory.ObjStack)
			if !made {
				return e.s.Int(c.in.T.Width, 0)
			}
			return e.s.BoolToBV(e.s.Ule(since, e.s.Int(e.w, int64(t.obj.ID))), c.in.T.Width)
		}, c.args[0]), true
	case ir.ModelAsFacts:
		if e.opts.Facts {
			return c.number(1), true
		}
		return c.number(0), true
	case ir.ModelIndex:
		return e.quantified(c.in.T.Width), true
	case ir.ModelForAll:
		return e.forAll(c.args[0]), true
	case ir.ModelDynObject:
		return byTarget(func(t target) ilr.Term {
			return e.s.BoolToBV(e.s.BoolConst(t.obj != nil && t.obj.Kind == memory.ObjHeap), c.in.T.Width)
		}, c.args[0]), true
	case ir.ModelSameObject:
		same := e.s.False()
		for _, x := range e.targets(c.st, c.args[0].Ptr) {
			for _, y := range e.targets(c.st, c.args[1].Ptr) {
				if x.obj == y.obj && x.vol == y.vol {
					same = e.s.Or(same, e.s.And(x.g, y.g))
				}
			}
		}
		return e.Scalar(e.s.BoolToBV(same, c.in.T.Width)), true
	}
	return memory.Val{}, false
}
