package encode

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

	block *base // input.Havoc: the bytes by distance from the start of the range
}

// ObjectInfo describes an object of the walk.
type ObjectInfo struct {
	Name   string
	What   string
	Instr  *ir.Instr  // that made it, or nil
	Global *ir.Global // or nil
	Base   ilr.Term   // 0 if never observed
}

func (e *encoder) event(ev Event) {
	if ev.Instr != nil {
		ev.Pos = *ev.Instr.Pos
	}
	e.f.Events = append(e.f.Events, ev)
}

// fresh is an unknown value of type t, decided when st's paths get to in.
func (e *encoder) fresh(st *state, kind input.Kind, in *ir.Instr, t *ir.Type, name string) val {
	guard := e.s.True()
	if st != nil && st.pc != nil {
		guard = st.pc.all
	}
	switch t.Kind {
	case ir.KindVoid:
		return val{}
	case ir.KindArray, ir.KindVector, ir.KindStruct:
		out := val{el: make([]val, t.NumElems())}
		for i := range out.el {
			out.el[i] = e.fresh(st, kind, in, t.ElemAt(i), name)
		}
		return out
	}
	sort := ilr.BV(e.bitsOf(t))
	v := e.s.Fresh(cmp.Or(name, "in"), sort) // reports name an input without a name by its instruction
	e.event(Event{Kind: kind, Instr: in, Guard: guard, Value: v, Name: name})
	out := val{t: v}
	switch t.Kind {
	case ir.KindPtr:
		out = val{p: e.intPtr(v)}
	case ir.KindInt:
		out = e.scalar(v)
	}
	if kind == input.Undef && e.shadow {
		out.u = e.s.Int(sort.W, -1)
	}
	return out
}
