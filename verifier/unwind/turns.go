package unwind

import "github.com/firmproof/firmproof/verifier/ir"

// Turns counts the turns of the loops around a block, outermost first: how many
// back edges of the loop were taken since it was entered.
type Turns []int32

// Step returns the turns of to when control goes there from from with turns t, and
// the loop whose back edge was taken, or nil.
func (g *Graph) Step(from *ir.Block, t Turns, to *ir.Block) (Turns, *Loop) {
	back := g.Back(from, to)
	nest := g.inner[to.Index]
	if nest == nil {
		return nil, back
	}
	out := make(Turns, nest.Depth)
	for l := nest; l != nil; l = l.Parent {
		if g.In(from, l) {
			copy(out, t[:l.Depth])
			break
		}
	}
	if back != nil {
		out[back.Depth-1]++
	}
	return out, back
}

// Key orders instances (block, turns) so that all instances from which an
// instance can be reached without passing it come first.
type Key []int32

// KeyOf returns the key of b with turns t.
func (g *Graph) KeyOf(b *ir.Block, t Turns) Key {
	k := make(Key, 2*len(t)+1)
	k[len(k)-1] = int32(g.Pos[b.Index])
	for l := g.inner[b.Index]; l != nil; l = l.Parent {
		k[2*l.Depth-2] = int32(g.Pos[l.Header.Index])
		k[2*l.Depth-1] = t[l.Depth-1]
	}
	return k
}

// Compare returns a negative number, zero or a positive number as k comes before, is, or comes after o.
func (k Key) Compare(o Key) int {
	for i := 0; i < len(k) && i < len(o); i++ {
		if k[i] != o[i] {
			return int(k[i]) - int(o[i])
		}
	}
	return len(k) - len(o)
}
