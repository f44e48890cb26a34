package frontend

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/ir"
)

// typ is the C type of a debug-information node; nil stands for void. What a
// pointer points to is filled in when the outermost type is complete, because
// types are recursive through pointers.
func (d *debugInfo) typ(f metadata.Field) *ir.DType {
	d.depth++
	t := d.build(f)
	d.depth--
	for d.depth == 0 && len(d.pending) > 0 {
		next := d.pending[len(d.pending)-1]
		d.pending = d.pending[:len(d.pending)-1]
		next.pointer.Elem = d.typ(next.elem)
	}
	return t
}

// pendingElem is a pointer type whose Elem is still to be set.
type pendingElem struct {
	pointer *ir.DType
	elem    metadata.Field
}

func (d *debugInfo) build(f metadata.Field) *ir.DType {
	if t, ok := d.types[f]; ok {
		return t
	}
	t := &ir.DType{Kind: ir.DVoid, Name: "void"}
	if f == nil || f == metadata.Null {
		return t
	}
	d.types[f] = t
	switch n := f.(type) {
	case *metadata.DIBasicType:
		basic(t, n)
	case *metadata.DIDerivedType:
		d.derived(t, n)
	case *metadata.DICompositeType:
		d.composite(t, n)
	case *metadata.DISubroutineType:
		t.Kind = ir.DFunc
		if ret := fields(n.Types); len(ret) > 0 {
			t.Elem = d.typ(ret[0])
			for _, a := range ret[1:] {
				if a != nil && a != metadata.Null {
					t.Params = append(t.Params, d.typ(a))
				}
			}
		}
	}
	t.Name = declare(f, "")
	return t
}

func basic(t *ir.DType, n *metadata.DIBasicType) {
	t.Bits, t.Kind = int(n.Size), ir.DInt
	switch n.Encoding {
	case enum.DwarfAttEncodingBoolean:
		t.Kind = ir.DBool
	case enum.DwarfAttEncodingFloat:
		t.Kind, t.Signed = ir.DFloat, true
	case enum.DwarfAttEncodingSignedChar:
		t.Kind, t.Signed = ir.DChar, true
	case enum.DwarfAttEncodingUnsignedChar:
		t.Kind = ir.DChar
	case enum.DwarfAttEncodingSigned:
		t.Signed = true
	}
}

// derived handles pointers, qualifiers and typedefs.
func (d *debugInfo) derived(t *ir.DType, n *metadata.DIDerivedType) {
	switch n.Tag {
	case enum.DwarfTagPointerType, enum.DwarfTagReferenceType, enum.DwarfTagRvalueReferenceType:
		t.Kind, t.Bits = ir.DPointer, int(n.Size)
		d.pending = append(d.pending, pendingElem{t, n.BaseType})
	default:
		base := d.typ(n.BaseType)
		*t = *base
		t.Volatile = t.Volatile || n.Tag == enum.DwarfTagVolatileType
		t.Restrict = t.Restrict || n.Tag == enum.DwarfTagRestrictType
		t.Align = cmp.Or(int64(n.Align)/8, t.Align)
		if base.Kind == ir.DPointer && base.Elem == nil {
			d.pending = append(d.pending, pendingElem{t, pointeeOf(n)})
		}
	}
}

// pointeeOf looks through typedefs and qualifiers for what the pointer below points to.
func pointeeOf(n *metadata.DIDerivedType) metadata.Field {
	for n.Tag != enum.DwarfTagPointerType && n.Tag != enum.DwarfTagReferenceType &&
		n.Tag != enum.DwarfTagRvalueReferenceType {
		next, ok := n.BaseType.(*metadata.DIDerivedType)
		if !ok {
			return nil
		}
		n = next
	}
	return n.BaseType
}

// declare writes the C declaration of inner with type f; with inner empty it
// is the type's name as a C programmer writes it.
func declare(f metadata.Field, inner string) string {
	switch n := f.(type) {
	case *metadata.DIBasicType:
		return n.Name + inner
	case *metadata.DICompositeType:
		switch n.Tag {
		case enum.DwarfTagArrayType:
			for _, e := range fields(n.Elements) {
				inner += dimension(e)
			}
			return declare(n.BaseType, inner)
		case enum.DwarfTagEnumerationType:
			return tagName("enum", n.Name) + inner
		case enum.DwarfTagUnionType:
			return tagName("union", n.Name) + inner
		case enum.DwarfTagClassType:
			return tagName("class", n.Name) + inner
		}
		return tagName("struct", n.Name) + inner
	case *metadata.DISubroutineType:
		return declareFunc(n, inner)
	case *metadata.DIDerivedType:
		return declareDerived(n, inner)
	}
	return "void" + inner
}

func declareFunc(n *metadata.DISubroutineType, inner string) string {
	var ret metadata.Field
	var args []string
	for i, f := range fields(n.Types) {
		switch {
		case i == 0:
			ret = f
		case f == nil || f == metadata.Null:
			args = append(args, "...")
		default:
			args = append(args, declare(f, ""))
		}
	}
	if len(args) == 0 {
		args = []string{"void"}
	}
	if inner == "" {
		inner = " "
	}
	return declare(ret, inner+"("+strings.Join(args, ", ")+")")
}

func declareDerived(n *metadata.DIDerivedType, inner string) string {
	word := ""
	switch n.Tag {
	case enum.DwarfTagPointerType:
		word = "*"
	case enum.DwarfTagReferenceType:
		word = "&"
	case enum.DwarfTagRvalueReferenceType:
		word = "&&"
	case enum.DwarfTagTypedef:
		return n.Name + inner
	case enum.DwarfTagConstType:
		return qualify("const", n.BaseType, inner)
	case enum.DwarfTagVolatileType:
		return qualify("volatile", n.BaseType, inner)
	case enum.DwarfTagAtomicType:
		return qualify("_Atomic", n.BaseType, inner)
	case enum.DwarfTagRestrictType:
		return qualify("restrict", n.BaseType, inner)
	default:
		return declare(n.BaseType, inner)
	}
	inner = word + strings.TrimPrefix(inner, " ")
	switch base := n.BaseType.(type) {
	case *metadata.DISubroutineType:
		inner = "(" + inner + ")"
	case *metadata.DICompositeType:
		if base.Tag == enum.DwarfTagArrayType {
			inner = "(" + inner + ")"
		}
	}
	return declare(n.BaseType, " "+inner)
}

// qualify puts a qualifier in front of a type's name, or behind the star of a pointer.
func qualify(word string, base metadata.Field, inner string) string {
	if p, ok := base.(*metadata.DIDerivedType); ok && p.Tag == enum.DwarfTagPointerType {
		return declare(base, " "+word+inner)
	}
	return word + " " + declare(base, inner)
}

func dimension(e metadata.Field) string {
	if n := count(e); n >= 0 {
		return fmt.Sprintf("[%d]", n)
	}
	return "[]"
}

// count is a dimension's length, -1 if it is not known.
func count(e metadata.Field) int64 {
	if s, ok := e.(*metadata.DISubrange); ok {
		switch c := s.Count.(type) {
		case metadata.IntLit:
			return int64(c)
		case metadata.UintLit:
			return int64(c)
		}
	}
	return -1
}

func (d *debugInfo) composite(t *ir.DType, n *metadata.DICompositeType) {
	t.Bits, t.Align = int(n.Size), int64(n.Align)/8
	switch n.Tag {
	case enum.DwarfTagArrayType:
		d.array(t, n)
		if n.Flags&enum.DIFlagVector != 0 {
			t.Align = ir.SizeInC(t)
		}
	case enum.DwarfTagEnumerationType:
		t.Kind = ir.DEnum
		t.Elem = d.typ(n.BaseType)
		t.Signed = t.Elem.Signed
		for _, e := range fields(n.Elements) {
			if e, ok := e.(*metadata.DIEnumerator); ok {
				t.Enum = append(t.Enum, ir.DEnumerator{Name: e.Name, Value: e.Value})
			}
		}
	case enum.DwarfTagUnionType:
		t.Kind = ir.DUnion
		d.members(t, n)
	default: // struct, class
		t.Kind = ir.DStruct
		d.members(t, n)
	}
}

func tagName(word, name string) string {
	if name == "" {
		return word
	}
	return word + " " + name
}

func fields(t *metadata.Tuple) []metadata.Field {
	if t == nil {
		return nil
	}
	return t.Fields
}

// members gives t the members of n. The part that a base class has in an object is one without a name, as an anonymous
// structure in C is; where a virtual base stands, the object alone tells.
func (d *debugInfo) members(t *ir.DType, n *metadata.DICompositeType) {
	for _, e := range fields(n.Elements) {
		m, ok := e.(*metadata.DIDerivedType)
		if !ok {
			continue
		}
		f := ir.DField{Name: m.Name, BitOff: int64(m.Offset), BitSize: int64(m.Size), IsBits: m.Flags&enum.DIFlagBitField != 0}
		switch {
		case m.Tag == enum.DwarfTagMember && m.Flags&enum.DIFlagStaticMember == 0:
			f.T = d.typ(m.BaseType)
		case m.Tag == enum.DwarfTagInheritance && m.Flags&enum.DIFlagVirtual == 0:
			if f.T = d.typ(m.BaseType); len(f.T.Fields) == 0 {
				continue // an empty class takes no room
			}
			f.Name, f.BitSize = "", int64(f.T.Bits)
		default:
			continue
		}
		t.Align = max(t.Align, int64(m.Align)/8)
		t.Fields = append(t.Fields, f)
	}
}

// array makes one DArray per dimension, the outermost first.
func (d *debugInfo) array(t *ir.DType, n *metadata.DICompositeType) {
	inner := d.typ(n.BaseType)
	dims := fields(n.Elements)
	cur, bits, suffix := inner, int64(inner.Bits), ""
	for i := len(dims) - 1; i >= 0; i-- {
		next := &ir.DType{}
		if i == 0 {
			next = t
		}
		c := count(dims[i])
		bits *= max(c, 0)
		suffix = dimension(dims[i]) + suffix
		*next = ir.DType{Kind: ir.DArray, Elem: cur, Count: c, Bits: int(bits), Name: declare(n.BaseType, suffix)}
		cur = next
	}
	if len(dims) == 0 {
		*t = ir.DType{Kind: ir.DArray, Elem: inner, Count: -1}
	}
}
