package check

import (
	"maps"

	"github.com/firmproof/firmproof/verifier/ir"
)

// step follows an instruction that is no phi.
func (w *walk) step(in *ir.Instr, p *point) {
	switch in.Op {
	case ir.OpPhi:
		return
	case ir.OpAlloca:
		p.forget(in)
		return
	case ir.OpStore:
		w.store(in, p)
		return
	case ir.OpCall, ir.OpRet, ir.OpAsm:
		w.leave(in, p)
	}
	if !isWord(in.T) {
		return
	}
	key := any(nil)
	v := all(in.T.Width)
	if in.Op == ir.OpLoad {
		if key = w.followed(in.Args[0]); key != nil {
			v, _ = w.of(key, p)
		} else if g := w.factAt(in.Args[0]); g != nil {
			v = w.facts[g].ever
		}
	} else {
		v = w.result(in, p)
	}
	if w.define(in, v, p); key != nil {
		p.same[key] = in
	}
}

// store looks at a number that is stored in the variable of a fact. One that is not followed has to be left as functions
// leave it at once: nothing is known of it where f ends.
func (w *walk) store(in *ir.Instr, p *point) {
	g, key := w.factAt(in.Args[1]), w.followed(in.Args[1])
	if g == nil && key == nil {
		return
	}
	v := w.value(in.Args[0], p)
	if g != nil && w.found != nil {
		x := w.facts[g]
		if !x.ever.holds(v, x.bits) || key == nil && !x.rest.holds(v, x.bits) {
			w.found(g)
		}
	}
	if key == nil {
		return
	}
	p.forget(key)
	p.known[key] = v
	if _, constant := in.Args[0].(*ir.Const); !constant {
		p.same[key] = in.Args[0]
	}
}

// leave looks at what others find in variables of the program where f ends or calls them, and forgets what they may store
// there, and what locals held in their last life.
func (w *walk) leave(in *ir.Instr, p *point) {
	switch in.Model {
	case ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		for _, a := range in.Args {
			if slot, ok := ir.Root(a).(*ir.Instr); ok {
				p.forget(slot)
			}
		}
		return
	case ir.ModelNondet, ir.ModelNondetNonNeg, ir.ModelRange, ir.ModelAssume, ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset,
		ir.ModelSaddO, ir.ModelUaddO, ir.ModelSsubO, ir.ModelUsubO, ir.ModelSmulO, ir.ModelUmulO:
		return
	}
	for key, v := range p.known {
		if g, ok := key.(*ir.Global); ok && w.found != nil && !w.facts[g].rest.holds(v, w.facts[g].bits) {
			w.found(g)
		}
	}
	maps.DeleteFunc(p.known, func(key any, _ words) bool { return isFact(key) })
	maps.DeleteFunc(p.same, func(key any, _ ir.Value) bool { return isFact(key) })
}

// result is what a register holds that is no load.
func (w *walk) result(in *ir.Instr, p *point) words {
	bits := in.T.Width
	op, args := operation(in)
	switch op {
	case ir.OpZext, ir.OpSext, ir.OpTrunc:
		return converted(op, w.value(args[0], p), args[0].Type().Width, bits)
	case ir.OpSelect:
		return w.value(args[1], p).join(w.value(args[2], p), bits)
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem, ir.OpShl, ir.OpLshr, ir.OpAshr,
		ir.OpAnd, ir.OpOr, ir.OpXor:
		return binary(op, w.value(args[0], p), w.value(args[1], p), bits)
	}
	return all(bits)
}

// operation is what gives an instruction its number: the operation itself, or that of a call which tells of its overflow.
func operation(in *ir.Instr) (ir.Op, []ir.Value) {
	if in.Op != ir.OpExtractValue || len(in.Indices) != 1 || in.Indices[0] != 0 {
		return in.Op, in.Args
	}
	call, ok := in.Args[0].(*ir.Instr)
	if !ok || call.Op != ir.OpCall {
		return in.Op, in.Args
	}
	switch call.Model {
	case ir.ModelSaddO, ir.ModelUaddO:
		return ir.OpAdd, call.Args
	case ir.ModelSsubO, ir.ModelUsubO:
		return ir.OpSub, call.Args
	case ir.ModelSmulO, ir.ModelUmulO:
		return ir.OpMul, call.Args
	}
	return in.Op, in.Args
}
