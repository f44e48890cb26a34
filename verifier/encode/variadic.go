package encode

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// variadic evaluates va_start, va_end and va_copy. The extra arguments lie where
// the target's calling convention has them (ir.Module.Variadic).
func (c *modelCall) variadic(m ir.Model) (memory.Val, bool) {
	switch m {
	case ir.ModelVaStart:
		c.vaStart()
	case ir.ModelVaCopy:
		if a := c.area(c.fr, c.st, c.in); a != nil {
			c.copyMemory(c.fr, c.st, c.in, c.args[0], c.args[1], c.s.Int(c.w, a.ListSize), false)
		}
	case ir.ModelVaEnd:
	default:
		return memory.Val{}, false
	}
	return memory.Val{}, true
}

// area places the extra arguments of fr's call; nil after a gap.
func (e *encoder) area(fr *frame, st *memory.State, in *ir.Instr) *ir.VaArea {
	var types []*ir.Type
	if fr.call != nil {
		for _, a := range fr.call.Args[len(fr.params):] {
			types = append(types, a.Type())
		}
	}
	a, why := e.m.Variadic(fr.fn, types)
	if a == nil {
		e.gap(st, in, verdict.Unsupported, "%s", why)
	}
	return a
}

func (c *modelCall) vaStart() {
	e, fr, st := c.encoder, c.fr, c.st
	area := e.area(fr, st, c.in)
	if area == nil {
		return
	}
	ts := e.checkAccess(fr, st, c.in, c.args[0], e.wantConst(area.ListSize, 1, true), e.s.True())
	if st.PC == nil {
		return
	}
	var regs, stack *memory.Ptr
	if area.RegSize > 0 {
		regs = e.newLocal(fr, st, c.in, "va_regs", e.s.Int(e.w, area.RegSize), nil, area.Align)
	}
	stack = e.newLocal(fr, st, c.in, "va_args", e.s.Int(e.w, area.Size), nil, area.Align)
	for i, v := range fr.more {
		t := fr.call.Args[len(fr.params)+i].Type()
		p, off := stack, area.Off[i]
		if area.Reg[i] >= 0 {
			p, off = regs, area.Reg[i]
		}
		o := p.Alts[0].Object
		st.Put(o, e.storeType(o, st.Get(o), e.s.Int(e.w, off), v, t))
	}
	first := memory.Val{Ptr: e.Shift(stack, e.s.Int(e.w, area.Start))}
	put := func(off int64, t *ir.Type, v memory.Val) {
		for _, x := range ts {
			if x.obj == nil || x.vol != nil {
				continue
			}
			old := st.Get(x.obj)
			st.Put(x.obj, e.MergeContents(x.obj, x.g, e.storeType(x.obj, old, e.offset(x.off, off), v, t), old))
		}
	}
	word, addr := ir.Int(32), ir.Ptr(e.w)
	if regs == nil {
		put(0, addr, first)
		return
	}
	put(0, word, memory.Val{Term: e.s.Int(32, area.GpOffset)})
	put(4, word, memory.Val{Term: e.s.Int(32, area.FpOffset)})
	put(8, addr, first)
	put(16, addr, memory.Val{Ptr: regs})
}

// vaArg reads the next argument through a list that is one pointer, and moves it
// on (LangRef: va_arg).
func (e *encoder) vaArg(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	area := e.area(fr, st, in)
	if area == nil {
		return memory.Val{}
	}
	if area.RegSize > 0 {
		e.gap(st, in, verdict.Unsupported, "va_arg instruction on %s", e.m.Triple)
		return memory.Val{}
	}
	list, addr := e.arg(fr, st, in, 0), ir.Ptr(e.w)
	p := e.load(fr, st, in, list, addr, 1, false)
	if st.PC == nil {
		return memory.Val{}
	}
	align := min(max(area.Slot, e.lay.AlignOf(in.T)), area.Align)
	up := &memory.Ptr{}
	for _, a := range p.Ptr.Alts {
		off := e.s.BvAnd(e.offset(a.Off, align-1), e.s.Int(e.w, -align))
		up.Alts = append(up.Alts, memory.Alt{Guard: a.Guard, Object: a.Object, Off: off})
	}
	v := e.load(fr, st, in, memory.Val{Ptr: up, Undef: p.Undef}, in.T, 1, false)
	if st.PC == nil {
		return memory.Val{}
	}
	size := (e.lay.SizeOf(in.T) + area.Slot - 1) / area.Slot * area.Slot
	e.store(fr, st, in, list, memory.Val{Ptr: e.Shift(up, e.s.Int(e.w, size))}, addr, 1)
	return v
}

// asm evaluates inline assembly: barriers and interrupt masks have no effect in
// a sequential program; of anything else the outputs are unknown, and what may
// write memory is not modelled.
func (e *encoder) asm(st *memory.State, in *ir.Instr) memory.Val {
	for _, c := range strings.Split(in.Asm.Constraints, ",") {
		if c == "~{memory}" && !ir.QuietAsm(in.Asm) {
			if !in.T.IsVoid() {
				e.Fresh(st, input.AsmOut, in, in.T, "asm")
			}
			e.gap(st, in, verdict.Unsupported, "inline assembly that writes memory: %s", in.Asm)
			e.f.Gaps[len(e.f.Gaps)-1].Reason.Remedy = replaceByStub(in.Block.Func)
			return memory.Val{}
		}
	}
	if !ir.QuietAsm(in.Asm) {
		e.note("inline assembly `%s` changes nothing but its outputs, which are unknown", in.Asm)
	}
	return e.Fresh(st, input.AsmOut, in, in.T, "asm")
}

// fits is the condition that a float, rounded toward zero, is an integer of w bits.
func (e *encoder) fits(t ilr.Term, w int, signed bool) ilr.Term {
	fw := e.s.Width(t)
	finite := e.s.Ult(e.s.Trunc(t, fw-1), e.s.Const(e.magnitude(e.infinity(fw))))
	lt := func(a, b ilr.Term) ilr.Term { return e.s.FloatOp(ilr.KFLt, ilr.Bool, ilr.RNE, a, b) }
	le := func(a, b ilr.Term) ilr.Term { return e.s.FloatOp(ilr.KFLe, ilr.Bool, ilr.RNE, a, b) }
	ok := finite
	top := w
	if signed {
		top = w - 1
	}
	if hi, fit := e.powerOfTwo(fw, top); fit {
		ok = e.s.And(ok, lt(t, e.s.Const(hi)))
	}
	if !signed {
		one, _ := e.powerOfTwo(fw, 0)
		return e.s.And(ok, lt(e.s.Const(e.negative(one)), t))
	}
	lo, fit := e.powerOfTwo(fw, w-1)
	switch {
	case !fit:
		return ok
	case w-1 >= fraction(fw)+1: // the numbers next to -2^(w-1) are integers
		return e.s.And(ok, le(e.s.Const(e.negative(lo)), t))
	}
	return e.s.And(ok, lt(e.s.Const(e.belowNegative(fw, w-1)), t))
}
