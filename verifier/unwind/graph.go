// Package unwind gives the shape of control flow that the bounded lane walks:
// an order of a function's blocks in which every edge that goes backwards goes
// to the header of a loop around its source, the loops with their names and
// places, and the turn vectors that number the copies of a block when loops are
// unwound (LL-54, LL-55, LL-56).
//
// The order is Bourdoncle's weak topological order: strongly connected
// components are loops, the first block of a component in reverse postorder is
// its header, and the rest of the component is ordered the same way without the
// header. For natural loops that is the usual loop nest; a component with
// several entries (Duff's device, LLBMC's blind spot in section 4) is a loop
// like any other, marked Irreducible.
//
// Worked example, `while (a) { do x(); while (b); }`:
//
//	blocks            entry  head  body  latch  exit
//	Pos               0      1     2     3      4
//	loops             f.0 {head body latch}, f.1 {body}
//	instance keys     body in turn 2 of f.0 and turn 1 of f.1: [1 2 2 1 2]
package unwind

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Graph is the control flow of one function with a body. It is never changed
// after Analyse.
type Graph struct {
	Func  *ir.Func
	Order []*ir.Block // reachable blocks in weak topological order
	Pos   []int       // block index -> position in Order, -1 when unreachable
	Loops []*Loop     // in order of header appearance in the function
	inner []*Loop     // block index -> innermost loop
}

// Loop is a strongly connected part of a function's control flow.
type Loop struct {
	Index       int    // in Graph.Loops
	Name        string // function.index, as --unwindset takes it
	Header      *ir.Block
	Parent      *Loop
	Depth       int         // 1 for an outermost loop
	Latches     []*ir.Block // sources of back edges, by block index
	Exits       bool        // some edge leaves the loop
	Irreducible bool        // some edge from outside enters elsewhere than at Header
	Pos         verdict.Pos
}

// Inner returns the innermost loop around b, or nil.
func (g *Graph) Inner(b *ir.Block) *Loop { return g.inner[b.Index] }

// In reports whether b lies in l.
func (g *Graph) In(b *ir.Block, l *Loop) bool {
	for m := g.inner[b.Index]; m != nil; m = m.Parent {
		if m == l {
			return true
		}
	}
	return false
}

// Back returns the loop that has from->to as a back edge, or nil when the edge goes forward.
func (g *Graph) Back(from, to *ir.Block) *Loop {
	for l := g.inner[from.Index]; l != nil; l = l.Parent {
		if l.Header == to {
			return l
		}
	}
	return nil
}

// Analyse orders the blocks of f and finds its loops.
func Analyse(f *ir.Func) *Graph {
	n := len(f.Blocks)
	g := &Graph{Func: f, Pos: make([]int, n), inner: make([]*Loop, n)}
	for i := range g.Pos {
		g.Pos[i] = -1
	}
	rpo := postorderReversed(f)
	w := &wto{g: g, rank: make([]int, n), live: make([]bool, n)}
	for i, b := range rpo {
		w.rank[b.Index] = i
		w.live[b.Index] = true
	}
	w.order(rpo, nil)
	for i, b := range g.Order {
		g.Pos[b.Index] = i
	}
	g.finishLoops()
	return g
}

// postorderReversed lists the blocks reachable from the entry in reverse postorder.
func postorderReversed(f *ir.Func) []*ir.Block {
	seen := make([]bool, len(f.Blocks))
	type item struct {
		b    *ir.Block
		next int
	}
	stack := []item{{b: f.Blocks[0]}}
	seen[f.Blocks[0].Index] = true
	var post []*ir.Block
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := top.b.Succs()
		if top.next == len(succs) {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		// The last successor first, so that the first comes first in the reversed order.
		s := succs[len(succs)-1-top.next]
		top.next++
		if !seen[s.Index] {
			seen[s.Index] = true
			stack = append(stack, item{b: s})
		}
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// finishLoops numbers the loops by header, and finds latches, exits, entries and places.
func (g *Graph) finishLoops() {
	byHeader := map[*ir.Block][]*Loop{}
	for _, l := range g.Loops {
		byHeader[l.Header] = append(byHeader[l.Header], l)
	}
	ordered := make([]*Loop, 0, len(g.Loops))
	for _, b := range g.Func.Blocks {
		ordered = append(ordered, byHeader[b]...)
	}
	g.Loops = ordered
	for i, l := range g.Loops {
		l.Index, l.Name = i, fmt.Sprintf("%s.%d", g.Func.Name, i)
	}
	for _, b := range g.Func.Blocks {
		if g.Pos[b.Index] < 0 {
			continue
		}
		done := map[*ir.Block]bool{}
		for _, s := range b.Succs() {
			if !done[s] {
				done[s] = true
				g.edge(b, s)
			}
		}
	}
	for _, l := range g.Loops {
		l.Pos = g.place(l)
	}
}

func (g *Graph) edge(b, s *ir.Block) {
	if l := g.Back(b, s); l != nil {
		l.Latches = append(l.Latches, b)
	}
	for l := g.inner[b.Index]; l != nil; l = l.Parent {
		if !g.In(s, l) {
			l.Exits = true
		}
	}
	for l := g.inner[s.Index]; l != nil; l = l.Parent {
		if !g.In(b, l) && s != l.Header {
			l.Irreducible = true
		}
	}
}

// place returns the position at which a C programmer sees the loop: its header's branch, else a latch's.
func (g *Graph) place(l *Loop) verdict.Pos {
	for _, b := range append([]*ir.Block{l.Header}, l.Latches...) {
		for i := len(b.Instrs) - 1; i >= 0; i-- {
			if p := b.Instrs[i].Pos; p != nil && p.Line > 0 {
				return *p
			}
		}
	}
	return g.Func.Pos
}
