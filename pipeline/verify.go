package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"syscall"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Context is what is known about a report beside it; kept with it, so that
// every rendering of it is the same.
type Context struct {
	Changed map[string][]reports.LineRange `json:"changed"` // nil: not of a change
	States  map[string]reports.State       `json:"states"`  // by reports.Key
	Fixed   int                            `json:"fixed"`
	Sandbox string                         `json:"sandbox,omitempty"`
	// what the manifest says under `report`
	AnnotateAll bool `json:"annotate_all,omitempty"`
	Comment     bool `json:"comment,omitempty"`
	// keys of the findings that Fixed counts
	FixedKeys []string `json:"fixed_keys,omitempty"`
	// some harnesses of the commit have never been verified
	Partial bool `json:"partial,omitempty"`
}

// prepared is what a built run waits with for its tasks.
type prepared struct {
	Context Context `json:"context"`
	Scope   string  `json:"scope"`    // of its answers
	BaseRef string  `json:"base_ref"` // branch whose baseline counts
	Note    string  `json:"note,omitempty"`
}

// build does the first half of a target run: it adds a task for each entry, with
// the answers that the store has.
func (s *Service) build(ctx context.Context, id string, _ int) error {
	if err := s.pause(); err != nil {
		return err
	}
	return s.hold(ctx, id, func(ctx context.Context, run store.Run) error {
		in, err := s.inputs(ctx, run)
		if err != nil {
			return err
		}
		m, err := readManifest(in.manifest)
		if err != nil {
			return err
		}
		p := prepared{Context: Context{AnnotateAll: m.Report.Annotate == "all", Comment: m.Report.Comment}, Scope: scopeOf(run, in.fork), BaseRef: in.baseRef, Note: in.note}
		if in.base != "" {
			if p.Context.Changed, _, err = in.mirror.Changed(ctx, in.base, run.HeadSHA); err != nil {
				return err
			}
		}
		tasks, used, err := s.tasks(ctx, run, in, &p)
		if err != nil {
			return err
		}
		return s.spread(ctx, run, &p, tasks, used)
	})
}

// tasks lays the tree out, builds it, and lists its verifications.
func (s *Service) tasks(ctx context.Context, run store.Run, in *inputs, p *prepared) ([]store.Task, []store.Answer, error) {
	// the try is part of the name: what an earlier one left running must not meet this one
	root := filepath.Join(s.cfg.Data, "work", fmt.Sprintf("%s-%d", run.ID, run.Tries))
	req := Request{Run: run.ID, Dir: filepath.Join(root, "src"), Scratch: filepath.Join(root, "out"), Target: run.Target, Options: run.Options, Limit: s.cfg.RunLimit, Changed: p.Context.Changed}
	if err := errors.Join(os.MkdirAll(req.Dir, 0o755), os.MkdirAll(req.Scratch, 0o755)); err != nil {
		return nil, nil, &InfraError{err}
	}
	defer s.sweepAway(root)
	if asks(run) {
		req.Units = s.unitsOf(run)
	}
	if err := s.layOut(ctx, run, in, req.Dir); err != nil {
		return nil, nil, err
	}
	built, err := s.cfg.Checker.Build(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	p.Context.Sandbox = built.Sandbox
	if p.Scope == "" {
		if err := keepUnits(filepath.Join(req.Scratch, UnitsFolder), s.unitsOf(run)); err != nil {
			s.log.Warn("compiled units are not kept", "run", run.ID, "err", err)
		}
	}
	known, used, err := s.recall(ctx, run, p.Scope, built.Jobs)
	if err != nil {
		return nil, nil, err
	}
	var tasks []store.Task
	for i := range built.Jobs {
		t, err := s.task(ctx, run, &built.Jobs[i], req.Scratch, known[i])
		if err != nil {
			return nil, nil, err
		}
		t.N = i
		tasks = append(tasks, t)
	}
	return tasks, used, nil
}

// task makes the row of a job. Its program goes to the blob store, unless the answer is known.
func (s *Service) task(ctx context.Context, run store.Run, j *Job, from string, known *verdict.Result) (store.Task, error) {
	j.Timeout, j.Raise = min(j.Timeout, s.cfg.RunLimit), run.Trigger == "nightly"
	t := store.Task{Run: run.ID, Repo: run.Repo, Installation: run.Installation, Entry: j.Name(), Target: run.Target, Engine: s.cfg.Checker.Engine(), Priority: priority(run.Trigger)}
	var err error
	switch {
	case j.Settled != nil:
		t.Result, err = json.Marshal(j.Settled)
	case known != nil:
		t.Result, err = json.Marshal(known)
	case j.Module != "":
		var data []byte
		if data, err = readModule(filepath.Join(from, j.Module)); err == nil {
			t.Module, err = s.blobs.Put(ctx, data)
		}
	}
	if err != nil {
		return t, &InfraError{err}
	}
	text, err := json.Marshal(j)
	t.Job = string(text)
	return t, err
}

// readModule reads a file that a child left: a regular one of bounded size.
func readModule(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxReport {
		return nil, fmt.Errorf("the build left no usable %s", filepath.Base(name))
	}
	return io.ReadAll(io.LimitReader(f, maxReport))
}

// spread queues the tasks of a built run; it is concluded when they are over.
func (s *Service) spread(ctx context.Context, run store.Run, p *prepared, tasks []store.Task, used []store.Answer) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		if ours, err := tx.Heartbeat(ctx, run.ID, s.owner, leaseTime); err != nil || !ours {
			return err
		}
		past, err := tx.Timings(ctx, run.Repo, run.Target)
		if err != nil {
			return err
		}
		open := 0
		for _, t := range tasks {
			t.Expected = past[t.Entry]
			if err := tx.AddTask(ctx, t); err != nil {
				return err
			}
			if t.Result == nil {
				open++
				if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: WorkJob, ID: run.ID, Lane: queue.Verify, Priority: t.Priority}); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(tx.UsedAnswers(ctx, run.Repo, used), tx.SetPrepared(ctx, run.ID, string(text))); err != nil {
			return err
		}
		if open > 0 {
			return s.Publish(ctx, tx, run.ID)
		}
		return s.queue.Enqueue(ctx, tx, queue.Job{Kind: ConcludeJob, ID: run.ID, Lane: queue.Plans})
	})
}

// sweepAway removes a work tree.
func (s *Service) sweepAway(root string) {
	if err := os.RemoveAll(root); err != nil {
		s.log.Warn("work tree stays", "folder", root, "err", err)
	}
}

// layOut exports the commit with the manifest that governs it.
func (s *Service) layOut(ctx context.Context, run store.Run, in *inputs, dir string) error {
	if err := in.mirror.Export(ctx, run.HeadSHA, dir); err != nil {
		return err
	}
	text, err := adjustManifest(in.manifest, run.Options)
	if err != nil {
		return err
	}
	// the head may have anything in its place, even a symbolic link
	name := filepath.Join(dir, ManifestName)
	if err := os.RemoveAll(name); err != nil {
		return &InfraError{err}
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return &InfraError{err}
	}
	return nil
}

// conclude does the second half of a target run, when its tasks are over: it puts
// the answers together, classifies what was found, keeps it, and ends the run.
func (s *Service) conclude(ctx context.Context, id string, _ int) error {
	var run store.Run
	var p prepared
	var tasks []store.Task
	open := false
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		if run, err = tx.Run(ctx, id); err != nil || run.State != store.Waiting {
			return err
		}
		text, err := tx.Prepared(ctx, id)
		if err != nil || text == "" {
			return err
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return err
		}
		if open, err = tx.OpenTasks(ctx, id); err != nil {
			return err
		}
		tasks, err = tx.Tasks(ctx, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return &queue.Drop{Err: err}
	}
	if err != nil || run.State != store.Waiting || open {
		return err
	}
	report, err := assemble(tasks)
	if err != nil {
		return err
	}
	if report, err = s.complete(ctx, run, &p, report); err != nil {
		return err
	}
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	// before the transaction: a bucket may be slow
	doc, err := s.blobs.Put(ctx, text)
	if err != nil {
		return err
	}
	kept := false
	err = s.store.Write(ctx, func(tx store.Tx) (err error) {
		kept, err = s.end(ctx, tx, run, &p, report, doc)
		return err
	})
	if err == nil && kept && s.cfg.Measured != nil {
		s.cfg.Measured(report)
	}
	return err
}

// assemble makes the report of the answers to the tasks.
func assemble(tasks []store.Task) (*verdict.Report, error) {
	out := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}}
	for _, t := range tasks {
		var j Job
		res := verdict.Result{}
		if err := errors.Join(json.Unmarshal([]byte(t.Job), &j), json.Unmarshal(t.Result, &res)); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		if j.Settled == nil {
			j.Complete(&res)
		}
		out.Results = append(out.Results, res)
	}
	return out, nil
}

// end ends a run with its report.
func (s *Service) end(ctx context.Context, tx store.Tx, run store.Run, p *prepared, report *verdict.Report, doc string) (bool, error) {
	// the aggregate first: its row lock orders the ends of sibling runs
	if err := tx.TouchRun(ctx, run.Parent); err != nil {
		return false, err
	}
	known, haveBase, err := tx.Baseline(ctx, run.Repo, p.BaseRef, run.Target)
	if err != nil {
		return false, err
	}
	accepted, err := tx.Suppressions(ctx, run.Repo)
	if err != nil {
		return false, err
	}
	repo, err := tx.Repo(ctx, run.Repo)
	if err != nil {
		return false, err
	}
	c := classify(report, known, haveBase, accepted)
	pc := p.Context
	pc.States, pc.Fixed, pc.FixedKeys = c.states, len(c.fixed), c.fixed
	conclusion := reports.Conclusion(report.Results, reports.PageOptions{States: c.states})
	if pc.Partial && conclusion == "success" {
		conclusion = "neutral"
	}
	ours, err := tx.FinishRun(ctx, run.ID, "", conclusion, p.Note, c.counts)
	if err != nil || !ours {
		return false, err // cancelled meanwhile: what we found is not wanted
	}
	if err := s.keep(ctx, tx, run, report, doc, pc, c); err != nil {
		return false, err
	}
	if run.Pull == 0 && run.Ref == "refs/heads/"+repo.DefaultBranch {
		if err := tx.SetBaseline(ctx, run.Repo, repo.DefaultBranch, run.Target, run.HeadSHA, run.ID, c.violated, c.undecided(known)); err != nil {
			return false, err
		}
	}
	if err := tx.DropTasks(ctx, run.ID); err != nil {
		return false, err
	}
	return true, s.settle(ctx, tx, run)
}

func (s *Service) keep(ctx context.Context, tx store.Tx, run store.Run, report *verdict.Report, doc string, pc Context, c classes) error {
	if err := tx.DropFindings(ctx, run.ID); err != nil {
		return err
	}
	if err := tx.PutReport(ctx, run.ID, store.Document{Name: doc}, pc); err != nil {
		return err
	}
	for i := range report.Results {
		r := &report.Results[i]
		for j := range r.Claims {
			cl := &r.Claims[j]
			if cl.Status != verdict.Violated && (cl.Status != verdict.Unknown || cl.IsShadowed()) {
				continue
			}
			f := store.Finding{Run: run.ID, Fingerprint: reports.Fingerprint(r, cl), Claim: cl.ID, Rule: string(cl.Check), Target: r.Target, Entry: r.Entry, File: cl.Pos.File,
				Line: cl.Pos.Line, Message: cl.Message, Status: cl.Status.String(), State: string(c.states[reports.Key(r, cl)])}
			if err := tx.PutFinding(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish ends a run that has no report.
func (s *Service) finish(ctx context.Context, run store.Run, conclusion, detail string) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		if run.Parent != "" {
			if err := tx.TouchRun(ctx, run.Parent); err != nil {
				return err
			}
		}
		ours, err := tx.FinishRun(ctx, run.ID, s.owner, conclusion, detail, nil)
		if err != nil || !ours {
			return err
		}
		return s.settle(ctx, tx, run)
	})
}

// settle shows a finished run, and ends the aggregate when it was the last.
func (s *Service) settle(ctx context.Context, tx store.Tx, run store.Run) error {
	if run.Parent == "" {
		return s.Publish(ctx, tx, run.ID)
	}
	all, err := Family(ctx, tx, run.Parent)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.State != store.Done {
			return s.Publish(ctx, tx, run.ID, run.Parent)
		}
	}
	agg, err := tx.Run(ctx, run.Parent)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, r := range all {
		for k, n := range r.Counts {
			counts[k] += n
		}
	}
	if _, err := tx.FinishRun(ctx, agg.ID, "", worst(all), agg.Detail, counts); err != nil {
		return err
	}
	return s.Publish(ctx, tx, run.ID, run.Parent)
}

// Family lists the runs that an aggregate speaks for: its own, and for targets
// that it did not run anew the newest finished ones of the same commit.
func Family(ctx context.Context, tx store.Tx, aggregate string) ([]store.Run, error) {
	agg, err := tx.Run(ctx, aggregate)
	if err != nil {
		return nil, err
	}
	own, err := tx.Children(ctx, aggregate)
	if err != nil || len(agg.Options.Targets) == 0 {
		return own, err
	}
	have := map[string]bool{}
	for _, r := range own {
		have[r.Target] = true
	}
	others, err := tx.RunsByHead(ctx, agg.Repo, agg.HeadSHA)
	if err != nil {
		return nil, err
	}
	for _, r := range others {
		if !r.Aggregate() && r.Pull == agg.Pull && r.State == store.Done && r.Conclusion != "cancelled" && r.ID < agg.ID && !have[r.Target] {
			have[r.Target] = true
			own = append(own, r)
		}
	}
	sort.Slice(own, func(i, j int) bool { return own[i].Target < own[j].Target })
	return own, nil
}

// worst is the conclusion of an aggregate.
func worst(all []store.Run) string {
	order := []string{"failure", "action_required", "timed_out", "cancelled", "neutral"}
	for _, c := range order {
		for _, r := range all {
			if r.Conclusion == c {
				return c
			}
		}
	}
	return "success"
}
