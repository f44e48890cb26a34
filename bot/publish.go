package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// creating in place of a check run's id says that one may exist whose id we did
// not learn: the process died, or GitHub's answer was lost.
const creating = -1

// publish brings the check run of a run in line with its row. One publisher at a
// time works on a run; whatever changed meanwhile is published by the same one.
func (s *Server) publish(ctx context.Context, id string, attempt int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	me, lock := store.NewID(), "publish:"+id
	got := false
	err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		got, err = tx.TryLock(ctx, lock, me, 3*time.Minute)
		return err
	})
	if err != nil {
		return err
	}
	if !got {
		return &queue.Snooze{After: 300 * time.Millisecond}
	}
	err = s.publishAll(ctx, id, attempt)
	if uerr := s.store.Write(context.WithoutCancel(ctx),
		func(tx store.Tx) error { return tx.Unlock(context.WithoutCancel(ctx), lock, me) }); uerr != nil {
		err = errors.Join(err, uerr)
	}
	if until, ok := limitedUntil(err); ok {
		return &queue.Snooze{After: s.untilTime(until)}
	}
	// what was made a moment ago may not be found yet, and one refusal may be a hiccup
	if gone(err) && (attempt >= goneTries || !answered(err, http.StatusNotFound, http.StatusForbidden)) {
		s.log.Warn("check run cannot be published any more", "run", id, "err", err)
		return s.store.Write(ctx, func(tx store.Tx) error { return tx.MarkPublished(ctx, id, 1<<62) })
	}
	return err
}

const (
	goneTries    = 6 // how often a 404 or 403 is taken for a delay or a hiccup of GitHub's
	refusalTries = 3 // how often a 403 is, before less is sent
)

func (s *Server) untilTime(until time.Time) time.Duration {
	return max(time.Second, time.Until(until))
}

// gone recognises answers that no retry can change: the installation or the
// repository is no more, or the App's rights were taken away.
func gone(err error) bool {
	return answered(err, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity,
		http.StatusUnavailableForLegalReasons)
}

// answered reports whether err is an answer of GitHub with one of the codes.
func answered(err error, codes ...int) bool {
	var e *github.ErrorResponse
	return errors.As(err, &e) && e.Response != nil && slices.Contains(codes, e.Response.StatusCode)
}

// publishAll publishes until nothing is new.
func (s *Server) publishAll(ctx context.Context, id string, attempt int) error {
	for {
		v, err := s.view(ctx, id)
		if err != nil {
			return err
		}
		if v.run.Published >= v.run.Version {
			if err := s.processed(ctx, v); err != nil || !strings.HasPrefix(v.run.SARIF, askedSARIF) {
				return err
			}
			continue // that may have brought something to show
		}
		if wait := paceOfEarly - v.now.Sub(v.run.Shown); wait > 0 && v.goesOn() && v.run.CheckRun > 0 {
			return &queue.Snooze{After: wait}
		}
		err = errors.Join(s.night(ctx, v), s.tested(ctx, v))
		if !silent(&v.run) {
			err = s.show(ctx, v, attempt)
		}
		if err != nil {
			return fmt.Errorf("publish %s: %w", id, err)
		}
		if err := s.store.Write(ctx, func(tx store.Tx) error {
			return tx.MarkPublished(ctx, id,
				v.run.Version)
		}); err != nil {
			return err
		}
	}
}

// paceOfEarly is how much time lies between two writes about what a run that goes on has found. GitHub asks for pauses
// between writes; how a run ends is shown at once.
const paceOfEarly = 5 * time.Second

// silent runs have no check run: a night's run and its bisections have the issue, the test of a patch has its comment,
// and one that was cancelled before anyone saw it is not missed.
func silent(r *store.Run) bool {
	return r.Trigger == "nightly" || r.Trigger == pipeline.BisectTrigger || r.Trigger == pipeline.TestTrigger ||
		r.State == store.Done && r.Conclusion == "cancelled" && r.CheckRun == 0
}

// show creates or updates the check run of v.
func (s *Server) show(ctx context.Context, v *view, attempt int) error {
	owner, name, ok := strings.Cut(v.repo.FullName, "/")
	if !ok {
		return fmt.Errorf("repository %q has no owner", v.repo.FullName)
	}
	p := &poster{s: s, gh: s.app.installation(v.run.Installation, v.run.Repo), owner: owner, repo: name, v: v}
	body := s.render(v)
	if v.run.CheckRun <= 0 {
		if complete, err := p.create(ctx, body); err != nil || complete {
			return err
		}
	}
	if err := p.updateOrLess(ctx, body, attempt); err != nil {
		return err
	}
	return errors.Join(s.upload(ctx, p.gh, v), s.summarise(ctx, p.gh, v))
}

// poster carries one run to GitHub.
type poster struct {
	s           *Server
	gh          *github.Client
	owner, repo string
	v           *view
}

// checkBody is the request of create and update. go-github's own type for
// updates always sends a name and cannot send started_at.
type checkBody struct {
	Name        string                   `json:"name,omitempty"`
	HeadSHA     string                   `json:"head_sha,omitempty"`
	ExternalID  string                   `json:"external_id,omitempty"`
	DetailsURL  string                   `json:"details_url,omitempty"`
	Status      string                   `json:"status,omitempty"`
	Conclusion  string                   `json:"conclusion,omitempty"`
	StartedAt   string                   `json:"started_at,omitempty"`
	CompletedAt string                   `json:"completed_at,omitempty"`
	Output      *checkOutput             `json:"output,omitempty"`
	Actions     []*github.CheckRunAction `json:"actions,omitempty"`

	annotations []reports.Annotation // all of them; Output carries at most 50 at a time
}

type checkOutput struct {
	Title       string               `json:"title"`
	Summary     string               `json:"summary"`
	Text        string               `json:"text,omitempty"`
	Annotations []reports.Annotation `json:"annotations,omitempty"`
}

// create finds the check run that an earlier try may have made, or makes one. It
// reports whether the check run shows all of body then.
func (p *poster) create(ctx context.Context, body *checkBody) (bool, error) {
	if p.v.run.CheckRun == creating {
		id, err := p.find(ctx)
		if err != nil {
			return false, err
		}
		if id != 0 {
			return false, p.keepID(ctx, id)
		}
	} else if err := p.keepID(ctx, creating); err != nil {
		return false, err
	}
	first := *body
	if first.Status == "completed" { // the annotations come before the conclusion
		first.Status, first.Conclusion, first.CompletedAt, first.Output, first.Actions = "in_progress", "", "", nil, nil
	}
	got, path := &github.CheckRun{}, fmt.Sprintf("repos/%s/%s/check-runs", p.owner, p.repo)
	err := p.call(ctx, http.MethodPost, path, &first, got)
	complete := body.Status != "completed"
	if answered(err, http.StatusUnprocessableEntity) && first.Output != nil { // what it says is for the update to bring
		first.Output, complete = nil, false
		err = p.call(ctx, http.MethodPost, path, &first, got)
	}
	if err != nil {
		return false, err
	}
	return complete, p.keepID(ctx, got.GetID())
}

func (p *poster) keepID(ctx context.Context, id int64) error {
	p.v.run.CheckRun = id
	return p.s.store.Write(ctx, func(tx store.Tx) error { return tx.SetCheckRun(ctx, p.v.run.ID, id) })
}

// find looks for our check run on the commit by its external id.
func (p *poster) find(ctx context.Context) (int64, error) {
	opts := &github.ListCheckRunsOptions{CheckName: github.String(p.s.checkName(p.v)), Filter: github.String("all"),
		AppID: github.Int64(p.s.cfg.AppID), ListOptions: github.ListOptions{PerPage: 100}}
	for {
		list, resp, err := p.gh.Checks.ListCheckRunsForRef(ctx, p.owner, p.repo, p.v.run.HeadSHA, opts)
		if err != nil {
			return 0, err
		}
		for _, c := range list.CheckRuns {
			if c.GetExternalID() == p.v.run.ID {
				return c.GetID(), nil
			}
		}
		if resp.NextPage == 0 {
			return 0, nil
		}
		opts.Page = resp.NextPage
	}
}

// updateOrLess is update; where GitHub refuses what is sent, the check run ends all the
// same: without annotations, or else with nothing but its conclusion, and says why.
func (p *poster) updateOrLess(ctx context.Context, body *checkBody, attempt int) error {
	err := p.update(ctx, body)
	if !refused(err, attempt) {
		return err
	}
	p.s.log.Warn("GitHub refuses a check run", "run", p.v.run.ID, "annotations", len(body.annotations), "err", err)
	less := *body
	less.annotations = nil
	if n := len(body.annotations); n > 0 {
		output := *body.Output
		output.Summary = reports.Cut(reports.AnnotationsRefused(p.v.run.Posted, n, reason(err))+"\n\n"+output.Summary,
			reports.MaxText, body.DetailsURL)
		less.Output = &output
		if err = p.update(ctx, &less); !refused(err, attempt) {
			return err
		}
	}
	less.Output = &checkOutput{Title: body.Status, Summary: reports.TextRefused(reason(err), body.DetailsURL)}
	if body.Conclusion != "" {
		less.Output.Title = body.Conclusion
	}
	return p.update(ctx, &less)
}

// refused reports whether GitHub does not take what was sent. A 403 may have other reasons.
func refused(err error, attempt int) bool {
	return answered(err, http.StatusUnprocessableEntity) || answered(err, http.StatusForbidden) &&
		attempt >= refusalTries
}

func (p *poster) call(ctx context.Context, method, path string, body, into any) error {
	req, err := p.gh.NewRequest(method, path, body)
	if err != nil {
		return err
	}
	_, err = p.gh.Do(ctx, req, into)
	return err
}
