package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A report is kept twice: as a document for those who want all of it, and in pieces, so that a page costs what it shows.

// RunPiece is what the page of a target run shows of its report.
type RunPiece struct {
	Tally         reports.Tally
	Results       []OutlinedResult
	Proofs, Costs template.HTML
	Coverage      string
	Sandbox       string
}

// OutlinedResult is a result without its claims.
type OutlinedResult struct {
	Result   verdict.Result
	Claims   int
	Violated *verdict.Claim // the violation that says how the result stands: one that counts, if there is one
}

// Outline returns the results for a table of how they stand: their claims say how many there are, and the first one how
// the result stands.
func (p *RunPiece) Outline() []verdict.Result {
	out := make([]verdict.Result, len(p.Results))
	for i := range p.Results {
		o := &p.Results[i]
		out[i] = o.Result
		out[i].Claims = make([]verdict.Claim, o.Claims)
		if o.Violated != nil && o.Claims > 0 {
			out[i].Claims[0] = *o.Violated
		}
	}
	return out
}

// standing returns a violation of a result by which the result stands as by all of them, without its steps; nil if
// there is none.
func standing(r *verdict.Result) *verdict.Claim {
	var out *verdict.Claim
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Status == verdict.Violated && (out == nil || rank(c) > rank(out)) {
			out = c
		}
	}
	if out == nil {
		return nil
	}
	short := *out
	short.Trace, short.Inputs, short.Certificate = nil, nil, nil
	return &short
}

// rank is higher where a violation asks for more.
func rank(c *verdict.Claim) int {
	switch {
	case c.Counts():
		return 2
	case c.Accepted == nil:
		return 1
	}
	return 0
}

// ClaimPiece is a finding with all that its page shows.
type ClaimPiece struct {
	Result verdict.Result // its target, entry and machine, and no claims
	Claim  verdict.Claim
}

// runPieceOf takes out of a report what the page of its run shows.
func runPieceOf(report *verdict.Report, pc *Context, target string) RunPiece {
	p := RunPiece{Sandbox: pc.Sandbox, Coverage: reports.CoverageLine(report.Results, nil),
		Proofs: reports.ProofSection(report.Results), Costs: reports.CostSection(report.Results)}
	p.Tally = reports.TallyOf(report.Results, reports.PageOptions{FixedCount: pc.Fixed, Behaviour: pc.Behaviour,
		ByTarget: map[string]map[string]reports.State{target: pc.States}})
	for i := range report.Results {
		r := &report.Results[i]
		p.Results = append(p.Results, OutlinedResult{verdict.Result{Target: r.Target, Entry: r.Entry, Status: r.Status,
			DurationMS: r.DurationMS, Reused: r.Reused, Vacuous: r.Vacuous, Reason: r.Reason, Assumptions: r.Assumptions,
			Warnings: r.Warnings, Stages: r.Stages}, len(r.Claims), standing(r)})
	}
	return p
}

// pieces cuts the findings and the sources out of a report.
func pieces(report *verdict.Report) ([]store.Piece, error) {
	var out []store.Piece
	add := func(p store.Piece, err error) error {
		out = append(out, p)
		return err
	}
	err := add(store.NewPiece(store.SourcesPiece, "", report.Sources))
	for i := range report.Results {
		r := &report.Results[i]
		for j := range r.Claims {
			if c := &r.Claims[j]; isFinding(c) && len(c.Trace) > 0 {
				err = errors.Join(err, add(claimPiece(r, c)))
			}
		}
	}
	return out, err
}

// isFinding reports whether a claim is kept as a finding.
func isFinding(c *verdict.Claim) bool {
	return c.Status == verdict.Violated || c.Status == verdict.Unknown && !c.IsShadowed()
}

// Turn waits until a whole report may be read, which takes memory, and returns what to call when that is done.
type Turn func(ctx context.Context) (done func(), err error)

// RunPieceOf returns what the page of a target run shows of its report; nil if there is no report. Of a run of an earlier
// version the whole report is read, in turn.
func RunPieceOf(ctx context.Context, tx store.Tx, run *store.Run, turn Turn) (*RunPiece, error) {
	p := &RunPiece{}
	err := tx.Piece(ctx, run.ID, store.RunPiece, "", p)
	if !errors.Is(err, store.ErrNotFound) {
		return p, err
	}
	report, pc, err := wholeReport(ctx, tx, run.ID, turn)
	if err != nil || report == nil {
		return nil, err
	}
	*p = runPieceOf(report, pc, run.Target)
	return p, nil
}

// ClaimPieceOf returns a finding of a run with the sources of its steps; nil if its report is gone, or it has no steps.
func ClaimPieceOf(ctx context.Context, tx store.Tx, f *store.Finding, turn Turn) (*ClaimPiece,
	map[string]verdict.Source, error) {
	p := &ClaimPiece{}
	err := tx.Piece(ctx, f.Run, store.ClaimPiece, f.Fingerprint, p)
	if err == nil {
		var sources map[string]verdict.Source
		if err = tx.Piece(ctx, f.Run, store.SourcesPiece, "", &sources); errors.Is(err, store.ErrNotFound) {
			err = nil // its run goes on
		}
		return p, sources, err
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, nil, err
	}
	if err := tx.Piece(ctx, f.Run, store.RunPiece, "", &RunPiece{}); !errors.Is(err, store.ErrNotFound) {
		return nil, nil, err // in pieces, and this is none of them
	}
	report, _, err := wholeReport(ctx, tx, f.Run, turn)
	if err != nil || report == nil {
		return nil, nil, err
	}
	for i := range report.Results {
		r := &report.Results[i]
		for j := range r.Claims {
			if c := &r.Claims[j]; len(c.Trace) > 0 && reports.Fingerprint(r, c) == f.Fingerprint {
				return &ClaimPiece{*r, *c}, report.Sources, nil
			}
		}
	}
	return nil, nil, nil
}

// wholeReport reads a report and what is kept beside it; nil if there is none.
func wholeReport(ctx context.Context, tx store.Tx, run string, turn Turn) (*verdict.Report, *Context, error) {
	if there, err := tx.HasReport(ctx, run); err != nil || !there {
		return nil, nil, err
	}
	done, err := turn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	pc := &Context{}
	text, err := tx.Report(ctx, run, pc)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	report := &verdict.Report{}
	if err := json.Unmarshal(text, report); err != nil {
		return nil, nil, fmt.Errorf("report of %s: %w", run, err)
	}
	return report, pc, nil
}
