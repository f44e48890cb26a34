package unwind

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// build makes a function from its edges: "0>1 1>2,3" says that block 1 goes to 2 and 3.
func build(edges string) *ir.Func {
	f := &ir.Func{Name: "f"}
	succs := map[int][]int{}
	last := 0
	for _, part := range strings.Fields(edges) {
		var from int
		var list string
		fmt.Sscanf(strings.Replace(part, ">", " ", 1), "%d %s", &from, &list)
		for _, s := range strings.Split(list, ",") {
			var to int
			fmt.Sscanf(s, "%d", &to)
			succs[from] = append(succs[from], to)
			last = max(last, to, from)
		}
	}
	for i := 0; i <= last; i++ {
		f.Blocks = append(f.Blocks, &ir.Block{Index: i, Func: f})
	}
	for i, b := range f.Blocks {
		in := &ir.Instr{ID: i, Op: ir.OpSwitch, Block: b, Pos: &verdict.Pos{File: "f.c", Line: i + 1}}
		for _, s := range succs[i] {
			in.Targets = append(in.Targets, f.Blocks[s])
		}
		b.Instrs = []*ir.Instr{in}
	}
	return f
}

func describe(g *Graph) string {
	var out []string
	for _, b := range g.Order {
		out = append(out, fmt.Sprint(b.Index))
	}
	s := strings.Join(out, " ")
	for _, l := range g.Loops {
		s += fmt.Sprintf("; %s at %d depth %d", l.Name, l.Header.Index, l.Depth)
		for _, b := range l.Latches {
			s += fmt.Sprintf(" latch %d", b.Index)
		}
		if l.Irreducible {
			s += " irreducible"
		}
		if !l.Exits {
			s += " endless"
		}
	}
	return s
}

func TestShapes(t *testing.T) {
	for _, c := range []struct{ name, edges, want string }{
		{"straight", "0>1 1>2", "0 1 2"},
		{"diamond", "0>1,2 1>3 2>3", "0 1 2 3"},
		{"while", "0>1 1>2,3 2>1", "0 1 2 3; f.0 at 1 depth 1 latch 2"},
		{"self", "0>1 1>1,2", "0 1 2; f.0 at 1 depth 1 latch 1"},
		{"nested", "0>1 1>2,5 2>3,4 3>2 4>1", "0 1 2 3 4 5; f.0 at 1 depth 1 latch 4; f.1 at 2 depth 2 latch 3"},
		{"two latches", "0>1 1>2,3 2>1,3 3>1,4", "0 1 2 3 4; f.0 at 1 depth 1 latch 2 latch 3"},
		{"endless", "0>1 1>2 2>1", "0 1 2; f.0 at 1 depth 1 latch 2 endless"},
		{"two entries", "0>1,2 1>2 2>1,3", "0 2 1 3; f.0 at 2 depth 1 latch 1 irreducible"},
		{"exit before the rest of the loop", "0>1 1>3,2 2>1", "0 1 2 3; f.0 at 1 depth 1 latch 2"},
		{"unreachable block", "0>2 1>2 2>3", "0 2 3"},
	} {
		if got := describe(Analyse(build(c.edges))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOrder walks random graphs and checks what the walk of encode relies on:
// an edge that is no back edge leads to a larger key, and a back edge to a larger
// key too, since its turn is one more.
func TestOrder(t *testing.T) {
	for seed := 1; seed <= 200; seed++ {
		r := uint32(seed) * 2654435761
		next := func(n int) int { r = r*1664525 + 1013904223; return int(r>>16) % n }
		n := 3 + next(10)
		var edges []string
		for i := 0; i < n-1; i++ {
			edges = append(edges, fmt.Sprintf("%d>%d,%d", i, 1+next(n-1), 1+next(n-1)))
		}
		g := Analyse(build(strings.Join(edges, " ")))
		type at struct {
			b *ir.Block
			t Turns
		}
		todo := []at{{g.Func.Blocks[0], nil}}
		for steps := 0; len(todo) > 0 && steps < 500; steps++ {
			a := todo[0]
			todo = todo[1:]
			for _, s := range a.b.Succs() {
				u, back := g.Step(a.b, a.t, s)
				if g.KeyOf(s, u).Compare(g.KeyOf(a.b, a.t)) <= 0 {
					t.Fatalf("seed %d: %v: edge %d>%d with turns %v -> %v does not go on (back %v)", seed, edges,
						a.b.Index, s.Index, a.t, u, back)
				}
				if len(u) == 0 || u[len(u)-1] < 3 {
					todo = append(todo, at{s, u})
				}
			}
		}
	}
}
