package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/replay"
)

// differing finds what two programs do not have in common: of functions of one name, the instructions that are not in a
// longest common sequence, which it returns. It is about what is worth a try: how operands are made is passed over.
func differing(a, b *ir.Module, differs func(*ir.Func) bool) (out replay.Near, own []*ir.Instr) {
	out = replay.Near{Funcs: differs, Blocks: map[*ir.Block]bool{}}
	for _, f := range a.Funcs {
		if differs(f) {
			var other []*ir.Instr
			if g := b.Func(f.Name); g != nil {
				other = instrsOf(g)
			}
			only := uncommon(instrsOf(f), other)
			own = append(own, only...)
			for _, in := range only {
				out.Blocks[in.Block] = true
				out.Numbers = addNumbers(out.Numbers, in)
			}
		}
	}
	return out, own
}

// checksIn lists the blocks that end with a decision by one of these comparisons.
func checksIn(own []*ir.Instr) []*ir.Block {
	var out []*ir.Block
	for _, in := range own {
		if (in.Op == ir.OpIcmp || in.Op == ir.OpFcmp) && len(in.Block.Succs()) > 1 && !slices.Contains(out, in.Block) {
			out = append(out, in.Block)
		}
	}
	return out
}

func instrsOf(f *ir.Func) []*ir.Instr {
	var out []*ir.Instr
	for _, b := range f.Blocks {
		out = append(out, b.Instrs...)
	}
	return out
}

// uncommon returns the instructions of both lists that are not in a longest common sequence of them; where the lists are
// long, all behind what they begin with and in front of what they end with.
func uncommon(a, b []*ir.Instr) []*ir.Instr {
	forms := func(list []*ir.Instr) (out []string) {
		for _, in := range list {
			out = append(out, formOf(in))
		}
		return out
	}
	x, y := forms(a), forms(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		a, b, x, y = a[1:], b[1:], x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		a, b, x, y = a[:len(a)-1], b[:len(b)-1], x[:len(x)-1], y[:len(y)-1]
	}
	if len(x)*len(y) > policy.NearCells {
		return slices.Concat(a, b)
	}
	length := make([][]int, len(x)+1) // of what is common from there on
	length[len(x)] = make([]int, len(y)+1)
	for i := len(x) - 1; i >= 0; i-- {
		length[i] = make([]int, len(y)+1)
		for k := len(y) - 1; k >= 0; k-- {
			if length[i][k] = max(length[i+1][k], length[i][k+1]); x[i] == y[k] {
				length[i][k] = length[i+1][k+1] + 1
			}
		}
	}
	var out []*ir.Instr
	for len(x) > 0 || len(y) > 0 {
		i, k := len(length)-1-len(x), len(length[0])-1-len(y)
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] != y[0] && length[i+1][k] >= length[i][k+1]:
			out, a, x = append(out, a[0]), a[1:], x[1:]
		case len(x) == 0 || x[0] != y[0]:
			out, b, y = append(out, b[0]), b[1:], y[1:]
		default:
			a, b, x, y = a[1:], b[1:], x[1:], y[1:]
		}
	}
	return out
}

// formOf writes an instruction with what its operands are, of those that are computed by what.
func formOf(in *ir.Instr) string {
	var s strings.Builder
	fmt.Fprint(&s, in.Op, in.Flags, in.T, in.Pred, in.Access, in.Off, in.Scales, in.Struct.Name, in.Indices)
	for _, a := range append(slices.Clone(in.Args), in.Callee) {
		switch a := a.(type) {
		case *ir.Const:
			fmt.Fprint(&s, " ", a.T, a)
		case *ir.Instr:
			fmt.Fprint(&s, " ", a.Op, a.T)
			if a.Op == ir.OpAlloca {
				s.WriteString(a.Name)
			}
		}
	}
	for _, k := range in.Cases {
		fmt.Fprint(&s, " ", k)
	}
	return s.String()
}

// addNumbers adds to list the numbers that are worth a try because of an instruction: its constants and their neighbours,
// and the least and the greatest number of the words that it computes with.
func addNumbers(list []bits.Vec, in *ir.Instr) []bits.Vec {
	add := func(v bits.Vec) {
		if w := v.Width(); w >= 8 && w <= 64 && len(list) < policy.NearNumbers && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	around := func(v bits.Vec) {
		one := bits.New(v.Width(), 1)
		add(v)
		add(bits.Sub(v, one))
		add(bits.Add(v, one))
	}
	for _, k := range in.Cases {
		around(k)
	}
	if in.Op == ir.OpGep || in.Op == ir.OpAlloca || in.Op == ir.OpStore {
		return list
	}
	for _, a := range in.Args {
		if !a.Type().IsInt() || a.Type().Width < 8 || a.Type().Width > 64 {
			continue
		}
		if c := numberOf(a); c != nil {
			around(c.Bits)
		}
		switch in.Op.Class() {
		case ir.ClassBinary, ir.ClassConversion:
			w := a.Type().Width
			least := bits.Shl(bits.New(w, 1), uint(w-1))
			add(least)
			add(bits.Not(least))
			add(bits.NewInt(w, -1))
		}
		if in.Op == ir.OpTrunc && in.T.Width >= 8 { // what no longer fits
			around(bits.Shl(bits.New(a.Type().Width, 1), uint(in.T.Width)))
		}
	}
	return list
}

// numberOf returns the number that an operand is: written there, or in a variable that nobody changes; nil: none.
func numberOf(v ir.Value) *ir.Const {
	c, is := v.(*ir.Const)
	if load, loads := v.(*ir.Instr); loads && load.Op == ir.OpLoad {
		if at, named := load.Args[0].(*ir.Const); named && at.Global != nil && at.Global.Const {
			c, is = at.Global.Init, at.Global.Init != nil
		}
	}
	if !is || c.Kind != ir.ConstInt {
		return nil
	}
	return c
}
