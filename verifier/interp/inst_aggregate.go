package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// aggregate executes the instructions over vectors and aggregate values. Values
// are shared, so a changed one is a copy along the path.
func (x *Machine) aggregate(in *ir.Instr) value {
	a := x.eval(in.Args[0])
	switch in.Op {
	case ir.OpExtractValue:
		for _, i := range in.Indices {
			a = a.elems[i]
		}
		return a
	case ir.OpInsertValue:
		return replace(a, in.Indices, x.eval(in.Args[1]))
	case ir.OpExtractElement:
		i, ok := x.lane(in, in.Args[1], len(a.elems))
		if !ok {
			return x.inputs(input.Undef, in.T)
		}
		return a.elems[i]
	case ir.OpInsertElement:
		i, ok := x.lane(in, in.Args[2], len(a.elems))
		if !ok {
			return x.inputs(input.Undef, in.T)
		}
		return replace(a, []int{i}, x.eval(in.Args[1]))
	}
	return x.shuffle(in, a, x.eval(in.Args[1]))
}

// lane is an index into a vector; one outside gives poison (LangRef: extractelement).
func (x *Machine) lane(in *ir.Instr, v ir.Value, n int) (int, bool) {
	i := x.eval(v)
	if !x.decide(i, "vector index") {
		return 0, true
	}
	u, fits := i.bits.Uint64()
	return int(min(u, uint64(n))), fits && u < uint64(n)
}

func replace(a value, path []int, v value) value {
	if len(path) == 0 {
		return v
	}
	out := value{elems: append([]value(nil), a.elems...)}
	out.elems[path[0]] = replace(a.elems[path[0]], path[1:], v)
	return out
}

func (x *Machine) shuffle(in *ir.Instr, a, b value) value {
	out := value{elems: make([]value, len(in.Indices))}
	for n, i := range in.Indices {
		switch {
		case i < 0:
			out.elems[n] = x.inputs(input.Undef, in.T.Elem)
		case i < len(a.elems):
			out.elems[n] = a.elems[i]
		default:
			out.elems[n] = b.elems[i-len(a.elems)]
		}
	}
	return out
}

// pair is a result of type {T, i1}.
func pair(v value, flag bool) value {
	return value{elems: []value{v, scalar(bits.Bool(flag))}}
}
