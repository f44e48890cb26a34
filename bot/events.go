package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
)

// eventRow is a kind of GitHub event with what it does. An event is a hint that something
// changed: what is so now, GitHub is asked.
type eventRow struct {
	name string
	// ask speaks to GitHub and completes the event by what it answers; nil: nothing to ask
	ask func(s *Server, ctx context.Context, e *Event) error
	// apply changes our rows, in the transaction that ends the delivery; nil: nothing to change
	apply func(s *Server, ctx context.Context, tx store.Tx, e *Event) (effect, error)
	subscription
	several bool // it is about the repositories of an installation, not about one
}

// subscription says how the App comes to be told of an event.
type subscription int

const (
	automatic subscription = iota // every App is told
	optional                      // to be subscribed to by those who use it
	required                      // to be subscribed to
)

// eventTable lists the events that mean something to us; the others are only acknowledged.
func eventTable() []eventRow {
	return []eventRow{
		{name: "check_run", ask: (*Server).askSender, apply: (*Server).checkRun, subscription: required},
		{name: "check_suite", ask: (*Server).askSender, apply: (*Server).checkSuite, subscription: required},
		{name: "installation", ask: (*Server).askInstalled, apply: (*Server).installed, several: true},
		{name: "installation_repositories", ask: (*Server).askInstalled, apply: (*Server).installed, several: true},
		{name: "issue_comment", ask: (*Server).comment, subscription: required},
		{name: "merge_group", ask: (*Server).askGroup, apply: (*Server).mergeGroup, subscription: optional},
		{name: "ping"},
		{name: "pull_request", ask: (*Server).askPull, apply: (*Server).pullRequest, subscription: required},
		{name: "push", ask: (*Server).askTip, apply: (*Server).push, subscription: required},
		{name: "repository", apply: (*Server).repository, subscription: required},
	}
}

// eventNamed finds the row of an event.
func eventNamed(name string) (eventRow, bool) {
	for _, r := range eventTable() {
		if r.name == name {
			return r, true
		}
	}
	return eventRow{}, false
}

// subscriptions lists the events that the App is to be subscribed to, at least so strongly.
func subscriptions(least subscription) []string {
	var out []string
	for _, r := range eventTable() {
		if r.subscription >= least {
			out = append(out, r.name)
		}
	}
	return out
}

// effect holds what is to be done after a transaction: work on these runs ends at once.
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
	e.attempt = attempt
	err = s.handle(ctx, e, guid)
	if until, ok := limitedUntil(err); ok {
		return &queue.Snooze{After: s.untilTime(until)}
	}
	if err != nil && attempt >= eventTries {
		s.log.Error("delivery given up", "delivery", guid, "event", e.Name, "action", e.Action, "err", err)
		return s.store.Write(ctx, func(tx store.Tx) error {
			return tx.EndDelivery(ctx, guid, store.DeliveryFailed, s.redact.text(err.Error()))
		})
	}
	return err
}

// eventTries bounds how often a delivery is tried, over some hours.
const eventTries = 20

// handle does what the row of the event says.
func (s *Server) handle(ctx context.Context, e *Event, guid string) error {
	row, ok := eventNamed(e.Name)
	if !ok {
		return &queue.Drop{Err: fmt.Errorf("event %q is not known to this version", e.Name)}
	}
	if e.Repository != nil && e.Installation != nil {
		if err := s.askRepository(ctx, e); err != nil {
			return err
		}
	}
	if row.ask != nil && e.Installation != nil && (e.Repository != nil || row.several) {
		if err := row.ask(s, ctx, e); err != nil {
			return err
		}
	}
	var fx effect
	err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		if err := remember(ctx, tx, e); err != nil {
			return err
		}
		if row.apply != nil {
			if fx, err = row.apply(s, ctx, tx, e); err != nil {
				return err
			}
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
	if e.Repository == nil || e.Installation == nil || e.past {
		return nil
	}
	if err := tx.SeenRepo(ctx, repoRow(*e.Repository, e.Installation.ID)); err != nil || !e.public {
		return err
	}
	return tx.Publicize(ctx, e.Repository.ID)
}

// repository follows what became of a repository: its name and who may see it are remembered for every
// event; of a deleted one nothing is shown or worked on any more.
func (s *Server) repository(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	var fx effect
	if e.Action != "deleted" || e.Repository == nil || e.Installation == nil {
		return fx, nil
	}
	if err := tx.DropRepo(ctx, e.Repository.ID); err != nil {
		return fx, err
	}
	return fx, s.endRuns(ctx, tx, &fx, e.Installation.ID, e.Repository.ID, "The repository was deleted.")
}

func repoRow(r Repository, installation int64) store.Repo {
	return store.Repo{ID: r.ID, Installation: installation, FullName: r.FullName, CloneURL: r.CloneURL,
		HTMLURL: r.HTMLURL, DefaultBranch: r.DefaultBranch, Private: r.Private, Active: true}
}
