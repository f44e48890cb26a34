package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// variadic executes va_start, va_end and va_copy.
func (c *call) variadic(m ir.Model) {
	switch m {
	case ir.ModelVaStart:
		c.vaStart()
	case ir.ModelVaCopy:
		if area := c.area(); area != nil {
			c.copyRange(c.args[0], c.args[1], uint64(area.ListSize), false)
		}
	}
}

// area places the current call's extra arguments; nil ends the run.
func (x *Machine) area() *ir.VaArea {
	var types []*ir.Type
	if x.fr.call != nil {
		for _, a := range x.fr.call.Args[len(x.fr.params):] {
			types = append(types, a.Type())
		}
	}
	a, why := x.m.Variadic(x.fr.fn, types)
	if a == nil {
		x.end(Unsupported, "", why)
	}
	return a
}

// vaStart makes the areas and points the list at them: first the register area, if there is one.
func (c *call) vaStart() {
	area := c.area()
	if area == nil {
		return
	}
	list, off, ok := c.reach(c.args[0], access{size: uint64(area.ListSize), align: 1, write: true})
	if !ok {
		return
	}
	var regs *object
	if area.RegSize > 0 {
		regs = c.newArea(area.RegSize, area.Align)
	}
	stack := c.newArea(area.Size, area.Align)
	for i, v := range c.fr.extra {
		t := c.fr.call.Args[len(c.fr.params)+i].Type()
		if area.Reg[i] >= 0 {
			c.put(regs, area.Reg[i], t, v)
		} else {
			c.put(stack, area.Off[i], t, v)
		}
	}
	first := value{bits: bits.New(c.pw, uint64(area.Start)), obj: stack}
	ptr := ir.Ptr(c.pw)
	if regs == nil {
		c.put(list, off, ptr, first)
		return
	}
	word := ir.Int(32)
	c.put(list, off, word, scalar(bits.New(32, uint64(area.GpOffset))))
	c.put(list, off+4, word, scalar(bits.New(32, uint64(area.FpOffset))))
	c.put(list, off+8, ptr, first)
	c.put(list, off+16, ptr, value{bits: c.zero, obj: regs})
}

func (c *call) newArea(size, align int64) *object {
	o := c.newObject(stackObject, size, align, c.in)
	c.fr.objs = append(c.fr.objs, o)
	return o
}

// vaArg reads the next argument through a list that is one pointer, and moves it on (LangRef: va_arg).
func (x *Machine) vaArg(in *ir.Instr) {
	area := x.area()
	if area == nil {
		return
	}
	if area.RegSize > 0 {
		x.end(Unsupported, "", "va_arg instruction on "+x.m.Triple)
		return
	}
	ptr := ir.Ptr(x.pw)
	list, off, ok := x.reach(x.eval(in.Args[0]), access{size: uint64(area.ListSize), align: 1, write: true})
	if !ok {
		return
	}
	p := x.get(list, off, ptr)
	align := uint64(min(max(area.Slot, x.l.AlignOf(in.T)), area.Align))
	p.bits = bits.New(x.pw, (p.bits.Low64()+align-1)/align*align)
	o, at, ok := x.reach(p, access{size: uint64(x.l.StoreSize(in.T)), align: 1})
	if !ok {
		return
	}
	v := x.get(o, at, in.T)
	size := (x.l.SizeOf(in.T) + area.Slot - 1) / area.Slot * area.Slot
	p.bits = bits.Add(p.bits, bits.New(x.pw, uint64(size)))
	x.put(list, off, ptr, p)
	x.set(in, v)
}
