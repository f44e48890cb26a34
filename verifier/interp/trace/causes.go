package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// causes lists the variables that decided the violation: those read by the
// computation of the failing instruction's operands, or of the branch that led
// to a trap or a failing call. Each comes with its value and its last write.
func (x *tracer) causes() []string {
	in := x.Outcome.Instr
	if in == nil || x.Frame == nil {
		return nil
	}
	c := &causeList{tracer: x, seen: map[*ir.Instr]bool{}}
	if x.leaked != nil {
		c.holders()
		return c.out
	}
	c.follow(in, 0)
	if len(c.out) == 0 && x.Frame.Prev != nil && x.Frame.Block == in.Block {
		c.follow(x.Frame.Prev.Term(), 0)
	}
	return c.out
}

type causeList struct {
	*tracer
	seen map[*ir.Instr]bool
	out  []string
}

// follow walks from an instruction to the loads that it depends on.
func (c *causeList) follow(in *ir.Instr, depth int) {
	if c.seen[in] || depth > 10 || len(c.out) >= 6 {
		return
	}
	c.seen[in] = true
	if in.Op == ir.OpLoad && in != c.tracer.Outcome.Instr {
		c.note(in)
	}
	if in.Op == ir.OpCall && depth > 0 && in.Model == ir.ModelNone {
		return
	}
	for i, a := range in.Args {
		if _, fixed := a.(*ir.Const); fixed && in.Op == ir.OpPhi {
			c.follow(in.Incoming[i].Term(), depth+1) // of && and ||: what decided that the rest does not count
		}
		if d, ok := a.(*ir.Instr); ok && d.Op != ir.OpAlloca {
			c.follow(d, depth+1)
		}
	}
}

// bitFieldsIn lists the bit-fields of a structure that lie in the unit.
func bitFieldsIn(t *ir.DType, off, size int64) []*ir.DField {
	var found []*ir.DField
	for i := range t.Fields {
		if f := &t.Fields[i]; f.IsBits && f.BitOff >= off && f.BitOff+f.BitSize <= off+size {
			found = append(found, f)
		}
	}
	return found
}

// holders lists what is now where the leaked block was held.
func (c *causeList) holders() {
	for _, h := range c.blocks.of[c.leaked] {
		if h.in.Dead != "" || len(c.out) == policy.Causes {
			continue
		}
		name, t := c.PlaceName(h.in, h.off, int64(c.PtrBits/8), nil)
		c.add(name+" = "+c.showIn(name, t, c.Get(h.in, h.off, ir.Ptr(c.PtrBits))), h.in, h.off)
	}
}

// add notes a value and where it was written.
func (c *causeList) add(s string, o *interp.Object, off int64) {
	if w := c.writes[o][off]; w != nil && w.Pos.Line > 0 {
		s += fmt.Sprintf(" (written at %s)", w.Pos)
	}
	if !slices.Contains(c.out, s) {
		c.out = append(c.out, s)
	}
}

func (c *causeList) note(in *ir.Instr) {
	p := c.Eval(in.Args[0])
	if v := c.Frame.Values[in.ID]; v.Bits.Width() == 0 && v.Elems == nil {
		return // it did not run
	}
	if p.Object == nil || p.Object.CType() == nil {
		return
	}
	size := c.Layout.StoreSize(in.Access)
	off := int64(p.Bits.Low64())
	if off < 0 || off+size > p.Object.Size {
		return
	}
	name, t := c.PlaceName(p.Object, off, size, in.Access)
	if isWoven(name) {
		return
	}
	s := name + " = " + c.showIn(name, t, c.Frame.Values[in.ID])
	if fields := bitFieldsIn(p.Object.CType(), off*8, size*8); len(fields) > 0 && t == nil {
		unit := c.GetBits(p.Object, off, size, int(size*8)).Bits
		var parts []string
		for _, f := range fields {
			parts = append(parts, f.Of(c.Name(p.Object))+" = "+cexpr.Value(f.T, c.field(unit, f, off*8, size)))
		}
		s = strings.Join(parts, ", ")
	}
	c.add(s, p.Object, off)
}
