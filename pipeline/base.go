package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// compared says what the findings of a change are compared with: a run of the commit that it starts from, or answers
// to tasks about that commit. Neither: the findings of the branch.
type compared struct {
	Commit string `json:"commit,omitempty"` // that the change starts from; empty: the run is of no change
	Run    string `json:"run,omitempty"`
	Tasks  bool   `json:"tasks,omitempty"`
}

// base builds the commit that the change of a run starts from, unless an earlier run of it says all that is asked:
// such a run knows nothing of functions that only the change makes interesting.
func (s *Service) base(ctx context.Context, run store.Run, in *inputs, p *prepared, ask prepare.Asked,
	build func(tree, prepare.Asked) (*prepare.Built, error)) (*prepare.Built, error) {
	if p.Base.Commit == "" {
		return &prepare.Built{}, nil
	}
	if len(run.Options.Entries) > 0 { // the answers of the others are those of an earlier run
		earlier, _, err := s.earlier(ctx, run)
		if err != nil {
			return nil, err
		}
		ask.Called = append(ask.Called, prepare.CalledBy(earlier)...)
	}
	if len(ask.Called) == 0 && !ask.Whole && !ask.Behaviour { // what the programs differ in is not asked
		var err error
		if p.Base.Run, err = s.runOf(ctx, run, p.Base.Commit); err != nil || p.Base.Run != "" {
			return &prepare.Built{}, err
		}
	}
	from := in.before(p.Base.Commit)
	if err := errors.Join(from.readManifest(ctx), s.withDefaults(ctx, from)); err != nil {
		return nil, err
	}
	if m, err := readManifest(from.manifest); err == nil && !prepare.HasTarget(m, run.Target) {
		p.Context.Gaps.NewTarget = true
		return &prepare.Built{}, nil
	}
	t := tree{from.head, from.manifest, run.Options}
	t.options.Entries = nil // answers of harnesses that are not run again are compared, too
	built, err := build(t, ask)
	if err != nil {
		return nil, err
	}
	for i := range built.Jobs {
		built.Jobs[i].Base = true
	}
	p.Base.Tasks = true
	return built, nil
}

// runOf returns the newest run of a commit of the branch that asked what `like` asks of all harnesses; empty if there
// is none, or if it found something: what the head does of that, only both programs tell.
func (s *Service) runOf(ctx context.Context, like store.Run, commit string) (string, error) {
	var found string
	err := s.store.Read(ctx, func(tx store.Tx) error {
		runs, err := tx.RunsByHead(ctx, like.Repo, commit)
		if err != nil {
			return err
		}
		for _, r := range runs {
			if r.Pull != 0 || r.Target != like.Target || r.State != store.Done || len(r.Options.Entries) > 0 ||
				!sameBounds(r, like) {
				continue
			}
			text, err := tx.Report(ctx, r.ID, nil)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			var rep verdict.Report
			if err := errors.Join(err, json.Unmarshal(text, &rep)); err != nil {
				return fmt.Errorf("report of %s: %w", r.ID, err)
			}
			if !slices.ContainsFunc(rep.Results, func(r verdict.Result) bool { return r.Status == verdict.Violated }) {
				found = r.ID
			}
			return nil
		}
		return nil
	})
	return found, err
}

// baseReport returns what the tasks about the base say. Those that wait for the findings of the head are let go first,
// then comparisons, as far as there is time for them: then it returns nil, as where there are none.
func (s *Service) baseReport(ctx context.Context, p *prepared, tasks []store.Task, head *verdict.Report,
	accepted []store.Acceptance) (*verdict.Report, error) {
	if !p.Base.Tasks {
		return nil, nil
	}
	if !slices.ContainsFunc(tasks, func(t store.Task) bool { return t.State == store.TaskHeld }) {
		return assemble(tasks, true, accepted)
	}
	all, err := jobsOf(tasks)
	if err != nil {
		return nil, err
	}
	var held, heads []store.Task
	var jobs, others []prepare.Job // theirs
	for i, t := range tasks {
		switch {
		case t.State == store.TaskHeld && !all[i].Waits():
			held, jobs = append(held, t), append(jobs, all[i])
		case !t.Base:
			heads, others = append(heads, t), append(others, all[i])
		}
	}
	if len(held) == 0 {
		return s.compared(ctx, tasks, all, accepted)
	}
	prepare.TryOn(jobs, others, head.Results, func(string) map[string]string { return p.Context.Gaps.Renamed })
	for i := range jobs {
		if a := jobs[i].Against; a != nil {
			k := slices.IndexFunc(others, func(j prepare.Job) bool { return j.Name() == a.Job.Name() })
			if a.Blob = heads[k].Module; a.Blob == "" { // its answer was known without it
				jobs[i].Against = nil
			}
		}
	}
	return nil, s.letGo(ctx, held, jobs)
}

// compared is baseReport of tasks, whose jobs are given, when all but comparisons are over: of these, some wait.
func (s *Service) compared(ctx context.Context, tasks []store.Task, jobs []prepare.Job,
	accepted []store.Acceptance) (*verdict.Report, error) {
	results := make([]*verdict.Result, len(tasks))
	for i, t := range tasks {
		if t.State == store.TaskHeld {
			continue
		}
		results[i] = &verdict.Result{}
		if err := json.Unmarshal(t.Result, results[i]); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
	}
	if next := prepare.LetGo(jobs, results); len(next) > 0 {
		var held []store.Task
		var let []prepare.Job
		for _, i := range next {
			held, let = append(held, tasks[i]), append(let, jobs[i])
		}
		return nil, s.letGo(ctx, held, let)
	}
	tasks = slices.Clone(tasks)
	for i := range tasks {
		if results[i] == nil {
			none := jobs[i].NotCompared()
			if err := answer(&tasks[i], &none); err != nil {
				return nil, err
			}
		}
	}
	return assemble(tasks, true, accepted)
}

// letGo queues tasks that are held, with what their jobs are now.
func (s *Service) letGo(ctx context.Context, held []store.Task, jobs []prepare.Job) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		for i, t := range held {
			text, err := json.Marshal(&jobs[i])
			if err != nil {
				return err
			}
			if ours, err := tx.ReleaseTask(ctx, t.ID, string(text), jobs[i].Timeout); err != nil || !ours {
				return err // another conclusion was faster
			}
			if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: WorkJob, ID: t.Run, Lane: queue.Verify,
				Priority: t.Priority}); err != nil {
				return err
			}
		}
		return nil
	})
}

// jobsOf reads the jobs of tasks.
func jobsOf(tasks []store.Task) ([]prepare.Job, error) {
	jobs := make([]prepare.Job, len(tasks))
	for i, t := range tasks {
		if err := json.Unmarshal([]byte(t.Job), &jobs[i]); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
	}
	return jobs, nil
}

// knownOf lists what the base of a run has, by the IDs of report, and whether anything is known of the base. base is
// nil unless it was verified for the run; so is what it says by entry.
func knownOf(ctx context.Context, tx store.Tx, run store.Run, p *prepared, report, base *verdict.Report) (
	map[string]string, bool, *sides, error) {
	known, sha, err := tx.Baseline(ctx, run.Repo, p.BaseRef, run.Target)
	if err != nil {
		return nil, false, nil, err
	}
	if p.Base.Run != "" {
		text, err := tx.Report(ctx, p.Base.Run, nil)
		if err == nil {
			base = &verdict.Report{}
			err = json.Unmarshal(text, base)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, false, nil, fmt.Errorf("report of %s: %w", p.Base.Run, err)
		}
	}
	if base == nil {
		return known, sha != "", nil, nil
	}
	if sha != p.Base.Commit { // the branch has gone on
		known = map[string]string{}
	}
	return known, true, learn(known, report, base, p.Context.Gaps.Renamed), nil
}

// withoutBase notes that the base of a change cannot be verified, and returns err if the fault is ours.
func withoutBase(p *prepared, err error) error {
	if !isFinal(err) {
		return err
	}
	p.Note = strings.TrimSpace(p.Note + "\n\n" + reports.NoBase(err.Error()))
	return nil
}
