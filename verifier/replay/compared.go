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
}

// comparedIn looks at all of m.
func comparedIn(m *ir.Module) *compared {
	c := &compared{m: m, to: map[flowNode][]flowNode{}, consts: map[flowNode][]int64{}}
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
				c.add(flowNode{of: a}, ks)
			}
		}
	})
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if t := b.Term(); t.Op == ir.OpSwitch && !constant(t.Args[0]) {
				for _, k := range t.Cases {
					if n, ok := k.Int64(); ok {
						c.add(flowNode{of: t.Args[0]}, []int64{n})
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

// add notes that node, and all that it comes from, are compared with the constants.
func (c *compared) add(node flowNode, ks []int64) {
	before := len(c.consts[node])
	for _, k := range ks {
		if len(c.consts[node]) < policy.ProbeConstants && !slices.Contains(c.consts[node], k) {
			c.consts[node] = append(c.consts[node], k)
		}
	}
	if len(c.consts[node]) == before {
		return
	}
	for _, from := range c.to[node] {
		if from.of != nil {
			c.add(from, ks)
		}
	}
}
