package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// view is a run with all that is needed to show it.
type view struct {
	run    store.Run
	repo   store.Repo
	now    time.Time // of the database
	before int       // how many runs come first, of a queued run
	family []member  // of an aggregate: its targets; of a target: itself
}

// member is a target run with its report, if it has one, or what it violates so far, if it goes on.
type member struct {
	run        store.Run
	report     *verdict.Report
	early      []verdict.Result
	over, size int // its verifications, if it goes on
	context    pipeline.Context
}

// readEarly reads how a run that goes on stands.
func (m *member) readEarly(ctx context.Context, tx store.Tx) (err error) {
	if m.early, m.context, err = pipeline.Early(ctx, tx, m.run.ID); err == nil {
		m.over, m.size, err = tx.TaskProgress(ctx, m.run.ID)
	}
	return err
}

// goesOn reports whether something that is violated is shown while v goes on.
func (v *view) goesOn() bool {
	return v.run.State != store.Done &&
		slices.ContainsFunc(v.family, func(m member) bool { return len(m.early) > 0 || m.report != nil })
}

func (s *Server) view(ctx context.Context, id string) (*view, error) {
	v := &view{}
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		v.now = tx.Now()
		if v.run, err = tx.Run(ctx, id); err != nil {
			return err
		}
		if v.repo, err = tx.Repo(ctx, v.run.Repo); err != nil {
			return err
		}
		if v.before, err = tx.Place(ctx, v.run); err != nil {
			return err
		}
		runs := []store.Run{v.run}
		if v.run.Aggregate() {
			if runs, err = pipeline.Family(ctx, tx, id); err != nil {
				return err
			}
		}
		for _, r := range runs {
			m := member{run: r}
			text, err := tx.Report(ctx, r.ID, &m.context)
			if errors.Is(err, store.ErrNotFound) {
				if err = nil; r.State == store.Waiting {
					err = m.readEarly(ctx, tx)
				}
				if v.family = append(v.family, m); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
			m.report = &verdict.Report{}
			if err := json.Unmarshal(text, m.report); err != nil {
				return fmt.Errorf("report of %s: %w", r.ID, err)
			}
			v.family = append(v.family, m)
		}
		return nil
	})
	return v, err
}

// outcome returns what a run shows beside its report.
func (s *Server) outcome(r *store.Run, reported bool) reports.Outcome {
	return reports.Outcome{Target: r.Target, State: string(r.State), Conclusion: r.Conclusion, Detail: r.Detail,
		Gated: r.Options.Gated, Counts: r.Counts, Reported: reported, URL: s.runURL(r.ID), BaseRef: r.BaseRef,
		BaseSHA: r.BaseSHA}
}

// checkName is the name of v's check run.
func (s *Server) checkName(v *view) string { return s.nameOf(&v.run, &v.repo) }

func (s *Server) nameOf(r *store.Run, repo *store.Repo) string {
	o := s.outcome(r, false)
	return o.Name(repo.DefaultBranch)
}

// render says what the check run of v shows.
func (s *Server) render(v *view) *checkBody {
	r := &v.run
	b := &checkBody{Name: s.checkName(v), HeadSHA: r.HeadSHA, ExternalID: r.ID, DetailsURL: s.runURL(r.ID),
		Status: status(r)}
	if !r.Started.IsZero() {
		b.StartedAt = r.Started.UTC().Format(time.RFC3339)
	}
	page := s.page(v)
	b.annotations = page.Annotations
	for i := range b.annotations {
		a := &b.annotations[i]
		a.Message, a.RawDetails = s.redact.text(a.Message), s.redact.text(a.RawDetails)
	}
	b.Output = &checkOutput{Title: page.Title, Summary: s.redact.text(page.Summary), Text: s.redact.text(page.Text)}
	if why, refused := strings.CutPrefix(r.SARIF, refusedSARIF); refused {
		b.Output.Summary = reports.Cut(reports.SARIFRefused(why)+"\n\n"+b.Output.Summary, reports.MaxText, b.DetailsURL)
	}
	if b.Status == "completed" {
		b.Conclusion, b.CompletedAt, b.Actions = r.Conclusion, r.Finished.UTC().Format(time.RFC3339), actions(r)
		if r.Finished.IsZero() {
			b.CompletedAt = r.Created.UTC().Format(time.RFC3339)
		}
	}
	return b
}

func status(r *store.Run) string {
	switch r.State {
	case store.Done:
		return "completed"
	case store.Running, store.Waiting:
		return "in_progress"
	}
	return "queued"
}

// actions are the buttons of a finished check run.
func actions(r *store.Run) []*github.CheckRunAction {
	var out []*github.CheckRunAction
	for _, b := range buttonsOf(r) {
		out = append(out, &github.CheckRunAction{Label: b.label, Description: b.help, Identifier: b.id})
	}
	return out
}

// page is the text of a run.
func (s *Server) page(v *view) reports.Page {
	results, o := s.gather(v)
	own := s.outcome(&v.run, slices.ContainsFunc(v.family, func(m member) bool { return m.report != nil }))
	own.Before = v.before
	if !v.run.Aggregate() {
		own.Over, own.Size = v.family[0].over, v.family[0].size
		return reports.TargetPage(own, results, o)
	}
	targets := make([]reports.Outcome, len(v.family))
	for i := range v.family {
		targets[i] = s.outcome(&v.family[i].run, v.family[i].report != nil)
	}
	return reports.AggregatePage(own, targets, results, o)
}

// gather puts the results of all of v's reports together with what is known of each.
func (s *Server) gather(v *view) ([]verdict.Result, reports.PageOptions) {
	var results []verdict.Result
	o := reports.PageOptions{ByTarget: map[string]map[string]reports.State{}, DetailsURL: s.runURL(v.run.ID)}
	for _, m := range v.family {
		if m.report == nil && len(m.early) == 0 {
			continue
		}
		o.Changed, o.All, o.Early = m.context.Changed, m.context.AnnotateAll, append(o.Early, m.early...)
		if m.report == nil {
			continue
		}
		results = append(results, m.report.Results...)
		o.ByTarget[m.run.Target] = m.context.States
		o.FixedCount += m.context.Fixed
		o.FixedKeys = append(o.FixedKeys, m.context.FixedKeys...)
		o.Gaps.Add(m.context.Gaps)
		o.Behaviour.Add(m.context.Behaviour)
	}
	return results, o
}

func (s *Server) runURL(id string) string { return s.cfg.PublicURL + "/runs/" + id }
