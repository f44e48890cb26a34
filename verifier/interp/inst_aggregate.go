package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// aggregate executes the instructions over vectors and aggregate values. Values
// are shared, so a changed one is a copy along the path.
func (x *Machine) aggregate(in *ir.Instr) Value {
	a := x.Eval(in.Args[0])
	switch in.Op {
	case ir.OpExtractValue:
		for _, i := range in.Indices {
			a = a.Elems[i]
		}
		return a
	case ir.OpInsertValue:
		return replace(a, in.Indices, x.Eval(in.Args[1]))
	case ir.OpExtractElement:
		i, ok := x.lane(in, in.Args[1], len(a.Elems))
		if !ok {
			return x.inputs(input.Undef, in.T)
		}
		return a.Elems[i]
	case ir.OpInsertElement:
		i, ok := x.lane(in, in.Args[2], len(a.Elems))
		if !ok {
			return x.inputs(input.Undef, in.T)
		}
		return replace(a, []int{i}, x.Eval(in.Args[1]))
	}
	return x.shuffle(in, a, x.Eval(in.Args[1]))
}

// lane is an index into a vector; one outside gives poison (LangRef: extractelement).
func (x *Machine) lane(in *ir.Instr, v ir.Value, n int) (int, bool) {
	i := x.Eval(v)
	if !x.decide(i, "vector index") {
		return 0, true
	}
	u, fits := i.Bits.Uint64()
	return int(min(u, uint64(n))), fits && u < uint64(n)
}

func replace(a Value, path []int, v Value) Value {
	if len(path) == 0 {
		return v
	}
	out := Value{Elems: append([]Value(nil), a.Elems...)}
	out.Elems[path[0]] = replace(a.Elems[path[0]], path[1:], v)
	return out
}

func (x *Machine) shuffle(in *ir.Instr, a, b Value) Value {
	out := Value{Elems: make([]Value, len(in.Indices))}
	for n, i := range in.Indices {
		switch {
		case i < 0:
			out.Elems[n] = x.inputs(input.Undef, in.T.Elem)
		case i < len(a.Elems):
			out.Elems[n] = a.Elems[i]
		default:
			out.Elems[n] = b.Elems[i-len(a.Elems)]
		}
	}
	return out
}

// pair is a result of type {T, i1}.
func pair(v Value, flag bool) Value {
	return Value{Elems: []Value{v, Scalar(bits.Bool(flag))}}
}
