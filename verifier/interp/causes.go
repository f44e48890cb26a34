package interp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// causes lists the variables that decided the violation: those read by the
// computation of the failing instruction's operands, or of the branch that led
// to a trap or a failing call. Each comes with its value and its last write.
func (x *tracer) causes() []string {
	in := x.out.Instr
	if in == nil || x.fr == nil {
		return nil
	}
	c := &causeList{tracer: x, seen: map[*ir.Instr]bool{}}
	if x.leaked != nil {
		c.holders()
		return c.out
	}
	c.follow(in, 0)
	if len(c.out) == 0 && x.fr.prev != nil && x.fr.blk == in.Block {
		c.follow(x.fr.prev.Term(), 0)
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
	if in.Op == ir.OpLoad && in != c.tracer.out.Instr {
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
		if h.in.dead != "" || len(c.out) == maxCauses {
			continue
		}
		name, t := c.placeName(h.in, h.off, int64(c.pw/8), nil)
		c.add(name+" = "+c.showIn(name, t, c.get(h.in, h.off, ir.Ptr(c.pw))), h.in, h.off)
	}
}

// add notes a value and where it was written.
func (c *causeList) add(s string, o *object, off int64) {
	if w := c.writes[o][off]; w != nil && w.Pos.Line > 0 {
		s += fmt.Sprintf(" (written at %s)", w.Pos)
	}
	if !slices.Contains(c.out, s) {
		c.out = append(c.out, s)
	}
}

func (c *causeList) note(in *ir.Instr) {
	p := c.eval(in.Args[0])
	if v := c.fr.vals[in.ID]; v.bits.Width() == 0 && v.elems == nil {
		return // it did not run
	}
	if p.obj == nil || p.obj.dtype() == nil {
		return
	}
	size := c.l.StoreSize(in.Access)
	off := int64(p.bits.Low64())
	if off < 0 || off+size > p.obj.size {
		return
	}
	name, t := c.placeName(p.obj, off, size, in.Access)
	if isWoven(name) {
		return
	}
	s := name + " = " + c.showIn(name, t, c.fr.vals[in.ID])
	if fields := bitFieldsIn(p.obj.dtype(), off*8, size*8); len(fields) > 0 && t == nil {
		unit := c.getBits(p.obj, off, size, int(size*8)).bits
		var parts []string
		for _, f := range fields {
			parts = append(parts, c.name(p.obj)+"."+f.Name+" = "+FormatValue(f.T, c.field(unit, f, off*8, size)))
		}
		s = strings.Join(parts, ", ")
	}
	c.add(s, p.obj, off)
}
