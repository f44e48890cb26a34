package ir

// OfProgram reports an instruction of the program's own code, none of what a driver added around it or wrote for it.
func (in *Instr) OfProgram() bool { return !in.Block.Func.Made && !in.Block.Func.Driven() }

// MakesOwn reports whether in, which made a heap block, is the program's: its code called for the block, and no driver
// put that call there.
func (in *Instr) MakesOwn() bool {
	f := CalledFunc(in)
	return in.OfProgram() && (f == nil || !f.Driven())
}

// HandsOver reports whether a call of f in the program's code, by way of model m, goes to code that is not known: it may
// keep what it is passed. f is nil where only the model is known.
func (in *Instr) HandsOver(f *Func, m Model) bool {
	if !in.OfProgram() {
		return false
	}
	switch m {
	case ModelNone: // a function that a driver made for a pointer to any, or one that another file may define instead
		return f != nil && (f.Made || f.Driven() || f.Replaceable)
	case ModelNondet, ModelNondetNonNeg, ModelStubHavoc:
		return f == nil || !f.Driven()
	}
	return false
}
