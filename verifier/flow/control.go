package flow

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// function is a function with the shape of its control flow, and what that rests on so far.
type function struct {
	*ir.Func
	deciders [][]*ir.Block // by block: those whose branch decides whether control comes to it
	exits    [][]*ir.Block // by block: those that decide whether a loop which ends here does
	ends     []bool        // blocks that control leaves the function at without a return
	passes   []bool        // blocks that end in a claim which holds: they decide nothing

	last   map[*ir.Instr][]*ir.Instr // by loads of plain local variables: see lastStores
	guards map[*ir.Instr]bool        // what decides about traps that are for addresses only
	heads  map[*ir.Instr]bool        // what decides about assertions that the driver keeps to
	sets   map[*ir.Instr]bool        // of these the comparisons with null that fail them
	called bool                      // by another than the driver

	entered set   // what calling the function rests on
	after   set   // what coming back from it rests on
	in      []set // by block: what coming to it rests on
	passed  []set // by block: what coming to its end rests on because of what is executed before
	stops   [][]stop
}

// stop is an instruction that may be executed without the one behind it: a call, or what ends executions by itself.
type stop struct {
	at *ir.Instr
	on set // what it rests on that control goes on behind it
}

// shapeOf works out the control dependence of f (Ferrante, Ottenstein, Warren, 3.1). Blocks that end in a claim which
// holds are left out.
func (r *Rests) shapeOf(f *ir.Func, holds func(*ir.Instr) bool) *function {
	n := len(f.Blocks)
	x := &function{Func: f, deciders: make([][]*ir.Block, n), exits: make([][]*ir.Block, n), ends: make([]bool, n),
		passes: make([]bool, n), stops: make([][]stop, n), entered: newSet(len(r.ids)), after: newSet(len(r.ids))}
	for _, b := range f.Blocks {
		x.in, x.passed = append(x.in, newSet(len(r.ids))), append(x.passed, newSet(len(r.ids)))
		if way := ir.FailingBlocks(b); len(way) > 0 {
			last := way[len(way)-1]
			i := slices.IndexFunc(last.Instrs, (*ir.Instr).AlwaysFails)
			x.passes[b.Index] = holds(last.Instrs[i])
		}
		x.ends[b.Index] = b.Term().Op == ir.OpUnreachable && !x.passes[b.Index]
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && in.Model == ir.ModelNone || ends(in) {
				x.stops[b.Index] = append(x.stops[b.Index], stop{in, newSet(len(r.ids))})
			}
		}
	}
	next := func(b *ir.Block) []*ir.Block {
		return slices.DeleteFunc(slices.Clone(b.Succs()), func(s *ir.Block) bool { return x.passes[s.Index] })
	}
	for i, leaves := range leaving(f, next) {
		x.ends[i] = x.ends[i] || !leaves && !x.passes[i]
	}
	over := postDominators(f, next)
	for _, b := range f.Blocks {
		if x.passes[b.Index] { // its own claim rests on what leads there
			x.deciders[b.Index] = b.Preds
		}
		to := next(b)
		if x.passes[b.Index] || len(to) < 2 {
			continue
		}
		for _, s := range to {
			for at := s.Index; at != over[b.Index] && at != n; at = over[at] {
				if !x.passes[at] && !slices.Contains(x.deciders[at], b) {
					x.deciders[at] = append(x.deciders[at], b)
				}
			}
		}
	}
	x.loops(next)
	if !f.Made && !f.Driven() { // an assume of a driver is about what memory holds
		x.last = lastStores(f, r.layout)
	}
	x.addressTests(r.heads)
	return x
}

// leaving says of each block, by index, whether a way leads from it to a return; control stays where none does.
func leaving(f *ir.Func, next func(*ir.Block) []*ir.Block) []bool {
	out := make([]bool, len(f.Blocks))
	for again := true; again; {
		again = false
		for _, b := range slices.Backward(f.Blocks) {
			if !out[b.Index] && (b.Term().Op == ir.OpRet || slices.ContainsFunc(next(b), func(s *ir.Block) bool { return out[s.Index] })) {
				out[b.Index], again = true, true
			}
		}
	}
	return out
}

// loops finds the blocks behind natural loops, and the branches that leave these.
func (x *function) loops(next func(*ir.Block) []*ir.Block) {
	over := x.Dominators()
	dominates := func(a, b *ir.Block) bool {
		for ; b != nil; b = over[b.Index] {
			if a == b {
				return true
			}
		}
		return false
	}
	x.tangles(func(b *ir.Block) []*ir.Block {
		return slices.DeleteFunc(next(b), func(head *ir.Block) bool { return dominates(head, b) })
	})
	for _, b := range x.Blocks {
		for _, head := range next(b) {
			if !dominates(head, b) {
				continue
			}
			body := map[*ir.Block]bool{head: true}
			for todo := []*ir.Block{b}; len(todo) > 0; {
				at := todo[len(todo)-1]
				if todo = todo[:len(todo)-1]; !body[at] {
					body[at] = true
					todo = append(todo, at.Preds...)
				}
			}
			for at := range body {
				for _, to := range next(at) {
					if !body[to] && !slices.Contains(x.exits[to.Index], at) {
						x.exits[to.Index] = append(x.exits[to.Index], at)
					}
				}
			}
		}
	}
}

// tangles finds loops that control enters at several blocks, among what next leaves without natural loops: each branch
// there decides whether what is behind it is executed.
func (x *function) tangles(next func(*ir.Block) []*ir.Block) {
	in, out := make([]int, len(x.Blocks)), make([]int, len(x.Blocks))
	preds := make([][]*ir.Block, len(x.Blocks))
	for _, b := range x.Blocks {
		for _, s := range next(b) {
			in[s.Index]++
			out[b.Index]++
			preds[s.Index] = append(preds[s.Index], b)
		}
	}
	done := make([]bool, len(x.Blocks))
	for again := true; again; { // leave out what begins or ends no way
		again = false
		for _, b := range x.Blocks {
			if done[b.Index] || in[b.Index] > 0 && out[b.Index] > 0 {
				continue
			}
			done[b.Index], again = true, true
			for _, s := range next(b) {
				in[s.Index]--
			}
			for _, p := range preds[b.Index] {
				out[p.Index]--
			}
		}
	}
	for _, b := range x.Blocks {
		for _, to := range b.Succs() {
			if !done[b.Index] && !slices.Contains(x.exits[to.Index], b) {
				x.exits[to.Index] = append(x.exits[to.Index], b)
			}
		}
	}
}

// postDominators gives for each block of f, by index, the nearest other one that every way to an end passes; the number
// of blocks stands for the end. A block that no way leads to the end from counts as an end itself.
func postDominators(f *ir.Func, next func(*ir.Block) []*ir.Block) []int {
	n := len(f.Blocks)
	preds := make([][]int, n+1)
	link := func(from, to int) { preds[to] = append(preds[to], from) }
	for _, b := range f.Blocks {
		to := next(b)
		for _, s := range to {
			link(b.Index, s.Index)
		}
		if len(to) == 0 {
			link(b.Index, n)
		}
	}
	var order []int // from the end, in postorder
	seen := make([]bool, n+1)
	var visit func(b int)
	visit = func(b int) {
		seen[b] = true
		for _, p := range preds[b] {
			if !seen[p] {
				visit(p)
			}
		}
		order = append(order, b)
	}
	for visit(n); len(order) <= n; {
		b := slices.Index(seen, false)
		link(b, n)
		order, seen = nil, make([]bool, n+1)
		visit(n)
	}
	rank := make([]int, n+1)
	for i, b := range order {
		rank[b] = i
	}
	over := make([]int, n+1)
	for i := range over {
		over[i] = -1
	}
	over[n] = n
	succs := make([][]int, n+1)
	for to, from := range preds {
		for _, b := range from {
			succs[b] = append(succs[b], to)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(order) {
			if b == n {
				continue
			}
			best := -1
			for _, s := range succs[b] {
				if over[s] < 0 {
					continue
				}
				if best < 0 {
					best = s
					continue
				}
				for a := s; a != best; {
					for rank[a] < rank[best] {
						a = over[a]
					}
					for rank[best] < rank[a] {
						best = over[best]
					}
				}
			}
			if over[b] != best {
				over[b], changed = best, true
			}
		}
	}
	return over
}

// control returns what it rests on that control comes to an instruction.
func (x *function) control(in *ir.Instr) set {
	out := x.in[in.Block.Index]
	for _, s := range x.stops[in.Block.Index] {
		if s.at.ID < in.ID {
			out = slices.Clone(out)
			out.or(s.on)
		}
	}
	return out
}
