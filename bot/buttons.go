package bot

import (
	"context"
	"errors"

	"github.com/firmproof/firmproof/pipeline/store"
)

// buttonRow is a button of a check run: what it is called at GitHub, what is shown, and
// what it changes in the options of the run that it starts.
type buttonRow struct {
	id, label, help string
	options         func(o *store.Options)
	approves        bool // of the fork's commit that the check is about
}

// buttonTable lists the buttons in the order in which a finished check shows them.
func buttonTable() []buttonRow {
	return []buttonRow{
		{id: "rerun", label: "Re-run", help: "Verify this commit again", options: func(*store.Options) {}},
		{id: "deeper", label: "Deeper", help: "Again with twice the bounds", options: func(o *store.Options) {
			o.Factor = 2 * max(1, o.Factor)
		}},
		{id: "prove", label: "Prove", help: "Try for unbounded proofs", options: func(o *store.Options) {
			o.Prove = true
		}},
		{id: "approve", label: "Approve run", help: "Build and verify this commit", options: func(*store.Options) {},
			approves: true},
	}
}

// buttonsOf lists the buttons that the finished check of a run shows: GitHub takes at most three.
func buttonsOf(r *store.Run) []buttonRow {
	var out []buttonRow
	for _, b := range buttonTable() {
		switch {
		case b.approves != r.Options.Gated, r.Conclusion == "cancelled" && b.id != "rerun":
		default:
			out = append(out, b)
		}
	}
	return out
}

// checkRun handles the buttons of our own check runs, pressed by people with write access.
func (s *Server) checkRun(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	c := e.CheckRun
	if c == nil || e.Repository == nil || e.Installation == nil || c.App.ID != 0 && c.App.ID != s.cfg.AppID {
		return effect{}, nil
	}
	id := "rerun"
	switch e.Action {
	case "rerequested":
	case "requested_action":
		if e.RequestedAction != nil {
			id = e.RequestedAction.Identifier
		}
	default:
		return effect{}, nil
	}
	for _, b := range buttonTable() {
		if b.id != id {
			continue
		}
		run, err := s.runOf(ctx, tx, e)
		if errors.Is(err, store.ErrNotFound) {
			return effect{}, nil // of an earlier database
		}
		if err != nil {
			return effect{}, err
		}
		if ok, err := s.audit(ctx, tx, e, run.Pull, "button "+id, run.ID); err != nil || !ok {
			return effect{}, err
		}
		return s.press(ctx, tx, run, b, e.Sender.Login)
	}
	return effect{}, nil
}

// audit records who did what, and reports whether they may.
func (s *Server) audit(ctx context.Context, tx store.Tx, e *Event, pull int, what, detail string) (bool, error) {
	if !e.mayWrite {
		what = "refused " + what
	}
	return e.mayWrite, tx.Audit(ctx, e.Repository.ID, pull, e.Sender.Login, what, detail)
}

// runOf finds the run that a check run shows, or the pull request of its commit as a run.
func (s *Server) runOf(ctx context.Context, tx store.Tx, e *Event) (store.Run, error) {
	c := e.CheckRun
	run, err := tx.Run(ctx, c.ExternalID)
	if errors.Is(err, store.ErrNotFound) || err == nil && run.Repo != e.Repository.ID {
		run, err = tx.RunByCheck(ctx, e.Repository.ID, c.ID)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return run, err
	}
	p, err := tx.PullByHead(ctx, e.Repository.ID, c.HeadSHA)
	return store.Run{Repo: p.Repo, Installation: e.Installation.ID, Pull: p.Number, HeadSHA: p.HeadSHA}, err
}

// press starts a run anew as a button asks: on its target, or on all of them.
func (s *Server) press(ctx context.Context, tx store.Tx, run store.Run, b buttonRow, who string) (effect, error) {
	o := run.Options
	o.Gated = false
	if !run.Aggregate() {
		o.Targets = []string{run.Target}
	}
	b.options(&o)
	if run.Pull != 0 {
		if b.approves { // the commit that was looked at, whatever was pushed since
			if err := tx.ApprovePull(ctx, run.Repo, run.Pull, who, run.HeadSHA); err != nil {
				return effect{}, err
			}
		}
		p, err := tx.Pull(ctx, run.Repo, run.Pull)
		if err != nil {
			return effect{}, err
		}
		if p.HeadSHA == run.HeadSHA {
			return s.beginPull(ctx, tx, p, run.Installation, "rerun", o)
		}
		if p.Fork {
			return effect{}, nil // its head is another commit, which nobody has approved
		}
	}
	_, err := s.pipe.Begin(ctx, tx, store.Run{Repo: run.Repo, Installation: run.Installation, Pull: run.Pull,
		HeadSHA: run.HeadSHA, BaseSHA: run.BaseSHA, BaseRef: run.BaseRef, Ref: run.Ref, Trigger: "rerun", Options: o})
	return effect{}, err
}

// checkSuite runs everything of a commit again. `requested` needs no answer: the
// pull request or push that caused it comes as an event of its own.
func (s *Server) checkSuite(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	if e.Action != "rerequested" || e.CheckSuite == nil || e.Repository == nil || e.Installation == nil {
		return effect{}, nil
	}
	if ok, err := s.audit(ctx, tx, e, 0, "re-run of all checks", e.CheckSuite.HeadSHA); err != nil || !ok {
		return effect{}, err
	}
	runs, err := tx.RunsByHead(ctx, e.Repository.ID, e.CheckSuite.HeadSHA)
	if err != nil {
		return effect{}, err
	}
	for _, r := range runs {
		if r.Aggregate() {
			r.Options = store.Options{}
			return s.press(ctx, tx, r, buttonTable()[0], e.Sender.Login)
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
