package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
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
	family []member // of an aggregate: its targets; of a target: itself
}

// member is a target run with its report, if it has one.
type member struct {
	run     store.Run
	report  *verdict.Report
	context pipeline.Context
}

func (s *Server) view(ctx context.Context, id string) (*view, error) {
	v := &view{}
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		if v.run, err = tx.Run(ctx, id); err != nil {
			return err
		}
		if v.repo, err = tx.Repo(ctx, v.run.Repo); err != nil {
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
				v.family = append(v.family, m)
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

func checkName(r *store.Run) string {
	if r.Aggregate() {
		return "firmproof"
	}
	return "firmproof / " + r.Target
}

// render says what the check run of v shows.
func (s *Server) render(v *view) *checkBody {
	r := &v.run
	b := &checkBody{Name: checkName(r), HeadSHA: r.HeadSHA, ExternalID: r.ID, DetailsURL: s.runURL(r.ID),
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

// actions are the buttons of a finished check run: GitHub shows at most three.
func actions(r *store.Run) []*github.CheckRunAction {
	rerun := &github.CheckRunAction{Label: "Re-run", Description: "Verify this commit again", Identifier: "rerun"}
	switch {
	case r.Options.Gated:
		return []*github.CheckRunAction{{Label: "Approve run", Description: "Build and verify this commit",
			Identifier: "approve"}}
	case r.Conclusion == "cancelled":
		return []*github.CheckRunAction{rerun}
	}
	return []*github.CheckRunAction{rerun, {Label: "Deeper", Description: "Again with twice the bounds",
		Identifier: "deeper"},
		{Label: "Prove", Description: "Try for unbounded proofs", Identifier: "prove"}}
}

// page is the text of a run.
func (s *Server) page(v *view) reports.Page {
	results, o := s.gather(v)
	if v.run.Aggregate() {
		return s.aggregatePage(v, results, o)
	}
	if len(results) == 0 {
		return barePage(&v.run)
	}
	p := reports.CheckRun(results, o)
	if v.run.Detail != "" {
		p.Summary = reports.Cut(v.run.Detail+"\n\n"+p.Summary, reports.MaxText, o.DetailsURL)
	}
	return p
}

// gather puts the results of all of v's reports together with what is known of each.
func (s *Server) gather(v *view) ([]verdict.Result, reports.PageOptions) {
	var results []verdict.Result
	o := reports.PageOptions{ByTarget: map[string]map[string]reports.State{}, DetailsURL: s.runURL(v.run.ID)}
	for _, m := range v.family {
		if m.report == nil {
			continue
		}
		results = append(results, m.report.Results...)
		o.ByTarget[m.run.Target] = m.context.States
		o.Changed, o.All, o.FixedCount = m.context.Changed, m.context.AnnotateAll, o.FixedCount+m.context.Fixed
	}
	return results, o
}

// aggregatePage sums up all targets. Annotations belong to the targets' own check runs.
func (s *Server) aggregatePage(v *view, results []verdict.Result, o reports.PageOptions) reports.Page {
	if len(v.family) == 0 {
		return barePage(&v.run)
	}
	done := 0
	var table strings.Builder
	table.WriteString("| target | result | |\n|---|---|---|\n")
	for _, m := range v.family {
		word, note := string(m.run.State), ""
		if m.run.State == store.Done {
			done++
			word = m.run.Conclusion
			note = countsText(m.run.Counts)
			if m.report == nil {
				note = firstLine(m.run.Detail)
			}
		}
		fmt.Fprintf(&table, "| [%s](%s) | %s | %s |\n", m.run.Target, s.runURL(m.run.ID), word,
			strings.ReplaceAll(note, "|", "\\|"))
	}
	p := reports.Page{Title: fmt.Sprintf("%d of %d targets done", done, len(v.family))}
	if v.run.State == store.Done {
		p.Title = "no answer: " + v.run.Conclusion
		if len(results) > 0 {
			full := reports.CheckRun(results, o)
			p.Title, p.Text = full.Title, full.Text
		} else if len(v.family) > 0 {
			p.Title = barePage(&v.family[0].run).Title
		}
	}
	p.Summary = table.String() + reports.DifferText(results)
	if v.run.Detail != "" {
		p.Summary = v.run.Detail + "\n\n" + p.Summary
	}
	p.Summary = reports.Cut(p.Summary, reports.MaxText, o.DetailsURL)
	return p
}

func countsText(c map[string]int) string {
	var out []string
	for _, k := range []string{"violated", "unknown", "bounded", "proved", "introduced", "fixed", "preexisting",
		"suppressed"} {
		if c[k] > 0 {
			out = append(out, fmt.Sprintf("%d %s", c[k], k))
		}
	}
	return strings.Join(out, ", ")
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// barePage shows a run without a report: its state, or what went wrong.
func barePage(r *store.Run) reports.Page {
	title := map[string]string{"": "waiting for a worker", "failure": "the build failed",
		"action_required": "something is needed first", "cancelled": "cancelled",
		"timed_out": "timed out", "neutral": "not verified"}[r.Conclusion]
	switch {
	case r.State == store.Running, r.State == store.Waiting:
		title = "running"
	case r.Options.Gated:
		title = "waiting for approval"
	case r.State == store.Done && r.Conclusion == "success":
		title = "done"
	}
	p := reports.Page{Title: title, Summary: title + "."}
	if r.Detail != "" {
		p.Summary = r.Detail
		if r.Conclusion == "failure" || strings.Contains(r.Detail, "\n") {
			p.Summary = "```\n" + strings.ReplaceAll(r.Detail, "```", "'''") + "\n```"
			p.Annotations = compilerNotes(r.Detail)
		}
	}
	p.Summary = reports.Cut(p.Summary, reports.MaxText, "")
	return p
}

var compilerNote = regexp.MustCompile(
	`(?m)^(?:firmproof: |check: |error: )*([^\s:]+):(\d+)(?::(\d+))?: (?:fatal )?(error|warning)?:? ?(.+)$`)

// compilerNotes turns FILE:LINE:COLUMN messages of compilers and of the manifest into annotations.
func compilerNotes(text string) []reports.Annotation {
	var out []reports.Annotation
	for _, m := range compilerNote.FindAllStringSubmatch(text, 20) {
		line, err := strconv.Atoi(m[2])
		if err != nil || line == 0 || m[4] == "warning" || strings.HasPrefix(m[1], "/") {
			continue
		}
		out = append(out, reports.Annotation{Path: m[1], StartLine: line, EndLine: line, Level: "failure",
			Title: "build", Message: m[5]})
	}
	return out
}

func (s *Server) runURL(id string) string { return s.cfg.PublicURL + "/runs/" + id }
