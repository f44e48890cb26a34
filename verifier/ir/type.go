package ir

import (
	"fmt"
	"strings"
)

// Kind classifies a Type.
type Kind uint8

// The kinds of Type.
const (
	KindInvalid Kind = iota
	KindVoid
	KindInt
	KindFloat // Width 16, 32, 64, 80 (x86_fp80) or 128
	KindPtr
	KindArray
	KindVector
	KindStruct
	KindFunc
	KindLabel
)

// Type is a first-class or function type. Types are trees and compared with Equal.
type Type struct {
	Kind     Kind
	Width    int     // int and float: bits; ptr: bits of the address
	Len      int64   // array, vector
	Elem     *Type   // array, vector
	Fields   []*Type // struct: members; func: parameters
	Packed   bool    // struct
	Name     string  // struct: its LLVM name, for printing
	Ret      *Type   // func
	Variadic bool    // func
}

// Int returns iW.
func Int(w int) *Type { return &Type{Kind: KindInt, Width: w} }

// Void returns the type of nothing.
func Void() *Type { return &Type{Kind: KindVoid} }

// Ptr returns a pointer of w bits.
func Ptr(w int) *Type { return &Type{Kind: KindPtr, Width: w} }

// IsInt reports whether t is an integer type.
func (t *Type) IsInt() bool { return t.Kind == KindInt }

// IsPtr reports whether t is a pointer.
func (t *Type) IsPtr() bool { return t.Kind == KindPtr }

// IsVoid reports whether t is void.
func (t *Type) IsVoid() bool { return t.Kind == KindVoid }

// IsAggregate reports whether t is an array or a struct.
func (t *Type) IsAggregate() bool { return t.Kind == KindArray || t.Kind == KindStruct }

// NumElems returns the number of members of an array, vector or struct; 0 otherwise.
func (t *Type) NumElems() int {
	if t.Kind == KindStruct {
		return len(t.Fields)
	}
	return int(t.Len)
}

// ElemAt returns the type of member i of an array, vector or struct.
func (t *Type) ElemAt(i int) *Type {
	if t.Kind == KindStruct {
		return t.Fields[i]
	}
	return t.Elem
}

// Equal reports whether both have one structure; names of structs do not count.
func (t *Type) Equal(u *Type) bool {
	if t == u {
		return true
	}
	if t == nil || u == nil || t.Kind != u.Kind || t.Width != u.Width || t.Len != u.Len ||
		t.Packed != u.Packed || t.Variadic != u.Variadic || len(t.Fields) != len(u.Fields) {
		return false
	}
	for i := range t.Fields {
		if !t.Fields[i].Equal(u.Fields[i]) {
			return false
		}
	}
	return (t.Elem == nil) == (u.Elem == nil) && (t.Elem == nil || t.Elem.Equal(u.Elem)) &&
		(t.Ret == nil) == (u.Ret == nil) && (t.Ret == nil || t.Ret.Equal(u.Ret))
}

func (t *Type) String() string {
	switch t.Kind {
	case KindVoid:
		return "void"
	case KindInt:
		return fmt.Sprintf("i%d", t.Width)
	case KindFloat:
		return fmt.Sprintf("f%d", t.Width)
	case KindPtr:
		return "ptr"
	case KindArray:
		return fmt.Sprintf("[%d x %s]", t.Len, t.Elem)
	case KindVector:
		return fmt.Sprintf("<%d x %s>", t.Len, t.Elem)
	case KindStruct:
		if t.Packed {
			return "<{" + typeList(t.Fields) + "}>"
		}
		return "{" + typeList(t.Fields) + "}"
	case KindFunc:
		return fmt.Sprintf("%s(%s)", t.Ret, typeList(t.Fields))
	case KindLabel:
		return "label"
	}
	return "invalid"
}

func typeList(ts []*Type) string {
	var parts []string
	for _, t := range ts {
		parts = append(parts, t.String())
	}
	return strings.Join(parts, ", ")
}

// Layout is the target's data layout: byte order, pointer width, alignments.
type Layout struct {
	BigEndian bool
	PtrBits   int         // address space 0
	PtrAlign  int         // bytes
	FuncSpace int         // address space of functions (P in the layout string)
	IntAlign  map[int]int // width -> ABI alignment in bytes
	FltAlign  map[int]int
	VecAlign  map[int]int
	AggAlign  int // bytes, at least 1
	Text      string
}

// MaxAlign is the alignment that is good for every type, as malloc's blocks have it.
func (l *Layout) MaxAlign() int64 {
	if l.PtrBits < 32 { // AVR aligns nothing, MSP430 to 2
		return l.AlignOf(Int(64))
	}
	return int64(max(8, l.PtrBits/4))
}

// AlignOf returns the ABI alignment of t in bytes (LangRef: data layout).
func (l *Layout) AlignOf(t *Type) int64 {
	switch t.Kind {
	case KindInt:
		return int64(l.intAlign(t.Width))
	case KindFloat:
		if a, ok := l.FltAlign[t.Width]; ok {
			return int64(a)
		}
		return int64(l.intAlign(t.Width))
	case KindPtr, KindFunc, KindLabel:
		return int64(l.PtrAlign)
	case KindArray:
		return l.AlignOf(t.Elem)
	case KindVector:
		n := l.bitsOf(t)
		if a, ok := l.VecAlign[int(n)]; ok {
			return int64(a)
		}
		return pow2(l.SizeOf(t.Elem) * t.Len)
	case KindStruct:
		a := int64(max(1, l.AggAlign))
		if t.Packed {
			return 1
		}
		for _, f := range t.Fields {
			a = max(a, l.AlignOf(f))
		}
		return a
	}
	return 1
}

// intAlign returns the alignment of iW: that of the width, else of the next larger
// width that the layout names, else of its largest.
func (l *Layout) intAlign(w int) int {
	if a, ok := l.IntAlign[w]; ok {
		return a
	}
	next, largest := 0, 0
	for k := range l.IntAlign {
		if k > w && (next == 0 || k < next) {
			next = k
		}
		largest = max(largest, k)
	}
	if next == 0 {
		next = largest
	}
	return max(1, l.IntAlign[next])
}

func pow2(n int64) int64 {
	p := int64(1)
	for p < n {
		p *= 2
	}
	return p
}

func (l *Layout) bitsOf(t *Type) int64 {
	switch t.Kind {
	case KindInt, KindFloat:
		return int64(t.Width)
	case KindPtr, KindFunc, KindLabel:
		return int64(l.PtrBits)
	case KindVector:
		return t.Len * l.bitsOf(t.Elem)
	}
	return l.SizeOf(t) * 8
}

// StoreSize returns how many bytes a store of t writes.
func (l *Layout) StoreSize(t *Type) int64 {
	if t.IsAggregate() {
		return l.SizeOf(t)
	}
	return (l.bitsOf(t) + 7) / 8
}

// SizeOf returns the distance in bytes of two t in an array (alloc size, tail padding included).
func (l *Layout) SizeOf(t *Type) int64 {
	switch t.Kind {
	case KindVoid:
		return 0
	case KindArray:
		return t.Len * l.SizeOf(t.Elem)
	case KindStruct:
		_, size := l.structLayout(t)
		return size
	}
	return alignUp((l.bitsOf(t)+7)/8, l.AlignOf(t))
}

// FieldOffset returns the offset in bytes of member i of a struct, array or vector.
func (l *Layout) FieldOffset(t *Type, i int) int64 {
	if t.Kind != KindStruct {
		if t.Kind == KindVector {
			return int64(i) * l.bitsOf(t.Elem) / 8
		}
		return int64(i) * l.SizeOf(t.Elem)
	}
	offs, _ := l.structLayout(t)
	return offs[i]
}

func (l *Layout) structLayout(t *Type) (offs []int64, size int64) {
	for _, f := range t.Fields {
		if !t.Packed {
			size = alignUp(size, l.AlignOf(f))
		}
		offs = append(offs, size)
		size += l.SizeOf(f)
	}
	return offs, alignUp(size, l.AlignOf(t))
}

func alignUp(n, a int64) int64 { return (n + a - 1) / a * a }

// IntBits returns the width of int, by the width of pointers on the supported targets.
func (l *Layout) IntBits() int { return min(l.PtrBits, 32) }
