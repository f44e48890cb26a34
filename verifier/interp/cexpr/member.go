// Package cexpr writes places and values as C does, by the types of the debug information: members and elements that
// bits of an object are (member.go), numbers (value.go).
package cexpr

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// FindArray looks, in all members of unions, for an array of count elements of n bits each at off; "" if there is none.
func FindArray(name string, t *ir.DType, off, count, n int64) string {
	switch t.Kind {
	case ir.DArray:
		if t.Elem == nil || t.Elem.Bits <= 0 {
			return ""
		}
		size := int64(t.Elem.Bits)
		if off == 0 && t.Count == count && size == n {
			return name
		}
		return FindArray(fmt.Sprintf("%s[%d]", name, off/size), t.Elem, off%size, count, n)
	case ir.DStruct, ir.DUnion:
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.IsBits || f.T == nil || off < f.BitOff || off >= f.BitOff+f.BitSize {
				continue
			}
			if found := FindArray(f.Of(name), f.T, off-f.BitOff, count, n); found != "" {
				return found
			}
		}
	}
	return ""
}

// IsPadding reports whether no member lies in the bits.
func IsPadding(t *ir.DType, off, size int64) bool {
	switch {
	case t == nil:
	case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0:
		n := int64(t.Elem.Bits)
		return off/n == (off+size-1)/n && IsPadding(t.Elem, off%n, size)
	case t.Kind == ir.DStruct && len(t.Fields) > 0:
		for i := range t.Fields {
			f := &t.Fields[i]
			if off < f.BitOff+f.BitSize && f.BitOff < off+size {
				return !f.IsBits && off >= f.BitOff && off+size <= f.BitOff+f.BitSize &&
					IsPadding(f.T, off-f.BitOff, size)
			}
		}
		return true
	}
	return false
}

// Place follows members and elements down to the part of size bits at off.
func Place(name string, t *ir.DType, off, size int64, like *ir.Type) (string, *ir.DType) {
	for {
		switch {
		case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0 && !(off == 0 && size == int64(t.Bits)):
			n := int64(t.Elem.Bits)
			if size > n && off%n == 0 && size%n == 0 && off+size <= int64(t.Bits) {
				return fmt.Sprintf("%s[%d..%d]", name, off/n, (off+size)/n-1), ArrayOf(t.Elem, size/n)
			}
			name, off, t = fmt.Sprintf("%s[%d]", name, off/n), off%n, t.Elem
		case (t.Kind == ir.DStruct || t.Kind == ir.DUnion) && !(off == 0 && size == int64(t.Bits) && !single(t, size)):
			f := MemberAt(t, off, size, like)
			if f == nil {
				return fmt.Sprintf("%s + %d", name, off/8), nil
			}
			name, off, t = f.Of(name), off-f.BitOff, f.T
			if f.IsBits {
				return name, nil
			}
		default:
			if off != 0 {
				return fmt.Sprintf("%s + %d", name, off/8), nil
			}
			return name, t
		}
	}
}

// single reports a struct with one member as large as itself.
func single(t *ir.DType, size int64) bool {
	return len(t.Fields) == 1 && t.Fields[0].BitSize == size || t.Kind == ir.DUnion && size <= 64
}

// MemberAt is the member that holds the bits; in a union the one that an access of type like fits best.
func MemberAt(t *ir.DType, off, size int64, like *ir.Type) *ir.DField {
	var found *ir.DField
	for i := range t.Fields {
		f := &t.Fields[i]
		if off >= f.BitOff && off+size <= f.BitOff+f.BitSize && (found == nil ||
			fit(f.T, off-f.BitOff, size, like) > fit(found.T, off-found.BitOff, size, like)) {
			found = f
		}
	}
	return found
}

// Innermost follows members and elements to the first scalar that starts at off.
func Innermost(name string, t *ir.DType, off int64) (string, *ir.DType) {
	for {
		switch {
		case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0:
			n := int64(t.Elem.Bits)
			name, off, t = fmt.Sprintf("%s[%d]", name, off/n), off%n, t.Elem
		case t.Kind == ir.DStruct || t.Kind == ir.DUnion:
			f := MemberAt(t, off, 8, nil)
			if f == nil {
				return fmt.Sprintf("%s + %d", name, off/8), nil
			}
			name, off, t = f.Of(name), off-f.BitOff, f.T
		default:
			if off != 0 {
				name = fmt.Sprintf("%s + %d", name, off/8)
			}
			return name, t
		}
	}
}

// fit rates how well the size bits at off of a value of type t fit an access of type like: 2 a scalar of its size and
// kind, 1 something of its size, 0 neither.
func fit(t *ir.DType, off, size int64, like *ir.Type) int64 {
	switch {
	case t == nil:
		return 0
	case off == 0 && size == int64(t.Bits) && t.Kind != ir.DStruct && t.Kind != ir.DUnion:
		if like == nil || (t.Kind == ir.DFloat) == (like.Kind == ir.KindFloat) &&
			(t.Kind == ir.DPointer) == like.IsPtr() && t.Kind != ir.DArray {
			return 2
		}
		return 1
	case t.Kind == ir.DArray && t.Elem != nil && t.Elem.Bits > 0:
		n := int64(t.Elem.Bits)
		if size > n {
			return oneIf(off%n == 0 && size%n == 0)
		}
		return fit(t.Elem, off%n, size, like)
	}
	best := oneIf(off == 0 && size == int64(t.Bits))
	for i := range t.Fields {
		f := &t.Fields[i]
		if !f.IsBits && off >= f.BitOff && off+size <= f.BitOff+f.BitSize {
			best = max(best, fit(f.T, off-f.BitOff, size, like))
		}
	}
	return best
}

// ArrayOf is the C type of count values of type t.
func ArrayOf(t *ir.DType, count int64) *ir.DType {
	return &ir.DType{Kind: ir.DArray, Elem: t, Count: count, Bits: int(count) * t.Bits,
		Name: fmt.Sprintf("%s[%d]", t, count)}
}

// Extended is the structure t in size bytes, with as many elements of the array at its end as these hold; nil if it
// does not end with an array of unknown length.
func Extended(t *ir.DType, size int64) *ir.DType {
	if t.Kind != ir.DStruct || len(t.Fields) == 0 {
		return nil
	}
	last := t.Fields[len(t.Fields)-1]
	if last.T == nil || last.T.Kind != ir.DArray || last.T.Count > 0 || last.T.Elem == nil || last.T.Elem.Bits < 8 {
		return nil
	}
	count := (size*8 - last.BitOff) / int64(last.T.Elem.Bits)
	if count <= 0 {
		return nil
	}
	long := *t
	last.T = ArrayOf(last.T.Elem, count)
	last.BitSize = int64(last.T.Bits)
	long.Fields = append(slices.Clone(t.Fields[:len(t.Fields)-1]), last)
	long.Bits = int(size * 8)
	return &long
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
