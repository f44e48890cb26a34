package encode

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// aggregate evaluates LangRef's Vector Operations and Aggregate Operations.
func (e *encoder) aggregate(fr *frame, st *state, in *ir.Instr) val {
	a := e.arg(fr, st, in, 0)
	switch in.Op {
	case ir.OpExtractValue:
		for _, i := range in.Indices {
			a = a.el[i]
		}
		return a
	case ir.OpInsertValue:
		return insertAt(a, in.Indices, e.arg(fr, st, in, 1))
	case ir.OpExtractElement:
		i := e.num(e.arg(fr, st, in, 1))
		inside := e.s.False()
		for k := range a.el {
			inside = e.s.Or(inside, e.isIndex(i, k))
		}
		var out val
		if st := e.fork(st, e.s.Not(inside)); st != nil {
			out = e.fresh(st, input.Undef, in, in.T, "undef")
		} else {
			out = a.el[0]
		}
		for k := len(a.el) - 1; k >= 0; k-- {
			out = e.pick(e.isIndex(i, k), a.el[k], out)
		}
		return out
	case ir.OpInsertElement:
		x, i := e.arg(fr, st, in, 1), e.num(e.arg(fr, st, in, 2))
		out := val{el: make([]val, len(a.el))}
		inside := e.s.False()
		for k := range a.el {
			inside = e.s.Or(inside, e.isIndex(i, k))
			out.el[k] = e.pick(e.isIndex(i, k), x, a.el[k])
		}
		e.gapWhen(st, in, e.s.Not(inside), "insertelement outside the vector")
		return out
	}
	b := e.arg(fr, st, in, 1)
	out := val{el: make([]val, len(in.Indices))}
	for k, i := range in.Indices {
		switch {
		case i < 0:
			out.el[k] = e.fresh(st, input.Undef, in, in.T.Elem, "undef")
		case i < len(a.el):
			out.el[k] = a.el[i]
		default:
			out.el[k] = b.el[i-len(a.el)]
		}
	}
	return out
}

func (e *encoder) isIndex(i ilr.Term, k int) ilr.Term {
	return e.eq(i, e.s.Int(e.s.Width(i), int64(k)))
}

func insertAt(a val, path []int, x val) val {
	if len(path) == 0 {
		return x
	}
	out := val{el: append([]val(nil), a.el...)}
	out.el[path[0]] = insertAt(a.el[path[0]], path[1:], x)
	return out
}
