package ir

// Spot is a place that coverage tells of: To nil is coming to Instr, the first instruction of a source line in its
// block (LineStarts); else it is going from the branch Instr to To (Ways).
type Spot struct {
	Instr *Instr
	To    *Block
}

// LineStarts lists the instructions of b at which a line of the source begins. Instructions that the source does
// not have (allocas, traps, lifetimes) are none.
func LineStarts(b *Block) []*Instr {
	var out []*Instr
	for _, in := range b.Instrs {
		if !fromSource(in) || in.Op == OpBr && len(out) > 0 {
			continue // a jump behind other code stands for the brace that closes it
		}
		if n := len(out); n == 0 || out[n-1].Pos.Line != in.Pos.Line || out[n-1].Pos.File != in.Pos.File {
			out = append(out, in)
		}
	}
	return out
}

func fromSource(in *Instr) bool {
	if in.Pos.Column == 0 || in.Pos.File == "" {
		return false
	}
	switch in.Op {
	case OpAlloca, OpPhi, OpTrap, OpUnreachable, OpBitcast:
		return false
	case OpCall:
		return in.Model != ModelLifetimeStart && in.Model != ModelLifetimeEnd && in.Model != ModelNop
	}
	return true
}

// LineStart returns the last of LineStarts that comes no later than in, or nil.
func LineStart(in *Instr) *Instr {
	var last *Instr
	at := index(in)
	for _, s := range LineStarts(in.Block) {
		if index(s) <= at {
			last = s
		}
	}
	return last
}

// Ways lists the blocks that the source's branch in goes to, each once, in order; nil for a jump, a branch on a
// constant, and one that the compiler or an assertion makes: one of its ways only fails.
func Ways(in *Instr) []*Block {
	if in.Op != OpCondBr && in.Op != OpSwitch || in.Pos.Column == 0 {
		return nil
	}
	if k, ok := in.Args[0].(*Const); ok && k.Kind == ConstInt {
		return nil
	}
	var out []*Block
	seen := map[*Block]bool{}
	for _, t := range in.Targets {
		if in.Op == OpCondBr && FailingBlocks(t) != nil {
			return nil
		}
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}
