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
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// What each command of commandTable does. One that acted before only answers again.

// start begins a run of the pull request's head.
func (t *talk) start(ctx context.Context, tx store.Tx, o store.Options, text string) (response, error) {
	a := response{text: text}
	var err error
	if t.fresh {
		a.effect, err = t.s.beginPull(ctx, tx, t.pull, t.e.Installation.ID, "command", o)
	}
	return a, err
}

func (t *talk) rerun(ctx context.Context, tx store.Tx, c command) (response, error) {
	var o store.Options
	if target := c.arg(0); target != "" {
		o.Targets = []string{target}
	}
	if entry := c.arg(1); entry != "" {
		o.Entries = []string{entry}
	}
	return t.start(ctx, tx, o, "Verifying "+reports.ShortSHA(t.pull.HeadSHA)+" again.")
}

// deeper doubles the factor of the newest run of the head.
func (t *talk) deeper(ctx context.Context, tx store.Tx, _ command) (response, error) {
	runs, err := tx.RunsByHead(ctx, t.pull.Repo, t.pull.HeadSHA)
	if err != nil {
		return response{}, err
	}
	o := store.Options{Factor: 2}
	if i := slices.IndexFunc(runs, func(r store.Run) bool { return r.Aggregate() }); i >= 0 {
		o.Factor = 2 * max(1, runs[i].Options.Factor)
	}
	return t.start(ctx, tx, o, fmt.Sprintf("Verifying %s again with bounds times %d.",
		reports.ShortSHA(t.pull.HeadSHA), o.Factor))
}

func (t *talk) prove(ctx context.Context, tx store.Tx, c command) (response, error) {
	return t.start(ctx, tx, store.Options{Entries: c.args[:1], Prove: true},
		"Trying for proofs of "+reports.Code(c.arg(0))+".")
}

func (t *talk) cancel(ctx context.Context, tx store.Tx, _ command) (response, error) {
	a := response{text: "Cancelled."}
	var err error
	if t.fresh {
		a.interrupt, err = t.s.pipe.CancelRuns(ctx, tx, t.pull.Repo, t.pull.Number, "",
			"Cancelled by "+t.e.Sender.Login+".", "")
	}
	return a, err
}

// approval is the line that approves the head as it is now.
func (t *talk) approval() string {
	return fmt.Sprintf("If you have looked at it, write `%s approve %s`.", prefix, reports.ShortSHA(t.pull.HeadSHA))
}

// approve lets a fork's commit be built: the one that is named. What was pushed since is not meant.
func (t *talk) approve(ctx context.Context, tx store.Tx, c command) (response, error) {
	head, named := t.pull.HeadSHA, strings.ToLower(c.arg(0))
	switch {
	case !t.pull.Fork:
		return response{text: "This pull request does not come from a fork: there is nothing to approve.",
			failed: true}, nil
	case len(named) < 7 || !strings.HasPrefix(head, named):
		return response{text: fmt.Sprintf("The head of this pull request is %s, not %s. %s", reports.ShortSHA(head),
			reports.Code(named), t.approval()), failed: true}, nil
	}
	if t.fresh {
		if err := tx.ApprovePull(ctx, t.pull.Repo, t.pull.Number, t.e.Sender.Login, head); err != nil {
			return response{}, err
		}
		t.pull.ApprovedBy, t.pull.ApprovedSHA = t.e.Sender.Login, head
	}
	return t.start(ctx, tx, store.Options{}, "The build of "+reports.ShortSHA(head)+" is approved.")
}

// acceptedFor is how long an acceptance holds unless it says until when, which maxAccepted bounds.
const (
	acceptedFor = 90 * 24 * time.Hour
	maxAccepted = 2 * 366 * 24 * time.Hour
)

// accept accepts a finding of the head, in all runs from now on.
func (t *talk) accept(ctx context.Context, tx store.Tx, c command) (response, error) {
	a := store.Acceptance{Claim: c.arg(0), By: t.e.Sender.Login, Until: tx.Now().Add(acceptedFor).Truncate(24 * time.Hour)}
	found, err := t.claims(ctx, tx, a.Claim)
	if err != nil {
		return response{}, err
	}
	if len(found) == 0 {
		return unknownClaim(a.Claim), nil
	}
	rest := c.args[1:]
	if rest[0] == "until" {
		if a.Until, err = time.Parse(manifest.Day, rest[1]); err != nil || !a.Until.After(tx.Now()) ||
			a.Until.After(tx.Now().Add(maxAccepted)) {
			return response{text: fmt.Sprintf("%s is no day of the next two years, such as %s.", reports.Code(rest[1]),
				tx.Now().Add(acceptedFor).Format(manifest.Day)), failed: true}, nil
		}
		rest = rest[2:]
	}
	a.Reason = strings.Join(rest[1:], " ")
	if t.fresh {
		if err := tx.Accept(ctx, t.pull.Repo, a); err != nil {
			return response{}, err
		}
	}
	return response{text: fmt.Sprintf("%s is accepted from the next run on, on all branches, until %s, because: %s\n\n"+
		"It counts again before that day if its statement changes, or with `%s unaccept %s`.", reports.Code(a.Claim),
		a.Until.Format(manifest.Day), reports.Inert(a.Reason), prefix, reports.InCode(a.Claim))}, nil
}

// unaccept takes an acceptance back.
func (t *talk) unaccept(ctx context.Context, tx store.Tx, c command) (response, error) {
	if t.fresh {
		was, err := tx.TakeBack(ctx, t.pull.Repo, c.arg(0))
		if err != nil || !was {
			return response{text: fmt.Sprintf("No comment accepts %s at present; `%s list` shows what is accepted. Entries of "+
				"the manifest are taken back there.", reports.Code(c.arg(0)), prefix), failed: true}, err
		}
	}
	return response{text: fmt.Sprintf("%s counts again from the next run on.", reports.Code(c.arg(0)))}, nil
}

// list shows what comments accepted.
func (t *talk) list(ctx context.Context, tx store.Tx, _ command) (response, error) {
	all, err := tx.Acceptances(ctx, t.pull.Repo)
	rows := make([]reports.AcceptedRow, len(all))
	for i, a := range all {
		rows[i] = reports.AcceptedRow{Claim: a.Claim, Accepted: accepted(a)}
	}
	return response{text: reports.AcceptedTable(rows)}, err
}

// accepted is an acceptance as reports have it.
func accepted(a store.Acceptance) verdict.Accepted {
	out := verdict.Accepted{Reason: a.Reason, By: a.By}
	if !a.Until.IsZero() {
		out.Until = a.Until.Format(manifest.Day)
	}
	return out
}

func unknownClaim(id string) response {
	return response{text: fmt.Sprintf(
		"I know no finding %s of this pull request's head; the check runs list their names.",
		reports.Code(id)), failed: true}
}

// claims finds the findings called id in the newest runs of the head.
func (t *talk) claims(ctx context.Context, tx store.Tx, id string) ([]store.Finding, error) {
	var out []store.Finding
	err := t.newest(ctx, tx, func(r store.Run) error {
		list, err := tx.Findings(ctx, r.ID)
		for _, f := range list {
			if f.Claim == id {
				out = append(out, f)
			}
		}
		return err
	})
	return out, err
}

// newest visits the newest finished run of each target of the head.
func (t *talk) newest(ctx context.Context, tx store.Tx, visit func(store.Run) error) error {
	runs, err := tx.RunsByHead(ctx, t.pull.Repo, t.pull.HeadSHA)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range runs {
		if r.Aggregate() || seen[r.Target] || r.State != store.Done {
			continue
		}
		seen[r.Target] = true
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

func (t *talk) explain(ctx context.Context, tx store.Tx, c command) (response, error) {
	found, err := t.claims(ctx, tx, c.arg(0))
	if err != nil {
		return response{}, err
	}
	rule, _, _ := strings.Cut(c.arg(0), "@")
	prop, ok := verdict.Lookup(rule)
	if len(found) == 0 && !ok {
		return unknownClaim(c.arg(0)), nil
	}
	lines := make([]reports.Found, len(found))
	for i, f := range found {
		lines[i] = reports.Found{Target: f.Target, Entry: f.Entry, Status: f.Status,
			Pos: verdict.Pos{File: f.File, Line: f.Line}, Message: f.Message,
			URL: fmt.Sprintf("%s/runs/%s/findings/%s", t.s.cfg.PublicURL, f.Run, f.Fingerprint)}
	}
	return response{text: reports.Explanation(prop, ok, lines)}, nil
}

// knows says which argument of a command names no target or no harness of the manifest
// that governs the pull request.
func (t *talk) knows(ctx context.Context, c command) (string, error) {
	row, _ := commandNamed(c.verb) // it is one of the table
	if len(c.args) == 0 {
		return "", nil
	}
	m, err := t.manifest(ctx)
	var wrong *manifest.Error
	switch {
	case errors.As(err, &wrong):
		return "The manifest of this commit cannot be read; its check says why.", nil
	case err != nil:
		return "", err
	case m == nil:
		return "There is no " + pipeline.ManifestName + " for this pull request, so there is nothing to verify.", nil
	}
	targets, entries := []string{}, []string{}
	for _, x := range m.Targets {
		targets = append(targets, x.Name)
	}
	for _, h := range m.Harnesses {
		entries = append(entries, h.Entry)
	}
	for i, kind := range strings.Fields(row.args) {
		names := map[string][]string{"TARGET": targets, "HARNESS": entries, "ENTRY": entries}[strings.Trim(kind, "[]")]
		if word := c.arg(i); word != "" && !slices.Contains(names, word) {
			what := map[bool]string{true: "target", false: "harness"}[strings.Contains(kind, "TARGET")]
			return reports.NoSuchName(what, word, names), nil
		}
	}
	return "", nil
}

// manifest reads the manifest that governs the pull request, with its owner's defaults;
// nil if there is none.
func (t *talk) manifest(ctx context.Context) (*manifest.Manifest, error) {
	at := t.pull.HeadSHA
	if t.pull.Fork {
		at = t.pull.BaseSHA
	}
	file, _, _, err := t.gh.Repositories.GetContents(ctx, t.owner, t.repo, pipeline.ManifestName,
		&github.RepositoryContentGetOptions{Ref: at})
	if answered(err, http.StatusNotFound) || err == nil && file == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	own, err := file.GetContent()
	if err != nil {
		return nil, err
	}
	where, defaults, err := t.s.app.Defaults(ctx, repoRow(*t.e.Repository, t.e.Installation.ID))
	if err != nil {
		return nil, err
	}
	merged := []byte(own)
	if defaults != nil {
		if merged, _, err = manifest.Merge(merged, where, defaults); err != nil {
			return nil, err
		}
	}
	return manifest.Parse(pipeline.ManifestName, merged)
}
