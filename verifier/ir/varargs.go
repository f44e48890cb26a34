package ir

import "strings"

// VaArea says where a variadic call's arguments are in memory, as va_start and
// the code that clang makes of va_arg see them (System V ABIs of x86-64, i386,
// ARM, RISC-V, MIPS; for AVR and MSP430, where clang leaves va_arg to LLVM, our own
// packing).
//
// A va_list is a pointer into the area at Start. On x86-64 it is {i32 gp_offset,
// i32 fp_offset, ptr overflow, ptr registers}: arguments with Reg[i] >= 0 are
// there in the register area of RegSize bytes.
type VaArea struct {
	Off   []int64 // of extra argument i in the area; -1 if it is in the register area
	Reg   []int64 // of extra argument i in the register area; -1 if it is not
	Start int64   // where the va_list points first
	Size  int64   // of the area
	Align int64

	RegSize  int64 // 0: a va_list is one pointer
	GpOffset int64
	FpOffset int64
	ListSize int64 // of a va_list
	Slot     int64 // argument sizes are multiples of this
}

// vaABI are the parameters of the ABIs whose va_list is one pointer.
var vaABI = []struct {
	prefix   string
	slot     int64
	maxAlign int64
}{
	{"i386", 4, 4}, {"i486", 4, 4}, {"i586", 4, 4}, {"i686", 4, 4}, {"arm", 4, 8}, {"thumb", 4, 8}, {"riscv32", 4, 8},
	{"riscv64", 8, 16},
	{"mips-", 4, 8}, {"mipsel-", 4, 8}, {"avr", 1, 1}, {"msp430", 2, 2},
}

// Variadic places the extra arguments of a call of f; where it cannot, why names what is not modelled.
func (m *Module) Variadic(f *Func, extra []*Type) (area *VaArea, why string) {
	for _, t := range extra {
		if !(t.IsInt() || t.IsPtr() || t.Kind == KindFloat && t.Width == 64) {
			return nil, "variadic argument of type " + t.String()
		}
	}
	if strings.HasPrefix(m.Triple, "x86_64") && !strings.Contains(m.Triple, "windows") {
		return m.variadicX86(f, extra)
	}
	for _, abi := range vaABI {
		if strings.HasPrefix(m.Triple, abi.prefix) {
			return m.variadicStack(f, extra, abi.slot, abi.maxAlign), ""
		}
	}
	return nil, "variable arguments on " + m.Triple
}

// variadicStack lays out named and extra arguments one after the other, as if
// all were on the stack: the registers of these ABIs are saved right below it.
func (m *Module) variadicStack(f *Func, extra []*Type, slot, maxAlign int64) *VaArea {
	a := &VaArea{Align: maxAlign, ListSize: int64(m.Layout.PtrBits / 8), Slot: slot}
	off := int64(0)
	place := func(t *Type) int64 {
		align := min(max(slot, m.Layout.AlignOf(t)), maxAlign)
		off = alignUp(off, align)
		at := off
		off += alignUp(m.Layout.SizeOf(t), slot)
		return at
	}
	for _, p := range f.Params {
		if p.ByVal != nil {
			place(p.ByVal)
		} else {
			place(p.T)
		}
	}
	off %= maxAlign
	a.Start = off
	for _, t := range extra {
		a.Off, a.Reg = append(a.Off, place(t)), append(a.Reg, -1)
	}
	a.Size = off
	return a
}

// variadicX86 places arguments as System V for x86-64 does: six integer and eight vector registers.
func (m *Module) variadicX86(f *Func, extra []*Type) (*VaArea, string) {
	a := &VaArea{Align: 16, RegSize: 176, ListSize: 24, Slot: 8}
	gp, fp := int64(0), int64(48)
	take := func(t *Type) (reg int64) {
		switch {
		case t.Kind == KindFloat && fp < 176:
			fp += 16
			return fp - 16
		case t.Kind != KindFloat && gp < 48:
			gp += 8
			return gp - 8
		}
		return -1
	}
	for _, p := range f.Params {
		if p.ByVal == nil {
			take(p.T)
		}
	}
	a.GpOffset, a.FpOffset = gp, fp
	for _, t := range extra {
		if m.Layout.SizeOf(t) > 8 {
			return nil, "variadic argument of type " + t.String()
		}
		reg := take(t)
		a.Reg = append(a.Reg, reg)
		if reg >= 0 {
			a.Off = append(a.Off, -1)
			continue
		}
		a.Off = append(a.Off, a.Size)
		a.Size += 8
	}
	return a, ""
}
