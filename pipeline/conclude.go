package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// conclude does the second half of a target run, when its tasks are over: it puts
// the answers together, classifies what was found, keeps it, and ends the run.
func (s *Service) conclude(ctx context.Context, id string, _ int) error {
	var run store.Run
	var p prepared
	var tasks []store.Task
	var accepted []store.Acceptance
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
		if tasks, err = tx.Tasks(ctx, id); err != nil {
			return err
		}
		accepted, err = tx.Acceptances(ctx, run.Repo)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return &queue.Drop{Err: err}
	}
	if err != nil || run.State != store.Waiting || open {
		return err
	}
	report, err := assemble(tasks, false, accepted)
	if err != nil {
		return err
	}
	base, err := s.baseReport(ctx, &p, tasks, report, accepted)
	if err != nil || base == nil && p.Base.Tasks {
		return err // this goes on when the base has its answers
	}
	others := base
	if others == nil { // what a tag is compared with, at most
		if others, err = assemble(tasks, true, accepted); err != nil {
			return err
		}
	}
	p.Context.Behaviour.Take(prepare.Behaviours(others)...)
	if report, err = s.complete(ctx, run, &p, report, acceptAgain(tasks, accepted)); err != nil {
		return err
	}
	report.Tool.Version, report.Sources = s.cfg.Version, s.sources(ctx, run, report)
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	// before the transaction: a bucket may be slow
	doc, err := s.blobs.Put(ctx, text)
	if err != nil {
		return err
	}
	cut, err := pieces(report)
	if err != nil {
		return err
	}
	kept := false
	err = s.store.Write(ctx, func(tx store.Tx) (err error) {
		kept, err = s.end(ctx, tx, run, &p, report, base, doc, cut)
		return err
	})
	if err == nil && kept && s.cfg.Measured != nil {
		s.cfg.Measured(report)
	}
	return err
}

// assemble makes the report of the answers to the tasks about the head, or about the base. accepted is what comments
// accept.
func assemble(tasks []store.Task, base bool, accepted []store.Acceptance) (*verdict.Report, error) {
	out := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}}
	var jobs []prepare.Job
	for _, t := range tasks {
		var j prepare.Job
		res := verdict.Result{}
		err := json.Unmarshal([]byte(t.Job), &j)
		if err == nil && j.Base != base {
			continue
		}
		if err := errors.Join(err, json.Unmarshal(t.Result, &res)); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		if j.Settled == nil {
			accept(&j, accepted)
			j.Complete(&res)
		}
		out.Results = append(out.Results, res)
		jobs = append(jobs, j)
	}
	prepare.InContext(jobs, out.Results)
	return out, nil
}

// acceptAgain returns what notes on a result of an earlier run what is accepted now; tasks are of the same commit.
func acceptAgain(tasks []store.Task, accepted []store.Acceptance) func(*verdict.Result) {
	for _, t := range tasks {
		var j prepare.Job
		if json.Unmarshal([]byte(t.Job), &j) == nil && !j.Base && j.Settled == nil && j.Pair == nil {
			accept(&j, accepted)
			return j.AcceptAgain
		}
	}
	return func(*verdict.Result) {} // nothing was built: nothing is known of the manifest
}

// accept adds what comments accept to what a job's manifest does.
func accept(j *prepare.Job, accepted []store.Acceptance) {
	for _, a := range accepted {
		j.Accept(a.Claim, verdict.Accepted{Reason: a.Reason, By: a.By}, a.Until)
	}
}

// end ends a run with its report.
func (s *Service) end(ctx context.Context, tx store.Tx, run store.Run, p *prepared, report,
	base *verdict.Report, doc string, cut []store.Piece) (bool, error) {
	// the aggregate first: its row lock orders the ends of sibling runs
	if err := tx.TouchRun(ctx, run.Parent); err != nil {
		return false, err
	}
	known, haveBase, sides, err := knownOf(ctx, tx, run, p, report, base)
	if err != nil {
		return false, err
	}
	repo, err := tx.Repo(ctx, run.Repo)
	if err != nil {
		return false, err
	}
	pc := p.Context
	c := classify(report, known, haveBase || p.Context.Gaps.NewTarget, pc.Gaps.Less, sides)
	c.onTarget(report, &pc.Gaps)
	extent(report, c.counts)
	pc.Gaps.Unasked, pc.Gaps.Doubtful, pc.Gaps.Passing = c.unasked, c.doubtful, c.passing
	pc.States, pc.Fixed, pc.FixedKeys, pc.Entries = c.states, len(c.fixed), c.fixed, answersOf(report)
	conclusion := reports.Conclusion(report.Results, reports.PageOptions{States: c.states, FailOn: pc.FailOn,
		Changed: pc.Changed,
		Partial: pc.Partial, Gaps: pc.Gaps, Behaviour: pc.Behaviour})
	ours, err := tx.FinishRun(ctx, run.ID, "", conclusion, p.Note, c.counts)
	if err != nil || !ours {
		return false, err // cancelled meanwhile: what we found is not wanted
	}
	if err := s.keep(ctx, tx, run, report, doc, cut, pc, c); err != nil {
		return false, err
	}
	tip, err := tx.NewestHead(ctx, run.Repo, run.Ref)
	if err != nil {
		return false, err
	}
	// an older commit that is verified once more does not bring the old baseline back
	if run.Trigger != BisectTrigger && run.Pull == 0 && run.Ref == "refs/heads/"+repo.DefaultBranch &&
		(tip == "" || run.HeadSHA == tip) {
		if err := tx.SetBaseline(ctx, run.Repo, repo.DefaultBranch, run.Target, run.HeadSHA, run.ID, c.violated,
			c.undecided(known)); err != nil {
			return false, err
		}
	}
	if err := tx.DropTasks(ctx, run.ID); err != nil {
		return false, err
	}
	return true, s.settle(ctx, tx, run)
}

func (s *Service) keep(ctx context.Context, tx store.Tx, run store.Run, report *verdict.Report, doc string,
	cut []store.Piece, pc Context, c classes) error {
	if err := tx.DropFindings(ctx, run.ID); err != nil {
		return err
	}
	if err := tx.PutReport(ctx, run.ID, store.Document{Name: doc}, pc); err != nil {
		return err
	}
	own, err := store.NewPiece(store.RunPiece, "", runPieceOf(report, &pc, run.Target))
	if err == nil {
		err = tx.PutPieces(ctx, run.ID, append(cut, own))
	}
	if err != nil {
		return err
	}
	for i := range report.Results {
		r := &report.Results[i]
		for j := range r.Claims {
			cl := &r.Claims[j]
			if !isFinding(cl) {
				continue
			}
			if err := tx.PutFinding(ctx, findingOf(run.ID, r, cl, c.states[reports.Key(r, cl)])); err != nil {
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
		return errors.Join(s.Publish(ctx, tx, run.ID), s.noticeBisection(ctx, tx, run))
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
	return errors.Join(s.Publish(ctx, tx, run.ID, run.Parent), s.noticeBisection(ctx, tx, agg))
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
		if answersFor(&r, &agg) && !have[r.Target] {
			have[r.Target] = true
			own = append(own, r)
		}
	}
	sort.Slice(own, func(i, j int) bool { return own[i].Target < own[j].Target })
	return own, nil
}

// answersFor reports whether r is an earlier answer about the commit of agg, against the same base.
func answersFor(r, agg *store.Run) bool {
	return r.Trigger != BisectTrigger && !r.Aggregate() && r.Pull == agg.Pull && r.BaseRef == agg.BaseRef &&
		r.State == store.Done &&
		r.Conclusion != "cancelled" && r.ID < agg.ID
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
