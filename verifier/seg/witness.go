package seg

import (
	"context"
	"fmt"
	"math/big"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// InputKind says what an input decides.
type InputKind uint8

// The kinds of Input, in the interpreter's sense.
const (
	InvalidInput InputKind = iota
	ParamInput
	NondetInput
	VolatileInput
	MallocInput
)

// input is a decision of the environment on a path.
type input struct {
	kind  InputKind
	at    *ir.Instr
	width int
	e     exact.Lin
}

// Input is such a decision with its value.
type Input struct {
	Kind  InputKind
	At    *ir.Instr // nil for parameters
	Width int
	Value *big.Int
}

func (s *state) input(k InputKind, at *ir.Instr, w int, v value) {
	e := v.lin
	if v.kind == boolValue {
		e = v.cond.lin.AddInt(1)
	}
	s.inputs = append(s.inputs, input{k, at, w, e})
}

// Taken is a step of a run of the system: a transition and the values of the
// variables before and after it.
type Taken struct {
	Trans         *its.Transition
	Before, After []exact.Int
}

// Inputs finds what the environment has to decide so that the program takes the
// given steps.
func (g *Graph) Inputs(ctx context.Context, sys *its.System, legend Legend, run []Taken) ([]Input, error) {
	index := map[string]int{}
	for n, v := range sys.Vars {
		index[v] = n
	}
	var out []Input
	for _, t := range run {
		p, ok := legend.paths[t.Trans.Tag]
		if !ok {
			continue // the step into a fresh start location
		}
		ins, err := g.inputsOf(ctx, p, t, index)
		if err != nil {
			return nil, err
		}
		out = append(out, ins...)
	}
	return out, nil
}

func (g *Graph) inputsOf(ctx context.Context, p path, t Taken, index map[string]int) ([]Input, error) {
	if len(p.e.st.inputs) == 0 {
		return nil, nil
	}
	tab := linear.NewTableau(true)
	vars := map[exact.Var]bool{}
	add := func(r linear.Row) {
		for _, term := range r.Lin.Terms {
			vars[term.Var] = true
		}
		tab.Add(r)
	}
	for _, r := range p.k.rows {
		add(r)
	}
	fix := func(e exact.Lin, c exact.Int) {
		add(linear.Equals(exact.Lin{Terms: e.Terms, Const: e.Const.Sub(c)}))
	}
	for _, sl := range p.e.from.slots {
		if !p.x.kept(sl) {
			continue
		}
		fix(exact.V(sl.v), t.Before[index[p.x.names[sl.key]]])
	}
	if p.e.to != nil {
		for _, sl := range p.e.to.slots {
			if e, ok := p.e.vals[sl.key]; ok && p.x.kept(sl) {
				fix(e, t.After[index[p.x.names[sl.key]]])
			}
		}
	}
	for _, in := range p.e.st.inputs {
		for _, term := range in.e.Terms {
			vars[term.Var] = true
		}
	}
	for n := range g.b.names {
		if v := exact.Var(n); vars[v] {
			for _, r := range p.k.unary(nil, map[exact.Var]bool{}, v) {
				tab.Add(r)
			}
		}
	}
	if st := tab.CheckInt(ctx, 500); st != linear.Sat {
		return nil, fmt.Errorf("no inputs for the step %s: %s", t.Trans.Tag, st)
	}
	var out []Input
	for _, in := range p.e.st.inputs {
		c := in.e.Eval(func(v exact.Var) exact.Int { return tab.Value(v).Floor() })
		out = append(out, Input{in.kind, in.at, in.width, c.Big()})
	}
	return out, nil
}
