package bot

import (
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// findingPage is the data of a finding's page.
type findingPage struct {
	Finding  store.Finding
	Run      store.Run
	RunName  string // of its check
	Repo     store.Repo
	Forge    forge
	Accepted string // why, if the finding is suppressed
	Meaning  string
	Check    string // command that finds it again
	History  *findingHistory
	Trace    []verdict.Step
	Claim    *verdict.Claim // of the report, if it has it still
	// how the claim was refuted, with its diagrams
	Certificate template.HTML
	Steps       template.JS // for the viewer, like the next one
	Sources     template.JS
}

func (p *pages) finding(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, ofRun(r))
	if !ok {
		return
	}
	v, viewErr := p.s.view(r.Context(), r.PathValue("id"))
	p.show(w, r, "finding", func(ctx context.Context, tx store.Tx) (any, error) {
		id, fp := r.PathValue("id"), r.PathValue("fingerprint")
		list, err := tx.Findings(ctx, id)
		if err != nil {
			return nil, errors.Join(err, viewErr)
		}
		for _, f := range list {
			if f.Fingerprint != fp {
				continue
			}
			d := findingPage{Finding: f, Repo: repo, Forge: forgeOf(&repo), RunName: "run",
				Check: reports.ShellWords([]string{"firmproof", "check", ".", "--target", f.Target, "--entry", f.Entry})}
			if d.Run, err = tx.Run(ctx, id); err != nil {
				return nil, err
			}
			if d.Accepted, err = acceptance(ctx, tx, repo.ID, f.Claim); err != nil {
				return nil, err
			}
			if prop, ok := verdict.Lookup(f.Rule); ok {
				d.Meaning = prop.Meaning
			}
			text, err := tx.Trace(ctx, id, fp)
			if err == nil {
				err = json.Unmarshal(text, &d.Trace)
			}
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			if viewErr == nil {
				d.RunName = p.s.checkName(v)
				d.fill(v, fp)
			}
			if err == nil {
				d.History, err = historyOf(ctx, tx, repo, &f, tx.Now())
			}
			return d, err
		}
		return nil, store.ErrNotFound
	})
}

// acceptance returns why a claim is suppressed now, or "".
func acceptance(ctx context.Context, tx store.Tx, repo int64, claim string) (string, error) {
	all, err := tx.Suppressions(ctx, repo)
	return all[claim], err
}

// fill adds what the viewer needs of the claim with a fingerprint.
func (d *findingPage) fill(v *view, fingerprint string) {
	for _, m := range v.family {
		if m.report == nil {
			continue
		}
		for i := range m.report.Results {
			res := &m.report.Results[i]
			for j := range res.Claims {
				c := &res.Claims[j]
				if len(c.Trace) > 0 && reports.Fingerprint(res, c) == fingerprint {
					if c.Accepted != nil {
						d.Accepted = c.Accepted.String()
					}
					d.Claim, d.Steps, d.Sources = c, reports.TraceData(res, c), reports.SourceData(m.report, c.Trace)
					d.Certificate = reports.CertificateSection(c.Certificate)
					return
				}
			}
		}
	}
}
