package seg

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// follower holds a run to a graph and its system.
type follower struct {
	g      *Graph
	sys    *its.System
	legend Legend
	at     map[string][]*cutPoint
	now    []instance // the states that stand for the run where it is
	steps  int
	err    error
}

// instance is a generalised state with values for its numbers.
type instance struct {
	cut   *cutPoint
	value map[exact.Var]exact.Int
}

func (f *follower) block(v interp.View) {
	pos := position(v)
	if f.at[pos] == nil || f.err != nil {
		return
	}
	var next []instance
	var why []error
	for _, to := range f.at[pos] {
		value, err := f.g.instance(to, v)
		switch {
		case err != nil:
			why = append(why, fmt.Errorf("the run is none of state %d: %w", to.id, err))
		case slices.ContainsFunc(f.now, func(from instance) bool { return f.byEdge(from, instance{to, value}) }):
			next = append(next, instance{to, value})
		default:
			why = append(why, fmt.Errorf("no edge to state %d: %v", to.id, value))
		}
	}
	if len(next) == 0 {
		f.err = fmt.Errorf("step %d, from %s to %s: %w", f.steps, f.now[0].cut.pos, pos, errors.Join(why...))
	}
	f.now, f.steps = next, f.steps+1
}

// byEdge: an edge of the graph, and a transition for it, make the step.
func (f *follower) byEdge(from, to instance) bool {
	for _, e := range from.cut.edges {
		if e.to != to.cut {
			continue
		}
		rows := fixed(from.value)
		for _, sl := range to.cut.slots {
			if n, ok := to.value[sl.v]; ok {
				if x, given := e.vals[sl.key]; given {
					rows = append(rows, linear.Equals(x.Sub(constInt(n))))
				}
			}
		}
		if sat(e.st.know, rows) != linear.Unsat && f.byTransition(e, from.value, to.value) {
			return true
		}
	}
	return false
}

func (f *follower) byTransition(e *edge, was, now map[exact.Var]exact.Int) bool {
	index := map[string]int{}
	for n, v := range f.sys.Vars {
		index[v] = n
	}
	for n := range f.sys.Trans {
		t := &f.sys.Trans[n]
		p, ok := f.legend.paths[t.Tag]
		if !ok || p.e != e {
			continue
		}
		var rows []linear.Row
		for _, a := range t.Guard {
			if l, linearly := a.Lin(); linearly {
				rows = append(rows, linear.Row{Lin: l, EQ: a.Rel == its.EQ})
			}
		}
		for _, sl := range e.from.slots {
			if c, ok := was[sl.v]; ok && p.x.kept(sl) {
				rows = append(rows, linear.Equals(exact.V(exact.Var(index[p.x.names[sl.key]])).Sub(constInt(c))))
			}
		}
		for _, sl := range e.to.slots {
			c, ok := now[sl.v]
			if !ok || !p.x.kept(sl) {
				continue
			}
			if l, linearly := t.Update[index[p.x.names[sl.key]]].Lin(); linearly {
				rows = append(rows, linear.Equals(l.Sub(constInt(c))))
			}
		}
		if sat(newKnow(), rows) != linear.Unsat {
			return true
		}
	}
	return false
}

// follow runs a program once and returns how many steps of it the graph and its system made too.
func (g *Graph) follow(sys *its.System, legend Legend, seed int64) (int, error) {
	f := &follower{g: g, sys: sys, legend: legend, at: map[string][]*cutPoint{}, now: []instance{{cut: g.start}}}
	for _, c := range g.cuts {
		if c != g.start {
			f.at[c.pos] = append(f.at[c.pos], c)
		}
	}
	opts := interp.Options{Semantics: ir.Semantics{MallocNeverFails: true}, MaxSteps: 3000,
		Watch: &interp.Watch{Block: f.block}}
	_, err := interp.Run(context.Background(), g.b.m, opts, dice{rand.New(rand.NewSource(seed))})
	return f.steps, errors.Join(err, f.err)
}
