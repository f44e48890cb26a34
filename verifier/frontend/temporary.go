package frontend

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

const keptTemporary = "the temporary value whose array is handed to a function that keeps its address outlives its " +
	"expression (C17 6.2.4p8)"

// keptTemporaries notes addresses in a temporary value that a function which is called keeps: the value ends with the
// full expression, here with its function. Those that are assigned are noted from the syntax tree.
func (t *translator) keptTemporaries() {
	k := &keeping{m: t.m, params: map[*ir.Param]*flow{}}
	for _, f := range t.m.Funcs {
		vars := f.VarsBySlot()
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpCall || in.Model != ir.ModelNone || in.Pos == nil || in.Pos.InLibrary() {
					continue
				}
				for n, a := range in.Args {
					local := temporaryOf(a)
					if local == nil || vars[local] != nil {
						continue
					}
					w := &flow{regs: map[ir.Value]bool{}, slots: map[*ir.Instr]bool{}}
					if k.passed(w, in, n); w.kept {
						chosenFor(f, a.(*ir.Instr), fmt.Sprintf("%s:%d: %s", in.Pos.File, in.Pos.Line, keptTemporary))
					}
				}
			}
		}
	}
}

// temporaryOf returns the temporary value of clang's that an address within leads to, a member of it; nil if it is none.
// Those that calls return in registers it names "coerce".
func temporaryOf(v ir.Value) *ir.Instr {
	in, ok := v.(*ir.Instr)
	for inside := false; ok; in, ok = in.Args[0].(*ir.Instr) {
		switch in.Op {
		case ir.OpGep, ir.OpBitcast:
			inside = true
			continue
		case ir.OpAlloca:
			if inside && (strings.Contains(in.Name, "tmp") || strings.HasPrefix(in.Name, "coerce")) && in.Access.IsAggregate() {
				return in
			}
		}
		return nil
	}
	return nil
}
