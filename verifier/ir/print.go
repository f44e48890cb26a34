package ir

import (
	"fmt"
	"path"
	"strings"
)

// String returns the whole module as text: globals, then functions, in file order.
// The form is for people and golden files; there is no reader for it.
func (m *Module) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n", path.Base(m.Name))
	if m.Triple != "" {
		fmt.Fprintf(&b, "target %s", m.Triple)
		order := "little-endian"
		if m.Layout.BigEndian {
			order = "big-endian"
		}
		fmt.Fprintf(&b, " %s ptr%d\n", order, m.Layout.PtrBits)
	}
	for i, g := range m.Globals {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(g.String() + "\n")
	}
	for _, a := range m.Aliases {
		fmt.Fprintf(&b, "alias @%s = %s\n", a.Name, a.To)
	}
	for _, f := range m.Ctors {
		fmt.Fprintf(&b, "constructor @%s\n", f.Name)
	}
	for _, f := range m.Funcs {
		b.WriteByte('\n')
		b.WriteString(f.String())
	}
	return b.String()
}

// String returns the global's declaration or definition in one line.
func (g *Global) String() string {
	var b strings.Builder
	for _, w := range []struct {
		on   bool
		word string
	}{{g.Extern, "extern "}, {g.Weak, "weak "}, {g.ThreadLocal, "thread_local "}} {
		if w.on {
			b.WriteString(w.word)
		}
	}
	word := "global"
	if g.Const {
		word = "const"
	}
	fmt.Fprintf(&b, "%s @%s %s", word, g.Name, g.T)
	if g.Init != nil {
		b.WriteString(" = " + g.Init.String())
	}
	fmt.Fprintf(&b, ", align %d", g.Align)
	if g.Section != "" {
		fmt.Fprintf(&b, ", section %q", g.Section)
	}
	if g.Unsupported != "" {
		fmt.Fprintf(&b, ", unsupported %q", g.Unsupported)
	}
	if g.Var != nil {
		b.WriteString(" ; " + g.Var.String())
	}
	return b.String()
}

// String returns the function with its body.
func (f *Func) String() string {
	var b strings.Builder
	word := "func"
	if f.IsDecl() {
		word = "declare"
	}
	if f.Weak {
		word = "weak " + word
	}
	var params []string
	for _, p := range f.Params {
		params = append(params, p.decl())
	}
	if f.Variadic {
		params = append(params, "...")
	}
	fmt.Fprintf(&b, "%s @%s(%s) %s", word, f.Name, strings.Join(params, ", "), f.Ret)
	if f.NoReturn {
		b.WriteString(" noreturn")
	}
	if f.Addr {
		b.WriteString(" addr")
	}
	if f.Model != ModelNone {
		fmt.Fprintf(&b, " model %s", f.Model)
	}
	if f.IsDecl() {
		b.WriteByte('\n')
		return b.String()
	}
	b.WriteString(" {")
	if f.Pos.File != "" {
		b.WriteString(" ; " + f.Pos.String())
	}
	b.WriteByte('\n')
	for _, v := range f.Vars {
		fmt.Fprintf(&b, "  ; %s at %s\n", v, Operand(v.Slot))
	}
	for _, blk := range f.Blocks {
		fmt.Fprintf(&b, "%s:\n", blk.Label())
		for _, i := range blk.Instrs {
			b.WriteString("  " + i.withPos() + "\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (p *Param) decl() string {
	s := p.T.String()
	if p.ByVal != nil {
		s += " byval(" + p.ByVal.String() + ")"
	}
	if p.SRet != nil {
		s += " sret(" + p.SRet.String() + ")"
	}
	if p.NonNull {
		s += " nonnull"
	}
	if p.Keeps {
		s += " keeps"
	}
	if p.Align > 0 {
		s += fmt.Sprintf(" align %d", p.Align)
	}
	return s + " " + Operand(p)
}

// Label returns the block's name, or b and its index.
func (b *Block) Label() string {
	if b.Name != "" {
		return b.Name
	}
	return fmt.Sprintf("b%d", b.Index)
}

// String returns the constant without its type.
func (c *Const) String() string {
	switch c.Kind {
	case ConstInt:
		if c.T.Kind == KindFloat || c.T.IsPtr() {
			return "0x" + c.Bits.Hex()
		}
		if c.T.Width == 1 {
			return fmt.Sprint(c.Bits.IsOne())
		}
		return c.Bits.Signed().String()
	case ConstNull:
		return "null"
	case ConstZero:
		return "zero"
	case ConstUndef:
		return "undef"
	case ConstPoison:
		return "poison"
	case ConstBytes:
		return fmt.Sprintf("%q", c.Bytes)
	case ConstAddr, ConstAddrInt:
		s := c.symbol()
		if c.Off != 0 {
			s += fmt.Sprintf("%+d", c.Off)
		}
		if c.Kind == ConstAddrInt {
			s = "int(" + s + ")"
		}
		return s
	case ConstAgg:
		var parts []string
		for _, e := range c.Elems {
			parts = append(parts, e.T.String()+" "+e.String())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "invalid"
}

func (c *Const) symbol() string {
	switch {
	case c.Global != nil:
		return "@" + c.Global.Name
	case c.Label != nil:
		return "label(@" + c.Label.Func.Name + ", " + c.Label.Label() + ")"
	case c.Func != nil:
		return "@" + c.Func.Name
	}
	return "@<nil>"
}

// String returns the variable's type and name.
func (v *Var) String() string {
	if name := v.T.String(); strings.HasSuffix(name, "*") {
		return name + v.Name
	}
	return v.T.String() + " " + v.Name
}

// String returns the type as a C programmer writes it.
func (t *DType) String() string {
	if t == nil {
		return "void"
	}
	return t.Name
}
