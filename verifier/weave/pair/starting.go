package pair

import (
	"math"

	words "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// sameStart reports whether initial values of a variable agree in what both versions have of it.
func sameStart(c *common, was, is *ir.Const) bool {
	switch {
	case isZero(was) && isZero(is):
		return true
	case was == nil || is == nil:
		return false
	}
	switch c.kind {
	case commonBytes:
		return sameConst(was, is, nil)
	case commonNumber:
		x, one := numberIn(was, c.bits[0])
		y, two := numberIn(is, c.bits[1])
		return one && two && x == y
	case commonStruct:
		for _, p := range c.parts {
			if !sameStart(p, memberOf(was, c.t[0], p.name), memberOf(is, c.t[1], p.name)) {
				return false
			}
		}
		return true
	case commonArray:
		for k := range c.count {
			x, y := elementOf(was, c.t[0], k), elementOf(is, c.t[1], k)
			if !sameStart(c.parts[0], x, y) {
				return false
			}
		}
		return true
	}
	return false // addresses
}

func isZero(k *ir.Const) bool { return k != nil && (k.Kind == ir.ConstZero || k.Kind == ir.ConstNull) }

// numberIn reads a number that is no bit-field.
func numberIn(k *ir.Const, b bits) (n int64, ok bool) {
	if k.Kind == ir.ConstInt && b.swapped {
		plain := *k
		plain.Bits = words.Bswap(k.Bits)
		k = &plain
	}
	switch {
	case isZero(k):
		return 0, b.width == b.read
	case k.Kind != ir.ConstInt || b.width != b.read || b.width > 64:
		return 0, false
	case b.signed:
		return k.Bits.Signed().Int64(), true
	}
	u, ok := k.Bits.Uint64()
	return int64(u), ok && u <= math.MaxInt64
}

// memberOf returns the initial value of a member of a structure, by its name behind a point; nil: not known.
func memberOf(k *ir.Const, t *ir.DType, name string) *ir.Const {
	if isZero(k) {
		return k
	}
	for i := range t.Fields {
		if "."+t.Fields[i].Name == name {
			return places.ElementAt(k, i, len(t.Fields))
		}
	}
	return nil
}

// elementOf returns the initial value of an element of an array; nil: not known.
func elementOf(k *ir.Const, t *ir.DType, i int64) *ir.Const {
	if isZero(k) {
		return k
	}
	return places.ElementAt(k, int(i), int(t.Count))
}
