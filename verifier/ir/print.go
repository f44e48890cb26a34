package ir

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// String is the whole module as text: globals, then functions, in file order.
// The form is for people and golden files; there is no reader for it.
func (m *Module) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n", m.Name)
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

// String is the global's declaration or definition in one line.
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

// String is the function with its body.
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
	if p.SRet {
		s += " sret"
	}
	if p.NonNull {
		s += " nonnull"
	}
	if p.Align > 0 {
		s += fmt.Sprintf(" align %d", p.Align)
	}
	return s + " " + Operand(p)
}

// Label is the block's name, or b and its index.
func (b *Block) Label() string {
	if b.Name != "" {
		return b.Name
	}
	return fmt.Sprintf("b%d", b.Index)
}

func (i *Instr) withPos() string {
	s := i.String()
	if i.Pos != nil && (*i.Pos != verdict.Pos{}) && i.Pos.Line > 0 {
		s += fmt.Sprintf("%*s; %s", max(1, 48-len(s)), "", i.Pos)
	}
	return s
}

// Operand is a value as it stands in an argument list, without its type.
func Operand(v Value) string {
	switch v := v.(type) {
	case *Instr:
		if v.Name != "" {
			return "%" + v.Name
		}
		return fmt.Sprintf("%%%d", v.ID)
	case *Param:
		if v.Name != "" {
			return "%" + v.Name
		}
		return fmt.Sprintf("%%arg%d", v.Index)
	case *Const:
		return v.String()
	}
	return "<nil>"
}

func typed(v Value) string {
	if v == nil {
		return "<nil>"
	}
	return v.Type().String() + " " + Operand(v)
}

func operands(vs []Value) string {
	var parts []string
	for _, v := range vs {
		parts = append(parts, Operand(v))
	}
	return strings.Join(parts, ", ")
}

func typedOperands(vs []Value) string {
	var parts []string
	for _, v := range vs {
		parts = append(parts, typed(v))
	}
	return strings.Join(parts, ", ")
}

// String is the instruction in one line, without its position.
func (i *Instr) String() string {
	head := ""
	if i.T != nil && !i.T.IsVoid() {
		head = Operand(i) + " = "
	}
	return head + i.Op.String() + i.flagWords() + i.tail()
}

func (i *Instr) flagWords() string {
	s := ""
	for _, w := range []struct {
		f    Flags
		word string
	}{{NUW, "nuw"}, {NSW, "nsw"}, {Exact, "exact"}, {InBounds, "inbounds"}, {Volatile, "volatile"}, {Atomic, "atomic"}, {FastMath, "fast"}, {PtrDiff, "ptrdiff"}} {
		if i.Flags.Has(w.f) {
			s += " " + w.word
		}
	}
	return s
}

// tail is what follows the op and its flags.
func (i *Instr) tail() string {
	switch i.Op.Class() {
	case ClassTerm:
		return i.termTail()
	case ClassMemory:
		return i.memoryTail()
	case ClassConversion:
		return fmt.Sprintf(" %s to %s", typedOperands(i.Args), i.T)
	case ClassAggregate:
		s := " " + typedOperands(i.Args)
		for _, n := range i.Indices {
			s += fmt.Sprintf(", %d", n)
		}
		return s
	case ClassOther:
		return i.otherTail()
	}
	if len(i.Args) == 0 {
		return ""
	}
	return fmt.Sprintf(" %s %s", i.Args[0].Type(), operands(i.Args))
}

func (i *Instr) termTail() string {
	s := ""
	if len(i.Args) > 0 {
		s = " " + typedOperands(i.Args)
	}
	for n, t := range i.Targets {
		if n > 0 || s != "" {
			s += ","
		}
		if i.Op == OpSwitch && n > 0 {
			s += " " + i.Cases[n-1].Signed().String() + ":"
		}
		s += " " + t.Label()
	}
	return s
}

func (i *Instr) memoryTail() string {
	align := fmt.Sprintf(", align %d", i.Align)
	switch i.Op {
	case OpAlloca:
		s := " " + i.Access.String()
		if c, ok := i.Args[0].(*Const); !ok || !c.Bits.IsOne() {
			s += ", " + typedOperands(i.Args)
		}
		return s + align
	case OpLoad:
		return fmt.Sprintf(" %s, %s", i.Access, Operand(i.Args[0])) + align
	case OpStore:
		return fmt.Sprintf(" %s, %s", typed(i.Args[0]), Operand(i.Args[1])) + align
	case OpGep:
		s := " " + typed(i.Args[0])
		for n, a := range i.Args[1:] {
			s += fmt.Sprintf(" + %d*%s", i.Scales[n], Operand(a))
		}
		if i.Off != 0 {
			s += fmt.Sprintf(" + %d", i.Off)
		}
		return s
	case OpAtomicRMW:
		return fmt.Sprintf(" %s %s, %s", i.RMW, Operand(i.Args[0]), typed(i.Args[1])) + align
	case OpCmpXchg:
		return " " + typedOperands(i.Args) + align
	}
	return ""
}

func (i *Instr) otherTail() string {
	switch i.Op {
	case OpIcmp, OpFcmp:
		return fmt.Sprintf(" %s %s %s", i.Pred, i.Args[0].Type(), operands(i.Args))
	case OpPhi:
		var parts []string
		for n, a := range i.Args {
			parts = append(parts, fmt.Sprintf("[%s: %s]", i.Incoming[n].Label(), Operand(a)))
		}
		return fmt.Sprintf(" %s %s", i.T, strings.Join(parts, ", "))
	case OpTrap:
		return fmt.Sprintf(" %s %q", i.Check, i.What)
	case OpUnsupported:
		return fmt.Sprintf(" %q %s", i.What, typedOperands(i.Args))
	case OpAsm:
		return fmt.Sprintf(" %s %q, %q (%s)", i.T, i.Asm.Template, i.Asm.Constraints, typedOperands(i.Args))
	case OpCall:
		s := fmt.Sprintf(" %s %s(%s)", i.T, Operand(i.Callee), typedOperands(i.Args))
		if i.Model != ModelNone {
			s += " model " + string(i.Model)
		}
		return s
	case OpVaArg:
		return fmt.Sprintf(" %s, %s", typedOperands(i.Args), i.T)
	}
	return " " + typedOperands(i.Args)
}

// String is the constant without its type.
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

// String is the variable's type and name.
func (v *Var) String() string {
	if name := v.T.String(); strings.HasSuffix(name, "*") {
		return name + v.Name
	}
	return v.T.String() + " " + v.Name
}

// String is the type as a C programmer writes it.
func (t *DType) String() string {
	if t == nil {
		return "void"
	}
	return t.Name
}
