package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// FewValues is an input that the program reads once and compares with two small constants, or more: its values between
// these, which may be told one by one.
type FewValues struct {
	Read      *ir.Instr
	Low, High int64
}

// FewValuesOf returns such an input of entry, nil where there is none.
func FewValuesOf(m *ir.Module, entry *ir.Func) *FewValues {
	if entry.Addr || slices.ContainsFunc(m.Funcs, func(f *ir.Func) bool { return callsDirectly(f, entry) }) {
		return nil // it may be read more than once
	}
	for _, b := range entry.Blocks {
		if b.Reaches(b, nil) {
			continue
		}
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && in.Model == ir.ModelNondet && in.T.IsInt() && in.T.Width >= 8 && in.T.Width <= 64 {
				if v := fewOf(entry, in); v != nil {
					return v
				}
			}
		}
	}
	return nil
}

// callsDirectly reports a direct call of g in f.
func callsDirectly(f, g *ir.Func) bool {
	return slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool {
		return slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool { return ir.CalledFunc(in) == g })
	})
}

// fewOf looks for the constants that f compares the input with, which is kept in a variable, or is not.
func fewOf(f *ir.Func, read *ir.Instr) *FewValues {
	of := map[ir.Value]bool{read: true}
	kept := map[ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpStore && in.Args[0] == ir.Value(read) {
				kept[in.Args[1]] = true
			}
		}
	}
	var at []int64
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == ir.OpLoad && kept[in.Args[0]]:
				of[in] = true
			case in.Op == ir.OpIcmp && (of[in.Args[0]] || of[in.Args[1]]):
				for _, a := range in.Args {
					if k, ok := a.(*ir.Const); ok && k.Kind == ir.ConstInt {
						if n, ok := k.Bits.Int64(); ok {
							at = append(at, n)
						}
					}
				}
			}
		}
	}
	if len(at) < 2 || slices.Max(at) == slices.Min(at) || uint64(slices.Max(at)-slices.Min(at)) >= policy.CaseValues {
		return nil
	}
	return &FewValues{Read: read, Low: slices.Min(at), High: slices.Max(at)}
}

// Is returns a copy of m in which the input has the value n, and its instructions as those of m.
func (v *FewValues) Is(m *ir.Module, n int64) (*ir.Module, map[*ir.Instr]*ir.Instr) {
	return v.with(m, func(b *irbuild.Builder, read *ir.Instr) {
		value := b.Int(read.T, n)
		b.RewriteFunc(b.Func, func(in *ir.Instr) {
			for i, a := range in.Args {
				if a == ir.Value(read) {
					in.Args[i] = value
				}
			}
			if in != read {
				b.Keep(in)
			}
		})
	})
}

// Beyond returns a copy in which it has any value but those.
func (v *FewValues) Beyond(m *ir.Module) (*ir.Module, map[*ir.Instr]*ir.Instr) {
	return v.with(m, func(b *irbuild.Builder, read *ir.Instr) {
		b.RewriteFunc(b.Func, func(in *ir.Instr) {
			if b.Keep(in); in == read {
				b.Assume(b.Or(b.Compare(ir.SLT, in, b.Int(in.T, v.Low)), b.Compare(ir.SGT, in, b.Int(in.T, v.High))))
			}
		})
	})
}

// with returns a copy of m that change was applied to.
func (v *FewValues) with(m *ir.Module, change func(b *irbuild.Builder, read *ir.Instr)) (*ir.Module,
	map[*ir.Instr]*ir.Instr) {
	out, same := ir.Copy(m)
	if out == nil {
		return nil, nil
	}
	for in, of := range same {
		if of == v.Read {
			b := &irbuild.Builder{Module: out, Func: in.Block.Func}
			change(b, in)
			b.Module.Funcs = append(b.Module.Funcs, b.Decls...)
			return out, same
		}
	}
	return nil, nil
}
