package bot

import (
	"context"
	"crypto/rsa"
	"errors"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline/store"
)

// GitHub never delivers a failed webhook again by itself: we ask for it. Each
// look goes back over the time since the last one and a little more.
const (
	redeliverEvery = 5 * time.Minute
	redeliverBack  = 3 * 24 * time.Hour // GitHub keeps deliveries for three days
	redeliverTries = 10                 // attempts of one delivery, GitHub's own included
	redeliverPages = 20
	redeliverLook  = 2 * time.Minute  // one look takes no longer
	redeliverBusy  = 10 * time.Second // until the next try, while another process looks
)

// redeliverLoop looks for failed deliveries now and then, until ctx ends.
func (s *Server) redeliverLoop(ctx context.Context) {
	defer close(s.looped)
	for pause := time.Second; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = s.cfg.RedeliverEvery
		look, cancel := context.WithTimeout(ctx, redeliverLook)
		n, err := s.redeliver(look)
		cancel()
		switch {
		case errors.Is(err, errTaken): // or it died while it looked
			pause = min(pause, redeliverBusy)
		case err != nil && ctx.Err() == nil:
			s.log.Warn("failed deliveries could not be looked for", "err", err)
		case n > 0:
			s.log.Info("deliveries asked for again", "number", n)
		}
	}
}

// errTaken says that another process looks for failed deliveries.
var errTaken = errors.New("another process looks")

// redeliver asks GitHub to repeat deliveries that failed and that we do not have. One process does so at a time.
func (s *Server) redeliver(ctx context.Context) (int, error) {
	mine := false
	err := s.store.Write(ctx, func(tx store.Tx) (err error) {
		mine, err = tx.TryLock(ctx, "redeliver", s.pipe.Owner(), redeliverLook)
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case !mine:
		return 0, errTaken
	}
	asked, err := s.askAgain(ctx)
	free := context.WithoutCancel(ctx)
	return asked, errors.Join(err, s.store.Write(free, func(tx store.Tx) error {
		return tx.Unlock(free, "redeliver", s.pipe.Owner())
	}))
}

// askAgain asks for each failed delivery, and returns how many there were.
func (s *Server) askAgain(ctx context.Context) (int, error) {
	asked := 0
	err := s.app.withKeys(func(key *rsa.PrivateKey) error {
		gh := s.app.asApp(key)
		failed, err := s.failedDeliveries(ctx, gh)
		if err != nil {
			return err
		}
		for _, id := range failed {
			_, _, err := gh.Apps.RedeliverHookDelivery(ctx, id)
			var accepted *github.AcceptedError
			if err != nil && !errors.As(err, &accepted) {
				return err
			}
			asked++
		}
		return nil
	})
	return asked, err
}

// failedDeliveries lists an attempt of every delivery that never succeeded, is
// not in our store, and was not tried too often.
func (s *Server) failedDeliveries(ctx context.Context, gh *github.Client) ([]int64, error) {
	type fate struct {
		id    int64
		tries int
		ok    bool
	}
	fates := map[string]*fate{}
	var order []string
	opts := &github.ListCursorOptions{PerPage: 100}
	for range redeliverPages {
		list, resp, err := gh.Apps.ListHookDeliveries(ctx, opts)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if time.Since(d.GetDeliveredAt().Time) > redeliverBack {
				resp.Cursor = ""
				break
			}
			f := fates[d.GetGUID()]
			if f == nil {
				f = &fate{id: d.GetID()}
				fates[d.GetGUID()] = f
				order = append(order, d.GetGUID())
			}
			f.tries++
			f.ok = f.ok || d.GetStatusCode()/100 == 2 || known(d.GetEvent()) == "other"
		}
		if resp.Cursor == "" {
			break
		}
		opts.Cursor = resp.Cursor
	}
	var out []int64
	err := s.store.Read(ctx, func(tx store.Tx) error {
		for i := len(order) - 1; i >= 0; i-- { // oldest first
			f := fates[order[i]]
			if f.ok || f.tries >= redeliverTries {
				continue
			}
			d, err := tx.Delivery(ctx, order[i])
			switch {
			case err == nil && d.State != store.DeliveryFailed:
				continue // it arrived: only our answer was late
			case err != nil && !errors.Is(err, store.ErrNotFound):
				return err
			}
			out = append(out, f.id)
		}
		return nil
	})
	return out, err
}
