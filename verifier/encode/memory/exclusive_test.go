package memory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// choices is a space with a few objects and choices of the environment, and all that these may be.
type choices struct {
	*Space
	vars    []ilr.Term
	objects []*Object
	ways    []*ilr.Evaluator
}

func newChoices(n int) *choices {
	s := ilr.NewStore(nil)
	c := &choices{Space: NewSpace(context.Background(), &ir.Layout{PtrBits: 32}, s, Setting{Made: func(*Object) {}})}
	for i := range n {
		c.vars = append(c.vars, s.Var(fmt.Sprint("c", i), ilr.Bool))
		c.objects = append(c.objects, c.NewObject(Object{Kind: ObjHeap}, s.Int(32, 8)))
	}
	for way := range 1 << n {
		m := ilr.Model{BV: map[ilr.Term]bits.Vec{}}
		for i, v := range c.vars {
			m.BV[v] = bits.New(1, uint64(way>>i&1))
		}
		c.ways = append(c.ways, s.NewEvaluator(m, ilr.EvalFloat))
	}
	return c
}

// leads is a pointer and where it leads to by the way that is taken: none where nobody comes to it.
type leads struct {
	p  *Ptr
	to []*Object
}

var nobody = &Object{}

// check fails where two guards of a pointer hold, or another one than should.
func (c *choices) check(t *testing.T, what string, x leads) {
	t.Helper()
	for w, ev := range c.ways {
		var found []*Object
		for _, a := range x.p.Alts {
			if ev.Holds(a.Guard) {
				found = append(found, a.Object)
			}
		}
		switch {
		case len(found) > 1:
			t.Fatalf("%s: way %b: %d guards hold", what, w, len(found))
		case x.to[w] != nobody && (len(found) == 0 || found[0] != x.to[w]):
			t.Fatalf("%s: way %b: leads elsewhere", what, w)
		}
	}
}

// cond returns a random condition: a choice, a guard of a pointer, or made of two of them.
func (c *choices) cond(r *rand.Rand, known []leads) ilr.Term {
	one := func() ilr.Term {
		t := c.vars[r.IntN(len(c.vars))]
		if p := known[r.IntN(len(known))].p; r.IntN(2) == 0 {
			t = p.Alts[r.IntN(len(p.Alts))].Guard
		}
		if r.IntN(2) == 0 {
			t = c.s.Not(t)
		}
		return t
	}
	if r.IntN(3) == 0 {
		return c.s.And(one(), one())
	}
	return one()
}

// TestGuardsExclude: random picks, reads through pointers and decisions leave pointers that lead where they should, by
// one guard that holds, for each choice of the environment that comes there.
func TestGuardsExclude(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 48))
		c := newChoices(5)
		var known []leads
		for _, o := range append(c.objects, nil) {
			x := leads{p: c.Null()}
			if o != nil {
				x.p = c.To(o, 0)
			}
			for range c.ways {
				x.to = append(x.to, o)
			}
			known = append(known, x)
		}
		for range 40 {
			x, y := known[r.IntN(len(known))], known[r.IntN(len(known))]
			next := leads{to: make([]*Object, len(c.ways))}
			what := "pick"
			switch r.IntN(4) {
			case 0: // what is decided on a path
				what = "decided"
				path := c.Root()
				for range 1 + r.IntN(3) {
					if q := c.And(path, c.cond(r, known)); q != nil {
						path = q
					}
				}
				next.p = c.Decided(path, x.p)
				for w, ev := range c.ways {
					if next.to[w] = nobody; ev.Holds(path.All) {
						next.to[w] = x.to[w]
					}
				}
			case 1: // what is read through x: another pointer in each target
				what = "among"
				var guards []ilr.Term
				var vs []Val
				at := map[*Object]leads{}
				for _, a := range x.p.Alts {
					z := known[r.IntN(len(known))]
					at[a.Object] = z
					guards, vs = append(guards, a.Guard), append(vs, Val{Ptr: z.p})
				}
				next.p = c.Among(guards, vs).Ptr
				for w := range c.ways {
					if next.to[w] = nobody; x.to[w] != nobody {
						next.to[w] = at[x.to[w]].to[w]
					}
				}
			default:
				sel := c.cond(r, known)
				next.p = c.PickPtr(sel, x.p, y.p)
				for w, ev := range c.ways {
					if next.to[w] = y.to[w]; ev.Holds(sel) {
						next.to[w] = x.to[w]
					}
				}
			}
			c.check(t, fmt.Sprintf("seed %d: %s", seed, what), next)
			known = append(known, next)
		}
	}
}

// TestListsStaySmall: where a list has one of many lengths, and is followed, the guards of where it leads to are those of
// its lengths all along.
func TestListsStaySmall(t *testing.T) {
	c := newChoices(6)
	head := c.Null()
	at := map[*Object]*Ptr{}
	for i, o := range c.objects {
		at[o] = c.To(o, 0)
		if i > 0 {
			at[o] = c.To(c.objects[i-1], 0)
		} else {
			at[o] = c.Null()
		}
		sel := c.s.And(c.vars[:i+1]...)
		head = c.PickPtr(sel, c.To(o, 0), head)
	}
	before := c.s.Len()
	for p := head; len(p.Alts) > 1; {
		var guards []ilr.Term
		var vs []Val
		for _, a := range p.Alts {
			if a.Object != nil {
				guards, vs = append(guards, a.Guard), append(vs, Val{Ptr: at[a.Object]})
			}
		}
		p = c.Among(guards, vs).Ptr
	}
	if made := c.s.Len() - before; made > 2*len(c.objects) {
		t.Errorf("%d terms for following a list of %d", made, len(c.objects))
	}
}
