package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
)

// effect is what a handler wants done after its transaction.
type effect struct{ interrupt []string }

// event handles one recorded delivery: one transaction changes our rows and ends
// the delivery, so a crash repeats all of it or nothing.
func (s *Server) event(ctx context.Context, guid string, attempt int) error {
	var d store.Delivery
	err := s.store.Read(ctx, func(tx store.Tx) (err error) { d, err = tx.Delivery(ctx, guid); return err })
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &queue.Drop{Err: err}
	case err != nil:
		return err
	case d.State != store.DeliveryOpen:
		return nil
	}
	e := &Event{}
	if err := json.Unmarshal([]byte(d.Payload), e); err != nil {
		return &queue.Drop{Err: err}
	}
	log := s.log.With("delivery", guid, "event", e.Name, "action", e.Action)
	if e.Name == "issue_comment" {
		err = s.comment(ctx, e, guid)
	} else {
		err = s.eventTx(ctx, e, guid)
	}
	if until, ok := limitedUntil(err); ok {
		return &queue.Snooze{After: s.untilTime(until)}
	}
	if err != nil && attempt >= 20 {
		log.Error("delivery given up", "err", err)
		return s.store.Write(ctx, func(tx store.Tx) error {
			return tx.EndDelivery(ctx, guid, store.DeliveryFailed, s.redact.text(err.Error()))
		})
	}
	return err
}

func (s *Server) eventTx(ctx context.Context, e *Event, guid string) error {
	var fx effect
	err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		if err := remember(ctx, tx, e); err != nil {
			return err
		}
		switch e.Name {
		case "pull_request":
			fx, err = s.pullRequest(ctx, tx, e)
		case "push":
			fx, err = s.push(ctx, tx, e)
		case "check_run":
			fx, err = s.checkRun(ctx, tx, e)
		case "check_suite":
			fx, err = s.checkSuite(ctx, tx, e)
		case "merge_group":
			err = s.mergeGroup(ctx, tx, e)
		case "installation", "installation_repositories":
			fx, err = s.installed(ctx, tx, e)
		}
		if err != nil {
			return err
		}
		return tx.EndDelivery(ctx, guid, store.DeliveryDone, "")
	})
	if err == nil {
		s.pipe.Interrupt(fx.interrupt...)
	}
	return err
}

// remember keeps what an event tells about its repository.
func remember(ctx context.Context, tx store.Tx, e *Event) error {
	if e.Repository == nil || e.Installation == nil {
		return nil
	}
	return tx.SeenRepo(ctx, row(*e.Repository, e.Installation.ID))
}

func row(r Repository, installation int64) store.Repo {
	return store.Repo{ID: r.ID, Installation: installation, FullName: r.FullName, CloneURL: r.CloneURL,
		HTMLURL: r.HTMLURL, DefaultBranch: r.DefaultBranch, Private: r.Private, Active: true}
}

// pullRequest starts, replaces or ends the runs of a pull request.
func (s *Server) pullRequest(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	pr := e.PullRequest
	if pr == nil || e.Repository == nil || e.Installation == nil {
		return effect{}, nil
	}
	p := store.Pull{Repo: e.Repository.ID, Number: pr.Number, State: pr.State, Draft: pr.Draft, Title: pr.Title,
		Author: pr.User.Login, Association: pr.Association,
		HeadSHA: pr.Head.SHA, HeadRef: pr.Head.Ref, BaseSHA: pr.Base.SHA, BaseRef: pr.Base.Ref,
		EventAt: when(pr.UpdatedAt),
		Fork:    pr.Head.Repo == nil || pr.Head.Repo.ID != e.Repository.ID}
	news, err := tx.PutPull(ctx, p)
	if err != nil || !news {
		return effect{}, err // an older event that arrives late
	}
	switch e.Action {
	case "closed":
		ids, err := s.pipe.CancelRuns(ctx, tx, p.Repo, p.Number, "", "The pull request was closed.", "")
		return effect{ids}, err
	case "edited":
		if e.Changes == nil || e.Changes.Base == nil {
			return effect{}, nil
		}
	case "opened", "reopened", "synchronize", "ready_for_review":
		if p.Draft {
			return effect{}, nil
		}
		done, err := covered(ctx, tx, p)
		if err != nil || done {
			return effect{}, err
		}
	default:
		return effect{}, nil
	}
	if p, err = tx.Pull(ctx, p.Repo, p.Number); err != nil { // with its approval
		return effect{}, err
	}
	return s.beginPull(ctx, tx, p, e.Installation.ID, "pull_request", store.Options{})
}

// covered reports whether the head of p has a run already that is not cancelled.
func covered(ctx context.Context, tx store.Tx, p store.Pull) (bool, error) {
	runs, err := tx.RunsByHead(ctx, p.Repo, p.HeadSHA)
	for _, r := range runs {
		if r.Aggregate() && r.Pull == p.Number && r.Conclusion != "cancelled" {
			return true, err
		}
	}
	return false, err
}

// beginPull starts a run of a pull request's head; everything older of it ends.
func (s *Server) beginPull(ctx context.Context, tx store.Tx, p store.Pull, installation int64, trigger string,
	o store.Options) (effect, error) {
	run := store.Run{ID: store.NewID(), Repo: p.Repo, Installation: installation, Pull: p.Number, HeadSHA: p.HeadSHA,
		BaseSHA: p.BaseSHA,
		Ref:     fmt.Sprintf("refs/pull/%d/head", p.Number), Trigger: trigger, Options: o}
	ids, err := s.pipe.CancelRuns(ctx, tx, p.Repo, p.Number, "", "Superseded by "+short(p.HeadSHA)+".", run.ID)
	if err != nil {
		return effect{}, err
	}
	switch {
	case !p.Fork:
	case s.noForks != "":
		run.State, run.Conclusion, run.Detail = store.Done, "neutral",
			"Pull requests from forks are not built on this server: "+s.noForks
	case !trusted(p):
		run.Options.Gated = true
		run.State, run.Conclusion, run.Detail = store.Done, "action_required",
			"This pull request comes from a fork, and its author has not contributed before. "+
				"Building it runs its code (in a sandbox, without network or credentials). Someone with write access starts it with the button above or the comment `/firmproof approve`."
	}
	_, err = s.pipe.Begin(ctx, tx, run)
	return effect{ids}, err
}

// trusted reports whether a fork's head may be built: its author has contributed
// before, or someone approved this very commit.
func trusted(p store.Pull) bool {
	switch p.Association {
	case "OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR":
		return true
	}
	return p.ApprovedSHA == p.HeadSHA
}

func short(sha string) string {
	if len(sha) > 10 {
		return sha[:10]
	}
	return sha
}

// push verifies the default branch: its findings are the baseline of pull requests.
func (s *Server) push(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	if e.Repository == nil || e.Installation == nil || e.Deleted ||
		e.Ref != "refs/heads/"+e.Repository.DefaultBranch || strings.Trim(e.After, "0") == "" {
		return effect{}, nil
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
		if r.HeadSHA == e.After {
			return effect{}, nil
		}
		if err := tx.CancelRun(ctx, r.ID, "Superseded by "+short(e.After)+".", run.ID); err != nil {
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
func (s *Server) mergeGroup(ctx context.Context, tx store.Tx, e *Event) error {
	g := e.MergeGroup
	if g == nil || e.Action != "checks_requested" || e.Repository == nil || e.Installation == nil {
		return nil
	}
	_, err := s.pipe.Begin(ctx, tx, store.Run{Repo: e.Repository.ID, Installation: e.Installation.ID,
		HeadSHA: g.HeadSHA, BaseSHA: g.BaseSHA, Ref: g.HeadRef, Trigger: "merge_group"})
	return err
}

// checkRun handles the buttons of our own check runs.
func (s *Server) checkRun(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	c := e.CheckRun
	if c == nil || e.Repository == nil || e.Installation == nil || c.App.ID != 0 && c.App.ID != s.cfg.AppID {
		return effect{}, nil
	}
	action := "rerun"
	switch e.Action {
	case "rerequested":
	case "requested_action":
		if e.RequestedAction != nil {
			action = e.RequestedAction.Identifier
		}
	default:
		return effect{}, nil
	}
	run, err := tx.Run(ctx, c.ExternalID)
	if errors.Is(err, store.ErrNotFound) || err == nil && run.Repo != e.Repository.ID {
		run, err = tx.RunByCheck(ctx, e.Repository.ID, c.ID)
	}
	if errors.Is(err, store.ErrNotFound) {
		return effect{}, nil // of an earlier database
	}
	if err != nil {
		return effect{}, err
	}
	if err := tx.Audit(ctx, run.Repo, run.Pull, e.Sender.Login, "button "+action, run.ID); err != nil {
		return effect{}, err
	}
	return s.again(ctx, tx, run, action, e.Sender.Login)
}

// again starts a run anew as a button asks: on its target, or on all of them.
func (s *Server) again(ctx context.Context, tx store.Tx, run store.Run, action, who string) (effect, error) {
	o := run.Options
	o.Gated = false
	if !run.Aggregate() {
		o.Targets = []string{run.Target}
	}
	switch action {
	case "rerun":
	case "deeper":
		o.Factor = 2 * max(1, o.Factor)
	case "prove":
		o.Prove = true
	case "approve":
		if err := tx.ApprovePull(ctx, run.Repo, run.Pull, who, run.HeadSHA); err != nil {
			return effect{}, err
		}
	default:
		return effect{}, nil
	}
	if run.Pull != 0 {
		p, err := tx.Pull(ctx, run.Repo, run.Pull)
		if err != nil {
			return effect{}, err
		}
		if p.HeadSHA == run.HeadSHA {
			return s.beginPull(ctx, tx, p, run.Installation, "rerun", o)
		}
		if p.Fork {
			return effect{}, nil // an old commit of a fork: its approval was for another one
		}
	}
	_, err := s.pipe.Begin(ctx, tx, store.Run{Repo: run.Repo, Installation: run.Installation, Pull: run.Pull,
		HeadSHA: run.HeadSHA, BaseSHA: run.BaseSHA, Ref: run.Ref, Trigger: "rerun", Options: o})
	return effect{}, err
}

// checkSuite runs everything of a commit again. `requested` needs no answer: the
// pull request or push that caused it comes as an event of its own.
func (s *Server) checkSuite(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	if e.Action != "rerequested" || e.CheckSuite == nil || e.Repository == nil || e.Installation == nil {
		return effect{}, nil
	}
	runs, err := tx.RunsByHead(ctx, e.Repository.ID, e.CheckSuite.HeadSHA)
	if err != nil {
		return effect{}, err
	}
	for _, r := range runs {
		if r.Aggregate() {
			r.Options = store.Options{}
			return s.again(ctx, tx, r, "rerun", e.Sender.Login)
		}
	}
	p, err := tx.PullByHead(ctx, e.Repository.ID, e.CheckSuite.HeadSHA)
	if errors.Is(err, store.ErrNotFound) {
		return effect{}, nil
	}
	if err != nil {
		return effect{}, err
	}
	return s.beginPull(ctx, tx, p, e.Installation.ID, "rerun", store.Options{})
}
