package bot

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// runPage is the data of a run's page.
type runPage struct {
	Name      string
	Run       store.Run
	Repo      store.Repo
	Forge     forge
	Headline  string
	Open      bool   // not over yet: the page may be asked for again
	Place     string // in the queue
	Sandbox   string
	Targets   []targetRow
	Tasks     []taskRow // of a target run that is not over
	MoreTasks int
	Findings  []findingRow
	Matrix    template.HTML
	section   // of the places
	Results   []pipeline.OutlinedResult
	HasReport bool
	Proofs    template.HTML // why runs end, drawn
	Costs     template.HTML // runtime bounds
	Coverage  string        // how much is reached, if somebody asked
}

// targetRow is a run on one target, and how many of its verifications are over.
type targetRow struct {
	Run         store.Run
	Ended, Size int
}

// findingRow is a place that is violated, on all targets of the run.
type findingRow struct {
	store.Finding
	On []store.Finding // one for each target, by its name
}

func (p *pages) run(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, ofRun(r))
	if !ok {
		return
	}
	p.show(w, r, "run", func(ctx context.Context, tx store.Tx) (any, error) {
		run, err := tx.Run(ctx, r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return p.runData(ctx, tx, repo, run, from(r))
	})
}

// sitesShown is how many places with findings a page of a run has; findingsAt, how many findings of a place.
const (
	sitesShown = 100
	findingsAt = 50
)

func (p *pages) runData(ctx context.Context, tx store.Tx, repo store.Repo, run store.Run, first int) (*runPage, error) {
	d := &runPage{Name: p.s.nameOf(&run, &repo), Run: run, Repo: repo, Forge: forgeOf(&repo),
		Open: run.State != store.Done}
	if run.State == store.Queued {
		before, err := tx.Place(ctx, run)
		if err != nil {
			return nil, err
		}
		d.Place = reports.Place(before)
	}
	family := []store.Run{run}
	var err error
	if run.Aggregate() {
		if family, err = pipeline.Family(ctx, tx, run.ID); err != nil {
			return nil, err
		}
	}
	var ids []string
	var tally reports.Tally
	var results []verdict.Result
	var coverage []string
	runs := map[string]string{}
	for _, m := range family {
		row := targetRow{Run: m}
		if m.State != store.Done {
			if row.Ended, row.Size, err = tx.TaskProgress(ctx, m.ID); err != nil {
				return nil, err
			}
		}
		d.Targets, ids = append(d.Targets, row), append(ids, m.ID)
		piece, err := pipeline.RunPieceOf(ctx, tx, &m, p.turn)
		if err != nil {
			return nil, err
		}
		if piece == nil {
			continue
		}
		d.Sandbox, runs[m.Target] = piece.Sandbox, m.ID
		tally.Add(piece.Tally)
		results = append(results, piece.Outline()...)
		if piece.Coverage != "" && !slices.Contains(coverage, piece.Coverage) {
			coverage = append(coverage, piece.Coverage)
		}
		if !run.Aggregate() {
			d.Results, d.HasReport, d.Proofs, d.Costs = piece.Results, len(piece.Results) > 0, piece.Proofs, piece.Costs
		}
	}
	d.Coverage = strings.Join(coverage, "; ")
	if d.Open && !run.Aggregate() {
		if d.Tasks, d.MoreTasks, err = taskRows(ctx, tx, run.ID, d.Targets[0].Size); err != nil {
			return nil, err
		}
	}
	if len(results) > 0 {
		d.Headline, d.Matrix = tally.Headline(), reports.Matrix(results, linkTo(runs))
	} else {
		first := &run // of an aggregate without reports, what its first target came to
		if len(family) > 0 {
			first = &family[0]
		}
		o := p.s.outcome(first, false)
		d.Headline = reports.StatePage(o).Title
	}
	return d, d.findings(ctx, tx, ids, first)
}

// findings reads the places from the first-th on.
func (d *runPage) findings(ctx context.Context, tx store.Tx, runs []string, first int) error {
	sites, err := tx.Sites(ctx, runs, "", first, sitesShown+1)
	if err != nil {
		return err
	}
	d.section = sectionAt(first, sitesShown, len(sites))
	sites = sites[:min(len(sites), sitesShown)]
	for _, s := range sites {
		list, err := tx.FindingsAt(ctx, runs, s, findingsAt)
		if err != nil {
			return err
		}
		d.Findings = append(d.Findings, bySite(list)...)
	}
	return nil
}

// asked words what a run was asked for beside what the manifest says.
func asked(o store.Options) string {
	var out []string
	if len(o.Targets) > 0 {
		out = append(out, "only on "+strings.Join(o.Targets, ", "))
	}
	if len(o.Entries) > 0 {
		out = append(out, "only "+strings.Join(o.Entries, ", "))
	}
	if o.Factor > 1 {
		out = append(out, fmt.Sprintf("bounds times %d", o.Factor))
	}
	if o.Unwind > 0 {
		out = append(out, fmt.Sprintf("at least %d turns of each loop", o.Unwind))
	}
	if o.Timeout > 0 {
		out = append(out, o.Timeout.String()+" for each harness")
	}
	if o.Prove {
		out = append(out, "proofs tried")
	}
	if len(out) == 0 {
		return ""
	}
	text := strings.Join(out, "; ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// bySite puts findings at one place, by one check, on several targets or in several entries, into one row.
func bySite(list []store.Finding) []findingRow {
	type site struct {
		rule, file, status string
		line               int
	}
	index := map[site]int{}
	var out []findingRow
	for _, f := range list {
		k := site{f.Rule, f.File, f.Status, f.Line}
		at, known := index[k]
		if !known {
			at = len(out)
			index[k] = at
			out = append(out, findingRow{Finding: f})
		}
		row := &out[at]
		if !slices.ContainsFunc(row.On, func(o store.Finding) bool { return o.Target == f.Target }) {
			row.On = append(row.On, f)
		}
	}
	for i := range out {
		slices.SortFunc(out[i].On, func(a, b store.Finding) int { return cmp.Compare(a.Target, b.Target) })
	}
	return out
}

// coveragePage is the data of the page of annotated sources.
type coveragePage struct {
	Name    string
	Run     store.Run
	Repo    store.Repo
	Section template.HTML
}

// coverage shows what a run reaches, line by line, over all its targets.
func (p *pages) coverage(w http.ResponseWriter, r *http.Request) {
	if _, ok := p.admit(w, r, ofRun(r)); !ok {
		return
	}
	done, err := p.turn(r.Context())
	if err != nil {
		busy(w)
		return
	}
	defer done()
	v, err := p.s.view(r.Context(), r.PathValue("id"))
	p.show(w, r, "coverage", func(context.Context, store.Tx) (any, error) {
		if err != nil {
			return nil, err
		}
		all := verdict.Report{Sources: map[string]verdict.Source{}}
		for _, m := range v.family {
			if m.report == nil {
				continue
			}
			all.Results = append(all.Results, m.report.Results...)
			for file, s := range m.report.Sources {
				if len(s.Lines) > len(all.Sources[file].Lines) {
					all.Sources[file] = s
				}
			}
		}
		d := coveragePage{Name: p.s.checkName(v), Run: v.run, Repo: v.repo, Section: reports.CoverageSection(&all)}
		if d.Section == "" {
			return nil, store.ErrNotFound
		}
		return d, nil
	})
}
