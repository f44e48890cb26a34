package bitblast

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/firmproof/firmproof/verifier/solve/sat"
)

// TestMajority: a majority takes one variable and three clauses for each polarity, whichever operands are negated.
func TestMajority(t *testing.T) {
	for flips := range Edge(16) {
		g, f := NewAIG(), &sat.Formula{}
		c := NewCNF(g, f)
		e := circuit[Edge]{g}.majority(g.Input()^flips&1, g.Input()^flips>>1&1, g.Input()^flips>>2&1) ^ flips>>3
		if c.Lit(e); f.Vars != 4 || len(f.Clauses) != 3 {
			t.Errorf("operands %03b: %d variables, %d clauses", flips, f.Vars, len(f.Clauses))
		}
		if c.Lit(e.Not()); f.Vars != 4 || len(f.Clauses) != 6 {
			t.Errorf("operands %03b, both polarities: %d variables, %d clauses", flips, f.Vars, len(f.Clauses))
		}
	}
}

// TestClausesExhaustive: the clauses of small random graphs, full of what is recognised and of what nearly is, say under
// each assignment of the inputs what the graph does.
func TestClausesExhaustive(t *testing.T) {
	const inputs, gates, graphs = 4, 8, 300
	type gate struct {
		edge  Edge
		table uint16 // the value under each assignment
	}
	rng := rand.New(rand.NewPCG(48, 1))
	for range graphs {
		g, solver := NewAIG(), sat.New(sat.Options{})
		c, ops := NewCNF(g, solver), circuit[Edge]{g}
		var nodes []gate
		for i := range inputs {
			table := uint16(0)
			for a := range 1 << inputs {
				table |= uint16(a>>i&1) << a
			}
			nodes = append(nodes, gate{g.Input(), table})
		}
		some := func() gate {
			n := nodes[rng.IntN(len(nodes))]
			if rng.IntN(2) == 0 {
				return gate{n.edge.Not(), ^n.table}
			}
			return n
		}
		for range gates {
			x, y, z, w := some(), some(), some(), some()
			var n gate
			switch rng.IntN(5) {
			case 0:
				n = gate{g.And(x.edge, y.edge), x.table & y.table}
			case 1:
				n = gate{g.Xor(x.edge, y.edge), x.table ^ y.table}
			case 2:
				n = gate{g.Ite(x.edge, y.edge, z.edge), x.table&y.table | ^x.table&z.table}
			case 3:
				n = gate{ops.majority(x.edge, y.edge, z.edge), x.table&y.table | (x.table|y.table)&z.table}
			default: // nearly a majority
				n = gate{g.Or(g.And(x.edge, y.edge), g.And(g.Or(x.edge, w.edge), z.edge)),
					x.table&y.table | (x.table|w.table)&z.table}
			}
			nodes = append(nodes, n)
		}
		last := nodes[len(nodes)-1]
		holds, fails := c.Lit(last.edge), c.Lit(last.edge.Not())
		for a := range 1 << inputs {
			assumed := []sat.Lit{holds}
			for i, n := range nodes[:inputs] {
				assumed = append(assumed, c.Lit(n.edge^Edge(^a>>i&1)))
			}
			value := last.table>>a&1 == 1
			for _, want := range []bool{value, !value} {
				for _, l := range assumed {
					solver.Assume(l)
				}
				r, err := solver.Solve(context.Background())
				if err != nil || (r == sat.Sat) != want {
					t.Fatalf("assignment %04b: %v, %v, want %v", a, r, err, want)
				}
				assumed[0] = fails
			}
		}
		solver.Close()
	}
}
