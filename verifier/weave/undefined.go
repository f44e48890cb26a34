package weave

import (
	"cmp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// truth is a byte of a variable that the program reads as a truth value.
type truth struct {
	g   *ir.Global
	off int64
}

// Declared gives m with a function around entry: in the variables that names names, which m does not define, what the
// program reads as a truth value is 0 or 1 at the start (C17 6.2.5p2, 6.3.1.2). made is false for a program without any;
// it stays as it is.
func Declared(m *ir.Module, entry *ir.Func, names []string) (out *ir.Module, start *ir.Func, made bool) {
	all := declaredTruths(m, names)
	if len(all) == 0 {
		return m, entry, false
	}
	with := *m
	with.Funcs = slices.Clip(m.Funcs)
	b := irbuild.Around(&with, "firmproof.declared", entry)
	b.Func.Made = true
	for _, t := range all {
		at := &ir.Const{T: b.Ptr(), Kind: ir.ConstAddr, Global: t.g, Off: t.off}
		b.Assume(b.Compare(ir.ULE, b.Load(ir.Int(8), at), b.Int(ir.Int(8), 1)))
	}
	b.Ret(callInside(b, entry))
	return &with, b.Done(), true
}

// declaredTruths lists the truth values of the variables that names names, the first so many. In a union another member
// may be in use, so that none of its bytes is one.
func declaredTruths(m *ir.Module, names []string) []truth {
	var out []truth
	if len(names) == 0 {
		return nil
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if r := ir.TruthRead(b); r != nil {
				out = append(out, truthsAt(m, r.Args[0], names)...)
			}
		}
	}
	slices.SortFunc(out, func(a, b truth) int {
		return cmp.Or(strings.Compare(a.g.Name, b.g.Name), cmp.Compare(a.off, b.off))
	})
	out = slices.Compact(out)
	return out[:min(len(out), policy.DeclaredTruths)]
}

// truthsAt lists the bytes that an address at which a truth value is read may mean.
func truthsAt(m *ir.Module, at ir.Value, names []string) []truth {
	off, fixed := int64(0), true
	for in, ok := at.(*ir.Instr); ok && in.Op == ir.OpGep; in, ok = at.(*ir.Instr) {
		fixed = fixed && len(in.Args) == 1
		off, at = off+in.Off, in.Args[0]
	}
	c, ok := at.(*ir.Const)
	if !ok || c.Kind != ir.ConstAddr || c.Global == nil || !c.Global.Extern || !slices.Contains(names, c.Global.Name) {
		return nil
	}
	g, t := c.Global, c.Global.T
	if off += c.Off; fixed {
		if off < 0 || off >= m.Layout.SizeOf(t) || !byteAt(&m.Layout, t, off) {
			return nil
		}
		return []truth{{g, off}}
	}
	for t.Kind == ir.KindArray {
		t = t.Elem
	}
	if !t.IsInt() || t.Width != 8 {
		return nil
	}
	var out []truth
	for i := int64(0); i < min(m.Layout.SizeOf(g.T), policy.DeclaredTruths); i++ {
		out = append(out, truth{g, i})
	}
	return out
}

// byteAt reports whether the scalar at an offset of t is a byte, in no union.
func byteAt(l *ir.Layout, t *ir.Type, off int64) bool {
	switch t.Kind {
	case ir.KindInt:
		return off == 0 && t.Width == 8
	case ir.KindArray:
		return byteAt(l, t.Elem, off%l.SizeOf(t.Elem))
	case ir.KindStruct:
		for i, f := range t.Fields {
			if at := l.FieldOffset(t, i); at <= off && off < at+l.SizeOf(f) {
				return !strings.HasPrefix(t.Name, "union.") && byteAt(l, f, off-at)
			}
		}
	}
	return false
}
