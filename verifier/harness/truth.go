package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// A truth value in a union that the harness made holds any byte, as another member may be in use. That the program reads
// it only where it is in use, callers see to. So the byte that the harness put there, and what the program copies from
// there, is 0 or 1 where it is read as a truth value; other bytes that the program stores there are not taken for such.

// truths holds the bytes that a harness put into the truth values of unions. All harnesses of a program share it.
type truths [policy.HarnessTruths]*ir.Global

// truthsIn notes the truth values of the union t at p+off.
func (h *harness) truthsIn(name string, t *ir.DType, p ir.Value, off int64, depth int) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.IsBits || f.T == nil || depth > policy.HeldDepth {
			continue
		}
		member, at := f.Of(name), off+f.BitOff/8
		switch {
		case f.T.Kind == ir.DBool && f.T.Bits == 8:
			h.truthAt(member, h.Gep(p, at, nil, 0))
		case ir.IsAggregate(f.T):
			h.truthsIn(member, f.T, p, at, depth+1)
		}
	}
}

func (h *harness) truthAt(name string, p ir.Value) {
	if h.p.truths == nil || h.truths >= policy.HarnessTruths {
		return
	}
	h.note(name, verdict.Interval, verdict.Read, "%s is 0 or 1 where it or a copy of it is read as a truth value", name)
	h.Store(h.Load(ir.Int(8), p), h.AddrOfGlobal(h.p.truths[h.truths]), 1)
	h.truths++
}

// keepTruths has the program compare the truth values that it reads with what harnesses put into unions, if there are such
// unions.
func (p *Program) keepTruths() {
	var reads []*ir.Instr
	for _, f := range p.m.Funcs {
		for _, b := range f.Blocks {
			if r := ir.TruthRead(b); r != nil {
				reads = append(reads, r)
			}
		}
	}
	if len(reads) == 0 || !hasTruthInUnion(p.m) {
		return
	}
	p.truths = &truths{}
	byteType := ir.Int(8)
	b := irbuild.Function(p.m, "firmproof.truth", ir.Void(), verdict.Pos{})
	v := &ir.Param{T: byteType, Name: "value"}
	b.Func.Made, b.Func.Params = true, []*ir.Param{v}
	valid, other := b.Compare(ir.ULE, v, b.Int(byteType, 1)), b.Int(ir.Int(1), 1)
	for i := range p.truths {
		g := &ir.Global{Name: fmt.Sprintf("firmproof.truth.%d", i), T: byteType, Align: 1,
			Init: b.Int(byteType, 0).(*ir.Const)}
		p.m.Globals, p.truths[i] = append(p.m.Globals, g), g
		other = b.And(other, b.Compare(ir.NE, v, b.Load(byteType, b.AddrOfGlobal(g))))
	}
	b.Assume(b.Or(valid, other))
	b.Ret(nil)
	known := b.Done()
	for _, r := range reads {
		w := &irbuild.Builder{Module: p.m, Func: r.Block.Func}
		w.Rewrite(r.Block, func(in *ir.Instr) {
			if in.Op == ir.OpCondBr {
				w.Call(known, r)
			}
			w.Keep(in)
		})
		ir.Number(w.Func)
	}
}

// hasTruthInUnion reports whether a variable or parameter of m leads to a union with a truth value.
func hasTruthInUnion(m *ir.Module) bool {
	type place struct {
		t      *ir.DType
		inside bool // a union
	}
	seen := map[place]bool{}
	var leads func(t *ir.DType, inside bool) bool
	leads = func(t *ir.DType, inside bool) bool {
		if t == nil || seen[place{t, inside}] {
			return false
		}
		seen[place{t, inside}] = true
		if t.Kind == ir.DPointer {
			inside = false
		}
		return t.Kind == ir.DBool && inside || leads(t.Elem, inside) || slices.ContainsFunc(t.Fields, func(f ir.DField) bool {
			return leads(f.T, inside || t.Kind == ir.DUnion)
		})
	}
	ofVar := func(v *ir.Var) bool { return v != nil && leads(v.T, false) }
	return slices.ContainsFunc(m.Globals, func(g *ir.Global) bool { return ofVar(g.Var) }) ||
		slices.ContainsFunc(m.Funcs, func(f *ir.Func) bool { return slices.ContainsFunc(f.Vars, ofVar) })
}
