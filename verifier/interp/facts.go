package interp

import "github.com/firmproof/firmproof/verifier/ir"

// Facts holds what the runs of a program share: tables about its module, and room for what calls compute. The module must
// not change, and one run uses them at a time.
type Facts struct {
	of      *ir.Module
	FuncNum map[*ir.Func]int
	globNum map[*ir.Global]int
	Slots   map[*ir.Instr]*ir.Var // C variable of an alloca
	escapes map[*ir.Func]map[*ir.Instr]bool
	scoped  map[*ir.Func]map[*ir.Instr]bool // ir.Scoped
	spare   map[*ir.Func][][]Value          // Frame.Values of calls that are over, all zero
}

// NewFacts returns what is known of m.
func NewFacts(m *ir.Module) *Facts {
	k := &Facts{of: m, FuncNum: map[*ir.Func]int{}, globNum: map[*ir.Global]int{}, Slots: map[*ir.Instr]*ir.Var{},
		escapes: map[*ir.Func]map[*ir.Instr]bool{}, scoped: map[*ir.Func]map[*ir.Instr]bool{},
		spare: map[*ir.Func][][]Value{}}
	for i, f := range m.Funcs {
		k.FuncNum[f] = i
		for _, v := range f.Vars {
			if a, ok := v.Slot.(*ir.Instr); ok {
				k.Slots[a] = v
			}
		}
	}
	for i, g := range m.Globals {
		k.globNum[g] = i
	}
	return k
}

// isScoped reports whether an alloca has a scope that begins later: ir.Scoped.
func (k *Facts) isScoped(in *ir.Instr) bool {
	f := in.Block.Func
	if k.scoped[f] == nil {
		k.scoped[f] = ir.Scoped(f)
	}
	return k.scoped[f][in]
}

// escapesOf reports whether an alloca escapes: ir.Escapes.
func (k *Facts) escapesOf(in *ir.Instr) bool {
	f := in.Block.Func
	if k.escapes[f] == nil {
		k.escapes[f] = ir.Escapes(f)
	}
	return k.escapes[f][in]
}

// valuesOf returns room for what a call of f computes.
func (k *Facts) valuesOf(f *ir.Func) []Value {
	list := k.spare[f]
	if len(list) == 0 {
		return make([]Value, f.NumInstr)
	}
	last := len(list) - 1
	k.spare[f] = list[:last]
	return list[last]
}

// release takes back the room of a call that is over.
func (k *Facts) release(fr *Frame) {
	clear(fr.Values)
	k.spare[fr.Func] = append(k.spare[fr.Func], fr.Values)
	fr.Values = nil
}
