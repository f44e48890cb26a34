package bot

import (
	"context"
	"html/template"
	"net/http"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// findingPage is the data of a finding's page.
type findingPage struct {
	Home     string // address of the repository's page
	Finding  store.Finding
	Run      store.Run
	RunName  string // of its check
	Repo     store.Repo
	Forge    forge
	Standing string // on the default branch, at the address that the finding has on all commits
	Accepted string // why, by whom and until when, if it is accepted
	Comments bool   // a comment accepts it, so that a comment can take it back
	Meaning  string
	Check    string // command that finds it again
	History  *findingHistory
	Trace    []verdict.Step
	Claim    *verdict.Claim // of the report, if it has it still
	// how the claim was refuted, with its diagrams
	Certificate template.HTML
	Statement   string      // the line of the source
	Steps       template.JS // for the viewer, like the next one
	Sources     template.JS
}

func (p *pages) finding(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, ofRun(r))
	if !ok {
		return
	}
	p.show(w, r, "finding", func(ctx context.Context, tx store.Tx) (any, error) {
		return p.findingData(ctx, tx, repo, r.PathValue("id"), r.PathValue("fingerprint"))
	})
}

// lastingFinding shows a finding under the address that it has on all commits: as the newest run of the default branch
// found it, and how it stands there now.
func (p *pages) lastingFinding(w http.ResponseWriter, r *http.Request) {
	repo, ok := p.admit(w, r, byName(r))
	if !ok {
		return
	}
	p.show(w, r, "finding", func(ctx context.Context, tx store.Tx) (any, error) {
		fp := r.PathValue("fingerprint")
		run, err := tx.NewestWith(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch, fp)
		if err != nil {
			return nil, err
		}
		d, err := p.findingData(ctx, tx, repo, run, fp)
		if err == nil {
			d.Standing = d.standing()
		}
		return d, err
	})
}

// standing says how the finding stands on the default branch.
func (d *findingPage) standing() string {
	h := d.History
	switch {
	case h == nil:
		return "not on " + d.Repo.DefaultBranch
	case h.Gone != nil:
		return "fixed on " + d.Repo.DefaultBranch
	case d.Accepted != "":
		return "accepted"
	case h.Again:
		return "reopened: it was gone before"
	}
	return "open"
}

func (p *pages) findingData(ctx context.Context, tx store.Tx, repo store.Repo, run, fp string) (*findingPage, error) {
	f, err := tx.Finding(ctx, run, fp)
	if err != nil {
		return nil, err
	}
	d := findingPage{Home: p.s.cfg.PublicURL + "/repos/" + repo.FullName, Finding: f, Repo: repo, Forge: forgeOf(&repo),
		Check: reports.ShellWords([]string{"firmproof", "check", ".", "--target", f.Target, "--entry", f.Entry})}
	if d.Run, err = tx.Run(ctx, f.Run); err != nil {
		return nil, err
	}
	d.RunName = p.s.nameOf(&d.Run, &repo)
	if d.Accepted, err = acceptance(ctx, tx, repo.ID, f.Claim); err != nil {
		return nil, err
	}
	d.Comments = d.Accepted != ""
	if prop, ok := verdict.Lookup(f.Rule); ok {
		d.Meaning = prop.Meaning
	}
	if err := p.fill(ctx, tx, &d); err != nil {
		return nil, err
	}
	d.History, err = historyOf(ctx, tx, repo, &f, tx.Now())
	return &d, err
}

// acceptance returns why a comment accepts a claim now, or "".
func acceptance(ctx context.Context, tx store.Tx, repo int64, claim string) (string, error) {
	all, err := tx.Acceptances(ctx, repo)
	for _, x := range all {
		if x.Claim == claim {
			a := accepted(x)
			return a.String(), err
		}
	}
	return "", err
}

// fill adds what the viewer needs of the finding, if its report is still there.
func (p *pages) fill(ctx context.Context, tx store.Tx, d *findingPage) error {
	piece, sources, err := pipeline.ClaimPieceOf(ctx, tx, &d.Finding, p.turn)
	if err != nil || piece == nil {
		return err
	}
	c := &piece.Claim
	if c.Accepted != nil && !d.Comments {
		d.Accepted = c.Accepted.String()
	}
	if piece, n := sources[d.Finding.File], d.Finding.Line; n >= piece.From && n < piece.From+len(piece.Lines) {
		d.Statement = piece.Lines[n-piece.From]
	}
	d.Claim, d.Trace, d.Steps = c, c.Trace, reports.TraceData(&piece.Result, c)
	d.Sources = reports.SourceData(&verdict.Report{Sources: sources}, c.Trace)
	d.Certificate = reports.CertificateSection(c.Certificate)
	return nil
}
