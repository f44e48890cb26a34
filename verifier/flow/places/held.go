package places

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Fixed is a constant address: a number, or bytes into a variable.
type Fixed struct {
	Global *ir.Global
	At     int64
}

// String is the address in C: a number, or a variable and how far behind its begin it is.
func (f Fixed) String() string {
	switch {
	case f.Global == nil:
		return fmt.Sprintf("%#x", uint64(f.At))
	case f.At == 0:
		return "&" + ir.NameOf(f.Global)
	}
	return fmt.Sprintf("&%s + %d bytes", ir.NameOf(f.Global), f.At)
}

// FixedOf returns the constant address that v is.
func FixedOf(v ir.Value) (f Fixed, ok bool) {
	v = Uncast(v)
	if c, is := v.(*ir.Const); is && c.Kind == ir.ConstAddr && c.Global != nil {
		return Fixed{c.Global, c.Off}, true
	}
	in, is := v.(*ir.Instr)
	if !is || in.Op != ir.OpIntToPtr {
		return f, false
	}
	c, is := in.Args[0].(*ir.Const)
	if !is || c.Kind != ir.ConstInt {
		return f, false
	}
	n, small := c.Bits.Uint64()
	return Fixed{At: int64(n)}, small && int64(n) >= 0
}

// Add adds functions, and what else is known of a member that holds them.
func (h *Held) Add(list []*ir.Func, member *Held) {
	for _, f := range list {
		h.Funcs = WithFunc(h.Funcs, f)
	}
	h.Others = h.Others || member.Others
	h.Set = h.Set || member.Set
}

// InKind returns what is stored in a member that holds a pointer to a function; known says what is stored as such.
func (ps *Table) InKind(member Place, known *Held) *Held {
	if len(known.Funcs) == 0 || known.Others || !ps.Re.Kinds[member.Of] {
		return known
	}
	out := *known
	out.Any = true
	return &out
}
