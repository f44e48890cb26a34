package uses

import "github.com/firmproof/firmproof/verifier/ir"

// Met are pointer parameters whose addresses the code compares with another's.
type Met map[int]Order

// Order says how two addresses are compared.
type Order uint8

const (
	Equal    Order = 0 // whether they are the same
	Ordered  Order = 1 // which is the lower one, or how far they are apart: they lead into one object (C17 6.5.6p9, 6.5.8p5)
	Includes Order = 2 // the code goes on where they are equal: `while (first <= last)`
	Excludes Order = 4 // and where it does not: `while (first < end)`
)

// meets notes what in compares two addresses for.
func (s *useScan) meets(in *ir.Instr) {
	switch {
	case in.Op == ir.OpIcmp && in.Args[0].Type().IsPtr():
		s.meet(in.Args[0], in.Args[1], orderBy(in.Pred, false), orderBy(in.Pred, true))
	case in.Op == ir.OpSub:
		x, y := addressIn(in.Args[0]), addressIn(in.Args[1])
		if x != nil && y != nil {
			s.meet(x, y, Ordered, Ordered)
		}
	}
}

// addressIn returns the address that a number is; nil: it is none.
func addressIn(v ir.Value) ir.Value {
	if in, ok := v.(*ir.Instr); ok && in.Op == ir.OpPtrToInt {
		return in.Args[0]
	}
	return nil
}

// orderBy returns how a predicate compares an address with another, or swapped: the other with it.
func orderBy(p ir.Pred, swapped bool) Order {
	switch p {
	case ir.EQ, ir.NE:
		return Equal
	case ir.ULE, ir.UGT: // p <= last
		if !swapped {
			return Ordered | Includes
		}
	case ir.UGE, ir.ULT:
		if swapped {
			return Ordered | Includes
		}
	}
	return Ordered | Excludes
}

// meet notes that two addresses are compared: how x is with y, and y with x.
func (s *useScan) meet(x, y ir.Value, how, back Order) {
	if ir.Root(x) != x || ir.Root(y) != y { // p + 2 <= end
		how, back = how&^(Includes|Excludes), back&^(Includes|Excludes)
	}
	i, inI := s.side(x)
	j, inJ := s.side(y)
	if !inI {
		s.within(i, ir.VariableAt(y), how)
	}
	if !inJ {
		s.within(j, ir.VariableAt(x), back)
	}
	if i < 0 || j < 0 || i == j || inI && inJ {
		return
	}
	s.met(i, inI)[j] |= how
	s.met(j, inJ)[i] |= back
}

// within notes that the address of parameter k is compared with one in a variable, if there are both.
func (s *useScan) within(k int, g *ir.Global, how Order) {
	if k < 0 || g == nil {
		return
	}
	u := &s.uses[k]
	if u.In == nil {
		u.In = map[*ir.Global]Order{}
	}
	u.In[g] |= how
}

// met returns the parameters that k meets, or inner: that what it leads to does, to be added to.
func (s *useScan) met(k int, inner bool) Met {
	m := &s.uses[k].With
	if inner {
		m = &s.uses[k].Inner
	}
	if *m == nil {
		*m = Met{}
	}
	return *m
}

// side returns the pointer parameter that an address is computed from, or inner: what it leads to; -1: neither.
func (s *useScan) side(v ir.Value) (k int, inner bool) {
	if k, _ := s.from(v); k >= 0 {
		return k, false
	}
	if ld, ok := ir.Root(v).(*ir.Instr); ok && ld.Op == ir.OpLoad {
		if k, known := s.inner[ld.Args[0]]; known {
			return k, true
		}
		if k, plain := s.from(ld.Args[0]); k >= 0 && plain {
			return k, true
		}
	}
	return -1, false
}

// metBy notes what a function that is called compares its parameter j with, by its use u.
func (s *useScan) metBy(call *ir.Instr, j int, u *Use) {
	if k, inner := s.side(call.Args[j]); !inner {
		for g, how := range u.In {
			s.within(k, g, how)
		}
	}
	for m, how := range u.With {
		s.meet(call.Args[j], call.Args[m], how, how&^(Includes|Excludes))
	}
	k, plain := s.from(call.Args[j])
	own, variable := s.of[call.Args[j]] // `next(&p, end)`
	if variable {
		k = own
	}
	for m, how := range u.Inner {
		l, deep := s.side(call.Args[m])
		if k >= 0 && (plain || variable) && l >= 0 && l != k && !deep {
			s.met(k, !variable)[l] |= how
			s.met(l, false)[k] |= how &^ (Includes | Excludes)
		}
	}
}
