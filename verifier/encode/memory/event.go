package memory

import (
	"cmp"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Event is one input of an execution.
type Event struct {
	Kind   input.Kind
	Instr  *ir.Instr // nil for parameters and globals
	Guard  ilr.Term  // it happens
	Value  ilr.Term
	Object int   // input.Bytes, input.Base: index in Formula.Objects
	Offset int64 // input.Bytes: where the bytes are; of an array value 0
	Word   int64 // input.Bytes: Value is an array of words of so many bytes; 0 otherwise
	Name   string
	Pos    verdict.Pos

	Block *Base // input.Havoc: the bytes by distance from the start of the range
}

func (e *Space) Event(ev Event) {
	if ev.Instr != nil {
		ev.Pos = *ev.Instr.Pos
	}
	e.Events = append(e.Events, ev)
}

// Fresh is an unknown value of type t, decided when st's paths get to in.
func (e *Space) Fresh(st *State, kind input.Kind, in *ir.Instr, t *ir.Type, name string) Val {
	guard := e.s.True()
	if st != nil && st.PC != nil {
		guard = st.PC.All
	}
	switch t.Kind {
	case ir.KindVoid:
		return Val{}
	case ir.KindArray, ir.KindVector, ir.KindStruct:
		out := Val{Elems: make([]Val, t.NumElems())}
		for i := range out.Elems {
			out.Elems[i] = e.Fresh(st, kind, in, t.ElemAt(i), name)
		}
		return out
	}
	sort := ilr.BV(e.BitsOf(t))
	v := e.s.Fresh(cmp.Or(name, "in"), sort) // reports name an input without a name by its instruction
	e.Event(Event{Kind: kind, Instr: in, Guard: guard, Value: v, Name: name})
	out := Val{Term: v}
	switch t.Kind {
	case ir.KindPtr:
		out = Val{Ptr: e.IntPtr(v)}
	case ir.KindInt:
		out = e.Scalar(v)
	}
	if kind == input.Undef && e.Shadow {
		out.Undef = e.s.Int(sort.W, -1)
	}
	return out
}
