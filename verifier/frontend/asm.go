package frontend

import (
	"slices"
	"strconv"
	"strings"

	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// asmOperands says what constraints of inline assembly demand of operands (LangRef: Inline Asm Constraint String).
type asmOperands struct {
	direct   []int // numbers of the outputs that are part of the result
	indirect []asmMemory
	tied     map[int]int // number of an output: the argument that is its value before the assembly runs
	memory   []int       // arguments that lead to memory which is read
}

// asmMemory is an output that is written through a pointer.
type asmMemory struct {
	number, arg int
}

func readConstraints(constraints string) asmOperands {
	out := asmOperands{tied: map[int]int{}}
	arg := 0
	for number, c := range strings.Split(constraints, ",") {
		switch {
		case strings.HasPrefix(c, "=*"), strings.HasPrefix(c, "+*"), strings.HasPrefix(c, "=&*"):
			out.indirect = append(out.indirect, asmMemory{number, arg})
			arg++
		case strings.HasPrefix(c, "="):
			out.direct = append(out.direct, number)
		case strings.HasPrefix(c, "~") || c == "":
		default:
			if n, err := strconv.Atoi(c); err == nil {
				out.tied[n] = arg
			}
			if strings.HasPrefix(c, "*") {
				out.memory = append(out.memory, arg)
			}
			arg++
		}
	}
	return out
}

// unchanged translates assembly without instructions, as code has it to hide a value from the optimiser: an output that
// is tied to an input has its value, and memory that is read and written is left alone. It returns false where an output
// has another value.
func (x *fn) unchanged(s *site, template, constraints string) bool {
	if strings.TrimSpace(template) != "" {
		return false
	}
	ops := readConstraints(constraints)
	if len(ops.direct)+len(ops.indirect) == 0 { // a barrier
		return false
	}
	args := x.operands(s.args...)
	values := make([]ir.Value, len(ops.direct))
	for i, number := range ops.direct {
		a, ok := ops.tied[number]
		if !ok {
			return false
		}
		want := s.ty
		if len(ops.direct) > 1 {
			want = s.ty.Fields[i]
		}
		if values[i] = args[a]; !values[i].Type().Equal(want) {
			return false
		}
	}
	type store struct{ value, to ir.Value }
	var stores []store
	for _, m := range ops.indirect {
		same := func(a int) bool { return args[a] == args[m.arg] }
		a, ok := ops.tied[m.number]
		switch {
		case slices.ContainsFunc(ops.memory, same):
		case ok && args[a].Type().Equal(x.elementType(s.args[m.arg])):
			stores = append(stores, store{args[a], args[m.arg]})
		default:
			return false
		}
	}
	for _, st := range stores {
		x.emit(&ir.Instr{Op: ir.OpStore, Access: st.value.Type(), Align: 1, Args: []ir.Value{st.value, st.to}})
	}
	if len(values) > 0 {
		x.result(s.v, s.ty, values)
	}
	return true
}

// result defines v as a copy of one value, or as the structure of several.
func (x *fn) result(v value.Named, t *ir.Type, values []ir.Value) {
	if len(values) == 1 {
		x.define(v, ir.Instr{Op: ir.OpBitcast, T: t, Args: values})
		return
	}
	var acc ir.Value = &ir.Const{Kind: ir.ConstZero, T: t}
	for i, e := range values {
		next := ir.Instr{Op: ir.OpInsertValue, T: t, Args: []ir.Value{acc, e}, Indices: []int{i}}
		if i == len(values)-1 {
			x.define(v, next)
			return
		}
		acc = x.emit(&next)
	}
}
