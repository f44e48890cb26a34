package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// starts assumes of each variable that the function may read that it has its initial value, if the program may change
// it, or other files may: calls before this one may have done so.
func (h *harness) starts() []verdict.Assumption {
	var out []verdict.Assumption
	for _, g := range h.Module.Globals {
		if h.reached.Globals[g] && h.p.varies(g) && !(h.anyState && onlyNumbers(g)) {
			out = append(out, verdict.Assume(g.Name, verdict.Start, verdict.Chosen,
				fmt.Sprintf("%s has its initial value", ir.NameOf(g))))
		}
	}
	return out
}

// varies reports whether the program may change a variable, or other files may; those of the driver are as it leaves them,
// and of the library's, errno is any number (anyErrno).
func (p *Program) varies(g *ir.Global) bool {
	return !runsHandlers(g) && !strings.HasPrefix(g.Name, ir.LibraryPrefix) &&
		(p.changed[g] || g.Var != nil && g.Var.Public &&
			(!g.Const || g.Weak && !p.linked()))
}

// runsHandlers reports a variable of what runs handlers between steps: no code of the program gets at it.
func runsHandlers(g *ir.Global) bool { return strings.HasPrefix(g.Name, irbuild.PointPrefix) }

// onlyNumbers reports whether a variable holds no pointer, and how large it is, is known.
func onlyNumbers(g *ir.Global) bool {
	return g.Var != nil && !g.Extern && !g.Const && ir.SizeInC(g.Var.T) > 0 &&
		!ir.HoldsPointer(g.Var.T) && g.Unsupported == "" &&
		g.Beyond == "" && (g.Init == nil || !ir.NamesSymbol(g.Init))
}

// anyErrno gives errno any number, as calls before leave it.
func (h *harness) anyErrno() {
	for _, g := range h.Module.Globals {
		if g.Name == ir.LibraryErrno && h.reached.Globals[g] {
			h.Store(h.any("errno", g.T), h.AddrOfGlobal(g), g.Align)
		}
	}
}

// anyNumbers gives the variables that the function reaches, and that hold no pointer, any contents.
func (h *harness) anyNumbers() {
	for _, g := range h.Module.Globals {
		if h.reached.Globals[g] && h.p.varies(g) && onlyNumbers(g) {
			h.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), h.AddrOfGlobal(g), h.Int(h.Word(), h.Module.Layout.SizeOf(g.T)))
		}
	}
}

// ChangedGlobals lists the variables with static storage that some code of m may change: those that are not constant,
// and whose address goes anywhere but into loads.
func ChangedGlobals(m *ir.Module) map[*ir.Global]bool {
	out := map[*ir.Global]bool{}
	var inside func(c *ir.Const)
	inside = func(c *ir.Const) {
		if c == nil {
			return
		}
		if c.Global != nil && !c.Global.Const {
			out[c.Global] = true
		}
		for _, e := range c.Elems {
			inside(e)
		}
	}
	for _, g := range m.Globals {
		inside(g.Init)
	}
	for _, f := range m.Funcs {
		into := ir.AddressesIn(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range in.Args {
					switch g := into(v); {
					case in.Op == ir.OpLoad:
					case g != nil && i == 0 && (in.Op == ir.OpGep || in.Op == ir.OpBitcast):
					case g != nil && !g.Const:
						out[g] = true
					default:
						inside(asConst(v))
					}
				}
			}
		}
	}
	return out
}

func asConst(v ir.Value) *ir.Const {
	c, _ := v.(*ir.Const)
	return c
}
