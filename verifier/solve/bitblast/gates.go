// Package bitblast turns terms of ilr into an and-inverter graph and that into
// clauses.
//
//	Blaster   term -> bits, memoised; the circuits are in circuit*.go and float*.go
//	circuit   generic over the bit type, so that tests run them on plain bools
//	AIG       structural hashing, two-level rules
//	CNF       Tseitin with polarity, incremental, only the cone of what is asked
//
// Bits are least significant first. Worked example:
//
//	b := bitblast.New(store, solver)       // solver is a sat.Sink
//	l := b.Lit(store.Ult(x, y))            // assume l to ask for x < y
package bitblast

// Gates builds Boolean functions over bits of type B.
type Gates[B any] interface {
	Const(bool) B
	IsConst(B) (value, ok bool)
	Not(B) B
	And(a, b B) B
	Or(a, b B) B
	Xor(a, b B) B
	Ite(c, a, b B) B
}

// Bools is Gates on plain values: circuits over it compute.
type Bools struct{}

// Const returns b.
func (Bools) Const(b bool) bool { return b }

// IsConst always knows.
func (Bools) IsConst(b bool) (value, ok bool) { return b, true }

// Not returns !a.
func (Bools) Not(a bool) bool { return !a }

// And returns a && b.
func (Bools) And(a, b bool) bool { return a && b }

// Or returns a || b.
func (Bools) Or(a, b bool) bool { return a || b }

// Xor returns a != b.
func (Bools) Xor(a, b bool) bool { return a != b }

// Ite returns a if c, else b.
func (Bools) Ite(c, a, b bool) bool {
	if c {
		return a
	}
	return b
}
