package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// early holds what a verification violates, ready to be kept.
type early struct {
	findings []store.Finding
	pieces   []store.Piece
}

// earlyOf returns what a task that is over violates, to be shown while its run goes on: whatever the others say does not
// take it back. What the answers about callers may take back (prepare.InContext) waits for them, and what was accepted
// waits, too. When the run is concluded, its report takes the place of this.
func (s *Service) earlyOf(ctx context.Context, run *store.Run, t *store.Task) (out early, err error) {
	if o, err := OutcomeOf(t); err != nil || o.Status != verdict.Violated || run.Trigger == BisectTrigger {
		return out, nil
	}
	var j prepare.Job
	var res verdict.Result
	if err := errors.Join(json.Unmarshal([]byte(t.Job), &j), json.Unmarshal(t.Result, &res)); err != nil {
		return out, fmt.Errorf("task %s: %w", t.ID, err)
	}
	if j.Base || j.Pair != nil || len(j.Callers) > 0 {
		return out, nil
	}
	var accepted []store.Acceptance
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		accepted, err = tx.Acceptances(ctx, run.Repo)
		return err
	}); err != nil {
		return out, err
	}
	if j.Settled == nil {
		accept(&j, accepted)
		j.Complete(&res)
	}
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status != verdict.Violated || c.Accepted != nil {
			continue
		}
		p, err := claimPiece(&res, c)
		if err != nil {
			return out, err
		}
		out.findings, out.pieces = append(out.findings, findingOf(run.ID, &res, c, "")), append(out.pieces, p)
		if len(out.pieces) == reports.MostNotes {
			break
		}
	}
	return out, nil
}

// showEarly keeps in tx what run violates, and has it shown. The caller has touched the run's aggregate, whose row lock
// comes first.
func (s *Service) showEarly(ctx context.Context, tx store.Tx, run *store.Run, e early) error {
	for _, f := range e.findings {
		if err := tx.PutFinding(ctx, f); err != nil {
			return err
		}
	}
	return errors.Join(tx.PutPieces(ctx, run.ID, e.pieces), tx.TouchRun(ctx, run.ID), s.Publish(ctx, tx, run.ID, run.Parent))
}

// Early returns what a run that goes on violates so far, in results that have nothing else, with what is known beside
// that.
func Early(ctx context.Context, tx store.Tx, run string) (out []verdict.Result, known Context, err error) {
	at := map[string]int{}
	err = tx.Pieces(ctx, run, store.ClaimPiece, reports.MostNotes, func(text []byte) error {
		var p ClaimPiece
		if err := json.Unmarshal(text, &p); err != nil {
			return fmt.Errorf("a finding of %s: %w", run, err)
		}
		i, is := at[p.Result.Entry]
		if !is {
			i = len(out)
			at[p.Result.Entry], out = i, append(out, p.Result)
		}
		out[i].Claims = append(out[i].Claims, p.Claim)
		return nil
	})
	if err != nil || len(out) == 0 {
		return nil, known, err
	}
	for i := range out {
		out[i].Summarise()
	}
	text, err := tx.Prepared(ctx, run)
	if err != nil {
		return nil, known, err
	}
	var p prepared
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, known, fmt.Errorf("what %s waits with: %w", run, err)
	}
	return out, p.Context, nil
}

// findingOf is the row of a claim of a run.
func findingOf(run string, r *verdict.Result, c *verdict.Claim, state reports.State) store.Finding {
	return store.Finding{Run: run, Fingerprint: reports.Fingerprint(r, c), Claim: c.ID, Rule: string(c.Check),
		Target: r.Target, Entry: r.Entry, File: c.Pos.File, Line: c.Pos.Line, Message: c.Message,
		Status: c.Status.String(), State: string(state)}
}

// claimPiece cuts a finding out of its result.
func claimPiece(r *verdict.Result, c *verdict.Claim) (store.Piece, error) {
	return store.NewPiece(store.ClaimPiece, reports.Fingerprint(r, c), ClaimPiece{verdict.Result{Target: r.Target,
		Entry: r.Entry, Machine: r.Machine}, *c})
}
