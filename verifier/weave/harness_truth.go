package weave

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A truth value in a union that the harness made holds any byte, as another member may be in use. That the program reads
// it only where it is in use, callers see to. So the byte that the harness put there, and what the program copies from
// there, is 0 or 1 where it is read as a truth value; other bytes that the program stores there are not taken for such.

// maxTruths bounds the truth values in unions of one harness.
const maxTruths = 4

// truths holds the bytes that a harness put into the truth values of unions. All harnesses of a program share it.
type truths struct {
	first [maxTruths]*ir.Global
	used  bool // some function reads a truth value
}

// truthsIn notes the truth values of the union t at p+off.
func (h *harness) truthsIn(name string, t *ir.DType, p ir.Value, off int64, depth int) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.IsBits || f.T == nil || depth > maxMemberDeep {
			continue
		}
		member, at := name, off+f.BitOff/8
		if f.Name != "" {
			member += "." + f.Name
		}
		switch {
		case f.T.Kind == ir.DBool && f.T.Bits == 8:
			h.truthAt(member, h.gep(p, at, nil, 0))
		case isAggregate(f.T):
			h.truthsIn(member, f.T, p, at, depth+1)
		}
	}
}

func (h *harness) truthAt(name string, p ir.Value) {
	all := h.p.truthSlots()
	if h.truths >= maxTruths || !all.used {
		return
	}
	h.note(name, verdict.Interval, verdict.Read, "%s is 0 or 1 where it or a copy of it is read as a truth value", name)
	h.store(h.load(ir.Int(8), p), h.addrOfGlobal(all.first[h.truths]), 1)
	h.truths++
}

// truthSlots returns where harnesses put the bytes; the first call makes the program compare what it reads with them.
func (p *Program) truthSlots() *truths {
	if p.truths != nil {
		return p.truths
	}
	p.truths = &truths{}
	var reads []*ir.Instr
	for _, f := range p.m.Funcs {
		for _, b := range f.Blocks {
			if r := truthRead(b); r != nil {
				reads = append(reads, r)
			}
		}
	}
	if len(reads) == 0 {
		return p.truths
	}
	p.truths.used = true
	byteType := ir.Int(8)
	b := newFunction(p.m, "firmproof.truth", ir.Void(), verdict.Pos{})
	v := &ir.Param{T: byteType, Name: "value"}
	b.f.Made, b.f.Params = true, []*ir.Param{v}
	valid, other := b.compare(ir.ULE, v, b.int(byteType, 1)), b.int(ir.Int(1), 1)
	for i := range p.truths.first {
		g := &ir.Global{Name: fmt.Sprintf("firmproof.truth.%d", i), T: byteType, Align: 1,
			Init: b.int(byteType, 0).(*ir.Const)}
		p.m.Globals, p.truths.first[i] = append(p.m.Globals, g), g
		other = b.and(other, b.compare(ir.NE, v, b.load(byteType, b.addrOfGlobal(g))))
	}
	b.assume(b.or(valid, other))
	b.ret(nil)
	known := b.done()
	for _, r := range reads {
		w := &builder{m: p.m, f: r.Block.Func}
		w.rewrite(r.Block, func(in *ir.Instr) {
			if in.Op == ir.OpCondBr {
				w.call(known, r)
			}
			w.keep(in)
		})
		ir.Number(w.f)
	}
	return p.truths
}

// truthRead returns the load of a truth value that the branch at the end of b tests for being 0 or 1; nil if there is
// none.
func truthRead(b *ir.Block) *ir.Instr {
	branch := b.Term()
	if branch.Op != ir.OpCondBr {
		return nil
	}
	tested := false
	for _, t := range branch.Targets {
		trap := ir.TrapOf(t)
		tested = tested || trap != nil && trap.Check == verdict.Bool
	}
	test, ok := branch.Args[0].(*ir.Instr)
	if !tested || !ok || test.Op != ir.OpIcmp {
		return nil
	}
	read, ok := test.Args[0].(*ir.Instr)
	if !ok || read.Op != ir.OpLoad || read.Block != b || read.T.Width != 8 {
		return nil
	}
	return read
}
