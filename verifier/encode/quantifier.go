package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// With Options.Facts, an assumed quantifier is a fact: its body is evaluated once, on variables that stand for any
// value (index), and what it says is a truth value of which we know that it implies each instance of the body
// (forAll). Where the body holds of all values, that truth value may be true: no execution is lost. Which instances are
// added (instance.go) is a matter of taste: the fewer, the more violations there seem to be. So only that nothing
// is violated may be concluded; a violation counts when the interpreter, which runs the loop, confirms it.

// quantifiers are the facts of a walk.
type quantifiers struct {
	made  map[ilr.Term]made // results of index
	facts []fact
}

// made counts what the walk had met when a variable was made.
type made struct{ objects, events, calls int }

// fact is a formula that holds of all values of its variables where holds is true.
type fact struct {
	holds, body ilr.Term
	vars        []ilr.Term
}

// quantified returns a variable that stands for any value.
func (e *encoder) quantified(w int) memory.Val {
	v := e.s.Fresh("index", ilr.BV(w))
	if e.quant.made == nil {
		e.quant.made = map[ilr.Term]made{}
	}
	e.quant.made[v] = made{len(e.Objects), len(e.Events), e.f.Stats.Calls}
	return memory.Val{Term: v}
}

// forAll returns whether body holds whatever the variables in it are.
func (e *encoder) forAll(body memory.Val) memory.Val {
	t := e.Cond(body)
	if !e.opts.Facts {
		return body
	}
	var vars []ilr.Term
	e.s.Walk([]ilr.Term{t}, func(u ilr.Term) {
		if _, ok := e.quant.made[u]; ok {
			vars = append(vars, u)
		}
	})
	if len(vars) == 0 {
		return body
	}
	slices.Sort(vars)
	e.f.Facts++
	holds := e.Bit(e.s.Fresh("for all", ilr.BV(1)))
	if e.onlyReads(e.quant.made[vars[0]]) {
		e.quant.facts = append(e.quant.facts, fact{holds, t, vars})
	}
	return memory.Val{Term: holds, Undef: body.Undef}
}

// onlyReads reports whether since then nothing was decided by the environment, made or called: what was computed is a
// function of the state and of the variables alone. The bytes and places of objects are of the state, even if they get
// their names when they are looked at.
func (e *encoder) onlyReads(since made) bool {
	return e.f.Stats.Calls == since.calls &&
		!slices.ContainsFunc(e.Objects[since.objects:], func(o *memory.Object) bool { return !o.Static() }) &&
		!slices.ContainsFunc(e.Events[since.events:], func(ev memory.Event) bool {
			return ev.Kind != input.Bytes && ev.Kind != input.Base
		})
}

// AsFacts reports whether m has quantifiers that Options.Facts speaks of.
func AsFacts(m *ir.Module) bool {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
				return in.Op == ir.OpCall && in.Model == ir.ModelAsFacts
			}) {
				return true
			}
		}
	}
	return false
}
