package pipeline

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestEarlyAnswers: of answers that are known when a run begins, what they violate is shown while the others are looked for:
// not what answers about callers may take back, nor what was accepted, nor what is of the commit before, nor where nothing
// is left to be looked for.
func TestEarlyAnswers(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.check = func(ctx context.Context, _ Task) (*verdict.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	for _, open := range []bool{true, false} {
		var run store.Run
		b.write(func(tx store.Tx) error {
			agg, err := tx.AddRun(ctx, store.Run{Repo: 1, Installation: 2, HeadSHA: "h", Ref: "refs/heads/main", Trigger: "push", State: store.Waiting})
			if err != nil {
				return err
			}
			id, err := tx.AddRun(ctx, store.Run{Parent: agg, Repo: 1, Installation: 2, HeadSHA: "h", Ref: "refs/heads/main", Target: "i386", Trigger: "push"})
			if err != nil {
				return err
			}
			if _, err := tx.ClaimRun(ctx, id, b.s.owner, time.Minute); err != nil {
				return err
			}
			if run, err = tx.Run(ctx, id); err != nil {
				return err
			}
			return tx.Accept(ctx, 1, store.Acceptance{Claim: "memory@masked#1", Reason: "masked", By: "ann"})
		})
		var tasks []store.Task
		for i, j := range []prepare.Job{{Plan: verifier.Plan{Entry: "one"}}, {Plan: verifier.Plan{Entry: "called"}, Callers: []string{"one"}},
			{Plan: verifier.Plan{Entry: "masked"}}, {Plan: verifier.Plan{Entry: "before"}, Base: true}, {Plan: verifier.Plan{Entry: "open"}, Timeout: time.Minute}} {
			text, err := json.Marshal(&j)
			if err != nil {
				t.Fatal(err)
			}
			e := j.Plan.Entry
			x := store.Task{Run: run.ID, N: i, Repo: 1, Installation: 2, Entry: e, Target: "i386", Engine: "bench", Job: string(text), Base: j.Base, State: store.TaskQueued}
			if e != "open" {
				r := &verdict.Result{Target: "i386", Entry: e, Claims: []verdict.Claim{{ID: "memory@" + e + "#1", Check: verdict.Memory,
					Status: verdict.Violated, Pos: verdict.Pos{File: "a.c", Line: 3, Function: e}}}}
				r.Summarise()
				if err := answer(&x, r); err != nil {
					t.Fatal(err)
				}
			} else if !open {
				continue
			}
			tasks = append(tasks, x)
		}
		before := run.Version
		if err := b.s.spread(ctx, run, &prepared{Context: Context{AnnotateAll: true}}, tasks, nil); err != nil {
			t.Fatal(err)
		}
		if err := b.st.Read(ctx, func(tx store.Tx) error {
			now, err := tx.Run(ctx, run.ID)
			if err != nil || now.State == store.Done {
				return err // concluded: it has its report
			}
			list, known, err := Early(ctx, tx, run.ID)
			if open && (len(list) != 1 || list[0].Entry != "one" || list[0].Status != verdict.Violated || !known.AnnotateAll || now.Version <= before) ||
				!open && len(list) != 0 {
				t.Errorf("open %v: %+v %+v", open, list, known)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}
