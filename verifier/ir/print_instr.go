package ir

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

func (i *Instr) withPos() string {
	s := i.String()
	if i.Pos != nil && (*i.Pos != verdict.Pos{}) && i.Pos.Line > 0 {
		s += fmt.Sprintf("%*s; %s", max(1, 48-len(s)), "", i.Pos)
	}
	return s
}

// Operand returns a value as it stands in an argument list, without its type.
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

// String returns the instruction in one line, without its position.
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
	}{{NUW, "nuw"}, {NSW, "nsw"}, {Exact, "exact"}, {InBounds, "inbounds"}, {Volatile, "volatile"}, {Atomic, "atomic"},
		{Contract, "contract"}, {Weak, "weak"}, {PtrDiff, "ptrdiff"}, {Member, "member"},
		{Element, "element"}, {OfIndex, "index"}, {Sole, "sole"}, {Stored, "stored"}} {
		if i.Flags.Has(w.f) {
			s += " " + w.word
		}
	}
	return s
}

// tail returns what follows the op and its flags.
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
