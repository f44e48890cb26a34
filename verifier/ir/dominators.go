package ir

// Dominators gives, by the index of a block of f, the nearest other block that every way from the entry to it passes;
// nil for the entry and for blocks that no way leads to (Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm).
func (f *Func) Dominators() []*Block {
	order, number := f.postOrder()
	over := make([]*Block, len(f.Blocks))
	if len(order) == 0 {
		return over
	}
	entry := f.Blocks[0]
	over[entry.Index] = entry
	meet := func(a, b *Block) *Block {
		for a != b {
			if number[a.Index] < number[b.Index] {
				a = over[a.Index]
			} else {
				b = over[b.Index]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- { // the entry is the last one
			var nearest *Block
			for _, p := range order[i].Preds {
				switch {
				case over[p.Index] == nil:
				case nearest == nil:
					nearest = p
				default:
					nearest = meet(nearest, p)
				}
			}
			if over[order[i].Index] != nearest {
				over[order[i].Index], changed = nearest, true
			}
		}
	}
	over[entry.Index] = nil
	return over
}

// postOrder lists the blocks that a way leads to, each behind all that a search in depth comes to from it, and gives
// their places in that list by their indices.
func (f *Func) postOrder() (order []*Block, number []int) {
	number = make([]int, len(f.Blocks))
	if f.IsDecl() {
		return nil, number
	}
	type visit struct {
		b    *Block
		next int // of its successors
	}
	seen := make([]bool, len(f.Blocks))
	seen[f.Blocks[0].Index] = true
	todo := []visit{{b: f.Blocks[0]}}
	for len(todo) > 0 {
		top := &todo[len(todo)-1]
		if succs := top.b.Succs(); top.next < len(succs) {
			s := succs[top.next]
			top.next++
			if !seen[s.Index] {
				seen[s.Index] = true
				todo = append(todo, visit{b: s})
			}
			continue
		}
		number[top.b.Index] = len(order)
		order = append(order, top.b)
		todo = todo[:len(todo)-1]
	}
	return order, number
}
