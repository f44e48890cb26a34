package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// complete makes the report of a run on chosen harnesses one about all of them:
// the answers of the others are those of the newest earlier run of the same
// commit and target. So verifying one harness again never hides what another
// one found. If there is no earlier run, the answer says what it leaves out. again notes what is accepted now.
func (s *Service) complete(ctx context.Context, run store.Run, p *prepared, report *verdict.Report,
	again func(*verdict.Result)) (*verdict.Report, error) {
	if len(run.Options.Entries) == 0 || run.Trigger == BisectTrigger {
		return report, nil
	}
	earlier, known, err := s.earlier(ctx, run)
	if err != nil {
		return nil, err
	}
	if p.Context.Partial = earlier == nil || known.Partial; p.Context.Partial {
		p.Note = strings.TrimSpace(p.Note + "\n\n" + reports.OnlySomeHarnesses)
	}
	if earlier == nil {
		return report, nil
	}
	out := *report
	out.Results = nil
	fresh := map[string]verdict.Result{}
	for _, r := range report.Results {
		fresh[r.Entry] = r
	}
	for _, r := range earlier.Results {
		if now, ok := fresh[r.Entry]; ok {
			r = now
			delete(fresh, r.Entry)
		} else {
			again(&r)
		}
		out.Results = append(out.Results, r)
	}
	for _, r := range report.Results {
		if _, ok := fresh[r.Entry]; ok {
			out.Results = append(out.Results, r)
		}
	}
	return &out, nil
}

// earlier is the newest report about the commit and target of run from before it; nil if there is none.
func (s *Service) earlier(ctx context.Context, run store.Run) (*verdict.Report, Context, error) {
	var text []byte
	var known Context
	err := s.store.Read(ctx, func(tx store.Tx) error {
		runs, err := tx.RunsByHead(ctx, run.Repo, run.HeadSHA)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(runs, func(r store.Run) bool {
			return r.Target == run.Target && answersFor(&r, &run) && len(r.Counts) > 0
		})
		if i < 0 {
			return nil
		}
		text, err = tx.Report(ctx, runs[i].ID, &known)
		if errors.Is(err, store.ErrNotFound) {
			err = nil // expired
		}
		return err
	})
	if err != nil || text == nil {
		return nil, known, err
	}
	r := &verdict.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, known, ours(err)
	}
	return r, known, nil
}
