package prepare

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Against is the head's side of a job of the base: what both programs do on inputs of each other's violations.
type Against struct {
	Job   Job             `json:"job"`
	Blob  string          `json:"blob,omitempty"` // the service's name of the head's program
	Found []verdict.Claim `json:"found"`          // violations that the head's report has, without their traces
	Left  []verdict.Claim `json:"left,omitempty"` // those that it withdrew, likewise
	Held  []string        `json:"held,omitempty"` // see change.Held, of the head
	Open  bool            `json:"open,omitempty"` // further executions of the head may fail
}

// File is the name of the head's program in the folder of a job of the base.
func (a *Against) File() string { return "head-" + a.Job.Module }

// read reads the head's program. a may be nil.
func (a *Against) read(folder string) error {
	if a == nil {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(folder, a.File()))
	if err != nil {
		return err
	}
	if a.Job.Program, err = ir.Decode(data); err != nil {
		return fmt.Errorf("the program of the head: %w", err)
	}
	return nil
}

// Compare completes the engine's result of a job of the base, whose program is m, by what the head does.
func (j *Job) Compare(ctx context.Context, m *ir.Module, res *verdict.Result) {
	if j.Against == nil || ctx.Err() != nil {
		return
	}
	head := &j.Against.Job
	res.Change = change.Against(ctx, change.Side{Module: m, Plan: j.Plan, Stands: j.standing,
		Open: change.LeavesOpen(&j.Plan, res), Left: res.Left, Held: change.Held(&j.Plan, res)},
		change.Side{Module: head.Program, Plan: head.Plan, Stands: head.standing, Open: j.Against.Open,
			Left: j.Against.Left, Held: j.Against.Held, Time: head.Timeout}, j.Against.Found, res)
	if res.Change != nil {
		res.Change.Callers = head.Callers
	}
}

// TryOn lets jobs of the base begin with the inputs that violate the head (Job.TryOn). results are those of heads in this
// order. renamed gives the functions of a target that have other names in the head, by their names in the base.
func TryOn(bases, heads []Job, results []verdict.Result, renamed func(target string) map[string]string) {
	for i, k := range EntriesOf(bases, heads, renamed) {
		bases[i].TryOn(&heads[k], &results[k])
	}
}

// EntriesOf finds the job of the head for those of the base that ask the same, by index.
func EntriesOf(bases, heads []Job, renamed func(target string) map[string]string) map[int]int {
	type key struct{ target, entry string }
	of := map[key]int{}
	for i := range heads {
		of[key{heads[i].Plan.Target, heads[i].Name()}] = i
	}
	out := map[int]int{}
	for i := range bases {
		b := &bases[i]
		k, is := of[key{b.Plan.Target, RenamedEntry(b.Name(), renamed(b.Plan.Target))}]
		if is && b.Settled == nil && b.Pair == nil {
			out[i] = k
		}
	}
	return out
}

// TryOn lets a job of the base begin with the inputs that violate the head: a violation that the base has, too, is
// known, however much time its search would take. Where objects lie is left to the execution: that depends on the
// whole program. The job gets the head's, whose result is res. Whether callers take back what res has may not be known
// yet.
func (b *Job) TryOn(head *Job, res *verdict.Result) {
	if b.Settled != nil || head.Settled != nil {
		return
	}
	a := &Against{Job: *head, Found: []verdict.Claim{}, Open: change.LeavesOpen(&head.Plan, res), Held: change.Held(&head.Plan, res)}
	for _, c := range res.Claims {
		if c.Status != verdict.Violated {
			continue
		}
		if a.Open = a.Open || len(head.Callers) > 0; len(c.Inputs) == 0 {
			continue
		}
		b.Plan.Tried = append(b.Plan.Tried, slices.DeleteFunc(slices.Clone(c.Inputs), func(in verdict.Input) bool {
			return in.Kind == input.Base.String()
		}))
		c.Trace, c.Certificate, c.Evidence = nil, nil, nil
		a.Found = append(a.Found, c)
	}
	for _, c := range res.Left {
		c.Certificate, c.Evidence = nil, nil
		a.Left = append(a.Left, c)
	}
	b.Against = a
}
