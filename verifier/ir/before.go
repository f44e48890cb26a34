package ir

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/policy"
)

// MayBeBefore reports whether an access, or the trap before one, may in terms of C come before the start of an object:
// by an index that may be negative, or one subtracted. What wraps around as an unsigned number is past the end.
func MayBeBefore(in *Instr) bool {
	s := &signs{vars: in.Block.Func.VarsBySlot()}
	switch in.Op {
	case OpTrap:
		if len(in.Block.Preds) != 1 {
			return false
		}
		branch := in.Block.Preds[0].Term()
		if branch.Op != OpCondBr {
			return false
		}
		cond, ok := branch.Args[0].(*Instr)
		return ok && cond.Op == OpIcmp && s.negative(cond.Args[0], policy.SiteDepth)
	case OpLoad:
		return s.address(in.Args[0], policy.SiteDepth)
	case OpStore:
		return s.address(in.Args[1], policy.SiteDepth)
	}
	return false
}

// Indexes reports whether an access is at an index that is no constant, or the trap before one.
func Indexes(in *Instr) bool {
	return in.Op == OpTrap || slices.ContainsFunc(in.Args, func(v Value) bool {
		at, ok := v.(*Instr)
		for ok && (at.Op == OpBitcast || at.Op == OpGep && len(at.Args) == 1) {
			at, ok = at.Args[0].(*Instr)
		}
		return ok && at.Op == OpGep
	})
}

// signs knows the types in C of what a function computes.
type signs struct {
	vars map[Value]*Var
}

// address reports whether an address may be before the start of what it was computed from.
func (s *signs) address(v Value, depth int) bool {
	in, ok := v.(*Instr)
	if !ok || depth == 0 {
		return false
	}
	switch in.Op {
	case OpBitcast:
		return s.address(in.Args[0], depth-1)
	case OpGep:
		for _, index := range in.Args[1:] {
			if s.negative(index, depth-1) {
				return true
			}
		}
		return in.Off < 0 || s.address(in.Args[0], depth-1)
	case OpPhi, OpSelect:
		for _, a := range in.Args {
			if s.address(a, depth/2) {
				return true
			}
		}
	}
	return false
}

// negative reports whether a number may be negative in terms of C.
func (s *signs) negative(v Value, depth int) bool {
	if x := s.vars[v]; x != nil {
		return x.T != nil && x.T.Signed
	}
	in, ok := v.(*Instr)
	if !ok {
		c, is := v.(*Const)
		return is && c.Kind == ConstInt && c.Bits.Sign()
	}
	if depth == 0 {
		return false
	}
	switch in.Op {
	case OpSext, OpSdiv, OpSrem, OpAshr:
		return true
	case OpAdd, OpSub, OpMul, OpShl:
		return in.Flags.Has(NSW)
	case OpTrunc, OpFreeze:
		return s.negative(in.Args[0], depth-1)
	case OpLoad:
		t := Pointee(s.vars, in.Args[0])
		return t != nil && t.Signed
	case OpPhi, OpSelect:
		for _, a := range in.Args {
			if s.negative(a, depth/2) {
				return true
			}
		}
	}
	return false
}
