package cycles

import (
	"fmt"
	"slices"
)

// block is a sequence of instructions that ends where control may go elsewhere.
type block struct {
	code []inst
	succ []succ
	open string // why its last instruction cannot be followed
	ret  bool   // it ends the function
	call int    // its last instruction calls this address; -1: nothing
	loop *loop  // the innermost one that it is in
	rank int    // in reverse postorder: edges that do not go back lead to greater ones
	idom *block
}

// succ is an edge: to a block, with the cycles that come on top of the instruction's own.
type succ struct {
	to   *block
	more int64
}

// loop is a natural loop.
type loop struct {
	header *block
	outer  *loop
	in     map[*block]bool
	nodes  []*block // those whose innermost loop it is, and the headers of loops in it, by rank
}

// graph is the code that a call of a function runs, without what it calls; jumps to other functions are followed.
type graph struct {
	entry *block
	whole *loop // a pretended one around all, without a header
	loops []*loop
}

// leads returns where an instruction goes, with the cycles on top; open says why that is not known.
func (img *Image) leads(in *inst) (to []int, more []int64, open string) {
	next := in.at + in.size
	switch in.row.op {
	case "ret", "reti":
		return nil, nil, ""
	case "rjmp", "jmp":
		return []int{in.k}, []int64{0}, ""
	case "brbs", "brbc":
		return []int{next, in.k}, []int64{0, 1}, ""
	case "cpse", "sbrc", "sbrs", "sbic", "sbis":
		over, ok := img.at(next)
		if !ok {
			return nil, nil, fmt.Sprintf("it skips what is no known instruction at 0x%x", next)
		}
		return []int{next, next + over.size}, []int64{0, int64(over.size / 2)}, ""
	case "ijmp":
		return nil, nil, "a jump through a pointer (ijmp)"
	case "icall":
		return nil, nil, "a call through a pointer (icall)"
	}
	return []int{next}, []int64{0}, ""
}

// at decodes an instruction of the image.
func (img *Image) at(at int) (inst, bool) {
	in, ok := decode(img.code, at)
	return in, ok && img.valid[at] && img.valid[at+in.size-1]
}

// graphOf makes the graph of the function at an address.
func (img *Image) graphOf(entry int) (*graph, error) {
	code, leaders := map[int]inst{}, map[int]bool{entry: true}
	bad := map[int]string{}
	for work := []int{entry}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if _, seen := code[at]; seen || bad[at] != "" {
			continue
		}
		in, ok := img.at(at)
		if !ok {
			bad[at] = fmt.Sprintf("no instruction whose cycles are known, at 0x%x", at)
			leaders[at] = true
			continue
		}
		code[at] = in
		to, _, open := img.leads(&in)
		if open != "" {
			bad[at] = open
		}
		if len(to) != 1 || to[0] != at+in.size || isCall(&in) {
			for _, t := range to {
				leaders[t] = true
			}
		}
		work = append(work, to...)
	}
	blocks := map[int]*block{}
	for at := range leaders {
		blocks[at] = &block{call: -1, rank: -1}
	}
	for at, b := range blocks {
		for {
			in, known := code[at]
			if b.open = bad[at]; !known {
				break
			}
			b.code = append(b.code, in)
			to, more, _ := img.leads(&in)
			if isCall(&in) {
				b.call = in.k
			}
			if b.ret = in.row.op == "ret" || in.row.op == "reti"; b.ret || b.open != "" {
				break
			}
			if len(to) == 1 && !leaders[to[0]] {
				at = to[0]
				continue
			}
			for i, t := range to {
				b.succ = append(b.succ, succ{blocks[t], more[i]})
			}
			break
		}
	}
	g := &graph{entry: blocks[entry]}
	return g, g.nest()
}

// isCall reports a call of a function. A call of the next instruction only makes room on the stack.
func isCall(in *inst) bool {
	return (in.row.op == "rcall" || in.row.op == "call") && in.k != in.at+in.size
}

// nest ranks the blocks and finds the loops.
func (g *graph) nest() error {
	var order []*block
	seen := map[*block]bool{}
	var visit func(b *block)
	visit = func(b *block) {
		seen[b] = true
		for _, s := range b.succ {
			if !seen[s.to] {
				visit(s.to)
			}
		}
		order = append(order, b)
	}
	visit(g.entry)
	slices.Reverse(order)
	preds := map[*block][]*block{}
	for i, b := range order {
		b.rank = i
		for _, s := range b.succ {
			preds[s.to] = append(preds[s.to], b)
		}
	}
	dominators(order, preds)
	byHeader := map[*block]*loop{}
	for _, b := range order {
		for _, s := range b.succ {
			if s.to.rank > b.rank {
				continue
			}
			if !dominates(s.to, b) {
				return fmt.Errorf("a loop with several entries, at 0x%x", s.to.code[0].at)
			}
			l := byHeader[s.to]
			if l == nil {
				l = &loop{header: s.to, in: map[*block]bool{s.to: true}}
				byHeader[s.to] = l
				g.loops = append(g.loops, l)
			}
			for work := []*block{b}; len(work) > 0; {
				n := work[len(work)-1]
				if work = work[:len(work)-1]; !l.in[n] {
					l.in[n] = true
					work = append(work, preds[n]...)
				}
			}
		}
	}
	slices.SortStableFunc(g.loops, func(a, b *loop) int { return len(b.in) - len(a.in) }) // outer ones first
	g.whole = &loop{in: seen}
	for _, b := range order {
		b.loop = g.whole
	}
	for _, l := range g.loops {
		l.outer = l.header.loop
		for b := range l.in {
			b.loop = l
		}
	}
	for _, b := range order {
		b.loop.nodes = append(b.loop.nodes, b)
		if b.loop.header == b {
			b.loop.outer.nodes = append(b.loop.outer.nodes, b)
		}
	}
	return nil
}

// dominators finds the immediate dominator of each block (Cooper, Harvey and Kennedy 2001).
func dominators(order []*block, preds map[*block][]*block) {
	order[0].idom = order[0]
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			var d *block
			for _, p := range preds[b] {
				switch {
				case p.idom == nil:
				case d == nil:
					d = p
				default:
					for q := p; d != q; {
						if d.rank > q.rank {
							d = d.idom
						} else {
							q = q.idom
						}
					}
				}
			}
			if b.idom != d {
				b.idom, changed = d, true
			}
		}
	}
}

func dominates(a, b *block) bool {
	for ; b != a; b = b.idom {
		if b.idom == b {
			return false
		}
	}
	return true
}
