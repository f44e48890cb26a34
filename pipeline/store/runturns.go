package store

import (
	"context"
	"slices"
	"time"
)

// RunKind says what is done with a queued run.
type RunKind int

// The kinds.
const (
	Plans  RunKind = iota + 1 // of aggregate runs
	Builds                    // of target runs
)

// turn is the name of the kind in the table of turns.
func (k RunKind) turn() string {
	if k == Plans {
		return planTurn
	}
	return buildTurn
}

// where picks the runs of the kind.
func (k RunKind) where() string {
	if k == Plans {
		return `target = ''`
	}
	return `target <> ''`
}

// runPriority puts people before machines: the smaller the sooner.
const runPriority = `CASE run_trigger WHEN 'bisect' THEN 5 WHEN 'nightly' THEN 4 WHEN 'push' THEN 3 WHEN 'pull_request' THEN 2 ELSE 1 END`

// RunPriority is the place of a trigger in that order.
func RunPriority(trigger string) int {
	switch trigger {
	case "bisect":
		return 5
	case "nightly":
		return 4
	case "push":
		return 3
	case "pull_request":
		return 2
	}
	return 1
}

// ClaimNextRun takes the queued run of a kind whose turn it is for owner, which has so many slots for the
// kind, or gives ErrNotFound. A tenant never holds all slots of an owner: another one's run does not wait until
// a sleeping build has reached its limit. Tenants are installations, or repositories where there is one
// installation; a single tenant may have all.
func (t Tx) ClaimNextRun(ctx context.Context, kind RunKind, owner string, lease time.Duration, slots int, l Limits) (
	Run, error) {
	if err := t.claimAlone(ctx); err != nil {
		return Run{}, err
	}
	list, err := t.runShares(ctx, kind)
	if err != nil || len(list) == 0 {
		return Run{}, orNotFound(err)
	}
	spare, err := t.keepsSpare(ctx, kind, owner, slots)
	if err != nil {
		return Run{}, err
	}
	slices.SortFunc(list, fairest)
	i := slices.IndexFunc(list, func(s share) bool { return l.allow(s) && spare(s) })
	if i < 0 {
		return Run{}, ErrNotFound
	}
	s := list[i]
	next, err := t.runs(ctx, `WHERE state = 'queued' AND cancel_requested = 0 AND not_before <= ? AND repo_id = ? AND `+
		kind.where()+` ORDER BY `+runPriority+`, id LIMIT 1`, t.ms(), s.repo)
	if err != nil || len(next) == 0 {
		return Run{}, orNotFound(err)
	}
	if ok, err := t.ClaimRun(ctx, next[0].ID, owner, lease); err != nil || !ok {
		return Run{}, orNotFound(err)
	}
	if err := t.served(ctx, kind.turn(), s, 0); err != nil {
		return Run{}, err
	}
	return t.Run(ctx, next[0].ID)
}

func orNotFound(err error) error {
	if err == nil {
		return ErrNotFound
	}
	return err
}

// runShares lists who has runs of a kind to be taken, with their claims on the workers.
func (t Tx) runShares(ctx context.Context, kind RunKind) ([]share, error) {
	return t.shares(ctx, kind.turn(), `SELECT installation_id AS installation, repo_id AS repo, MIN(`+runPriority+
		`) AS priority FROM runs WHERE state = 'queued' AND cancel_requested = 0 AND not_before <= ? AND `+
		kind.where()+` GROUP BY installation_id, repo_id`, []any{t.ms()}, `runs WHERE state = 'running' AND `+kind.where())
}

// keepsSpare says which shares may take another slot of owner so that one is left for other tenants.
func (t Tx) keepsSpare(ctx context.Context, kind RunKind, owner string, slots int) (func(share) bool, error) {
	var installations, repos int
	if err := t.one(ctx, []any{&installations, &repos},
		`SELECT COUNT(DISTINCT installation_id), COUNT(*) FROM repos WHERE active = 1`); err != nil {
		return nil, err
	}
	if slots < 2 || repos < 2 {
		return func(share) bool { return true }, nil
	}
	byOwner, byRepo := map[int64]int{}, map[int64]int{}
	if err := t.each(ctx, func(r rows) error {
		var installation, repo int64
		var n int
		err := r.Scan(&installation, &repo, &n)
		byOwner[installation] += n
		byRepo[repo] += n
		return err
	}, `SELECT installation_id, repo_id, COUNT(*) FROM runs WHERE state = 'running' AND owner = ? AND `+kind.where()+
		` GROUP BY installation_id, repo_id`, owner); err != nil {
		return nil, err
	}
	return func(s share) bool {
		if installations < 2 {
			return byRepo[s.repo] < slots-1
		}
		return byOwner[s.installation] < slots-1
	}, nil
}

// maxPlace bounds how far a place in the queue is counted.
const maxPlace = 1000

// Place is how many queued runs of its kind come before a queued run, by what is known now; 0 for any other.
func (t Tx) Place(ctx context.Context, r Run) (int, error) {
	kind := Builds
	if r.Aggregate() {
		kind = Plans
	}
	if r.State != Queued {
		return 0, nil
	}
	shares, err := t.runShares(ctx, kind)
	if err != nil {
		return 0, err
	}
	waiting := map[int64][]Run{}
	list, err := t.runs(ctx, `WHERE state = 'queued' AND cancel_requested = 0 AND `+kind.where()+` ORDER BY `+
		runPriority+
		`, id LIMIT ?`, maxPlace)
	if err != nil {
		return 0, err
	}
	for _, x := range list {
		waiting[x.Repo] = append(waiting[x.Repo], x)
	}
	return placeOf(r.ID, shares, waiting, t.now.UnixMicro()), nil
}

// placeOf serves shares in turn until it meets the run.
func placeOf(id string, shares []share, waiting map[int64][]Run, now int64) int {
	n := 0
	for ; len(shares) > 0; n++ {
		slices.SortFunc(shares, fairest)
		s := shares[0]
		own := waiting[s.repo]
		if len(own) == 0 {
			shares, n = shares[1:], n-1
			continue
		}
		if own[0].ID == id {
			return n
		}
		waiting[s.repo] = own[1:]
		for i := range shares {
			x := &shares[i]
			if x.installation == s.installation {
				x.crowd, x.last = x.crowd+1, now+int64(n)+1
			}
			if x.repo == s.repo {
				x.running, x.served = x.running+1, now+int64(n)+1
				if len(own) > 1 {
					x.priority = RunPriority(own[1].Trigger)
				}
			}
		}
	}
	return n
}
