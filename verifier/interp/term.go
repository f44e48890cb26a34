package interp

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// term executes a terminator.
func (x *Machine) term(in *ir.Instr) {
	switch in.Op {
	case ir.OpRet:
		if len(in.Args) == 0 {
			x.leave(Value{}, false)
			return
		}
		if v := x.Eval(in.Args[0]); x.decideResult(in, v) {
			x.leave(v, true)
		}
	case ir.OpBr:
		x.jump(in.Targets[0])
	case ir.OpCondBr:
		c := x.Eval(in.Args[0])
		if to := ir.BesideTrap(in, func(t *ir.Instr) bool { return !x.asks(t, t.Check) }); to != nil {
			if other := in.Targets[1-slices.Index(in.Targets, to)]; c.Bits.IsOne() == (other == in.Targets[0]) {
				t := ir.TrapOf(other)
				x.pass(t, t.Check)
			}
			x.jump(to)
			return
		}
		if !x.decide(c, "condition") {
			return
		}
		to := in.Targets[1]
		if c.Bits.IsOne() {
			to = in.Targets[0]
		}
		x.on.Branch(in, c, to)
		x.jump(to)
	case ir.OpSwitch:
		x.switchTo(in)
	case ir.OpIndirectBr:
		p := x.Eval(in.Args[0])
		if !x.decide(p, "address") {
			return
		}
		for _, t := range in.Targets {
			if p.Object != nil && p.Object.Block == t && p.Bits.IsZero() {
				x.jump(t)
				return
			}
		}
		x.stopAs(verdict.NoFunction, verdict.Memory, "computed goto to an address that is no label of this function")
	case ir.OpUnreachable:
		x.stop(verdict.Unreachable, "unreachable code reached")
	}
}

func (x *Machine) switchTo(in *ir.Instr) {
	v := x.Eval(in.Args[0])
	if !x.decide(v, "switch value") {
		return
	}
	to := in.Targets[0]
	for i, c := range in.Cases {
		if c == v.Bits {
			to = in.Targets[i+1]
			break
		}
	}
	x.on.Branch(in, v, to)
	x.jump(to)
}
