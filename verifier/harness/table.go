package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// tables lists the constants of the program that a pointer to a constant structure leads to one of: all of its type,
// none where there are too many or the structure may be changed. Structures of parameters (of a curve, a device, a
// message) hold what goes together, which nothing but these says.
func (p *Program) tables(elem *ir.DType) []*ir.Global {
	if !ir.IsStruct(elem) || !strings.HasPrefix(elem.Name, "const ") {
		return nil
	}
	layout := places.LayoutOf(elem)
	var out []*ir.Global
	for _, g := range p.m.Globals {
		if g.Const && !g.Extern && g.Init != nil && g.Var != nil && ir.IsStruct(g.Var.T) && places.LayoutOf(g.Var.T) == layout {
			out = append(out, g)
		}
	}
	if len(out) > policy.HarnessTables {
		return nil
	}
	return out
}

func tablesNote(name string, list []*ir.Global) string {
	names := make([]string, len(list))
	for i, g := range list {
		names[i] = g.Var.Name
	}
	return fmt.Sprintf("%s leads to %s, the constants of its type in the program", name, strings.Join(names, " or "))
}

// table returns a pointer to one of the constants, which is what the program shows and no more.
func (h *harness) table(name string, list []*ir.Global) ir.Value {
	var out ir.Value
	for _, g := range list {
		c := &ir.Const{T: h.Ptr(), Kind: ir.ConstAddr, Global: g}
		if out == nil {
			out = c
			continue
		}
		out = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{
			h.any(name+" is "+g.Var.Name, ir.Int(1)), c, out}})
	}
	return h.made(h.note(name, verdict.Extent, verdict.Observed, "%s", tablesNote(name, list)), out)
}
