package frontend

import (
	"regexp"
	"strconv"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// From 20 on clang writes zeros where the initialiser of an automatic object says nothing: into padding, and behind the
// member of a union. C leaves these bytes open (C17 6.2.6.1p6, p7), other compilers and older versions write nothing
// there. So what clang fills is taken for what 14 makes of it: undefined bytes of the constant that is copied, and no
// memset. The types of the object, LLVM's and C's, say which bytes these are.

// belongs is what bytes of an object are.
type belongs uint8

const (
	toScalar  belongs = iota // bytes in the middle of a number, or of several members
	toMember                 // all bytes of members or elements
	toNothing                // padding, or bytes behind a member of a union
	toEither                 // the last two, of members of a union
)

const zeroPadding = "bytes that the initialiser says nothing of (padding) are zero"

// filled lists the bytes of a constant that clang fills in; call copies it.
func (x *fn) filled(c *ir.Const, call *ir.Instr) (out []span) {
	if !x.fillsZeros() {
		return nil
	}
	var fills func(c *ir.Const, off int64)
	fills = func(c *ir.Const, off int64) {
		if c.Kind != ir.ConstAgg {
			return
		}
		at := off
		for i, e := range c.Elems {
			if c.T.Kind != ir.KindStruct {
				fills(e, at)
				at += x.size(e.T)
				continue
			}
			at = off + x.offset(c.T, i)
			if !x.isFiller(e) {
				fills(e, at)
				continue
			}
			switch s := (span{at, x.size(e.T)}); x.object(call.Args[0], s) {
			case toNothing:
				out = append(out, s)
			case toEither:
				x.choose(call, zeroPadding)
			}
		}
	}
	fills(c, 0)
	return out
}

// isFiller reports whether c is zeros as clang fills bytes with: i8 0, or [n x i8] zeroinitializer.
func (x *fn) isFiller(c *ir.Const) bool {
	switch c.Kind {
	case ir.ConstInt:
		return c.T.Equal(x.intType(8)) && c.Bits.IsZero()
	case ir.ConstZero:
		return c.T.Kind == ir.KindArray && c.T.Elem.Equal(x.intType(8))
	}
	return false
}

// fills returns what the bytes are that a memset with zeros writes, if it is the one that clang fills bytes with: its
// pointer is a getelementptr without a name, which no expression of C gives, and without inbounds. toScalar: it is not.
func (x *fn) fills(s *site) belongs {
	if !x.fillsZeros() || len(s.args) < 3 {
		return toScalar
	}
	v := s.args[0]
	if a, ok := v.(*llir.Arg); ok {
		v = a.Value
	}
	g, ok := v.(*llir.InstGetElementPtr)
	if !ok || g.InBounds || !g.IsUnnamed() || !types.Equal(g.ElemType, types.I8) {
		return toScalar
	}
	fill, n := x.number(s.args[1]), x.number(s.args[2])
	if fill == nil || n == nil || !fill.Bits.IsZero() {
		return toScalar
	}
	size, fits := n.Bits.Int64()
	if !fits || size <= 0 {
		return toScalar
	}
	return x.object(x.operand(v), span{0, size})
}

// lastWithout is the last version of clang that fills nothing.
const lastWithout int = 19

var madeBy = regexp.MustCompile(`clang version (\d+)\.`)

// fillsZeros reports whether the function may come from a clang that fills such bytes.
func (x *fn) fillsZeros() bool {
	for _, a := range x.src.Metadata {
		if sp, ok := a.Node.(*metadata.DISubprogram); ok && sp.Unit != nil {
			m := madeBy.FindStringSubmatch(sp.Unit.Producer)
			if m == nil {
				return true
			}
			v, err := strconv.Atoi(m[1])
			return err != nil || v > lastWithout
		}
	}
	return true
}

// number returns an argument that is a number; nil if it is none.
func (x *fn) number(v value.Value) *ir.Const {
	if k, ok := x.operand(v).(*ir.Const); ok && k.Kind == ir.ConstInt {
		return k
	}
	return nil
}

// object returns what the bytes s behind the pointer v are of the object that it leads into: a local, or the result of
// the function. Where C's type is not known, LLVM's tells padding that it computes, and no other.
func (x *fn) object(v ir.Value, s span) belongs {
	root := v
	for {
		in, ok := root.(*ir.Instr)
		if !ok || in.Op != ir.OpGep && in.Op != ir.OpBitcast || len(in.Args) != 1 {
			break
		}
		s.off += in.Off
		root = in.Args[0]
	}
	var laid *ir.Type
	declared := x.variable(root)
	switch r := root.(type) {
	case *ir.Instr:
		if r.Op == ir.OpAlloca {
			laid = r.Access
		}
		if laid != nil && r.Name == "retval" {
			declared = x.out.DRet
		}
	case *ir.Param:
		if laid = r.SRet; laid != nil {
			declared = x.out.DRet
		}
	}
	switch {
	case laid != nil && x.inType(laid, s):
		return toNothing
	case declared != nil:
		return inDeclared(declared, s)
	}
	return toEither
}

// inType reports whether bytes are padding of a type as LLVM lays it out.
func (x *fn) inType(t *ir.Type, s span) bool {
	switch {
	case t.Kind == ir.KindArray && s.off >= 0 && x.size(t.Elem) > 0:
		size := x.size(t.Elem)
		return s.off%size+s.size <= size && x.inType(t.Elem, span{s.off % size, s.size})
	case t.Kind == ir.KindStruct:
		end := int64(0)
		for i, f := range t.Fields {
			off := x.offset(t, i)
			if s == (span{end, off - end}) {
				return true
			}
			end = off + x.size(f)
			if s.off >= off && s.off+s.size <= end {
				return x.inType(f, span{s.off - off, s.size})
			}
		}
		return s == span{end, x.size(t) - end}
	}
	return false
}

// inDeclared is object for a type of C's.
func inDeclared(t *ir.DType, s span) belongs {
	size := int64(t.Bits / 8)
	switch t.Kind {
	case ir.DStruct:
		return inMembers(t, s)
	case ir.DUnion:
		return inUnion(t, s)
	case ir.DArray:
		if t.Elem == nil || t.Elem.Bits < 8 || s == (span{0, size}) {
			break
		}
		if each := int64(t.Elem.Bits / 8); s.off >= 0 && s.off%each+s.size <= each {
			return inDeclared(t.Elem, span{s.off % each, s.size})
		}
	}
	if s == (span{0, size}) {
		return toMember
	}
	return toScalar
}

func inMembers(t *ir.DType, s span) belongs {
	end := int64(0) // of the members so far, in bytes; bit-fields share some
	for _, f := range t.Fields {
		off := f.BitOff / 8
		if s.size > 0 && s == (span{end, off - end}) {
			return toNothing
		}
		end = max(end, (f.BitOff+f.BitSize+7)/8)
		if f.T != nil && !f.IsBits && s.off >= off && s.off+s.size <= off+f.BitSize/8 {
			return inDeclared(f.T, span{s.off - off, s.size})
		}
	}
	if s == (span{end, int64(t.Bits/8) - end}) {
		return toNothing
	}
	return toScalar
}

func inUnion(t *ir.DType, s span) belongs {
	member, nothing := false, false
	for _, f := range t.Fields {
		if f.T == nil {
			continue
		}
		size := (f.BitSize + 7) / 8
		if s == (span{size, int64(t.Bits/8) - size}) {
			nothing = true
			continue
		}
		if s.off+s.size > size || f.IsBits {
			continue
		}
		switch inDeclared(f.T, s) {
		case toMember:
			member = true
		case toNothing:
			nothing = true
		case toEither:
			member, nothing = true, true
		}
	}
	switch {
	case member && nothing:
		return toEither
	case nothing:
		return toNothing
	case member:
		return toMember
	}
	return toScalar
}
