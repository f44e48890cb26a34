package ir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/policy"
)

// SiteNames returns a name for each instruction of f, by its ID: a digest of the expression that it
// computes, with the statement that uses it. It is the same on every target, and it survives edits of
// other expressions of the function: lines, registers, the widths of types and the layout of structs
// do not count. Equal expressions have equal names.
func SiteNames(f *Func) []string {
	s := &siteNamer{vars: f.VarsBySlot(), user: make([]*Instr, f.NumInstr), text: make([]string, f.NumInstr)}
	kept := keptConditions(f)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, a := range in.Args {
				if d, ok := a.(*Instr); ok && s.user[d.ID] == nil && !kept[in] {
					s.user[d.ID] = in
				}
			}
		}
	}
	out := make([]string, f.NumInstr)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			sum := sha256.Sum256([]byte(s.value(in, 0) + " in " + s.statement(in) + " " + s.guard(in)))
			out[in.ID] = hex.EncodeToString(sum[:3])
		}
	}
	return out
}

// keptConditions returns what computes the conditions of ModelKept, which are not in the program's text: comparisons, and
// what joins them.
func keptConditions(f *Func) map[*Instr]bool {
	out := map[*Instr]bool{}
	var visit func(v Value)
	visit = func(v Value) {
		c, ok := v.(*Instr)
		if !ok || out[c] {
			return
		}
		out[c] = true
		if c.Op == OpAnd || c.Op == OpOr {
			for _, a := range c.Args {
				visit(a)
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Model == ModelKept {
				visit(in.Args[0])
			}
		}
	}
	return out
}

// siteNamer writes expressions as text.
type siteNamer struct {
	vars map[Value]*Var
	user []*Instr // the first that uses the value
	text []string // of values, as far as known
}

// value writes an expression.
func (s *siteNamer) value(v Value, depth int) string {
	if x := s.vars[v]; x != nil {
		return x.Name
	}
	switch v := v.(type) {
	case *Param:
		return fmt.Sprintf("param %d", v.Index)
	case *Const:
		return constName(v)
	case *Instr:
		if depth > policy.SiteDepth {
			return "..."
		}
		if s.text[v.ID] == "" {
			s.text[v.ID] = s.instr(v, depth)
		}
		return s.text[v.ID]
	}
	return "?"
}

// instr writes the expression of an instruction. Conversions between integers are left out:
// which of them stand in the code differs between targets.
func (s *siteNamer) instr(in *Instr, depth int) string {
	switch in.Op {
	case OpZext, OpSext, OpTrunc, OpBitcast, OpFreeze:
		return s.value(in.Args[0], depth+1)
	case OpGep:
		return s.address(in, depth)
	}
	parts := []string{in.Op.String()}
	if in.Op == OpIcmp || in.Op == OpFcmp {
		parts[0] += " " + in.Pred.String()
	}
	if in.Op == OpCall {
		parts = append(parts, s.callee(in, depth), string(in.Check))
	}
	if in.Model != ModelAssertFail { // whose arguments name the line
		for _, a := range in.Args {
			parts = append(parts, s.value(a, depth+1))
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// address writes pointer arithmetic: with the names of members where the type is known.
func (s *siteNamer) address(in *Instr, depth int) string {
	parts := []string{"at", s.value(in.Args[0], depth+1)}
	if in.Off != 0 || len(in.Args) == 1 {
		parts = append(parts, memberAt(Pointee(s.vars, in.Args[0]), in.Off))
	}
	for _, a := range in.Args[1:] {
		parts = append(parts, s.value(a, depth+1))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// Pointee returns the C type of what v points to, nil where it is not known. vars are the variables of its
// function by where they live.
func Pointee(vars map[Value]*Var, v Value) *DType {
	if x := vars[v]; x != nil {
		return x.T
	}
	switch v := v.(type) {
	case *Const:
		if v.Kind == ConstAddr && v.Global != nil && v.Global.Var != nil && v.Off == 0 {
			return v.Global.Var.T
		}
	case *Instr:
		switch v.Op {
		case OpLoad:
			if t := Pointee(vars, v.Args[0]); t != nil && t.Kind == DPointer {
				return t.Elem
			}
		case OpGep:
			t := Pointee(vars, v.Args[0])
			if len(v.Args) > 1 && t != nil && t.Kind == DArray {
				t = t.Elem
			}
			_, t = member(t, v.Off)
			return t
		}
	}
	return nil
}

// memberAt names the member at an offset of a type; the offset itself where there is none.
func memberAt(t *DType, off int64) string {
	if name, m := member(t, off); m != nil && name != "" {
		return name
	}
	return fmt.Sprint(off)
}

// member finds the outermost member that begins off bytes into t; t itself for 0 in what has no members.
func member(t *DType, off int64) (name string, m *DType) {
	for t != nil && t.Kind == DStruct {
		var inner *DField
		for i := range t.Fields {
			if f := &t.Fields[i]; f.BitOff/8 <= off && f.T != nil {
				inner = f
			}
		}
		if inner == nil {
			return "", nil
		}
		name += "." + inner.Name
		off -= inner.BitOff / 8
		t = inner.T
		if off == 0 {
			return name, t
		}
	}
	if off == 0 {
		return name, t
	}
	return "", nil
}

func (s *siteNamer) callee(in *Instr, depth int) string {
	if in.Model == ModelAssertFail { // its name differs between libraries
		return "assert"
	}
	k, ok := in.Callee.(*Const)
	if !ok || k.Func == nil {
		return s.value(in.Callee, depth+1)
	}
	name := k.Func.Name
	if strings.HasPrefix(name, "llvm.") { // its types stand at the end
		parts := strings.Split(name, ".")
		for len(parts) > 2 && strings.IndexAny(parts[len(parts)-1], "ipf") == 0 {
			parts = parts[:len(parts)-1]
		}
		name = strings.Join(parts, ".")
	}
	return name
}

// statement writes what is done with the value of in: where it is stored, which call gets it, what it decides.
func (s *siteNamer) statement(in *Instr) string {
	for n := 0; n < policy.SiteDepth; n++ {
		switch in.Op {
		case OpStore:
			return "store " + s.value(in.Args[1], 0)
		case OpCall:
			return "call " + s.callee(in, 0)
		}
		next := s.user[in.ID]
		if next == nil {
			break
		}
		in = next
	}
	return in.Op.String()
}

// guard writes the conditions right in front of an instruction that has no operands of its own: a trap, a
// failing assertion.
func (s *siteNamer) guard(in *Instr) string {
	if in.Op != OpTrap && in.Op != OpUnreachable && in.Model == ModelNone {
		return ""
	}
	out := in.What
	for _, p := range in.Block.Preds {
		if t := p.Term(); t.Op == OpCondBr {
			out += " " + s.value(t.Args[0], 0)
		}
	}
	return out
}

// constName writes a constant. A string literal is its text, not its number.
func constName(c *Const) string {
	switch {
	case c.Kind == ConstInt:
		return fmt.Sprint(c.Bits.Signed())
	case c.Func != nil:
		return c.Func.CName
	case c.Global != nil && strings.HasPrefix(c.Global.Name, ".str") && c.Global.Init != nil:
		return fmt.Sprintf("%q+%d", c.Global.Init.Bytes, c.Off)
	case c.Global != nil:
		if c.Global.Var == nil {
			return fmt.Sprintf("%s+%d", c.Global.Name, c.Off)
		}
		return c.Global.Var.Name + memberAt(c.Global.Var.T, c.Off)
	}
	return fmt.Sprintf("const %d", c.Kind)
}
