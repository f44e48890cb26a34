package harness

import (
	"cmp"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Pointers to several numbers can overlap in part: `move(a, a + 3, n)`. They lead into one block then, each anywhere in
// it, and it begins where the first of them does and ends where the last of them does: what goes past that is an access
// out of the block. Bytes lie over a structure, too, which stands somewhere in the block.

// gather has parameters that lead to numbers of one size, and one of them to more than one, lead into one block, or each
// to its own; bytes also over one of the single objects. It returns whether two grounds do.
func (h *harness) gather(all []*ground, args []ir.Value) func(p, q *ground) bool {
	type class struct{ size, list int64 } // of the numbers, and where that is said
	classes := map[class][]*ground{}
	for _, g := range all {
		list := h.aliased(g.name)
		if h.overlap {
			list = 0
		}
		if list >= 0 && g.moves() && !g.text && (ir.IsVoid(g.t) || ir.IsNumber(g.t)) {
			k := class{h.width(g), int64(list)}
			classes[k] = append(classes[k], g)
		}
	}
	with, over := map[*ground]class{}, map[*ground]class{}
	for _, k := range slices.SortedFunc(maps.Keys(classes), func(a, b class) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.list, b.list))
	}) {
		list := slices.DeleteFunc(classes[k], func(g *ground) bool { return over[g].size > 0 })
		if !slices.ContainsFunc(list, func(g *ground) bool { return h.one(g) == 0 }) || len(list) > policy.ApartTogether {
			continue
		}
		if len(list) > 1 {
			h.together(nil, list, k.size, args)
		}
		if k.size == 1 {
			for _, host := range h.hostsIn(all) {
				if h.overlap || h.aliased(host.name, list[0].name) >= 0 {
					h.together(host, list, k.size, args)
					over[host] = k
				}
			}
		}
		if len(list) > 1 || len(over) > 0 {
			for _, g := range list {
				with[g] = k
			}
		}
	}
	return func(p, q *ground) bool {
		return with[p].size > 0 && (with[p] == with[q] || with[p] == over[q]) || with[q].size > 0 && with[q] == over[p]
	}
}

// hostsIn returns single objects that bytes can lie over; none where code accesses numbers at other addresses than those
// that their types have.
func (h *harness) hostsIn(all []*ground) []*ground {
	for f := range h.reached.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if (in.Op == ir.OpLoad || in.Op == ir.OpStore) && int64(in.Align) < h.natural(h.Module.Layout.SizeOf(in.Access)) {
					return nil
				}
			}
		}
	}
	var out []*ground
	for _, g := range all {
		if in, ok := g.at.(*ir.Instr); ok && in.Model == ir.ModelMalloc && g.arg >= 0 && h.one(g) > 1 && len(out) < policy.ApartHosts {
			out = append(out, g)
		}
	}
	return out
}

// natural is how a number of size bytes is aligned: 16 at most, as the machine has it.
func (h *harness) natural(size int64) int64 {
	align := int64(1)
	for align*2 <= size && align*2 <= int64(h.Module.Layout.MaxAlign()) {
		align *= 2
	}
	return align
}

// alignOf returns the bytes that an object of type t is aligned to; that it is packed shows where its members are.
func (h *harness) alignOf(t *ir.DType) int64 {
	l := h.p.m.Layout
	switch {
	case t == nil || t.Kind == ir.DVoid || t.Kind == ir.DFunc:
		return 1
	case t.Align > 0:
		return t.Align
	case t.Kind == ir.DPointer:
		return int64(l.PtrAlign)
	case t.Kind == ir.DFloat:
		return l.AlignOf(&ir.Type{Kind: ir.KindFloat, Width: t.Bits})
	case t.Kind == ir.DArray:
		return h.alignOf(t.Elem)
	case ir.IsAggregate(t):
		align := int64(1)
		for i := range t.Fields {
			align = max(align, dividing(h.alignOf(t.Fields[i].T), t.Fields[i].BitOff/8))
		}
		return dividing(align, ir.SizeInC(t))
	}
	return l.AlignOf(ir.Int(int(8 * max(ir.SizeInC(t), 1))))
}

// dividing returns the greatest power of two, align or less, that n is a multiple of.
func dividing(align, n int64) int64 {
	for n%align != 0 {
		align /= 2
	}
	return align
}

// together makes a block that holds what some parameters lead to, arrays of numbers of size bytes, and host, a structure;
// nil: none. Each of the others leads there, or to its own block.
func (h *harness) together(host *ground, list []*ground, size int64, args []ir.Value) {
	h.met = true
	word := h.Word()
	none, room := h.Int(word, 0), ir.Value(h.Int(word, 0))
	for _, g := range list {
		room = h.Binary(ir.OpAdd, room, g.size)
	}
	var block, whole ir.Value
	end, begins, used := none, ir.Value(h.Int(ir.Int(1), 0)), ir.Value(h.Int(ir.Int(1), 0))
	if host != nil {
		var off ir.Value
		block, off, whole = h.moveInto(host)
		h.Assume(h.Compare(ir.ULE, off, room))
		end, begins, used = h.Binary(ir.OpAdd, off, host.size), h.Compare(ir.EQ, off, none), h.Int(ir.Int(1), 1)
	}
	var in, at []ir.Value
	for _, g := range list {
		here := h.any(g.name+" lies with others", ir.Int(1))
		n := h.any(g.name+" begins at", word)
		h.Assume(h.Compare(ir.ULE, n, h.Binary(ir.OpAdd, room, end)))
		off := h.scaled(n, size)
		behind := h.Emit(&ir.Instr{Op: ir.OpSelect, T: word, Args: []ir.Value{here, h.Binary(ir.OpAdd, off, g.size), none}})
		end = h.Emit(&ir.Instr{Op: ir.OpSelect, T: word, Args: []ir.Value{h.Compare(ir.ULT, end, behind), behind, end}})
		begins, used = h.Or(begins, h.And(here, h.Compare(ir.EQ, off, none))), h.Or(used, here)
		in, at = append(in, here), append(at, off)
	}
	h.Assume(h.Or(begins, h.not(used)))
	if host == nil {
		p := h.anyBlock("", end)
		if !slices.ContainsFunc(list, func(g *ground) bool { return ir.IsVoid(g.t) }) {
			h.standsAs(p, list[0].t)
		}
		block = p
	} else {
		h.Assume(h.Compare(ir.EQ, whole, end))
	}
	for i, g := range list {
		h.lead(g, h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{in[i], h.Gep(block, 0, at[i], 1),
			h.leads(g, args)}}), args)
	}
}

// moveInto has the structure of a ground stand somewhere in a larger block, aligned; off and size are in bytes.
func (h *harness) moveInto(g *ground) (block, off, size ir.Value) {
	at := g.at.(*ir.Instr)
	var before []*ir.Instr
	blk, out := h.Block, h.Out
	h.Block, h.Out = at.Block, &before
	word := h.Word()
	size, off = h.any(g.name+" and others", word), h.any(g.name+" begins at", word)
	most := h.Int(word, 1<<(word.Width-2))
	h.Assume(h.And(h.Compare(ir.ULE, size, most), h.Compare(ir.ULE, off, most)))
	h.Assume(h.Compare(ir.ULE, h.Binary(ir.OpAdd, off, g.size), size))
	p := h.Model(ir.ModelAligned, "aligned_alloc", h.Ptr(), h.Int(word, 1), size)
	p.Name = ir.BehindPointer + h.prefix + g.name
	h.Assume(h.Compare(ir.NE, p, h.Null()))
	h.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), p, size)
	low := h.And(h.Binary(ir.OpAdd, h.number(p), off), h.Int(word, h.alignOf(g.t)-1))
	h.Assume(h.Compare(ir.EQ, low, h.Int(word, 0)))
	h.Block, h.Out = blk, out
	at.Block.Instrs = slices.Insert(at.Block.Instrs, slices.Index(at.Block.Instrs, at), before...)
	*at = ir.Instr{Op: ir.OpGep, T: at.T, Args: []ir.Value{p, off}, Scales: []int64{1}, Block: at.Block, Pos: at.Pos,
		Assumes: at.Assumes}
	return p, off, size
}
