package unwind

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/ir"
)

// wto computes the weak topological order of a function's blocks (F. Bourdoncle,
// Efficient chaotic iteration strategies with widenings, 1993).
type wto struct {
	g    *Graph
	rank []int  // block index -> reverse postorder
	live []bool // block takes part in the component at hand
}

// order appends blocks, which are all live, to the order, loops inside parent.
func (w *wto) order(blocks []*ir.Block, parent *Loop) {
	comps := w.components(blocks)
	for _, b := range blocks {
		w.live[b.Index] = false
	}
	for i := len(comps) - 1; i >= 0; i-- {
		c := comps[i]
		sort.Slice(c, func(x, y int) bool { return w.rank[c[x].Index] < w.rank[c[y].Index] })
		head := c[0]
		if len(c) == 1 && !hasEdge(head, head) {
			w.g.Order = append(w.g.Order, head)
			w.g.inner[head.Index] = parent
			continue
		}
		l := &Loop{Header: head, Parent: parent, Depth: 1}
		if parent != nil {
			l.Depth = parent.Depth + 1
		}
		w.g.Loops = append(w.g.Loops, l)
		w.g.Order = append(w.g.Order, head)
		w.g.inner[head.Index] = l
		for _, b := range c[1:] {
			w.live[b.Index] = true
		}
		w.order(c[1:], l)
	}
}

func hasEdge(from, to *ir.Block) bool {
	for _, s := range from.Succs() {
		if s == to {
			return true
		}
	}
	return false
}

// components returns the strongly connected components of the live blocks, each
// before the components that reach it (Tarjan 1972, without recursion).
func (w *wto) components(blocks []*ir.Block) [][]*ir.Block {
	t := &tarjan{w: w, num: map[*ir.Block]int{}, low: map[*ir.Block]int{}, onStack: map[*ir.Block]bool{}}
	// Later blocks first: with the reversal in order this keeps independent
	// blocks in reverse postorder.
	for i := len(blocks) - 1; i >= 0; i-- {
		if t.num[blocks[i]] == 0 {
			t.visit(blocks[i])
		}
	}
	return t.comps
}

type tarjan struct {
	w        *wto
	num, low map[*ir.Block]int
	onStack  map[*ir.Block]bool
	stack    []*ir.Block
	comps    [][]*ir.Block
}

func (t *tarjan) enter(b *ir.Block) {
	t.num[b] = len(t.num) + 1
	t.low[b] = t.num[b]
	t.stack = append(t.stack, b)
	t.onStack[b] = true
}

func (t *tarjan) visit(root *ir.Block) {
	type item struct {
		b    *ir.Block
		next int
	}
	t.enter(root)
	work := []item{{b: root}}
	for len(work) > 0 {
		top := &work[len(work)-1]
		b := top.b
		succs := b.Succs()
		if top.next == len(succs) {
			if t.low[b] == t.num[b] {
				t.pop(b)
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				p := work[len(work)-1].b
				t.low[p] = min(t.low[p], t.low[b])
			}
			continue
		}
		s := succs[len(succs)-1-top.next]
		top.next++
		switch {
		case !t.w.live[s.Index]:
		case t.num[s] == 0:
			t.enter(s)
			work = append(work, item{b: s})
		case t.onStack[s]:
			t.low[b] = min(t.low[b], t.num[s])
		}
	}
}

func (t *tarjan) pop(b *ir.Block) {
	var c []*ir.Block
	for {
		top := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.onStack[top] = false
		c = append(c, top)
		if top == b {
			break
		}
	}
	t.comps = append(t.comps, c)
}
