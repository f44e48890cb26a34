package interrupt

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// atReset has main begin with interrupts masked, as processors do at reset whose mask lets none in then, where main
// comes to an instruction that may unmask them. A main that does not may be one whose startup code did.
func (w *interrupts) atReset(entries []string) []verdict.Assumption {
	main := w.Module.Func("main")
	if main == nil || main.IsDecl() || w.mask == nil || w.processor == nil || !w.processor.reset {
		return nil
	}
	entry := false
	for _, e := range entries {
		entry = entry || e == main.Name
	}
	if !entry || usedElsewhere(w.Module, w.point)[main] || !w.unmasks(main) {
		return nil
	}
	w.Func = main
	set := (&irbuild.Builder{Module: w.Module}).AddrOfGlobal(w.mask)
	main.Blocks[0].Instrs = append([]*ir.Instr{{Op: ir.OpStore, T: ir.Void(), Access: w.mask.T, Align: 1,
		Args: []ir.Value{w.Int(w.mask.T, 1), set}, Pos: &main.Pos, Block: main.Blocks[0]}}, main.Blocks[0].Instrs...)
	w.Finish()
	return []verdict.Assumption{verdict.Assume(main.CName, verdict.Meaning, verdict.Declared, fmt.Sprintf(
		"%s begins with interrupts masked, as the processor does at reset", main.CName))}
}

// unmasks reports whether code from f on has inline assembly that may let interrupts in.
func (w *interrupts) unmasks(f *ir.Func) bool {
	for g := range codeFrom(w.Module, f).Funcs {
		for _, b := range g.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpAsm {
					continue
				}
				effects, _ := asmMasks(w.processor, in)
				for _, e := range effects {
					if e.kind != maskSet && e.kind != maskRaised {
						return true
					}
				}
			}
		}
	}
	return false
}
