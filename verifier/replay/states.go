package replay

import (
	"context"
	"encoding/binary"
	"log/slog"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// States looks for violations behind many turns of a loop that reads inputs, as state machines do: it keeps the states
// that turns begin in, one of those that differ in nothing the program asks about, and goes on from them with inputs
// that it asks about. It proves nothing: what it settles is what an execution shows.
type States struct {
	Wait time.Duration // before it begins: others may be done soon
}

// wait waits until engines that may be done soon had their time; false if the search is over before.
func (s States) wait(ctx context.Context) bool {
	defer budget.Idle(ctx)()
	late, stop := budget.After(ctx, s.Wait)
	defer stop()
	<-late
	return ctx.Err() == nil
}

// Run implements problem.Engine.
func (s States) Run(ctx context.Context, p *problem.Problem, a *problem.Answers) error {
	if !p.Unbounded() || p.Depth > 0 {
		return problem.ErrOpen
	}
	if u := a.Unwinding(); u != nil && u.Gap != nil { // executions would end there, too
		return problem.ErrOpen
	}
	if !s.wait(ctx) {
		return problem.ErrOpen
	}
	defer a.Stage("states")(nil)
	first, err := interp.Pause(p.Module, p.Execution(0), turnsOf(p.Module))
	if err != nil {
		return err
	}
	x := newStates(ctx, p, a)
	x.keep(&keptState{at: first, rare: true})
	for n := 0; n < policy.StateStarts && !x.over(); n++ {
		x.walk(x.kept[0], x.chosen(n))
	}
	if !x.varied {
		return problem.ErrOpen
	}
	if len(x.kept) < policy.FewStates {
		for _, inputs := range goesOn(ctx, p) {
			c := x.chosen(0)
			x.walk(x.kept[0], &modelThen{Source: c, model: input.NewRecorded(inputs), then: c})
		}
	}
	for !x.over() && len(x.kept) > 1 {
		k := x.next()
		src := x.chosen(k.tries)
		x.walk(k, src)
		k.tries++
		k.worth = min(max(k.worth, src.choices), policy.StateTries)
	}
	slog.Debug("states", "kept", len(x.kept), "rare", len(x.rare), "bytes", x.bytes, "walks", x.walks)
	if a.Enough(p) {
		return nil
	}
	return problem.ErrOpen
}

// turnsOf returns the blocks in which turns of loops begin.
func turnsOf(m *ir.Module) map[*ir.Block]bool {
	out := map[*ir.Block]bool{}
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		for _, l := range unwind.Analyse(f).Loops {
			out[l.Header] = true
		}
	}
	return out
}

// keptState is a state that is gone on from.
type keptState struct {
	at     *interp.Paused
	before *keptState    // nil: the start
	inputs []input.Input // since then
	rare   bool          // it differs from all others in how numbers compare with constants
	tries  int           // walks from it
	worth  int           // walks before others have their turn
}

// path returns the inputs from the start.
func (k *keptState) path() []input.Input {
	var parts [][]input.Input
	for ; k != nil; k = k.before {
		parts = append(parts, k.inputs)
	}
	slices.Reverse(parts)
	return slices.Concat(parts...)
}

// states is a search.
type states struct {
	ctx      context.Context
	p        *problem.Problem
	a        *problem.Answers
	compared *compared
	places   *statePlaces
	kept     []*keptState    // all
	seen     map[string]bool // what kept states are told apart by
	rare     []*keptState
	fresh    []*keptState // rare ones from which few walks began
	newest   []*keptState // others from which few walks began
	turn     int          // picks behind those from fresh
	bytes    int64        // of the kept states
	random   uint64
	varied   bool // inputs were read
	walks    int
	last     int // walk that met something new
	silent   int // walks that came to a loop which goes on for long without inputs
}

func newStates(ctx context.Context, p *problem.Problem, a *problem.Answers) *states {
	c := comparedIn(p.Module)
	return &states{ctx: ctx, p: p, a: a, compared: c, places: newStatePlaces(p.Module, c), seen: map[string]bool{},
		random: 0x9e3779b97f4a7c15}
}

func (x *states) over() bool {
	return x.ctx.Err() != nil || x.a.Enough(x.p) || x.silent > policy.SilentWalks ||
		x.walks-x.last > policy.StaleWalks
}

// next returns the state to go on from: a new rare one, or in turn one of all rare ones, the newest that few walks
// began from, and one of all.
func (x *states) next() *keptState {
	for len(x.fresh) > 0 {
		if x.fresh[0].tries < x.fresh[0].worth {
			return x.fresh[0]
		}
		x.fresh = x.fresh[1:]
	}
	x.turn++
	switch x.turn % 4 {
	case 0:
		return x.kept[x.turn/4%len(x.kept)]
	case 1:
		return x.rare[x.turn/4%len(x.rare)]
	}
	for n := len(x.newest); n > 0; n-- {
		if k := x.newest[n-1]; k.tries < k.worth {
			return k
		}
		x.newest = x.newest[:n-1]
	}
	return x.rare[x.turn/4%len(x.rare)]
}

// walk goes on from k until nothing new is met, and keeps the states that are new.
func (x *states) walk(k *keptState, src input.Source) {
	run, _ := k.at.Fork()
	rec := &input.Recorder{Source: src}
	patience := int(x.draw() % policy.StatePatience)
	if x.draw()%policy.LongWalks == 0 {
		patience = policy.LongPatience
	}
	x.walks++
	for from := 0; patience >= 0 && !x.over(); {
		out, err := run.Go(x.ctx, rec, policy.StateSteps)
		x.varied = x.varied || len(rec.Inputs) > 0
		if err != nil {
			return
		}
		if out != nil {
			switch out.Kind {
			case interp.Violation:
				x.violated(slices.Concat(k.path(), rec.Inputs[from:]))
			case interp.StepLimit:
				x.silent++
			}
			return
		}
		rare, new := x.isNew(run.View())
		if !new {
			patience--
			continue
		}
		at, bytes := run.Fork()
		x.bytes += bytes
		k = &keptState{at: at, before: k, inputs: slices.Clone(rec.Inputs[from:]), rare: rare,
			worth: policy.LeastTries}
		from = len(rec.Inputs)
		x.keep(k)
	}
}

// keep adds k to the kept states.
func (x *states) keep(k *keptState) {
	x.last = x.walks
	x.kept = append(x.kept, k)
	if !k.rare {
		x.newest = append(x.newest, k)
		return
	}
	x.rare, x.fresh = append(x.rare, k), append(x.fresh, k)
}

// violated settles what an execution from the start on inputs violates.
func (x *states) violated(inputs []input.Input) {
	out, err := Execute(x.ctx, x.p, inputs, false)
	if err == nil {
		Violates(x.ctx, x.p, x.a, inputs, out)
	}
}

// isNew notes the state, and reports whether no state before is like it: rare, where numbers compare with constants as
// in none; else where a small number is another than in those that compare so. Nothing is new when enough are kept.
func (x *states) isNew(v interp.View) (rare, new bool) {
	if len(x.kept) >= policy.MaxKeptStates || x.bytes > policy.KeptBytes {
		return false, false
	}
	k := x.places.describe(v)
	note := func(key []byte) bool {
		had := x.seen[string(key)]
		x.seen[string(key)] = true
		return !had
	}
	rare = note(k.coarse)
	new = rare
	for _, n := range k.small {
		key := binary.AppendVarint(binary.AppendVarint(slices.Clone(k.coarse), n[0]), n[1])
		new = note(key) || new
	}
	return rare, new
}
