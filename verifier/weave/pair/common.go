package pair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// common is what two layouts of a C type have in common, members by name. Index 0 is the old version's.
type common struct {
	name  string // behind what it is a part of: ".head", "[]"
	kind  commonKind
	t     [2]*ir.DType
	off   [2]int64 // bytes, from where that begins
	bits  [2]bits  // of a number
	count int64    // of an array: the elements that both have
	parts []*common
	gone  []ir.DField // members that the old version alone has
}

// commonKind says how it is compared.
type commonKind uint8

// The kinds: the same bytes, for they have the same layout; numbers of some size and sign; pointers to what may have another
// layout; structures; arrays, of which parts has one element.
const (
	commonBytes commonKind = iota
	commonNumber
	commonPointer
	commonStruct
	commonArray
)

// bits is where a number is: from bit off of its byte on, in a number of so many bits that is read at once.
type bits struct {
	off, width, read int64
	signed           bool
	swapped          bool // its bytes stand in the other order than those of the program's machine
}

// layouts builds what layouts have in common, and says in words what they do not.
type layouts struct {
	big      bool // the most significant byte comes first, in a version
	machines *Machines
	notes    []string
}

// of compares two types. name is what is compared, owner the structure that it is a member of. The error says what cannot be
// put into relation.
func (l *layouts) of(t, u *ir.DType, name, owner string) (*common, error) {
	c := &common{name: name, t: [2]*ir.DType{t, u}}
	fail := func(text string) (*common, error) {
		if name == "" {
			return nil, fmt.Errorf("%s %s", owner, text)
		}
		return nil, fmt.Errorf("%s of %s %s", strings.TrimLeft(name, "."), owner, text)
	}
	switch {
	case t == nil || u == nil || ir.SizeInC(t) <= 0 || ir.SizeInC(u) <= 0:
		return fail("is of a type that is not known in full")
	case t.Volatile != u.Volatile:
		return fail("is volatile in one version")
	case l.machines.sameLayout(t, u):
		return c, nil
	case t.Kind == ir.DFloat && u.Kind == ir.DFloat && t.Bits == u.Bits && t.Bits <= 64: // in another order of bytes
		c.kind = commonNumber
		for side := range c.t {
			c.bits[side] = bits{width: int64(t.Bits), read: int64(t.Bits), swapped: side == 0 && l.machines.swapped()}
		}
		return c, nil
	case isInteger(t) && isInteger(u) && t.Bits%8 == 0 && u.Bits%8 == 0 && t.Bits <= 64 && u.Bits <= 64:
		c.kind = commonNumber
		for side, x := range c.t {
			c.bits[side] = bits{width: int64(x.Bits), read: int64(x.Bits), signed: isSigned(x),
				swapped: side == 0 && x.Bits > 8 && l.machines.swapped()}
		}
		if wider(c) && l.machines != nil {
			l.note("%s has %d bits on %s, and %d on %s: values that both can hold are compared", called(name, owner), t.Bits,
				l.machines.Names[0], u.Bits, l.machines.Names[1])
		} else if wider(c) {
			l.note("%s is `%s`, and was `%s`: values that both can hold are compared", called(name, owner), u.Name, t.Name)
		}
		return c, nil
	case t.Kind != u.Kind:
		return fail("is of another kind")
	}
	switch t.Kind {
	case ir.DStruct:
		c.kind = commonStruct
		return c, l.members(c, owner)
	case ir.DArray:
		if t.Count <= 0 || u.Count <= 0 {
			return fail("has no fixed number of elements")
		}
		if t.Count > u.Count && ir.HoldsPointer(t.Elem) {
			return fail("held more pointers")
		}
		if t.Count != u.Count {
			l.note("%s has %d elements, and had %d: what only one version has is not compared", called(name, owner), u.Count, t.Count)
		}
		one, err := l.of(t.Elem, u.Elem, name+"[]", owner)
		if err != nil {
			return nil, err
		}
		one.name = "[]"
		c.kind, c.count, c.parts = commonArray, min(t.Count, u.Count), []*common{one}
		return c, nil
	case ir.DPointer:
		c.kind = commonPointer
		return c, nil
	}
	return fail("has other members")
}

// members finds the members of structures that both have.
func (l *layouts) members(c *common, owner string) error {
	if name := ownName(c.t[1]); name != "struct" && name != "" {
		owner = name
	}
	was, is := named(c.t[0], 0), named(c.t[1], 0)
	for _, g := range is {
		f := fieldOf(was, g.Name)
		if f == nil {
			if isUnion(&g) {
				return fmt.Errorf("a union in %s has other members", owner)
			}
			l.note("`%s` of `%s` is new: what it holds is not compared", g.Name, owner)
			continue
		}
		part, err := l.member(f, &g, owner)
		if err != nil {
			return err
		}
		c.parts = append(c.parts, part)
	}
	for _, f := range was {
		if fieldOf(is, f.Name) == nil {
			if isUnion(&f) || pointersInUnion(f.T) {
				return fmt.Errorf("a union in %s has other members", owner)
			}
			l.note("`%s` of `%s` is gone: what it held is not compared", f.Name, owner)
			c.gone = append(c.gone, f)
		}
	}
	return nil
}

// member compares two members of one name.
func (l *layouts) member(f, g *ir.DField, owner string) (*common, error) {
	if !f.IsBits && !g.IsBits {
		part, err := l.of(f.T, g.T, "."+g.Name, owner)
		if err == nil {
			part.off = [2]int64{f.BitOff / 8, g.BitOff / 8}
		}
		return part, err
	}
	c := &common{name: "." + g.Name, kind: commonNumber, t: [2]*ir.DType{f.T, g.T}}
	for side, x := range []*ir.DField{f, g} {
		if l.big || !isInteger(x.T) {
			return nil, fmt.Errorf("%s of %s is a bit-field at another place", g.Name, owner)
		}
		b := bits{off: x.BitOff % 8, width: x.BitSize, signed: isSigned(x.T)}
		if !x.IsBits {
			b.width = int64(x.T.Bits)
		}
		if b.read = (b.off + b.width + 7) / 8 * 8; b.read > 64 {
			return nil, fmt.Errorf("%s of %s is a bit-field in more than 8 bytes", g.Name, owner)
		}
		c.off[side], c.bits[side] = x.BitOff/8, b
	}
	if wider(c) {
		l.note("`%s` of `%s` has %d bits, and had %d: values that both can hold are compared", g.Name, owner,
			c.bits[1].width, c.bits[0].width)
	}
	return c, nil
}

// wider reports whether one version can hold numbers that the other one cannot.
func wider(c *common) bool {
	return c.bits[0].width != c.bits[1].width || c.bits[0].signed != c.bits[1].signed
}

func (l *layouts) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// named lists the members of a structure, those of structures without a name in it among them. A union without a name goes by
// the names of its members.
func named(t *ir.DType, off int64) (out []ir.DField) {
	for _, f := range t.Fields {
		f.BitOff += off
		switch {
		case f.Name != "":
			out = append(out, f)
		case f.IsBits || f.T == nil: // padding
		case f.T.Kind == ir.DStruct:
			out = append(out, named(f.T, f.BitOff)...)
		default:
			names := make([]string, len(f.T.Fields))
			for i := range f.T.Fields {
				names[i] = f.T.Fields[i].Name
			}
			f.Name = "{" + strings.Join(names, ",") + "}"
			out = append(out, f)
		}
	}
	return out
}

func isUnion(f *ir.DField) bool { return strings.HasPrefix(f.Name, "{") }

// pointersInUnion reports whether an object of type t has a union in it that holds pointers.
func pointersInUnion(t *ir.DType) bool {
	switch {
	case t == nil:
		return false
	case t.Kind == ir.DUnion:
		return ir.HoldsPointer(t)
	case t.Kind == ir.DArray:
		return pointersInUnion(t.Elem)
	}
	return slices.ContainsFunc(t.Fields, func(f ir.DField) bool { return pointersInUnion(f.T) })
}

// weight is how many pieces it is compared in.
func (c *common) weight() int64 {
	n := int64(1)
	for _, p := range c.parts {
		n += p.weight()
	}
	return n * max(1, c.count)
}

func fieldOf(list []ir.DField, name string) *ir.DField {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// isInteger reports numbers that are whole, enumerations and truth values among them.
func isInteger(t *ir.DType) bool {
	return ir.IsNumber(t) || t != nil && (t.Kind == ir.DEnum || t.Kind == ir.DBool)
}

func isSigned(t *ir.DType) bool {
	if t.Kind == ir.DEnum && t.Elem != nil {
		return t.Elem.Signed
	}
	return t.Signed
}

// called names a member in words, or what has no name but its owner's.
func called(name, owner string) string {
	if name = strings.TrimLeft(name, "."); name == "" {
		return "`" + owner + "`"
	}
	return fmt.Sprintf("`%s` of `%s`", name, owner)
}

func ownName(t *ir.DType) string {
	name := t.Name
	for _, q := range []string{"const ", "volatile "} {
		name = strings.TrimPrefix(name, q)
	}
	return name
}
