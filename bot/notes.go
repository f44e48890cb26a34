package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// update sends the state, and the annotations that GitHub does not have yet, in batches; the conclusion goes with the
// last one.
func (p *poster) update(ctx context.Context, body *checkBody) error {
	path := fmt.Sprintf("repos/%s/%s/check-runs/%d", p.owner, p.repo, p.v.run.CheckRun)
	rest, err := p.unsent(ctx, body.annotations)
	if err != nil {
		return err
	}
	for {
		batch := *body
		batch.HeadSHA = ""
		output := *body.Output
		batch.Output = &output
		n := min(reports.MaxAnnotations, len(rest))
		output.Annotations, rest = rest[:n], rest[n:]
		if len(rest) > 0 {
			batch.Status, batch.Conclusion, batch.CompletedAt, batch.Actions = "in_progress", "", "", nil
		}
		if err := p.call(ctx, http.MethodPatch, path, &batch, nil); err != nil {
			return err
		}
		if n > 0 {
			if err := p.keepNotes(ctx, p.v.run.Notes, p.v.run.Posted+n); err != nil {
				return err
			}
		}
		if len(rest) == 0 {
			return nil
		}
	}
}

// unsent returns those of the annotations that GitHub does not have yet. GitHub appends what it is sent, and says how many
// it has; which these are follows from the order in which they were sent, which is kept before the first of them goes.
func (p *poster) unsent(ctx context.Context, all []reports.Annotation) (rest []reports.Annotation, err error) {
	r := &p.v.run
	digests := make([]string, len(all))
	for i := range all {
		digests[i] = noteDigest(&all[i])
	}
	if r.Posted == len(r.Notes) && !slices.ContainsFunc(digests, func(d string) bool { return !slices.Contains(r.Notes, d) }) {
		return nil, nil
	}
	got, _, err := p.gh.Checks.GetCheckRun(ctx, p.owner, p.repo, r.CheckRun)
	if err != nil {
		return nil, err
	}
	posted := max(r.Posted, got.GetOutput().GetAnnotationsCount())
	order := r.Notes
	if len(order) < posted { // an earlier version sent them, in their order
		order = append(order, digests[:min(len(digests), posted)][min(len(digests), len(order)):]...)
	}
	order = slices.Clone(order[:min(len(order), posted)])
	for i := range all {
		if !slices.Contains(order, digests[i]) && len(order) < reports.MostNotes {
			order, rest = append(order, digests[i]), append(rest, all[i])
		}
	}
	return rest, p.keepNotes(ctx, order, posted)
}

// noteDigest names an annotation: how it is worded may change with what else is known, but not its place and message.
func noteDigest(a *reports.Annotation) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", a.Path, a.StartLine, a.Message))
	return hex.EncodeToString(sum[:8])
}

func (p *poster) keepNotes(ctx context.Context, order []string, posted int) error {
	p.v.run.Notes, p.v.run.Posted = order, posted
	return p.s.store.Write(ctx, func(tx store.Tx) error { return tx.SetNotes(ctx, p.v.run.ID, order, posted) })
}
