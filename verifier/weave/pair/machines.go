package pair

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/machine"
)

// Machines are two that one program is compiled for: the old version's and the new version's. What both versions get is the
// same by meaning:
//
//	numbers       have a value that the types of both can hold; results and members are compared as numbers
//	plain char    is the same byte, though its sign may be another one: its values are what the machines make of it
//	memory        is that of another layout (twins.go) where sizes, places or the order of bytes differ
//
// A nil one says that both versions are for one machine.
type Machines struct {
	Names   [2]string
	own     [2]ir.Layout // what the versions are compiled for
	Swapped bool         // the most significant byte comes first on one of them
	Resized bool         // pointers have another width
	// fixed addresses are of registers and memories of one machine alone
	Fixed bool
}

// Bring makes programs for one machine out of those of two. The error says why their formulas have none in common.
func Bring(was, is *ir.Module, names [2]string, fixed bool) (old, now *ir.Module, m *Machines, err error) {
	m = &Machines{Names: names, own: [2]ir.Layout{was.Layout, is.Layout}, Fixed: fixed,
		Swapped: was.Layout.BigEndian != is.Layout.BigEndian, Resized: was.Layout.PtrBits != is.Layout.PtrBits}
	old, now = was, is
	switch {
	case !machine.Needed(&was.Layout, &is.Layout):
	case was.Layout.PtrBits <= is.Layout.PtrBits:
		old, err = machine.To(was, &is.Layout)
	case m.Swapped:
		err = fmt.Errorf("%s has shorter pointers than %s, and another order of bytes: name it first", names[1], names[0])
	default:
		now, err = machine.To(is, &was.Layout)
	}
	return old, now, m, err
}

func (m *Machines) swapped() bool { return m != nil && m.Swapped }

// most is how many bytes an object has at most where pointers are short: differences of pointers are numbers. 0: no limit.
func (m *Machines) most() int64 {
	if m == nil || !m.Resized {
		return 0
	}
	return 1<<(min(m.own[0].PtrBits, m.own[1].PtrBits)-1) - 1
}

// sameLayout is SameLayout, of types of two machines.
func (m *Machines) sameLayout(t, u *ir.DType) bool {
	return sameLayout(t, u, m, map[[2]*ir.DType]bool{})
}

// plainChars reports types that differ in their sign alone, since a plain char is signed on one machine.
func (m *Machines) plainChars(t, u *ir.DType) bool {
	return m != nil && ir.IsNumber(t) && ir.IsNumber(u) && t.Bits == 8 && u.Bits == 8
}

// otherOrder reports numbers whose bytes stand in another order on the other machine.
func (m *Machines) otherOrder(t *ir.DType) bool {
	return m.swapped() && t.Bits > 8 && (isInteger(t) || t.Kind == ir.DFloat || t.Kind == ir.DUnion)
}

// align is the alignment of a variable that both versions share; 0: they cannot, since code of one version might find what is
// aligned by the other one alone.
func (m *Machines) align(g, n *ir.Global) int {
	if g.Align == n.Align {
		return g.Align
	}
	if m == nil {
		return 0
	}
	less, larger := 0, &m.own[1]
	if n.Align < g.Align {
		less, larger = 1, &m.own[0]
	}
	smallest, largest := min(g.Align, n.Align), max(g.Align, n.Align)
	switch {
	case int64(smallest) >= larger.AlignOf(n.T): // the other one's compiler aligned it further
		return smallest
	case alignments(&m.own[less]) <= smallest: // it asks for no more anywhere
		return largest
	}
	return 0
}

// alignments is the largest that an access asks for on a machine.
func alignments(l *ir.Layout) int {
	out := max(1, l.PtrAlign)
	for _, list := range []map[int]int{l.IntAlign, l.FltAlign, l.VecAlign} {
		for _, a := range list {
			out = max(out, a)
		}
	}
	return out
}

// alignBlocks has blocks of the harness stand as both machines ask for.
func (w *pairing) alignBlocks() {
	if w.j.machines == nil {
		return
	}
	for _, b := range w.out.Blocks {
		for side := range w.j.machines.own {
			if b.At.Align > 0 && b.T != nil {
				b.At.Align = max(b.At.Align, alignOf(&w.j.machines.own[side], b.T))
			}
		}
	}
}

// alignOf is what a machine asks of the place of an object of a C type.
func alignOf(l *ir.Layout, t *ir.DType) int {
	out := 1
	switch {
	case t == nil || t.Bits <= 0:
	case t.Kind == ir.DArray:
		return alignOf(l, t.Elem)
	case ir.IsAggregate(t):
		for _, f := range t.Fields {
			if n := alignOf(l, f.T); !f.IsBits && f.BitOff%int64(8*n) == 0 { // else it is packed
				out = max(out, n)
			}
		}
	case t.Kind == ir.DPointer:
		return l.PtrAlign
	case t.Kind == ir.DFloat:
		return int(l.AlignOf(&ir.Type{Kind: ir.KindFloat, Width: t.Bits}))
	default:
		return int(l.AlignOf(ir.Int(t.Bits)))
	}
	return out
}

// meet returns an error where code depends on one machine in a way that is not compared with the other one.
func (w *pairing) meet() error {
	m := w.j.machines
	if m == nil {
		return nil
	}
	for _, f := range ofEither(w.Module, w.reach) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if what := m.alone(in); what != "" {
					return fmt.Errorf("%s, in line %d of %s", what, in.Pos.Line, in.Pos.File)
				}
			}
		}
		for _, v := range f.Vars {
			if m.Resized && pointsFromMemory(v.T) {
				return fmt.Errorf("%s of %s holds pointers, which have another width in memory", v.Name, f.CName)
			}
		}
	}
	for _, g := range w.Module.Globals {
		if !w.reach[0].Globals[g] && !w.reach[1].Globals[g] {
			continue
		}
		if g.Var == nil {
			if !g.Const && (m.Swapped || slices.Contains(w.j.apart, g)) {
				return fmt.Errorf("%s may have another layout", ir.NameOf(g))
			}
			continue
		}
		if m.Resized && pointsFromMemory(g.Var.T) {
			return fmt.Errorf("%s holds pointers, which have another width in memory", ir.NameOf(g))
		}
	}
	return nil
}

// alone says what an instruction does that is of one machine alone.
func (m *Machines) alone(in *ir.Instr) string {
	f := ir.CalledFunc(in)
	switch {
	case in.Op == ir.OpAsm:
		return "inline assembly is of one machine"
	case in.Op == ir.OpIntToPtr && m.Fixed:
		return "a fixed address is of one machine: their memory maps differ"
	case f != nil && f.IsDecl() && f.Variadic:
		return "a function without a body is called with arguments of a variable number: " + f.CName
	}
	return ""
}

// pointsFromMemory reports whether what is of type t, or what it leads to, holds a pointer.
func pointsFromMemory(t *ir.DType) bool {
	for t != nil && t.Kind == ir.DPointer {
		if t = t.Elem; ir.HoldsPointer(t) {
			return true
		}
	}
	return t != nil && (ir.IsAggregate(t) || t.Kind == ir.DArray) && ir.HoldsPointer(t)
}

// sameLayout is SameLayout, of types of both versions.
func (w *pairing) sameLayout(t, u *ir.DType) bool { return w.j.machines.sameLayout(t, u) }

// sameNumbers reports whether parameters of both versions are numbers in C, perhaps of another width.
func (m *Machines) sameNumbers(old, now *ir.Param, was, is *ir.Var) bool {
	return m != nil && was != nil && is != nil && isInteger(was.T) && isInteger(is.T) && old.T.IsInt() && now.T.IsInt() &&
		old.T.Width <= was.T.Bits && now.T.Width <= is.T.Bits
}

// sameFloats reports numbers in floating point that are handed over by value: in which order their bytes are is not seen.
func (m *Machines) sameFloats(t, u *ir.DType) bool {
	return m != nil && t.Kind == ir.DFloat && u.Kind == ir.DFloat && t.Bits == u.Bits
}

// numbersBefore writes numbers that the old version is called with to args: those of the new one, which are such that the
// types of both machines hold them.
func (w *pairing) numbersBefore(args, out []ir.Value) {
	if w.j.machines == nil {
		return
	}
	was, is := ir.ParamVars(w.old), ir.ParamVars(w.now)
	for i, p := range w.now.Params {
		q := w.old.Params[i]
		if !w.j.machines.sameNumbers(q, p, was[i], is[i]) || w.sameLayout(was[i].T, is[i].T) && p.T.Equal(q.T) ||
			w.j.machines.plainChars(was[i].T, is[i].T) && p.T.Equal(q.T) || sameWidthAndSign(was[i].T, is[i].T) && p.T.Equal(q.T) {
			continue
		}
		width := max(p.T.Width, q.T.Width) + 1
		n := w.widen(args[i], width, &ir.DType{Signed: isSigned(is[i].T)})
		out[i] = w.Resize(n, q.T)
		w.Assume(w.Compare(ir.EQ, w.widen(out[i], width, &ir.DType{Signed: isSigned(was[i].T)}), n))
		w.layout(fmt.Sprintf("`%s` has %d bits on %s, and %d on %s: values that both can hold are compared", is[i].Name, was[i].T.Bits,
			w.j.machines.Names[0], is[i].T.Bits, w.j.machines.Names[1]))
	}
	if most := w.j.machines.most(); most > 0 {
		w.out.Short = true
		for _, b := range w.out.Blocks {
			if _, constant := b.Size.(*ir.Const); !constant {
				w.Assume(w.Compare(ir.ULE, b.Size, w.Int(w.Word(), most)))
				w.layout(fmt.Sprintf("objects have %d bytes at most, as where pointers are short", most))
			}
		}
	}
}

func sameWidthAndSign(t, u *ir.DType) bool { return t.Bits == u.Bits && isSigned(t) == isSigned(u) }

// layout notes what is compared of memory or numbers that are not alike in both versions.
func (w *pairing) layout(text string) {
	if !slices.Contains(w.out.Layouts, text) {
		w.out.Layouts = append(w.out.Layouts, text)
	}
}

// exchanged is a number with its bytes in the other order.
func (w *pairing) exchanged(v ir.Value) ir.Value {
	return w.Model(ir.ModelBswap, fmt.Sprintf("llvm.bswap.i%d", v.Type().Width), v.Type(), v)
}
