package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// pullActions are the actions of a pull request after which there may be something to do.
var pullActions = map[string]bool{"opened": true, "reopened": true, "synchronize": true, "ready_for_review": true,
	"edited": true, "closed": true}

// pullRequest starts, replaces or ends the runs of a pull request, by what it is now.
func (s *Server) pullRequest(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	if e.PullRequest == nil || e.Repository == nil || e.Installation == nil || !pullActions[e.Action] {
		return effect{}, nil
	}
	p := pullRow(e.Repository.ID, e.PullRequest)
	if _, err := tx.PutPull(ctx, p); err != nil {
		return effect{}, err
	}
	p, err := tx.Pull(ctx, p.Repo, p.Number) // the newest that is known, with its approval
	if err != nil {
		return effect{}, err
	}
	if p.State != "open" {
		ids, err := s.pipe.CancelRuns(ctx, tx, p.Repo, p.Number, "", "The pull request was closed.", "")
		return effect{ids}, err
	}
	if p.Draft && !e.runDraft {
		return effect{}, nil
	}
	done, err := covered(ctx, tx, p, e.Action)
	if err != nil || done {
		return effect{}, err
	}
	return s.beginPull(ctx, tx, p, e.Installation.ID, "pull_request", store.Options{})
}

// covered reports whether the head of p has a run already, against the branch that p is to
// be merged into. One that was cancelled counts only where nothing was pushed or opened.
func covered(ctx context.Context, tx store.Tx, p store.Pull, action string) (bool, error) {
	runs, err := tx.RunsByHead(ctx, p.Repo, p.HeadSHA)
	for _, r := range runs {
		if r.Aggregate() && r.Pull == p.Number && r.BaseRef == p.BaseRef &&
			(r.Conclusion != "cancelled" || action == "edited" && r.SupersededBy == "") {
			return true, err
		}
	}
	return false, err
}

// beginPull starts a run of a pull request's head; everything older of it ends.
func (s *Server) beginPull(ctx context.Context, tx store.Tx, p store.Pull, installation int64, trigger string,
	o store.Options) (effect, error) {
	run := store.Run{ID: store.NewID(), Repo: p.Repo, Installation: installation, Pull: p.Number, HeadSHA: p.HeadSHA,
		BaseSHA: p.BaseSHA, BaseRef: p.BaseRef,
		Ref: fmt.Sprintf("refs/pull/%d/head", p.Number), Trigger: trigger, Options: o}
	ids, err := s.pipe.CancelRuns(ctx, tx, p.Repo, p.Number, p.HeadSHA,
		"Superseded by "+reports.ShortSHA(p.HeadSHA)+".", run.ID)
	if err != nil {
		return effect{}, err
	}
	switch {
	case !p.Fork:
	case s.noForks != "":
		run.State, run.Conclusion, run.Detail = store.Done, "action_required", reports.ForkRefused(s.noForks)
	case !s.trusted(p):
		run.Options.Gated = true
		run.State, run.Conclusion, run.Detail = store.Done, "action_required", reports.ForkWaits(p.HeadSHA)
	}
	_, err = s.pipe.Begin(ctx, tx, run)
	return effect{ids}, err
}

// trusted reports whether a fork's head may be built: its author belongs to the
// repository, or someone approved this very commit. To have contributed once is no trust,
// unless this server is told so.
func (s *Server) trusted(p store.Pull) bool {
	switch p.Association {
	case "OWNER", "MEMBER", "COLLABORATOR":
		return true
	case "CONTRIBUTOR":
		if s.cfg.TrustContributors {
			return true
		}
	}
	return p.ApprovedSHA == p.HeadSHA
}

// push verifies the tip of the default branch: its findings are the baseline of pull requests.
func (s *Server) push(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	if e.Repository == nil || e.Installation == nil || e.Deleted ||
		e.Ref != "refs/heads/"+e.Repository.DefaultBranch || strings.Trim(e.After, "0") == "" {
		return effect{}, nil
	}
	known, err := tx.RunsByHead(ctx, e.Repository.ID, e.After)
	if err != nil {
		return effect{}, err
	}
	for _, r := range known {
		if r.Aggregate() && r.Ref == e.Ref && r.Pull == 0 && r.Conclusion != "cancelled" {
			return effect{}, nil // the tip is seen to
		}
	}
	older, err := tx.OpenRuns(ctx, e.Repository.ID, 0)
	if err != nil {
		return effect{}, err
	}
	run := store.Run{ID: store.NewID(), Repo: e.Repository.ID, Installation: e.Installation.ID, HeadSHA: e.After,
		BaseSHA: e.Before, Ref: e.Ref, Trigger: "push"}
	var fx effect
	for _, r := range older {
		if r.Ref != e.Ref || r.Trigger != "push" {
			continue
		}
		if err := tx.CancelRun(ctx, r.ID, "Superseded by "+reports.ShortSHA(e.After)+".", run.ID); err != nil {
			return effect{}, err
		}
		fx.interrupt = append(fx.interrupt, r.ID)
	}
	if err := s.pipe.Publish(ctx, tx, fx.interrupt...); err != nil {
		return effect{}, err
	}
	_, err = s.pipe.Begin(ctx, tx, run)
	return fx, err
}

// mergeGroup verifies the commit that a merge queue is about to merge.
func (s *Server) mergeGroup(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	g := e.MergeGroup
	if g == nil || e.Action != "checks_requested" || e.Repository == nil || e.Installation == nil {
		return effect{}, nil
	}
	_, err := s.pipe.Begin(ctx, tx, store.Run{Repo: e.Repository.ID, Installation: e.Installation.ID,
		HeadSHA: g.HeadSHA, BaseSHA: g.BaseSHA, BaseRef: strings.TrimPrefix(g.BaseRef, "refs/heads/"),
		Ref: g.HeadRef, Trigger: "merge_group"})
	return effect{}, err
}
