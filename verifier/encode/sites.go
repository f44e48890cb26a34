package encode

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// site says at which instructions a check can be claimed.
type site struct {
	check verdict.Check
	at    func(in *ir.Instr) bool
}

// sites has a line for each reason to claim a check at an instruction. Claims are numbered by it, whatever the
// walk finds: what it leaves out has no claim that was never reached.
var sites = []site{
	{verdict.Stack, func(in *ir.Instr) bool { return in.ID == 0 }},
	{verdict.SignedOverflow, flagged(ir.NSW, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl)},
	{verdict.SignedOverflow, ops(ir.OpSdiv, ir.OpSrem)}, // the smallest value by -1
	{verdict.SignedOverflow, models(ir.ModelAbs, ir.ModelAbsI)},
	{verdict.UnsignedOverflow, flagged(ir.NUW, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl)},
	{verdict.DivByZero, ops(ir.OpUdiv, ir.OpUrem, ir.OpSdiv, ir.OpSrem)},
	{verdict.Shift, ops(ir.OpShl, ir.OpLshr, ir.OpAshr)},
	{verdict.FloatConversion, ops(ir.OpFpToSi, ir.OpFpToUi)},
	{verdict.Conversion, narrowsPointer},
	{verdict.PointerCompare, flagged(ir.PtrDiff, ir.OpSub)},
	{verdict.PointerCompare, flagged(ir.Exact, ir.OpSdiv, ir.OpSrem, ir.OpShl, ir.OpLshr, ir.OpAshr)},
	{verdict.PointerCompare, orders(verdict.PointerCompare)},
	{verdict.NullCompare, orders(verdict.NullCompare)},
	{verdict.PointerOverflow, flagged(ir.InBounds, ir.OpGep)},
	{verdict.VLA, hasVariableLength},
	{verdict.Unreachable, ops(ir.OpUnreachable)},
	{verdict.Leak, ops(ir.OpRet)},
	{verdict.Leak, models(ir.ModelExit)},
	{verdict.Free, models(ir.ModelFree, ir.ModelRealloc)},
	{verdict.Assert, models(ir.ModelAssert, ir.ModelFail, ir.ModelAssertFail)},
	{verdict.Builtin, models(ir.ModelAssumeI, ir.ModelPrintf, ir.ModelCtlz, ir.ModelCttz, ir.ModelCtype)},

	{verdict.Memory, ops(ir.OpLoad, ir.OpStore, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg, ir.OpIndirectBr)},
	{verdict.Register, (*ir.Instr).IsVolatileAccess}, // claimedAt looks where
	{verdict.Memory, callsPointer},
	{verdict.Memory, models(rangeModels...)},
	{verdict.Memory, models(ir.ModelPrintf)},

	{verdict.Uninitialised, ops(ir.OpUdiv, ir.OpUrem, ir.OpSdiv, ir.OpSrem, ir.OpCondBr, ir.OpSwitch)},
	{verdict.Uninitialised, ops(ir.OpLoad, ir.OpStore, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg, ir.OpIndirectBr)},
	{verdict.Uninitialised, hasVariableLength},
	{verdict.Uninitialised, returns},
	{verdict.Uninitialised, callsPointer},
	{verdict.Uninitialised, models(rangeModels...)},
	{verdict.Uninitialised, models(ir.ModelAssert, ir.ModelFail, ir.ModelAssertFail, ir.ModelAssume, ir.ModelAssumeI,
		ir.ModelFree, ir.ModelRealloc, ir.ModelPrintf, ir.ModelCtype, ir.ModelMalloc, ir.ModelCalloc, ir.ModelAligned,
		ir.ModelAllocaC)},
}

// rangeModels are the calls that access memory from an address on.
var rangeModels = []ir.Model{ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset, ir.ModelMemcmp, ir.ModelMemchr,
	ir.ModelStrlen, ir.ModelStrnlen, ir.ModelStrcpy, ir.ModelStrncpy, ir.ModelStrcat, ir.ModelStrncat, ir.ModelStrcmp,
	ir.ModelStrncmp, ir.ModelStrchr, ir.ModelStrrchr, ir.ModelStrstr, ir.ModelStrdup, ir.ModelHavoc, ir.ModelHavocObj,
	ir.ModelMakeSymbolic, ir.ModelMemalign, ir.ModelVaStart, ir.ModelVaEnd, ir.ModelVaCopy}

// ops reports instructions of the opcodes of list.
func ops(list ...ir.Op) func(*ir.Instr) bool {
	return func(in *ir.Instr) bool { return slices.Contains(list, in.Op) }
}

// flagged reports instructions of the opcodes of list with the flag.
func flagged(flag ir.Flags, list ...ir.Op) func(*ir.Instr) bool {
	return func(in *ir.Instr) bool { return in.Flags.Has(flag) && slices.Contains(list, in.Op) }
}

// models reports calls that have a model of list.
func models(list ...ir.Model) func(*ir.Instr) bool {
	return func(in *ir.Instr) bool { return in.Op == ir.OpCall && slices.Contains(list, in.Model) }
}

// callsPointer reports a call through a pointer.
func callsPointer(in *ir.Instr) bool {
	if in.Op != ir.OpCall || in.Model != ir.ModelNone {
		return false
	}
	_, direct := in.Callee.(*ir.Const)
	return !direct
}

// orders reports comparisons of pointers by their order that may violate check.
func orders(check verdict.Check) func(*ir.Instr) bool {
	return func(in *ir.Instr) bool { return in.OrderCheck() == check }
}

// narrowsPointer reports a conversion of a pointer to an integer that has less bits.
func narrowsPointer(in *ir.Instr) bool {
	return in.Op == ir.OpPtrToInt && in.T.IsInt() && in.T.Width < in.Args[0].Type().Width
}

// hasVariableLength reports an array of variable length.
func hasVariableLength(in *ir.Instr) bool {
	if in.Op != ir.OpAlloca {
		return false
	}
	_, fixed := in.Args[0].(*ir.Const)
	return !fixed
}

// returns reports a return of a number or a pointer. It is claimed only where the caller is not known.
func returns(in *ir.Instr) bool { return in.Op == ir.OpRet && ir.Returned(in) != nil }

// ofCaller reports a check that is claimed at in only where the function goes back to code that is not known.
func ofCaller(in *ir.Instr, check verdict.Check, leaks ir.LeakRule) bool {
	return check == verdict.Uninitialised && returns(in) || check == verdict.Leak && leaks == ir.LeakCalled && in.Op == ir.OpRet
}

// checksOf lists the checks that can be claimed at in, in a fixed order.
func checksOf(in *ir.Instr) []verdict.Check {
	var out []verdict.Check
	if in.Op == ir.OpTrap && !silent(in, in.Check) {
		out = append(out, in.Check)
	}
	for _, s := range sites {
		if s.at(in) && !silent(in, s.check) && !slices.Contains(out, s.check) {
			out = append(out, s.check)
		}
	}
	return out
}

// claimedAt lists the checks that are claimed at in: those of checksOf, but register only where it is asked and the address
// may be a register's, and the leaks that the rule asks for where the program ends otherwise than by exit, at a failed
// assertion only if nobody asks whether it fails.
func claimedAt(in *ir.Instr, checks verdict.CheckSet, leaks ir.LeakRule) []verdict.Check {
	out := checksOf(in)
	if i := slices.Index(out, verdict.Register); i >= 0 && !(checks.Has(verdict.Register) && in.MayBeAtRegister()) {
		out = slices.Delete(out, i, i+1)
	}
	if i := slices.Index(out, verdict.Leak); i >= 0 && in.Op != ir.OpRet && !leaks.Asks(ir.EndExit) {
		out = slices.Delete(out, i, i+1)
	}
	switch {
	case in.Op != ir.OpCall || !slices.Contains(leakEnds, in.Model) || silent(in, verdict.Leak):
		return out
	case in.Model == ir.ModelTrapI:
		if !leaks.Asks(ir.EndAbort) {
			return out
		}
	case !leaks.Asks(ir.EndFailed) || checks.Has(verdict.Assert):
		return out
	}
	return append(out, verdict.Leak)
}

// silent reports an instruction of the driver's, or of what runs handlers between steps, of which nothing is claimed.
func silent(in *ir.Instr, check verdict.Check) bool {
	f := in.Block.Func
	return f.Made && !check.Of().Driver || strings.HasPrefix(f.Name, ir.PointPrefix) ||
		check == verdict.Unreachable && endsRace(in.Block)
}

// endsRace reports a block that claims a race: no execution gets past that.
func endsRace(b *ir.Block) bool {
	trap := ir.TrapOf(b)
	return trap != nil && trap.Check == verdict.Race
}
