package bot

import (
	"context"

	"github.com/firmproof/firmproof/pipeline/store"
)

// installed keeps the list of installations and their repositories. What runs for
// one that is taken away ends; what GitHub could not be told meanwhile is told
// when an installation comes back.
func (s *Server) installed(ctx context.Context, tx store.Tx, e *Event) (effect, error) {
	var fx effect
	if e.Installation == nil {
		return fx, nil
	}
	id := e.Installation.ID
	s.app.forget(id)
	active := e.Name == "installation_repositories" || e.Action != "deleted" && e.Action != "suspend"
	if err := tx.PutInstallation(ctx, id, e.Installation.Account.Login, active); err != nil {
		return fx, err
	}
	for _, list := range [][]Repository{e.Repositories, e.Added, e.Removed} {
		for _, r := range list {
			x := repoRow(r, id)
			x.Active = active
			if err := tx.PutRepo(ctx, x); err != nil {
				return fx, err
			}
		}
	}
	for _, r := range e.Removed {
		if err := tx.DropRepo(ctx, r.ID); err != nil {
			return fx, err
		}
		if err := s.endRuns(ctx, tx, &fx, id, r.ID, "The App was taken off this repository."); err != nil {
			return fx, err
		}
	}
	if e.Action == "deleted" { // the list of the event may be cut
		if err := tx.DropInstallation(ctx, id); err != nil {
			return fx, err
		}
	}
	if !active {
		return fx, s.endRuns(ctx, tx, &fx, id, 0, "The App was uninstalled or suspended.")
	}
	missed, err := tx.Republish(ctx, id)
	if err != nil {
		return fx, err
	}
	return fx, s.pipe.Publish(ctx, tx, missed...)
}

// endRuns cancels the open runs of an installation, or of one of its repositories.
func (s *Server) endRuns(ctx context.Context, tx store.Tx, fx *effect, installation, repo int64, why string) error {
	runs, err := tx.InstallationRuns(ctx, installation, repo)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := tx.CancelRun(ctx, r.ID, why, ""); err != nil {
			return err
		}
		fx.interrupt = append(fx.interrupt, r.ID)
	}
	return s.pipe.Publish(ctx, tx, fx.interrupt...)
}
