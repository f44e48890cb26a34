// Package check looks whether facts are so that were found of a program: that a variable holds nothing but the numbers
// between two. A fact is inductive: it holds at first, and what each function leaves keeps to it if all facts held before.
// It reads ir alone, shares no code with what finds such facts, and takes one function at a time: sets of consecutive
// words (words.go), what is known at the begin of blocks (walk.go), and at branches (branch.go).
package check

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Fact says between which numbers a variable with static storage is, a number of so many bits.
type Fact struct {
	Global *ir.Global
	Bits   int
	Rest   [2]int64 // where a function begins or ends, or calls another
	Ever   [2]int64 // at any time
	// the function that alone writes a volatile variable; nothing calls it while it runs. nil: any may, at any time
	Writer *ir.Func
}

// fact is a Fact as the words that it allows, and how the variable may be followed inside of a function.
type fact struct {
	rest, ever words
	bits       int
	in         func(f *ir.Func) bool // what f stored there it finds there until it calls another
}

// Uninterrupted returns the variables of those facts of a list, all of them shown, that are not shown where a function that
// alone writes a variable may run while it is interrupted. A handler that nothing but the processor runs may not.
func Uninterrupted(m *ir.Module, list []Fact) map[*ir.Global]string {
	use, some := usesOf(m), false
	list = slices.Clone(list)
	for i := range list {
		if f := list[i].Writer; f != nil && !(f.Handler && !use.called[f]) {
			list[i].Writer, some = nil, true
		}
	}
	if !some {
		return nil
	}
	return Refused(m, list)
}

// Refused returns the facts that are not shown, by their variables, with what is against them.
func Refused(m *ir.Module, list []Fact) map[*ir.Global]string {
	refused, facts := map[*ir.Global]string{}, map[*ir.Global]*fact{}
	use := usesOf(m)
	for _, x := range list {
		if why := outside(x); why != "" {
			refused[x.Global] = why
			continue
		}
		facts[x.Global] = &fact{between(x.Rest[0], x.Rest[1], x.Bits), between(x.Ever[0], x.Ever[1], x.Bits), x.Bits,
			func(f *ir.Func) bool { return use.stays(x, f) }}
	}
	for _, g := range otherUses(m, facts) {
		refused[g] = "its address is used for more than to load and store it"
		delete(facts, g)
	}
	for again := true; again && len(facts) > 0; { // what rests on a fact that falls may fall, too
		again = false
		for _, f := range m.Funcs {
			for _, g := range broken(f, facts, use.writers) {
				refused[g] = f.Name + " may store another number there"
				delete(facts, g)
				again = true
			}
		}
	}
	return refused
}

// outside says why a variable does not hold a number of the fact where the program begins; "" if it does.
func outside(x Fact) string {
	g := x.Global
	switch {
	case x.Bits < 1 || x.Bits > 60 || x.Rest[0] > x.Rest[1] || x.Ever[0] > x.Rest[0] || x.Rest[1] > x.Ever[1]:
		return "it is no number that is followed"
	case g.Extern || g.Weak || g.ThreadLocal || g.Unsupported != "" || g.Init == nil:
		return "the program does not say what it holds at first"
	case g.Init.Kind != ir.ConstInt || g.Init.Bits.Width() != x.Bits:
		return "it is not initialised as one number"
	}
	n, _ := g.Init.Bits.Uint64()
	if !between(x.Rest[0], x.Rest[1], x.Bits).holds(words{n, 0}, x.Bits) {
		return "it holds another number at first"
	}
	return ""
}

// otherUses lists the variables of facts whose address stands anywhere but in a load or store of all of them.
func otherUses(m *ir.Module, facts map[*ir.Global]*fact) []*ir.Global {
	out := map[*ir.Global]bool{}
	var inside func(c *ir.Const)
	inside = func(c *ir.Const) {
		if c == nil {
			return
		}
		if facts[c.Global] != nil {
			out[c.Global] = true
		}
		for _, e := range c.Elems {
			inside(e)
		}
	}
	eachConstant(m, func(_ *ir.Global, in *ir.Instr, i int, c *ir.Const) {
		if in == nil || !accessed(in, i, c, facts[c.Global]) {
			inside(c)
		}
	})
	return slices.Collect(maps.Keys(out))
}

// eachConstant calls f with the constants that stand in a module: the initialisers of variables, what aliases are, and the
// operands of instructions. `of` is the variable; in the instruction, and i the number of the operand, -1: what it calls.
func eachConstant(m *ir.Module, f func(of *ir.Global, in *ir.Instr, i int, c *ir.Const)) {
	for _, g := range m.Globals {
		if g.Init != nil {
			f(g, nil, 0, g.Init)
		}
	}
	for _, a := range m.Aliases {
		if a.To != nil {
			f(nil, nil, 0, a.To)
		}
	}
	for _, fn := range m.Funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				for i, v := range append([]ir.Value{in.Callee}, in.Args...) {
					if c, ok := v.(*ir.Const); ok && c != nil {
						f(nil, in, i-1, c)
					}
				}
			}
		}
	}
}

// accessed reports whether operand i of an instruction, c, is the address of the variable of a fact that it loads or stores
// as a whole.
func accessed(in *ir.Instr, i int, c *ir.Const, x *fact) bool {
	return x != nil && c.Kind == ir.ConstAddr && c.Off == 0 && (in.Op == ir.OpLoad && i == 0 || in.Op == ir.OpStore && i == 1) &&
		in.Access.IsInt() && in.Access.Width == x.bits
}
