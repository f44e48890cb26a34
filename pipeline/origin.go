package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// Origin holds what is known about the commit that brought a finding, mended it, or took a proof away.
type Origin struct {
	State   string        `json:"state"`   // searching; found; narrowed, to several commits; stopped, without an answer
	Commits []Commit      `json:"commits"` // the first bad one (the one that mended it), or several of which one is
	Tried   []store.Probe `json:"tried"`   // commits that were looked at, in their order
	Why     string        `json:"why,omitempty"`

	kind    string    // see store.Bisection
	changed time.Time // when it was looked at last
}

// OriginOf words a bisection for reports.
func OriginOf(b *store.Bisection) *Origin {
	o := &Origin{State: "searching", Tried: b.Tried, Why: b.Why, Commits: []Commit{}, kind: b.Kind, changed: b.Changed}
	for _, c := range b.Commits {
		o.Commits = append(o.Commits, Commit(c))
	}
	switch {
	case b.Open:
	case len(o.Commits) == 1:
		o.State = "found"
	case len(o.Commits) > 1:
		o.State = "narrowed"
	default:
		o.State = "stopped"
	}
	return o
}

// Looked says how many commits were looked at, and how many of them were verified.
func (o *Origin) Looked() string {
	counts := map[string]int{}
	for _, p := range o.Tried {
		switch {
		case p.Outcome == store.ProbeSkip:
			counts["without an answer"]++
		case p.Run == "":
			counts["without the harness"]++
		default:
			counts["verified"]++
		}
	}
	text := "1 commit looked at"
	if len(o.Tried) != 1 {
		text = fmt.Sprintf("%d commits looked at", len(o.Tried))
	}
	for _, what := range []string{"verified", "without an answer", "without the harness"} {
		if n := counts[what]; n == len(o.Tried) && n > 0 {
			text += ", " + what
		} else if n > 0 {
			text += fmt.Sprintf(", %d %s", n, what)
		}
	}
	return text
}

// Line says it in one sentence. The commit's subject and author come after it, where there is one.
func (o *Origin) Line() string {
	what := "first bad commit"
	if o.kind == store.FindingGone {
		what = "commit that mended it"
	}
	switch o.State {
	case "searching":
		return fmt.Sprintf("The %s is being looked for; so far: %s.", what, o.Looked())
	case "found":
		return strings.ToUpper(what[:1]) + what[1:] + ":"
	case "narrowed":
		return "The " + what + ": " + o.Why
	}
	return "The " + what + " is not known: " + o.Why
}

// Of reports whether the search is about what came, or went, at a time, and not about an earlier coming or going.
func (o *Origin) Of(at time.Time) bool { return o != nil && !o.changed.Before(at) }

// There reports whether a commit that was looked at has the finding, or lacks the proof; known is false where it has no
// answer.
func (o *Origin) There(p store.Probe) (there, known bool) {
	return (p.Outcome == store.ProbeBad) != (o.kind == store.FindingGone), p.Outcome != store.ProbeSkip
}

// OriginsOf maps the findings of a target on the default branch to their origins, by fingerprint.
func OriginsOf(ctx context.Context, tx store.Tx, repo int64, target, kind string) (map[string]*Origin, error) {
	list, err := tx.Bisections(ctx, repo)
	out := map[string]*Origin{}
	for i := range list {
		if b := &list[i]; b.Target == target && b.Kind == kind {
			out[b.Fingerprint] = OriginOf(b)
		}
	}
	return out, err
}

// trace adds the origins of what changed.
func (r *Regression) trace(ctx context.Context, tx store.Tx, repo int64) error {
	for i := range r.Targets {
		t := &r.Targets[i]
		came, err := OriginsOf(ctx, tx, repo, t.Target, store.FindingCame)
		if err != nil {
			return err
		}
		gone, err := OriginsOf(ctx, tx, repo, t.Target, store.ProofGone)
		if err != nil {
			return err
		}
		mended, err := OriginsOf(ctx, tx, repo, t.Target, store.FindingGone)
		if err != nil {
			return err
		}
		for j := range t.Fixed {
			t.Fixed[j].Origin = mended[t.Fixed[j].Fingerprint]
		}
		for _, list := range [][]Change{t.Introduced, t.Open} {
			for j := range list {
				list[j].Origin = came[list[j].Fingerprint]
			}
		}
		for j := range t.ProofLost {
			t.ProofLost[j].Origin = gone[t.ProofLost[j].Fingerprint]
		}
	}
	return nil
}
