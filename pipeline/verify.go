package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

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
}

// verify does one target run: a build, and an answer for each entry, from the
// store or from a process of its own.
func (s *Service) verify(ctx context.Context, id string, _ int) error {
	return s.hold(ctx, id, func(ctx context.Context, run store.Run) error {
		in, err := s.inputs(ctx, run)
		if err != nil {
			return err
		}
		m, err := readManifest(in.manifest)
		if err != nil {
			return err
		}
		pc := Context{AnnotateAll: m.Report.Annotate == "all", Comment: m.Report.Comment}
		if in.base != "" {
			if pc.Changed, _, err = in.mirror.Changed(ctx, in.base, run.HeadSHA); err != nil {
				return err
			}
		}
		a, err := s.answer(ctx, run, in, pc.Changed)
		if err != nil {
			return err
		}
		pc.Sandbox = a.built.Sandbox
		return s.conclude(ctx, run, in, a, pc)
	})
}

// answered is a build with the answers to its jobs.
type answered struct {
	built *Built
	scope string
	bare  []*verdict.Result // as the engine gave them; nil for settled jobs
	used  []store.Answer
}

// answer lays the tree out, builds it and finds the answers. changed are the lines of the change.
func (s *Service) answer(ctx context.Context, run store.Run, in *inputs, changed map[string][]reports.LineRange) (*answered, error) {
	// the try is part of the name: what an earlier one left running must not meet this one
	root := filepath.Join(s.cfg.Data, "work", fmt.Sprintf("%s-%d", run.ID, run.Tries))
	req := Request{Run: run.ID, Dir: filepath.Join(root, "src"), Scratch: filepath.Join(root, "out"), Target: run.Target, Options: run.Options, Limit: s.cfg.RunLimit, Changed: changed}
	if err := errors.Join(os.MkdirAll(req.Dir, 0o755), os.MkdirAll(req.Scratch, 0o755)); err != nil {
		return nil, &InfraError{err}
	}
	defer func() {
		if err := os.RemoveAll(root); err != nil {
			s.log.Warn("work tree stays", "run", run.ID, "err", err)
		}
	}()
	if err := s.layOut(ctx, run, in, req.Dir); err != nil {
		return nil, err
	}
	built, err := s.cfg.Checker.Build(ctx, req)
	if err != nil {
		return nil, err
	}
	a := &answered{built: built, scope: scopeOf(run, in.fork), bare: make([]*verdict.Result, len(built.Jobs))}
	known, used, err := s.recall(ctx, run, a.scope, built.Jobs)
	if err != nil {
		return nil, err
	}
	a.used = used
	for i := range built.Jobs {
		if a.bare[i] = known[i]; a.bare[i] != nil || built.Jobs[i].Settled != nil {
			continue
		}
		if a.bare[i], err = s.one(ctx, root, req.Scratch, i, built.Jobs[i]); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// one verifies one job in a folder of its own: it must not meet what others left.
func (s *Service) one(ctx context.Context, root, from string, n int, j Job) (*verdict.Result, error) {
	t := Task{Job: j, Scratch: filepath.Join(root, fmt.Sprint(n)), Limit: j.Timeout + graceTime}
	if err := os.Mkdir(t.Scratch, 0o755); err != nil {
		return nil, &InfraError{err}
	}
	if j.Module != "" {
		if err := moveFile(filepath.Join(from, j.Module), filepath.Join(t.Scratch, j.Module)); err != nil {
			return nil, err
		}
	}
	res, err := s.cfg.Checker.Verify(ctx, t)
	if err != nil {
		return nil, err
	}
	return res, os.RemoveAll(t.Scratch)
}

// graceTime is how much longer than its engine a process may take.
const graceTime = 30 * time.Second

// moveFile moves a regular file that a child left.
func moveFile(from, to string) error {
	st, err := os.Lstat(from)
	if err != nil || !st.Mode().IsRegular() {
		return &InfraError{fmt.Errorf("the build left no %s", filepath.Base(from))}
	}
	if err := os.Rename(from, to); err != nil {
		return &InfraError{err}
	}
	return nil
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

// report puts the answers together.
func (a *answered) report() *verdict.Report {
	out := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}}
	for i := range a.built.Jobs {
		j := &a.built.Jobs[i]
		if j.Settled != nil {
			out.Results = append(out.Results, *j.Settled)
			continue
		}
		res := *a.bare[i]
		res.Claims = slices.Clone(res.Claims)
		j.Complete(&res)
		out.Results = append(out.Results, res)
	}
	return out
}

// conclude classifies what was found, keeps it, and ends the run.
func (s *Service) conclude(ctx context.Context, run store.Run, in *inputs, a *answered, pc Context) error {
	report := a.report()
	text, err := json.Marshal(report)
	if err != nil {
		return &InfraError{err}
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		// the aggregate first: its row lock orders the ends of sibling runs
		if err := tx.TouchRun(ctx, run.Parent); err != nil {
			return err
		}
		known, haveBase, err := tx.Baseline(ctx, run.Repo, in.baseRef, run.Target)
		if err != nil {
			return err
		}
		accepted, err := tx.Suppressions(ctx, run.Repo)
		if err != nil {
			return err
		}
		c := classify(report, known, haveBase, accepted)
		pc.States, pc.Fixed, pc.FixedKeys = c.states, len(c.fixed), c.fixed
		conclusion := reports.Conclusion(report.Results, reports.PageOptions{States: c.states})
		ours, err := tx.FinishRun(ctx, run.ID, s.owner, conclusion, in.note, c.counts)
		if err != nil || !ours {
			return err // cancelled or taken over: what we found is not wanted
		}
		if err := s.keep(ctx, tx, run, report, text, pc, c); err != nil {
			return err
		}
		if err := a.remember(ctx, tx, run); err != nil {
			return err
		}
		if run.Pull == 0 && run.Ref == "refs/heads/"+in.repo.DefaultBranch {
			if err := tx.SetBaseline(ctx, run.Repo, in.repo.DefaultBranch, run.Target, run.HeadSHA, run.ID, c.violated, c.undecided(known)); err != nil {
				return err
			}
		}
		return s.settle(ctx, tx, run)
	})
}

// remember keeps the new answers, and notes which old ones were of use.
func (a *answered) remember(ctx context.Context, tx store.Tx, run store.Run) error {
	for i, res := range a.bare {
		if res != nil && res.Reused == "" {
			if err := remember(ctx, tx, run, a.scope, &a.built.Jobs[i], res); err != nil {
				return err
			}
		}
	}
	return tx.UsedAnswers(ctx, run.Repo, a.used)
}

func (s *Service) keep(ctx context.Context, tx store.Tx, run store.Run, report *verdict.Report, text []byte, pc Context, c classes) error {
	if err := tx.DropFindings(ctx, run.ID); err != nil {
		return err
	}
	if err := tx.PutReport(ctx, run.ID, text, pc); err != nil {
		return err
	}
	for i := range report.Results {
		r := &report.Results[i]
		for j := range r.Claims {
			cl := &r.Claims[j]
			if cl.Status != verdict.Violated && (cl.Status != verdict.Unknown || cl.IsShadowed()) {
				continue
			}
			var trace []byte
			if len(cl.Trace) > 0 {
				var err error
				if trace, err = json.Marshal(cl.Trace); err != nil {
					return err
				}
			}
			f := store.Finding{Run: run.ID, Fingerprint: reports.Fingerprint(r, cl), Claim: cl.ID, Rule: string(cl.Check), Target: r.Target, Entry: r.Entry, File: cl.Pos.File,
				Line: cl.Pos.Line, Message: cl.Message, Status: cl.Status.String(), State: string(c.states[reports.Key(r, cl)])}
			if err := tx.PutFinding(ctx, f, trace); err != nil {
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
