package seg

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Given is a number of the start that the entry asks for: the call, and its name in the system (but for a number, where
// that is taken).
type Given struct {
	At   *ir.Instr
	Name string
}

// Given lists what the entry asks for before it comes to a loop.
func (g *Graph) Given() []Given { return g.b.asked }

// startSlots makes the numbers among the parameters the system's input.
func (b *builder) startSlots() {
	f := b.start.st.top()
	for _, p := range f.fn.Params {
		b.startSlot("param "+p.Name, b.paramName(f.fn, p), p.T.Width, f.vals[p])
	}
}

// startSlot makes v a number of the start, if it is one; it reports success.
func (b *builder) startSlot(key, name string, width int, v value) bool {
	if v.kind != intValue || len(v.lin.Terms) != 1 {
		return false
	}
	b.start.slots = append(b.start.slots, slot{key: key, name: name, v: v.lin.Terms[0].Var, width: width, rep: v.rep})
	return true
}

// nondet returns what the environment answers to in. What the entry asks for before it comes to a loop, it asks for
// once in a run: that is a number of the start, as if it were a parameter, so that bounds may speak of it.
func (b *builder) nondet(s *state, in *ir.Instr) value {
	early := b.current == b.start && len(s.frames) == 1
	v, known := b.given[in]
	if !early || !known {
		v = b.fresh(s, in.T, "input", b.inputRep(in))
		if early && b.startSlot(fmt.Sprintf("input %d", in.ID), b.inputName(in), in.T.Width, v) {
			b.given[in] = v
			b.asked = append(b.asked, Given{in, b.inputName(in)})
		}
	} else if !b.opts.MathInts {
		lo, hi := limits(in.T.Width, v.rep)
		s.know.lower(v.lin.Terms[0].Var, lo)
		s.know.upper(v.lin.Terms[0].Var, hi)
	}
	s.input(NondetInput, in, in.T.Width, v)
	return v
}

// receiver is the parameter that in is passed as, or the variable that it is stored to, if there is one.
func (b *builder) receiver(in *ir.Instr) (fn *ir.Func, p *ir.Param, v *ir.Var) {
	f := b.factsOf(in.Block.Func)
	for _, u := range f.users[in] {
		if u.Op == ir.OpStore && u.Args[0] == ir.Value(in) && f.names[u.Args[1]] != nil {
			return nil, nil, f.names[u.Args[1]]
		}
		c, ok := u.Callee.(*ir.Const)
		if u.Op != ir.OpCall || !ok || c.Func == nil || c.Func.IsDecl() {
			continue
		}
		for n, p := range c.Func.Params {
			if n < len(u.Args) && u.Args[n] == ir.Value(in) {
				return c.Func, p, nil
			}
		}
	}
	return nil, nil, nil
}

// inputName is the name in C of what in is given to, else the function's that is asked.
func (b *builder) inputName(in *ir.Instr) string {
	fn, p, v := b.receiver(in)
	switch {
	case p != nil:
		return b.paramName(fn, p)
	case v != nil:
		return v.Name
	}
	return in.CalledName()
}

// inputRep reads the sign of a nondet function's type off the parameter that its result is passed as, or its name.
func (b *builder) inputRep(in *ir.Instr) rep {
	if fn, p, _ := b.receiver(in); p != nil {
		if r := b.paramRep(fn, p); r != anyRep {
			return r
		}
	}
	n := in.CalledName()
	for _, u := range []string{"uint", "uchar", "ulong", "ushort", "unsigned", "size_t", "u8", "u16", "u32", "u64",
		"_bool"} {
		if strings.HasSuffix(n, u) || strings.Contains(n, "_"+u) {
			return unsigned
		}
	}
	return signed
}
