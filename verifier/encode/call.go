package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// call evaluates a call: a model, a body, or what a function pointer can be.
func (e *encoder) call(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	var f *ir.Func
	k, direct := in.Callee.(*ir.Const)
	if direct && k.Kind == ir.ConstAddr && k.Off == 0 {
		f = k.Func
	}
	args := make([]memory.Val, len(in.Args))
	for i := range args {
		args[i] = e.arg(fr, st, in, i)
	}
	if in.Model != ir.ModelNone {
		e.handOver(st, in, f, in.Model, args...)
		return e.model(fr, st, in, f, in.Model, args)
	}
	if f == nil {
		return e.indirectCall(fr, st, in, args)
	}
	if why := ir.Mismatch(f, in, true); why != "" {
		e.gap(st, in, verdict.Unsupported, "call of %s with %s", f.Name, why)
		return memory.Val{}
	}
	return e.enter(fr, st, in, f, args)
}

// enter calls f, whose parameters fit, and goes on in st after its return.
func (e *encoder) enter(fr *frame, st *memory.State, in *ir.Instr, f *ir.Func, args []memory.Val) memory.Val {
	e.handOver(st, in, f, f.Model, args...)
	if f.IsDecl() {
		if f.Model != ir.ModelNone {
			return e.model(fr, st, in, f, f.Model, args)
		}
		e.gap(st, in, verdict.Undefined, "%s", ir.NoBody(f.Name))
		why := &e.f.Gaps[len(e.f.Gaps)-1].Reason
		why.Remedy, why.Function = stubFor(f), f.Name
		return memory.Val{}
	}
	if e.isCut(f) {
		return e.cutCall(fr, st, in, f, args)
	}
	if !e.mayCall(fr, in, f, st) {
		return memory.Val{}
	}
	params := args[:len(f.Params)]
	sub := e.newFrame(fr, in, f, append([]memory.Val(nil), params...))
	sub.more = args[len(f.Params):]
	for i, p := range f.Params {
		if p.ByVal == nil {
			continue
		}
		size := e.lay.SizeOf(p.ByVal)
		q := e.newLocal(sub, st, in, p.Name, e.s.Int(e.w, size), p.ByVal, max(e.lay.AlignOf(p.ByVal), int64(p.Align)))
		e.copyMemory(fr, st, in, memory.Val{Ptr: q}, args[i], e.s.Int(e.w, size), true)
		if st.PC == nil {
			return memory.Val{}
		}
		sub.params[i] = memory.Val{Ptr: q}
	}
	out, ret := e.run(sub, &memory.State{PC: st.PC, Mem: st.Mem, Unmade: st.Unmade})
	fr.forked = fr.forked || sub.forked
	if out == nil {
		st.PC = nil
		return memory.Val{}
	}
	// registers of one function's instructions mean nothing in another's
	*st = memory.State{PC: out.PC, Mem: out.Mem, Regs: st.Regs, Unmade: out.Unmade}
	return ret
}

// indirectCall calls each function that the pointer can be (LL-48, by value);
// anything else is a violation of memory.
func (e *encoder) indirectCall(fr *frame, st *memory.State, in *ir.Instr, args []memory.Val) memory.Val {
	v := e.value(fr, st, in, in.Callee)
	e.checkDefined(fr, st, in, v, "called address")
	if st.PC == nil {
		return memory.Val{}
	}
	type callee struct {
		f *ir.Func
		g ilr.Term
	}
	var fs []callee
	hit := e.s.False()
	var cases []failure
	ts := e.targets(st, v.Ptr)
	e.unknownTarget(st, in, verdict.Memory, e.s.True(), ts, "call")
	if st.PC == nil {
		return memory.Val{}
	}
	for _, t := range ts {
		switch {
		case t.obj == nil || t.obj.Kind != memory.ObjFunc:
			cases = append(cases, failure{when: t.g, text: "call through a pointer to no function"})
		case ir.Mismatch(t.obj.Func, in, false) != "":
			how := ir.Mismatch(t.obj.Func, in, false)
			cases = append(cases, failure{when: t.g, text: ir.CallOfAnotherType(t.obj.Func, how)})
		default:
			g := e.s.And(t.g, e.Eq(t.off, e.s.Int(e.w, 0)))
			hit = e.s.Or(hit, g)
			fs = append(fs, callee{t.obj.Func, g})
		}
	}
	e.claimNot(fr, st, in, verdict.Memory, e.s.Not(hit), true, "call through a pointer to no function of its type",
		cases...)
	if st.PC == nil {
		return memory.Val{}
	}
	var ends []edge
	rest := st
	for i, c := range fs {
		if rest == nil {
			break
		}
		lit := c.g
		if i == len(fs)-1 {
			lit = e.s.True() // the claim before says so
		}
		one := e.fork(rest, lit)
		rest = e.fork(rest, e.s.Not(lit))
		if one == nil {
			continue
		}
		fr.forked = fr.forked || len(fs) > 1
		ret := e.enter(fr, one, in, c.f, args)
		if in.T.IsVoid() {
			ret = memory.Val{} // the call has none, whatever the function gives
		}
		if one.PC != nil {
			ends = append(ends, edge{st: one, vals: []memory.Val{ret}})
		}
	}
	if len(ends) == 0 {
		st.PC = nil
		return memory.Val{}
	}
	out := e.mergeEdges(ends)
	*st = *out.st
	return out.vals[0]
}

// replaceByStub says how to go on past calls of f, whose body is not modelled.
func replaceByStub(f *ir.Func) string {
	return fmt.Sprintf("a macro of the project may leave the assembly out (`defines` in the manifest, or -D), or a stub "+
		"takes the place of the function: --stub %s=havoc, or `stubs: {%s: havoc}` in the manifest", f.CName, f.CName)
}

// stubFor says how to go on past calls of f, which has no body.
func stubFor(f *ir.Func) string {
	switch {
	case ir.ReturnsTwice(f.Name):
		return "verify functions that are called between the call and the jump back to it by harnesses of their own"
	case ir.NoStub(f.Name) != "":
		return "verify what does not call it by harnesses of their own: " + ir.NoStub(f.Name) + ", which no stub does"
	case f.Starts:
		return "compile its source, too, or verify the functions that it may have run by harnesses of their own; " +
			"`interrupts` in the manifest has handlers run at any time"
	}
	kind, meaning := "nondet", "any result"
	for _, p := range f.Params {
		if p.T.IsPtr() {
			kind, meaning = "havoc", "any result, and any value in what its arguments point to"
		}
	}
	return fmt.Sprintf("compile its source, too, or say what a call does: --stub %s=%s, or `stubs: {%s: %s}` in the manifest (%s)",
		f.Name, kind, f.Name, kind, meaning)
}
