package seg

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// call executes a call: of a model, or by pushing a frame.
func (b *builder) call(s *state, in *ir.Instr) result {
	if in.Model != ir.ModelNone {
		return b.model(s, in, in.Model)
	}
	callee := b.value(s, in.Callee)
	if callee.kind != funcValue {
		return giveUp(verdict.Unsupported, "call through a pointer that is not followed")
	}
	fn := callee.fn
	if fn.Model != ir.ModelNone {
		return b.model(s, in, fn.Model)
	}
	if fn.IsDecl() {
		return result{kind: gaveUp, rkind: verdict.Undefined, why: ir.NoBody(fn.Name), fn: fn.Name}
	}
	if !in.Sig.Equal(fn.Sig()) && (fn.Variadic || len(in.Args) != len(fn.Params)) {
		return giveUp(verdict.Unsupported, "call of "+fn.Name+" with other parameters or a variable number of them")
	}
	b.entered[fn] = true
	if d := s.depth(fn); d > 0 && !(d < policy.GraphRecursion && b.steps < policy.GraphFollowed && b.constantArgs(s, in)) {
		b.recursive = true
		return b.enter(s, in, fn)
	}
	if b.shared[fn] {
		return b.enter(s, in, fn)
	}
	if len(s.frames) >= policy.GraphDepth {
		return giveUp(verdict.BoundReached, "calls are nested too deep at "+fn.Name)
	}
	f := s.top()
	g := &frame{fn: fn, blk: fn.Blocks[0], vals: map[ir.Value]value{}, call: in,
		ctx: fmt.Sprintf("%s%s.%d>", f.ctx, f.fn.Name, in.ID)}
	b.pass(s, in, g)
	s.frames = append(s.frames, g)
	return result{kind: moved}
}

// copyIn makes the callee's copy of a by-value parameter.
func (b *builder) copyIn(s *state, g *frame, p *ir.Param, v value) value {
	size := exact.C(b.m.Layout.SizeOf(p.ByVal))
	o := b.newObject(s, g.ctx+g.fn.Name+".byval."+p.Name, p.Name, size)
	o.align = max(b.m.Layout.AlignOf(p.ByVal), int64(p.Align))
	g.objs = append(g.objs, o.id)
	b.copyRange(s, value{kind: ptrValue, obj: o.id}, v, size, false)
	return value{kind: ptrValue, obj: o.id}
}

// ret pops the frame, or ends the run.
func (b *builder) ret(s *state, in *ir.Instr) result {
	f := s.top()
	var v value
	if len(in.Args) > 0 {
		v = b.value(s, in.Args[0])
	}
	if len(s.frames) == 1 {
		if f.bottom {
			b.returned(s, v)
			b.comeBack(s, v)
		} else {
			b.leaks(s, ir.EndReturn)
		}
		return stop("return")
	}
	for _, id := range f.objs {
		s.drop(id)
	}
	s.frames = s.frames[:len(s.frames)-1]
	g := s.top()
	if !f.call.T.IsVoid() {
		if len(in.Args) == 0 || !in.Args[0].Type().Equal(f.call.T) {
			b.fault(s, verdict.Uninitialised, "the function returns a value")
			s.inexact("result with another type")
			v = b.fresh(s, f.call.T, "result", anyRep)
		}
		g.vals[f.call] = v
	}
	g.idx++
	return result{kind: moved}
}

// value is an operand's value.
func (b *builder) value(s *state, a ir.Value) value {
	if c, ok := a.(*ir.Const); ok {
		return b.constant(s, c)
	}
	if v, ok := s.top().vals[a]; ok {
		v.lin = s.know.plain(v.lin)
		return v
	}
	s.inexact("value that is not followed")
	v := b.fresh(s, a.Type(), "unknown", anyRep)
	s.top().vals[a] = v
	return v
}

func (b *builder) constant(s *state, c *ir.Const) value {
	switch c.Kind {
	case ir.ConstInt:
		switch {
		case c.T.Kind == ir.KindInt && c.T.Width == 1:
			return value{kind: boolValue, cond: truth(c.Bits.IsOne())}
		case c.T.Kind == ir.KindInt:
			return literal(c.Bits)
		case c.T.IsPtr():
			return number(constInt(exact.FromBig(c.Bits.Unsigned())), unsigned)
		}
	case ir.ConstNull:
		return number(exact.Lin{}, anyRep)
	case ir.ConstZero:
		if c.T.IsInt() && c.T.Width > 1 || c.T.IsPtr() {
			return number(exact.Lin{}, anyRep)
		}
	case ir.ConstAddr:
		switch {
		case c.Func != nil && c.Label == nil && c.Off == 0:
			return value{kind: funcValue, fn: c.Func}
		case c.Global != nil:
			return value{kind: ptrValue, obj: b.globalObject(s, c.Global), lin: exact.C(c.Off)}
		}
	case ir.ConstUndef, ir.ConstPoison:
		b.fault(s, verdict.Uninitialised, "the operand has a value")
		return b.fresh(s, c.T, "undef", anyRep)
	}
	if c.T.IsInt() || c.T.IsPtr() {
		s.inexact("constant that is not followed")
	}
	return b.fresh(s, c.T, "constant", anyRep)
}

// globalObject is the object of a global, made when it is first touched.
func (b *builder) globalObject(s *state, g *ir.Global) int {
	id, ok := b.objIDs["@"+g.Name]
	if !ok {
		id = len(b.objIDs) + 1
		b.objIDs["@"+g.Name] = id
	}
	if s.objs[id] != nil {
		return id
	}
	s.add(b.freshGlobal(g, id))
	return id
}

func (b *builder) freshGlobal(g *ir.Global, id int) *object {
	o := &object{id: id, key: "@" + g.Name, name: g.Name, size: exact.C(b.m.Layout.SizeOf(g.T)), global: g, base: -1,
		rest: unknownBytes, align: int64(g.Align), written: written{all: true}}
	if g.Var != nil && g.Var.Name != "" {
		o.name = g.Var.Name
	}
	switch {
	case g.Extern, g.InProgramMemory():
		o.rest = freshBytes
	case g.Unsupported == "" && g.Init != nil && g.Init.Kind == ir.ConstZero:
		o.rest = zeroBytes
	case g.Unsupported == "" && g.Init != nil:
		o.rest = initBytes
	}
	return o
}

// pass gives the parameters of a new frame the arguments of call in.
func (b *builder) pass(s *state, in *ir.Instr, g *frame) {
	for n, p := range g.fn.Params {
		v := b.value(s, in.Args[n])
		if !p.T.Equal(in.Args[n].Type()) {
			s.inexact("parameter with another type")
			v = b.fresh(s, p.T, p.Name, anyRep)
		}
		if p.ByVal != nil {
			v = b.copyIn(s, g, p, v)
		}
		g.vals[p] = v
	}
}
