package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// What a function takes without a name, or through a va_list, its other arguments ask for, in a way of its own. A harness
// hands over policy.HarnessFurther words of any value: numbers in them are input like any. How many there are, and where
// one leads that is read as an address, the caller sees to: what fails by that is no finding, and what holds with that is
// conditional (0043).

// RefusesFurther returns why no harness hands a function its further arguments; empty: one does, or it takes none.
func RefusesFurther(m *ir.Module, f *ir.Func) string {
	if !TakesVariable(f) {
		return ""
	}
	_, why := m.Variadic(f, nil)
	return why
}

// TakesVariable reports whether a function takes a variable number of arguments, or a va_list.
func TakesVariable(f *ir.Func) bool { return f.Variadic || takesList(f) }

// takesList reports whether a function takes a va_list, or the address of one.
func takesList(f *ir.Func) bool {
	return slices.ContainsFunc(f.Vars, func(v *ir.Var) bool { return v.Param && (isVAList(v.T) || leadsToList(v.T)) })
}

// vaLists are names that the type of <stdarg.h> has, and what ABIs define it as.
var vaLists = []string{"va_list", "__builtin_va_list", "__gnuc_va_list", "__va_list", "__va_list_tag"}

func isVAList(t *ir.DType) bool {
	if t == nil {
		return false
	}
	name := t.Name[strings.LastIndexByte(t.Name, ' ')+1:]
	return slices.Contains(vaLists, name)
}

func leadsToList(t *ir.DType) bool { return t != nil && t.Kind == ir.DPointer && isVAList(t.Elem) }

// list makes argument i if it is a va_list, or the address of one.
func (h *harness) list(i int) ir.Value {
	p, v := h.of.Params[i], h.vars[i]
	if v == nil {
		v = h.pieces[p].of
	}
	switch {
	case v == nil:
		return nil
	case isVAList(v.T):
		return h.Load(p.T, h.newList())
	case leadsToList(v.T):
		return h.newList()
	}
	return nil
}

// newList makes a va_list in memory, which leads to further arguments as ir.VaArea has them, and returns its address.
func (h *harness) newList() ir.Value {
	area, _ := h.Module.Variadic(h.of, nil) // callOf asked why not
	list := h.copied("list", nil, h.Int(h.Word(), area.ListSize))
	stack := h.listed(policy.HarnessFurther * max(area.Slot, int64(h.Word().Width/8)))
	if area.RegSize == 0 {
		h.Store(stack, list, 1)
		return list
	}
	h.Store(h.Int(ir.Int(32), 0), list, 1)
	h.Store(h.Int(ir.Int(32), fpOffset), h.Gep(list, 4, nil, 0), 1)
	h.Store(stack, h.Gep(list, 8, nil, 0), 1)
	h.Store(h.listed(area.RegSize), h.Gep(list, 16, nil, 0), 1)
	return list
}

// fpOffset is where the vector registers stand in the register area of x86-64 (System V ABI, figure 3.33), behind six
// others; there are eight.
const (
	fpOffset   int64 = 48
	fpRegister int   = 8
)

// listed makes a block of further arguments.
func (h *harness) listed(bytes int64) ir.Value {
	b := h.copied(ir.FurtherArguments, nil, h.Int(h.Word(), bytes))
	h.marksFurther(b, h.out.Blocks[len(h.out.Blocks)-1].fill)
	return b
}

// unnamed makes the arguments that a call of a variadic function has behind those with a name.
func (h *harness) unnamed() []ir.Value {
	if !h.of.Variadic {
		return nil
	}
	var out []ir.Value
	word := func(t *ir.Type) {
		v := h.any(fmt.Sprintf("argument %d", len(h.of.Params)+len(out)+1), t)
		h.marksFurther(v)
		out = append(out, v)
	}
	for range policy.HarnessFurther {
		word(h.Word())
	}
	if area, _ := h.Module.Variadic(h.of, nil); area.RegSize > 0 {
		for range fpRegister {
			word(&ir.Type{Kind: ir.KindFloat, Width: 64})
		}
	}
	return out
}

// marksFurther notes of values that they are further arguments, or lead to them.
func (h *harness) marksFurther(values ...ir.Value) {
	id := h.note(ir.FurtherArguments, verdict.Extent, verdict.Chosen,
		"%s are at most %d words, and those that are read as addresses lead where the callee takes them to lead", ir.FurtherArguments,
		policy.HarnessFurther)
	brings(id, values...)
	brings(h.open(ir.FurtherArguments, verdict.Extent, "").ID, values...)
	if !slices.Contains(h.out.Guesses, ir.FurtherArguments) {
		h.out.Guesses = append(h.out.Guesses, ir.FurtherArguments)
	}
}
