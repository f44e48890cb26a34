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
	if x.Frame.Call != nil {
		for _, a := range x.Frame.Call.Args[len(x.Frame.Params):] {
			types = append(types, a.Type())
		}
	}
	a, why := x.Module.Variadic(x.Frame.Func, types)
	if a == nil {
		x.EndRun(Unsupported, "", why)
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
	var regs *Object
	if area.RegSize > 0 {
		regs = c.newArea(area.RegSize, area.Align)
	}
	stack := c.newArea(area.Size, area.Align)
	for i, v := range c.Frame.Extra {
		t := c.Frame.Call.Args[len(c.Frame.Params)+i].Type()
		if area.Reg[i] >= 0 {
			c.Put(regs, area.Reg[i], t, v)
		} else {
			c.Put(stack, area.Off[i], t, v)
		}
	}
	first := Value{Bits: bits.New(c.PtrBits, uint64(area.Start)), Object: stack}
	ptr := ir.Ptr(c.PtrBits)
	if regs == nil {
		c.Put(list, off, ptr, first)
		return
	}
	word := ir.Int(32)
	c.Put(list, off, word, Scalar(bits.New(32, uint64(area.GpOffset))))
	c.Put(list, off+4, word, Scalar(bits.New(32, uint64(area.FpOffset))))
	c.Put(list, off+8, ptr, first)
	c.Put(list, off+16, ptr, Value{Bits: c.zero, Object: regs})
}

func (c *call) newArea(size, align int64) *Object {
	o := c.newObject(StackObject, size, align, c.in)
	o.further = c.Frame.Call != nil && c.Frame.Call.Block.Func.Driven()
	c.Frame.Objects = append(c.Frame.Objects, o)
	return o
}

// vaArg reads the next argument through a list that is one pointer, and moves it on (LangRef: va_arg).
func (x *Machine) vaArg(in *ir.Instr) {
	area := x.area()
	if area == nil {
		return
	}
	if area.RegSize > 0 {
		x.EndRun(Unsupported, "", "va_arg instruction on "+x.Module.Triple)
		return
	}
	ptr := ir.Ptr(x.PtrBits)
	list, off, ok := x.reach(x.Eval(in.Args[0]), access{size: uint64(area.ListSize), align: 1, write: true})
	if !ok {
		return
	}
	p := x.Get(list, off, ptr)
	align := uint64(min(max(area.Slot, x.Layout.AlignOf(in.T)), area.Align))
	p.Bits = bits.New(x.PtrBits, (p.Bits.Low64()+align-1)/align*align)
	o, at, ok := x.reach(p, access{size: uint64(x.Layout.StoreSize(in.T)), align: 1})
	if !ok {
		return
	}
	v := x.Get(o, at, in.T)
	size := (x.Layout.SizeOf(in.T) + area.Slot - 1) / area.Slot * area.Slot
	p.Bits = bits.Add(p.Bits, bits.New(x.PtrBits, uint64(size)))
	x.Put(list, off, ptr, p)
	x.set(in, v)
}
