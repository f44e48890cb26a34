package ir

import "github.com/firmproof/firmproof/verifier/verdict"

// At names a claim: a check of an instruction.
type At struct {
	Instr *Instr
	Check verdict.Check
}

// Past is a set of claims that nobody asks about any more: what runs past one goes
// on as a program without the check does (Merz 6.2.2, the switch constants).
type Past map[At]bool

// BesideTrap returns the target of a branch that does not lead to a trap, if the other one does and skip
// says that its check is left out; else nil.
func BesideTrap(branch *Instr, skip func(trap *Instr) bool) *Block {
	if branch.Op != OpCondBr {
		return nil
	}
	for i, t := range branch.Targets {
		if trap := TrapOf(t); trap != nil && skip(trap) && TrapOf(branch.Targets[1-i]) == nil {
			return branch.Targets[1-i]
		}
	}
	return nil
}

// TrapOf returns the trap that b is there for: before it stand only the arguments of
// its handler. Nil if b does something else.
func TrapOf(b *Block) *Instr {
	for _, in := range b.Instrs {
		switch {
		case in.Op == OpTrap:
			return in
		case in.Op.Class() != ClassConversion:
			return nil
		}
	}
	return nil
}

// HasWayBeside reports whether every branch to the trap has another target to go on at.
func HasWayBeside(trap *Instr) bool {
	if TrapOf(trap.Block) != trap || len(trap.Block.Preds) == 0 {
		return false
	}
	for _, p := range trap.Block.Preds {
		if BesideTrap(p.Term(), func(t *Instr) bool { return t == trap }) == nil {
			return false
		}
	}
	return true
}
