package ir

import "github.com/firmproof/firmproof/verifier/policy"

// AlwaysFails reports an instruction that no execution passes without violating a claim: a trap,
// and a call that says that an assertion failed.
func (in *Instr) AlwaysFails() bool {
	return in.Op == OpTrap || in.Op == OpCall && (in.Model == ModelFail || in.Model == ModelAssertFail)
}

// Always returns where a jump goes, or a branch on a constant; nil for others.
func (in *Instr) Always() *Block {
	switch in.Op {
	case OpBr:
		return in.Targets[0]
	case OpCondBr:
		if k, ok := in.Args[0].(*Const); ok && k.Kind == ConstInt {
			if k.Bits.IsZero() {
				return in.Targets[1]
			}
			return in.Targets[0]
		}
	}
	return nil
}

// FailingBlocks returns the blocks that an execution passes from b, by jumps and calls, until an instruction that
// always fails; nil where a branch comes first that
// is not on a constant.
func FailingBlocks(b *Block) []*Block { return failingBlocks(b, policy.FailingDepth) }

func failingBlocks(b *Block, depth int) []*Block {
	if depth == 0 {
		return nil
	}
	for _, in := range b.Instrs {
		var next *Block
		switch {
		case in.AlwaysFails():
			return []*Block{b}
		case in.Op == OpBr, in.Op == OpCondBr:
			next = in.Always()
		case in.Op == OpCall && in.Model == ModelNone:
			if k, ok := in.Callee.(*Const); ok && k.Func != nil && !k.Func.IsDecl() {
				next = k.Func.Blocks[0]
			}
		}
		if next != nil {
			if rest := failingBlocks(next, depth-1); rest != nil {
				return append([]*Block{b}, rest...)
			}
		}
	}
	return nil
}
