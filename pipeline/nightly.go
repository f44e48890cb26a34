package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/firmproof/firmproof/pipeline/blob"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/store"
)

// nightlyName is the schedule that a manifest's `nightly` makes.
const nightlyName = "nightly"

// nightlySpec holds what a schedule keeps of the manifest.
type nightlySpec struct {
	Hour    int           `json:"hour"`
	Minute  int           `json:"minute"`
	Unwind  int           `json:"unwind"`
	Timeout time.Duration `json:"timeout"`
}

// next is the first such time of day (UTC) after now.
func (n nightlySpec) next(now time.Time) time.Time {
	now = now.UTC()
	t := time.Date(now.Year(), now.Month(), now.Day(), n.Hour, n.Minute, 0, 0, time.UTC)
	if !t.After(now) {
		t = t.AddDate(0, 0, 1)
	}
	return t
}

// schedule keeps the nightly run of a repository as its default branch's manifest says.
func schedule(ctx context.Context, tx store.Tx, repo int64, m *manifest.Manifest) error {
	if m.Nightly == nil {
		return tx.DropSchedule(ctx, repo, nightlyName)
	}
	spec := nightlySpec{m.Nightly.Hour, m.Nightly.Minute, m.Nightly.Unwind, m.Nightly.Timeout}
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return tx.PutSchedule(ctx, store.Schedule{Repo: repo, Name: nightlyName, Spec: string(text),
		Next: spec.next(time.Now())})
}

// runDue starts the nightly runs whose time has come: each once, however long
// nobody looked, and by one replica.
func (s *Service) runDue(ctx context.Context, now time.Time) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		due, err := tx.DueSchedules(ctx, now)
		if err != nil {
			return err
		}
		for _, d := range due {
			var spec nightlySpec
			if err := json.Unmarshal([]byte(d.Spec), &spec); err != nil {
				return fmt.Errorf("schedule of %d: %w", d.Repo, err)
			}
			mine, err := tx.RanSchedule(ctx, d, spec.next(now))
			if err != nil {
				return err
			}
			repo, err := tx.Repo(ctx, d.Repo)
			if err != nil {
				return err
			}
			if !mine {
				continue
			}
			if _, err := s.Begin(ctx, tx, store.Run{Repo: repo.ID, Installation: repo.Installation,
				Ref: "refs/heads/" + repo.DefaultBranch, Trigger: "nightly",
				Options: store.Options{Unwind: spec.Unwind, Timeout: spec.Timeout}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// maintain is done now and then: schedules and retention.
func (s *Service) maintain(ctx context.Context) error {
	err := s.runDue(ctx, time.Now())
	if time.Since(s.expired) < time.Hour {
		return err
	}
	s.expired = time.Now()
	var n int64
	err = errors.Join(err, s.store.Write(ctx, func(tx store.Tx) (err error) {
		n, err = tx.Expire(ctx, s.cfg.Keep)
		return err
	}))
	if n > 0 {
		s.log.Info("expired", "rows", n)
	}
	return errors.Join(err, s.tidy(ctx), s.expireUnits(time.Now().Add(-unitsKept)),
		s.collect(ctx, time.Now().Add(-blobGrace)))
}

// blobGrace is how old a document is at least before it is collected: what is
// written but not yet named in the database is younger.
const blobGrace = 24 * time.Hour

// collect removes documents, older than `before`, that nothing names any more.
func (s *Service) collect(ctx context.Context, before time.Time) error {
	var used []string
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		used,
			err = tx.BlobsInUse(ctx)
		return err
	}); err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, name := range used {
		keep[name] = true
	}
	var drop []string
	if err := s.blobs.List(ctx, func(i blob.Info) error {
		if !keep[i.Name] && i.At.Before(before) {
			drop = append(drop, i.Name)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, name := range drop {
		if err := s.blobs.Delete(ctx, name); err != nil {
			return err
		}
	}
	if len(drop) > 0 {
		s.log.Info("artifacts collected", "number", len(drop))
	}
	return nil
}

// sameBlobs makes sure that this process shares its blob store with those that
// work on the same database.
func (s *Service) sameBlobs(ctx context.Context) error {
	mine, err := s.blobs.Put(ctx, []byte("firmproof artifacts "+s.owner))
	if err != nil {
		return fmt.Errorf("pipeline: artifacts: %w", err)
	}
	var kept string
	if err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		kept, err = tx.SetMarker(ctx,
			mine)
		return err
	}); err != nil {
		return fmt.Errorf("pipeline: artifacts: %w", err)
	}
	if kept == mine {
		return nil
	}
	if err := s.blobs.Delete(ctx, mine); err != nil {
		return fmt.Errorf("pipeline: artifacts: %w", err)
	}
	switch _, err := s.blobs.Get(ctx, kept); {
	case errors.Is(err, blob.ErrNotFound):
		return fmt.Errorf("pipeline: --artifacts %s: not the store that the others on this database use (document %s is missing)", s.blobs, kept)
	case err != nil:
		return fmt.Errorf("pipeline: artifacts: %w", err)
	}
	return nil
}

// DefaultRetention keeps traces for a quarter and runs for a year.
func DefaultRetention() store.Retention {
	const day = 24 * time.Hour
	return store.Retention{Traces: 90 * day, Runs: 365 * day, Deliveries: 30 * day, Answers: 60 * day, Gone: 30 * day}
}
