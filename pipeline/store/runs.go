package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// State of a Run.
type State string

// The states. A run goes Waiting -> Queued -> Running -> Done, or straight to Done when it is cancelled.
const (
	Waiting State = "waiting" // for an approval, or an aggregate for its targets
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"
)

// Options change what a run does.
type Options struct {
	Targets []string      `json:"targets,omitempty"` // only these; empty: all of the manifest
	Entries []string      `json:"entries,omitempty"` // only these harnesses
	Factor  int           `json:"factor,omitempty"`  // multiplies bounds; 0 and 1: as the manifest says
	Prove   bool          `json:"prove,omitempty"`   // try for a proof
	Unwind  int           `json:"unwind,omitempty"`  // bounds of harnesses are at least this
	Timeout time.Duration `json:"timeout,omitempty"` // of each harness, instead of the manifest's
	Gated   bool          `json:"gated,omitempty"`   // only shown: waits for someone's approval
	Patch   *Patch        `json:"patch,omitempty"`   // tried on BaseSHA; nil: the run is of a commit that was pushed
}

// Patch is a change that somebody proposes and nobody pushed. What a run says of it changes nothing that is kept of the
// repository.
type Patch struct {
	Text    string `json:"text"` // unified diff
	By      string `json:"by"`   // login
	Comment int64  `json:"comment"`
}

// Run is one check: of a commit on a target, or (Target empty) the aggregate
// over all targets, whose id is the Parent of theirs.
type Run struct {
	ID           string
	Parent       string
	Repo         int64
	Installation int64
	Pull         int // 0: not of a pull request
	HeadSHA      string
	BaseSHA      string
	BaseRef      string // branch that the commit is to be merged into; empty if it is on its branch already
	Ref          string // the branch, or refs/pull/N/head
	Target       string
	Trigger      string // pull_request, push, rerun, command, nightly, bisect, test
	Options      Options
	State        State
	Conclusion   string // GitHub's word, when Done
	Detail       string // what to say beside the report: an error, who superseded it
	Counts       map[string]int
	Cancel       bool
	SupersededBy string
	Owner        string
	Lease        time.Time
	Tries        int
	Created      time.Time
	Started      time.Time
	Finished     time.Time
	CheckRun     int64
	Notes        []string  // on lines, by digest, that GitHub has or was about to be sent, in their order
	Posted       int       // how many of these it is known to have
	Shown        time.Time // when GitHub was shown the run last
	Version      int64
	Published    int64
	SARIF        string // upload to code scanning: "" not yet, "none", or GitHub's id
}

// Aggregate reports whether r stands for all targets.
func (r *Run) Aggregate() bool { return r.Target == "" }

// Pushed returns the commit that the run is of, or that its patch is on.
func (r *Run) Pushed() string {
	if r.Options.Patch != nil {
		return r.BaseSHA
	}
	return r.HeadSHA
}

const runColumns = `id, parent_id, repo_id, installation_id, pull, head_sha, base_sha, base_ref, ref, target, run_trigger, options, state, conclusion, detail, counts,
	cancel_requested, superseded_by, owner, lease_until, tries, created_at, started_at, finished_at, check_run_id, posted_annotations, version, published_version, sarif, notes, shown_at`

func scanRun(s interface{ Scan(...any) error }) (Run, error) {
	var r Run
	var options, counts, notes string
	var cancel, lease, created, started, finished, shown int64
	err := s.Scan(&r.ID, &r.Parent, &r.Repo, &r.Installation, &r.Pull, &r.HeadSHA, &r.BaseSHA, &r.BaseRef, &r.Ref,
		&r.Target,
		&r.Trigger, &options, &r.State, &r.Conclusion,
		&r.Detail, &counts, &cancel, &r.SupersededBy, &r.Owner, &lease, &r.Tries, &created, &started, &finished,
		&r.CheckRun, &r.Posted, &r.Version, &r.Published, &r.SARIF, &notes, &shown)
	if err != nil {
		return r, err
	}
	r.Cancel, r.Lease, r.Created, r.Started, r.Finished = cancel != 0, fromMS(lease), fromMS(created), fromMS(started),
		fromMS(finished)
	r.Shown = fromMS(shown)
	return r, errors.Join(json.Unmarshal([]byte(options), &r.Options), json.Unmarshal([]byte(counts), &r.Counts),
		json.Unmarshal([]byte(notes), &r.Notes))
}

// AddRun inserts r with a new id if it has none, and returns the id. State is
// Queued unless set; a run that is Done from the start ends now.
func (t Tx) AddRun(ctx context.Context, r Run) (string, error) {
	if r.ID == "" {
		r.ID = NewID()
	}
	if r.State == "" {
		r.State = Queued
	}
	options, err := json.Marshal(r.Options)
	if err != nil {
		return "", err
	}
	finished := int64(0)
	if r.State == Done {
		finished = t.ms()
	}
	_, err = t.exec(ctx, `INSERT INTO runs (id, parent_id, repo_id, installation_id, pull, head_sha, base_sha, base_ref, ref, target, run_trigger, options, state, conclusion, detail, created_at, finished_at, changed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, r.Parent, r.Repo, r.Installation, r.Pull, r.HeadSHA, r.BaseSHA, r.BaseRef, r.Ref, r.Target, r.Trigger,
		string(options), string(r.State), r.Conclusion, r.Detail, t.ms(), finished, t.ms())
	return r.ID, err
}

// Run finds a run.
func (t Tx) Run(ctx context.Context, id string) (Run, error) {
	list, err := t.runs(ctx, `WHERE id = ?`, id)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Run{}, err
	}
	return list[0], nil
}

// Children lists the target runs of an aggregate, by target.
func (t Tx) Children(ctx context.Context, parent string) ([]Run, error) {
	return t.runs(ctx, `WHERE parent_id = ? ORDER BY target, id`, parent)
}

// RunsByHead lists the runs of a commit, newest first.
func (t Tx) RunsByHead(ctx context.Context, repo int64, sha string) ([]Run, error) {
	return t.runs(ctx, `WHERE repo_id = ? AND head_sha = ? ORDER BY id DESC`, repo, sha)
}

// RunsByCheck finds the run that a GitHub check run shows.
func (t Tx) RunByCheck(ctx context.Context, repo, check int64) (Run, error) {
	list, err := t.runs(ctx, `WHERE repo_id = ? AND check_run_id = ? ORDER BY id DESC`, repo, check)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Run{}, err
	}
	return list[0], nil
}

// RecentRuns lists the newest n aggregates of a repository (0: of all).
func (t Tx) RecentRuns(ctx context.Context, repo int64, n int) ([]Run, error) {
	return t.runs(ctx, `WHERE target = '' AND (repo_id = ? OR ? = 0) ORDER BY id DESC LIMIT ?`, repo, repo, n)
}

// OpenRuns lists the runs of a pull request that are not Done.
func (t Tx) OpenRuns(ctx context.Context, repo int64, pull int) ([]Run, error) {
	return t.runs(ctx, `WHERE repo_id = ? AND pull = ? AND state <> 'done' ORDER BY id`, repo, pull)
}

func (t Tx) runs(ctx context.Context, where string, args ...any) ([]Run, error) {
	var out []Run
	err := t.each(ctx, func(r rows) error {
		x, err := scanRun(r)
		out = append(out, x)
		return err
	}, `SELECT `+runColumns+` FROM runs `+where, args...)
	return out, err
}

// ClaimRun takes a queued run, or one whose lease ran out, for owner until the
// lease ends, and reports success. Only the owner may then change it.
func (t Tx) ClaimRun(ctx context.Context, id, owner string, lease time.Duration) (bool, error) {
	n, err := t.exec(ctx, `UPDATE runs SET state = 'running', owner = ?, lease_until = ?, tries = tries + 1, started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END,
		version = version + 1, changed_at = ? WHERE id = ? AND (state = 'queued' OR state = 'running' AND lease_until < ?) AND cancel_requested = 0`,
		owner, t.ms()+lease.Milliseconds(), t.ms(), t.ms(), id, t.ms())
	return n > 0, err
}

// Heartbeat renews the lease and reports whether the run is still the owner's and wanted.
func (t Tx) Heartbeat(ctx context.Context, id, owner string, lease time.Duration) (bool, error) {
	n, err := t.exec(ctx,
		`UPDATE runs SET lease_until = ? WHERE id = ? AND owner = ? AND state = 'running' AND cancel_requested = 0`,
		t.ms()+lease.Milliseconds(), id, owner)
	return n > 0, err
}

// FinishRun ends a run that owner holds ("" for none) and reports whether it did.
func (t Tx) FinishRun(ctx context.Context, id, owner, conclusion, detail string, counts map[string]int) (bool, error) {
	if counts == nil {
		counts = map[string]int{}
	}
	text, err := json.Marshal(counts)
	if err != nil {
		return false, err
	}
	n, err := t.exec(ctx, `UPDATE runs SET state = 'done', conclusion = ?, detail = ?, counts = ?, owner = '', lease_until = 0, finished_at = ?,
		started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END, version = version + 1, changed_at = ? WHERE id = ? AND owner = ? AND state <> 'done'`,
		conclusion, detail, string(text), t.ms(), t.ms(), t.ms(), id, owner)
	return n > 0, err
}

// ReleaseRun gives a run back to the queue, e.g. when the process stops or our side
// failed, not to be taken before `after` has passed; uncounted takes the try back, when nobody
// failed. It reports whether the run was the owner's.
func (t Tx) ReleaseRun(ctx context.Context, id, owner string, after time.Duration, uncounted bool) (bool, error) {
	n, err := t.exec(ctx,
		`UPDATE runs SET state = 'queued', owner = '', lease_until = 0, not_before = ?, tries = tries - ? WHERE id = ? AND owner = ? AND state = 'running'`,
		t.ms()+after.Milliseconds(), flag(uncounted), id, owner)
	return n > 0, err
}

// SetRunState moves a run that is not Done, from any owner, to state.
func (t Tx) SetRunState(ctx context.Context, id string, state State, detail string) error {
	_, err := t.exec(ctx,
		`UPDATE runs SET state = ?, detail = ?, owner = '', lease_until = 0, version = version + 1, changed_at = ? WHERE id = ? AND state <> 'done'`,
		string(state), detail, t.ms(), id)
	return err
}

// CancelRun ends a run that is not Done as cancelled, with its tasks; their workers
// notice at the next heartbeat.
func (t Tx) CancelRun(ctx context.Context, id, detail, supersededBy string) error {
	return t.AbortRun(ctx, id, "cancelled", detail, supersededBy)
}

// AbortRun is CancelRun with another conclusion.
func (t Tx) AbortRun(ctx context.Context, id, conclusion, detail, supersededBy string) error {
	n, err := t.exec(ctx, `UPDATE runs SET state = 'done', conclusion = ?, detail = ?, superseded_by = ?, cancel_requested = 1, finished_at = ?,
		version = version + 1, changed_at = ? WHERE id = ? AND state <> 'done'`, conclusion, detail, supersededBy, t.ms(), t.ms(), id)
	if err != nil || n == 0 {
		return err
	}
	return t.DropTasks(ctx, id)
}

// OverdueRuns lists the runs that are not Done though created before `before`.
func (t Tx) OverdueRuns(ctx context.Context, before time.Time) ([]string, error) {
	return t.strings(ctx, `SELECT id FROM runs WHERE state <> 'done' AND created_at < ? ORDER BY id LIMIT 500`,
		toMS(before))
}

// Orphans lists the runs whose owner stopped renewing its lease.
func (t Tx) Orphans(ctx context.Context) ([]Run, error) {
	return t.runs(ctx, `WHERE state = 'running' AND lease_until < ? ORDER BY id`, t.ms())
}

// StaleQueued lists the runs that have been queued unchanged since before `before`.
func (t Tx) StaleQueued(ctx context.Context, before time.Time) ([]Run, error) {
	return t.runs(ctx, `WHERE state = 'queued' AND changed_at < ? ORDER BY id`, toMS(before))
}

// DropLeases makes every running run and task an orphan: only for a database that has one process, at its start.
func (t Tx) DropLeases(ctx context.Context) error {
	if _, err := t.exec(ctx, `UPDATE runs SET lease_until = 1, owner = '' WHERE state = 'running'`); err != nil {
		return err
	}
	_, err := t.exec(ctx, `UPDATE tasks SET lease_until = 1, owner = '' WHERE state = 'running'`)
	return err
}

// CountRuns counts the runs by state.
func (t Tx) CountRuns(ctx context.Context) (map[State]int, error) {
	out := map[State]int{}
	err := t.each(ctx, func(r rows) error {
		var s State
		var n int
		err := r.Scan(&s, &n)
		out[s] = n
		return err
	}, `SELECT state, COUNT(*) FROM runs GROUP BY state`)
	return out, err
}

// Requeued notes that a queued run got a new notice, so that it is not stale for a while.
func (t Tx) Requeued(ctx context.Context, id string) error {
	_, err := t.exec(ctx, `UPDATE runs SET changed_at = ? WHERE id = ?`, t.ms(), id)
	return err
}

// BranchRuns lists the finished target runs of a branch that have a report, oldest first; not those of bisections, which
// are of older commits.
func (t Tx) BranchRuns(ctx context.Context, repo int64, ref string) ([]Run, error) {
	return t.runs(ctx, `WHERE repo_id = ? AND pull = 0 AND ref = ? AND target <> '' AND run_trigger <> 'bisect' AND state = 'done' AND id IN (SELECT run_id FROM reports) ORDER BY finished_at, id`, repo, ref)
}

// StandingRuns are those of BranchRuns whose target the newest push or night of the branch asked for: a target that
// left the manifest is no part of how the branch stands. A run without targets, as of a broken manifest, says nothing.
func (t Tx) StandingRuns(ctx context.Context, repo int64, ref string) ([]Run, error) {
	runs, err := t.BranchRuns(ctx, repo, ref)
	if err != nil {
		return nil, err
	}
	asked, err := t.strings(ctx, `SELECT target FROM runs WHERE parent_id = (SELECT parent_id FROM runs WHERE repo_id = ?
		AND ref = ? AND pull = 0 AND target <> '' AND run_trigger IN ('push', 'nightly') ORDER BY parent_id DESC LIMIT 1)`,
		repo, ref)
	if err != nil || len(asked) == 0 {
		return runs, err
	}
	return slices.DeleteFunc(runs, func(r Run) bool { return !slices.Contains(asked, r.Target) }), nil
}
