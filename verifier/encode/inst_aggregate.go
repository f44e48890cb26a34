package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// aggregate evaluates LangRef's Vector Operations and Aggregate Operations.
func (e *encoder) aggregate(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	a := e.arg(fr, st, in, 0)
	switch in.Op {
	case ir.OpExtractValue:
		for _, i := range in.Indices {
			a = a.Elems[i]
		}
		return a
	case ir.OpInsertValue:
		return insertAt(a, in.Indices, e.arg(fr, st, in, 1))
	case ir.OpExtractElement:
		i := e.Num(e.arg(fr, st, in, 1))
		inside := e.s.False()
		for k := range a.Elems {
			inside = e.s.Or(inside, e.isIndex(i, k))
		}
		var out memory.Val
		if st := e.fork(st, e.s.Not(inside)); st != nil {
			out = e.Fresh(st, input.Undef, in, in.T, "undef")
		} else {
			out = a.Elems[0]
		}
		for k := len(a.Elems) - 1; k >= 0; k-- {
			out = e.Pick(e.isIndex(i, k), a.Elems[k], out)
		}
		return out
	case ir.OpInsertElement:
		x, i := e.arg(fr, st, in, 1), e.Num(e.arg(fr, st, in, 2))
		out := memory.Val{Elems: make([]memory.Val, len(a.Elems))}
		inside := e.s.False()
		for k := range a.Elems {
			inside = e.s.Or(inside, e.isIndex(i, k))
			out.Elems[k] = e.Pick(e.isIndex(i, k), x, a.Elems[k])
		}
		e.gapWhen(st, in, e.s.Not(inside), "insertelement outside the vector")
		return out
	}
	b := e.arg(fr, st, in, 1)
	out := memory.Val{Elems: make([]memory.Val, len(in.Indices))}
	for k, i := range in.Indices {
		switch {
		case i < 0:
			out.Elems[k] = e.Fresh(st, input.Undef, in, in.T.Elem, "undef")
		case i < len(a.Elems):
			out.Elems[k] = a.Elems[i]
		default:
			out.Elems[k] = b.Elems[i-len(a.Elems)]
		}
	}
	return out
}

func (e *encoder) isIndex(i ilr.Term, k int) ilr.Term {
	return e.Eq(i, e.s.Int(e.s.Width(i), int64(k)))
}

func insertAt(a memory.Val, path []int, x memory.Val) memory.Val {
	if len(path) == 0 {
		return x
	}
	out := memory.Val{Elems: append([]memory.Val(nil), a.Elems...)}
	out.Elems[path[0]] = insertAt(a.Elems[path[0]], path[1:], x)
	return out
}
