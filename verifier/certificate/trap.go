package certificate

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp/lasso"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve"
)

// Trap is a loop that a run enters and never leaves: each turn that begins in the set ends in it, at the back edge.
// The refutation shows the turns; the entry is shown by an execution and, where the set is not everything, by a
// solution of the formula up to the loop.
type Trap struct {
	Place
	Set    []string          `json:"set,omitempty"`    // conditions there, as those of lemmas
	Values map[string]string `json:"values,omitempty"` // of the formula's variables in the solution, other than 0
	Inputs []Input           `json:"inputs"`           // of the execution
	Steps  int64             `json:"steps"`            // that it takes to the loop, at most
}

// goals lists what a turn from the set must not do.
func (t *Trap) goals(f *encode.Formula, pr *prober) ([]goal, error) {
	h, err := t.header(f)
	if err != nil {
		return nil, err
	}
	s, site := f.Store, h.Sites[0]
	inside, err := t.holds(s, site.Values, site.Entry)
	if err != nil {
		return nil, err
	}
	back, lost := s.False(), s.False()
	for _, a := range h.Arrivals[1:] {
		kept, err := t.holds(s, a.Values, a.Entry)
		if err != nil {
			return nil, err
		}
		back = s.Or(back, a.Guard)
		lost = s.Or(lost, s.And(a.Guard, s.Not(kept)))
	}
	return []goal{
		{what: pruned, bad: s.Or(pr.pruned...)},
		{what: "turns of the loop at " + t.Where + " that leave it", bad: s.And(site.Guard, inside, s.Not(back))},
		{what: "turns of the loop at " + t.Where + " that leave the set", bad: s.And(site.Guard, inside, lost)},
	}, nil
}

func (t *Trap) header(f *encode.Formula) (*encode.Header, error) {
	h, err := headerAt(f, t.Place)
	switch {
	case err != nil:
		return nil, err
	case h.Loop == nil || len(h.Sites) != 1 || len(h.Arrivals) < 2:
		return nil, fmt.Errorf("%q is no loop that is entered in one way", t.Header)
	}
	return h, nil
}

// holds returns the term: the numbers are in the set.
func (t *Trap) holds(s *ilr.Store, now, entry []ilr.Term) (ilr.Term, error) {
	all := s.True()
	for _, text := range t.Set {
		c, err := read(s, text, now, entry, ilr.Bool)
		if err != nil {
			return all, err
		}
		all = s.And(all, c)
	}
	return all, nil
}

// entry returns the term: the loop is entered in the set, by what the formula has all of.
func (t *Trap) entry(f *encode.Formula, pr *prober) (ilr.Term, error) {
	h, err := t.header(f)
	if err != nil {
		return f.Store.False(), err
	}
	first := h.Arrivals[0]
	if first.After > 0 {
		return f.Store.False(), errors.New("the formula up to the loop begins other loops in unknown states")
	}
	inside, err := t.holds(f.Store, first.Values, first.Entry)
	gone := append([]ilr.Term{}, pr.pruned...)
	for i := range f.Gaps {
		gone = append(gone, f.Gaps[i].Guard)
	}
	s := f.Store
	return s.And(s.And(f.Assumptions...), first.Guard, inside, s.Not(s.Or(gone...))), err
}

// entered checks that the loop is entered in the set.
func (t *Trap) entered(ctx context.Context, p *program, f *encode.Formula, pr *prober) error {
	h, err := t.header(f)
	if err != nil {
		return err
	}
	inputs, err := (&Run{Inputs: t.Inputs}).source(p)
	if err != nil {
		return err
	}
	out, err := lasso.Run(ctx, p.Module, p.Strict(t.Steps), input.NewRecorded(inputs))
	if err != nil {
		return err
	}
	if out.Visits[h.Loop.Header] == 0 {
		return fmt.Errorf("the execution on the inputs does not come to the loop at %s: it ended with %s", t.Where, out)
	}
	if len(t.Set) == 0 {
		return nil
	}
	entry, err := t.entry(f, pr)
	if err != nil {
		return err
	}
	m, err := t.model(f.Store, entry)
	if err == nil && !f.Store.NewEvaluator(m, nil).Holds(entry) {
		err = fmt.Errorf("the values do not lead into the set at %s", t.Where)
	}
	return err
}

// model reads the values of the variables of term.
func (t *Trap) model(s *ilr.Store, term ilr.Term) (ilr.Model, error) {
	m := ilr.Model{BV: map[ilr.Term]bits.Vec{}}
	left := maps.Clone(t.Values)
	for _, v := range variables(s, term) {
		text, ok := left[s.VarName(v)]
		if !ok {
			continue
		}
		delete(left, s.VarName(v))
		value, err := bits.ParseHex(max(1, s.Width(v)), text)
		if err != nil {
			return m, fmt.Errorf("value of %s: %w", s.VarName(v), err)
		}
		m.BV[v] = value
	}
	for name := range left {
		return m, fmt.Errorf("the formula has no variable %s", name)
	}
	return m, nil
}

// variables lists the numbers and truth values that t is made of.
func variables(s *ilr.Store, t ilr.Term) (out []ilr.Term) {
	seen, todo := map[ilr.Term]bool{t: true}, []ilr.Term{t}
	for len(todo) > 0 {
		t, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if s.Kind(t) == ilr.KVar && s.Sort(t).Kind != ilr.SortArray {
			out = append(out, t)
		}
		for i := range s.NumArgs(t) {
			if a := s.Arg(t, i); !seen[a] {
				seen[a], todo = true, append(todo, a)
			}
		}
	}
	return out
}

// fill makes the execution shorter and finds a solution of the formula up to the loop.
func (t *Trap) fill(ctx context.Context, p *program, f *encode.Formula, pr *prober) error {
	h, err := t.header(f)
	if err != nil {
		return err
	}
	if err := t.shorten(ctx, p, h.Loop.Header); err != nil || len(t.Set) == 0 {
		return err
	}
	entry, err := t.entry(f, pr)
	if err != nil {
		return err
	}
	solver := p.OpenOwn(f.Store)
	defer solver.Close()
	if ans, err := solver.Check(ctx, entry); err != nil || ans != solve.Sat {
		return fmt.Errorf("no way into the set was found: %v %v", ans, err)
	}
	t.Values = map[string]string{}
	m := solver.Model()
	for _, v := range variables(f.Store, entry) {
		if x, ok := m.BV[v]; ok && !x.IsZero() {
			t.Values[f.Store.VarName(v)] = x.Hex()
		}
	}
	return nil
}

// shorten cuts the execution off where it has come to header.
func (t *Trap) shorten(ctx context.Context, p *program, header *ir.Block) error {
	inputs, err := (&Run{Inputs: t.Inputs}).source(p)
	if err != nil {
		return err
	}
	for steps := int64(1000); ; steps = min(10*steps, policy.ConfirmSteps) {
		rec := &input.Recorder{Source: input.NewRecorded(inputs)}
		out, err := lasso.Run(ctx, p.Module, p.Strict(steps), rec)
		if err != nil {
			return err
		}
		if out.Visits[header] > 0 {
			t.Steps, t.Inputs = steps, runOf("", nil, rec.Inputs).Inputs
			return nil
		}
		if steps == policy.ConfirmSteps {
			return errors.New("the execution does not come to the loop")
		}
	}
}

// TrapAt describes a loop that is never left, and the execution that enters it.
func TrapAt(h *encode.Header, set []string, inputs []input.Input) *Trap {
	return &Trap{Place: PlaceAt(h), Set: set, Inputs: runOf("", nil, inputs).Inputs}
}
