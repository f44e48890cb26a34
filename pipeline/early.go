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

// keepEarly keeps in tx what a verification violates while its run goes on, so that it is shown at once: whatever the
// others say does not take it back. What the answers about callers may take back (prepare.InContext) waits for them, and
// what was accepted waits, too. When the run is concluded, its report takes the place of this. The caller has touched the
// run's aggregate, whose row lock comes first.
func (s *Service) keepEarly(ctx context.Context, tx store.Tx, run store.Run, t *store.Task) error {
	var j prepare.Job
	var res verdict.Result
	if err := errors.Join(json.Unmarshal([]byte(t.Job), &j), json.Unmarshal(t.Result, &res)); err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
	if j.Base || j.Pair != nil || len(j.Callers) > 0 {
		return nil
	}
	accepted, err := tx.Acceptances(ctx, run.Repo)
	if err != nil {
		return err
	}
	if j.Settled == nil {
		accept(&j, accepted)
		j.Complete(&res)
	}
	var cut []store.Piece
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status != verdict.Violated || c.Accepted != nil {
			continue
		}
		p, err := claimPiece(&res, c)
		if err := errors.Join(err, tx.PutFinding(ctx, findingOf(run.ID, &res, c, ""))); err != nil {
			return err
		}
		cut = append(cut, p)
	}
	if len(cut) == 0 {
		return nil
	}
	return errors.Join(tx.PutPieces(ctx, run.ID, cut), tx.TouchRun(ctx, run.ID), s.Publish(ctx, tx, run.ID, run.Parent))
}

// violates reports whether a task that is over is one for keepEarly.
func violates(t *store.Task, run *store.Run) bool {
	o, err := OutcomeOf(t)
	return err == nil && o.Status == verdict.Violated && run.Trigger != BisectTrigger
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
