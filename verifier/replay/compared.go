package replay

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// flowNode is a value of the program, or with memory what is stored where the value points to: in any part of a
// variable, or behind a parameter.
type flowNode struct {
	of     any // *ir.Instr, *ir.Param, *ir.Global
	memory bool
}

// compared holds the constants that a number is compared with, wherever it is copied to before. It is about what is
// worth a try: arithmetic in between is passed over.
type compared struct {
	m      *ir.Module
	to     map[flowNode][]flowNode // where a node's value comes from
	consts map[flowNode][]int64
	masks  map[flowNode][]int64 // likewise the bits of a number that are tested: `status & 0x20`, `status >> 5 & 1`
}

// comparedIn looks at all of m.
func comparedIn(m *ir.Module) *compared {
	c := &compared{m: m, to: map[flowNode][]flowNode{}, consts: map[flowNode][]int64{},
		masks: map[flowNode][]int64{}}
	returns := map[*ir.Func][]ir.Value{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if t := b.Term(); t.Op == ir.OpRet && len(t.Args) > 0 {
				returns[f] = append(returns[f], t.Args[0])
			}
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				c.instr(in, returns)
			}
		}
	}
	m.Compared(func(in *ir.Instr, k *ir.Const) {
		n, ok := k.Bits.Int64()
		ks := []int64{n}
		if in.Op == ir.OpIcmp && in.Pred != ir.EQ && in.Pred != ir.NE {
			ks = append(ks, n-1, n+1)
		}
		for _, a := range in.Args {
			if ok && !constant(a) {
				c.add(c.consts, flowNode{of: a}, ks)
			}
		}
	})
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				c.tested(in)
			}
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if t := b.Term(); t.Op == ir.OpSwitch && !constant(t.Args[0]) {
				for _, k := range t.Cases {
					if n, ok := k.Int64(); ok {
						c.add(c.consts, flowNode{of: t.Args[0]}, []int64{n})
					}
				}
			}
		}
	}
	return c
}

func constant(v ir.Value) bool {
	_, is := v.(*ir.Const)
	return is
}

// instr notes how values flow in in.
func (c *compared) instr(in *ir.Instr, returns map[*ir.Func][]ir.Value) {
	switch in.Op {
	case ir.OpStore:
		c.flow(in.Args[0], stored(in.Args[1]))
	case ir.OpLoad:
		from := stored(in.Args[0])
		c.to[flowNode{of: in}] = append(c.to[flowNode{of: in}], from)
	case ir.OpCall:
		for _, f := range c.m.MayCall(in) {
			c.call(in, f, returns[f])
		}
	case ir.OpIcmp, ir.OpFcmp, ir.OpAlloca, ir.OpGep:
	default:
		for _, a := range in.Args {
			c.flow(a, flowNode{of: in})
		}
	}
}

// call notes how values flow to f and back where in calls it.
func (c *compared) call(in *ir.Instr, f *ir.Func, returns []ir.Value) {
	for i, p := range f.Params[:min(len(f.Params), len(in.Args))] {
		c.flow(in.Args[i], flowNode{of: p})
		here, there := stored(in.Args[i]), flowNode{of: p, memory: true}
		if here.of != nil && p.T.IsPtr() {
			c.to[here] = append(c.to[here], there)
			c.to[there] = append(c.to[there], here)
		}
	}
	for _, v := range returns {
		c.flow(v, flowNode{of: in})
	}
}

// tested notes the bits that in tests of a number: those of a mask, and where that is moved to the right before, of it.
func (c *compared) tested(in *ir.Instr) {
	if in.Op != ir.OpAnd {
		return
	}
	for i, a := range in.Args {
		k, is := in.Args[1-i].(*ir.Const)
		if !is || k.Kind != ir.ConstInt || constant(a) {
			continue
		}
		mask, ok := k.Bits.Int64()
		if !ok {
			continue
		}
		c.add(c.masks, flowNode{of: a}, []int64{mask})
		if moved, is := a.(*ir.Instr); is && moved.Op == ir.OpLshr && !constant(moved.Args[0]) {
			if by, is := moved.Args[1].(*ir.Const); is && by.Kind == ir.ConstInt {
				if n, ok := by.Bits.Int64(); ok && n >= 0 && n < 32 {
					c.add(c.masks, flowNode{of: moved.Args[0]}, []int64{mask << n})
				}
			}
		}
	}
}

// flow notes that v comes to the node.
func (c *compared) flow(v ir.Value, node flowNode) {
	if !constant(v) {
		c.to[node] = append(c.to[node], flowNode{of: v})
	}
}

// stored returns the node of all that is stored at an address.
func stored(at ir.Value) flowNode {
	switch v := at.(type) {
	case *ir.Const:
		if v.Global != nil {
			return flowNode{of: v.Global, memory: true}
		}
		return flowNode{}
	case *ir.Instr:
		if (v.Op == ir.OpGep || v.Op == ir.OpBitcast) && len(v.Args) > 0 {
			return stored(v.Args[0])
		}
		return flowNode{of: v, memory: true}
	}
	return flowNode{of: at, memory: true}
}

// add notes in list that node, and all that it comes from, are compared with the constants, or tested by them.
func (c *compared) add(list map[flowNode][]int64, node flowNode, ks []int64) {
	before := len(list[node])
	for _, k := range ks {
		if len(list[node]) < policy.ProbeConstants && !slices.Contains(list[node], k) {
			list[node] = append(list[node], k)
		}
	}
	if len(list[node]) == before {
		return
	}
	for _, from := range c.to[node] {
		if from.of != nil {
			c.add(list, from, ks)
		}
	}
}

// worth returns the numbers that are worth a try where node is read: the constants that it is compared with, and bits of it
// that are tested.
func (c *compared) worth(node flowNode) []int64 {
	out := slices.Clone(c.consts[node])
	for _, mask := range c.masks[node] {
		if !slices.Contains(out, mask) {
			out = append(out, mask)
		}
	}
	return out
}
