package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// heapGraph says who points to which live heap block at one moment.
type heapGraph struct {
	nodes   []*heapNode // by object id
	index   map[*memory.Object]int
	numbers [2]bool // variables, blocks hold something besides pointers and constants
}

type heapNode struct {
	obj    *memory.Object
	live   ilr.Term
	root   ilr.Term   // a variable points to it
	from   []heapEdge // blocks that point to it
	found  bool       // it is reached on every path
	number bool       // the program has its address, or a part of it, as a number
	when   ilr.Term   // that it has, where that is known better; 0: nothing is
}

type heapEdge struct {
	node int
	when ilr.Term // the pointer is there, in a live block
}

// heapGraph looks through all memory that is alive, that of automatic objects if
// there is a frame, and the registers that its callers will still read.
func (e *encoder) heapGraph(fr *frame, st *memory.State) *heapGraph {
	h := e.liveBlocks(st)
	if len(h.nodes) == 0 {
		return h
	}
	for _, o := range e.Objects {
		c := st.Get(o)
		if c == nil || o.Kind == memory.ObjFunc || o.Kind == memory.ObjLabel || o.Kind == memory.ObjStack && fr == nil {
			continue
		}
		_, heap := h.index[o]
		if !heap && o.Kind == memory.ObjHeap {
			continue // not alive
		}
		if e.holdsNumbers(c) {
			h.numbers[boolIndex(heap)] = true
		}
		h.look(e, st, o, c)
	}
	for ; fr != nil && fr.up != nil; fr = fr.up {
		for _, v := range ir.LiveAfter(fr.call) {
			e.eachRegister(e.value(fr.up, st, fr.call, v), func(x memory.Val) {
				if x.Ptr == nil {
					_, known := e.s.ConstVal(x.Term)
					h.numbers[0] = h.numbers[0] || !known
					return
				}
				h.root(e, st, x.Ptr)
			})
		}
	}
	h.settle(e)
	return h
}

// liveBlocks is a graph of the live heap blocks, without edges.
func (e *encoder) liveBlocks(st *memory.State) *heapGraph {
	h := &heapGraph{index: map[*memory.Object]int{}}
	for _, o := range e.Objects {
		if live := e.heapLive(st, o); !e.s.IsFalse(live) {
			h.add(e, o, live)
		}
	}
	return h
}

func (h *heapGraph) add(e *encoder, o *memory.Object, live ilr.Term) {
	h.index[o] = len(h.nodes)
	h.nodes = append(h.nodes, &heapNode{obj: o, live: live, root: e.s.False(), number: o.Addr != 0})
}

// look notes where the pointers in o, whose content is c, lead: from its node, or as a variable where it has none.
func (h *heapGraph) look(e *encoder, st *memory.State, o *memory.Object, c *memory.Content) {
	from, node := h.index[o]
	when := e.Decide(st.PC, c.Live)
	if node {
		when = h.nodes[from].live
	}
	e.eachPointer(c, func(p *memory.Ptr, whole bool) {
		for _, a := range p.Alts {
			to, ok := h.index[a.Object]
			g := e.s.And(when, e.Decide(st.PC, a.Guard))
			switch {
			case !ok || e.s.IsFalse(g):
			case !whole:
				h.nodes[to].number = true
			case node:
				h.nodes[to].from = append(h.nodes[to].from, heapEdge{from, g})
			default:
				h.nodes[to].root = e.s.Or(h.nodes[to].root, g)
			}
		}
	})
}

// root notes that a register leads where p does.
func (h *heapGraph) root(e *encoder, st *memory.State, p *memory.Ptr) {
	for _, a := range p.Alts {
		if to, ok := h.index[a.Object]; ok {
			h.nodes[to].root = e.s.Or(h.nodes[to].root, e.Decide(st.PC, a.Guard))
		}
	}
}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

// settle marks what is reached on every path; and where no variable can hold a
// number nor lead to a block that does, no number leads anywhere.
func (h *heapGraph) settle(e *encoder) {
	h.sure(e)
	rooted := slices.ContainsFunc(h.nodes, func(n *heapNode) bool { return !e.s.IsFalse(n.root) })
	if h.numbers[0] || h.numbers[1] && rooted {
		return
	}
	for _, n := range h.nodes {
		n.number = false
	}
}

// eachPointer visits the pointers in c, which are whole or partly overwritten.
func (e *encoder) eachPointer(c *memory.Content, visit func(p *memory.Ptr, whole bool)) {
	c.Cells.Each(func(k int64, x *memory.Cell) {
		if x.V.Ptr != nil && (x.Off == k || c.Cells.Get(k-1) != x) {
			visit(x.V.Ptr, x.Off == k && memory.Covered(c.Cells, x, x.Off, x.N) == x.N)
		}
	})
}

// holdsNumbers reports whether c can hold a number that was computed.
func (e *encoder) holdsNumbers(c *memory.Content) bool {
	found := c.Array != nil
	c.Cells.Each(func(k int64, x *memory.Cell) {
		if x.V.Ptr != nil {
			found = found || memory.Covered(c.Cells, x, x.Off, x.N) != x.N
			return
		}
		_, known := e.s.ConstVal(x.V.Term)
		found = found || !known
	})
	return found
}

func (e *encoder) eachRegister(v memory.Val, visit func(memory.Val)) {
	if len(v.Elems) == 0 {
		visit(v)
	}
	for _, x := range v.Elems {
		e.eachRegister(x, visit)
	}
}

// sure marks what is reached on every path, by conditions that are plainly true.
func (h *heapGraph) sure(e *encoder) {
	for changed := true; changed; {
		changed = false
		for _, n := range h.nodes {
			found := n.found || e.s.IsTrue(n.root)
			for _, x := range n.from {
				found = found || h.nodes[x.node].found && e.s.IsTrue(x.when)
			}
			changed = changed || found != n.found
			n.found = found
		}
	}
}

// reached is the least solution of "a variable points to it, or a reached block
// does", by rounds until no term changes. With numbers, blocks whose address is
// known as a number count as pointed to.
func (h *heapGraph) reached(e *encoder, numbers bool) []ilr.Term {
	out := make([]ilr.Term, len(h.nodes))
	for i, n := range h.nodes {
		switch {
		case n.found || numbers && n.number:
			out[i] = e.s.True()
		default:
			out[i] = n.root
			if numbers && n.when != 0 {
				out[i] = e.s.Or(n.root, n.when)
			}
		}
	}
	for round, changed := 0, true; changed && round < len(h.nodes); round++ {
		changed = false
		for i, n := range h.nodes {
			if n.found {
				continue
			}
			r := out[i]
			for _, x := range n.from {
				r = e.s.Or(r, e.s.And(out[x.node], x.when))
			}
			changed = changed || r != out[i]
			out[i] = r
		}
	}
	return out
}
