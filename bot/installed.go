package bot

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// firstRuns is how many repositories of an event get their first run at once; others get it with their next push.
const firstRuns = 20

// askInstalled asks which of the repositories that are new have a manifest on their default branch, and for its tip:
// these get their first run.
func (s *Server) askInstalled(ctx context.Context, e *Event) error {
	if e.Installation == nil || e.Action != "created" && e.Action != "added" {
		return nil
	}
	left := firstRuns
	for _, list := range [][]Repository{e.Repositories, e.Added} {
		for i := range list[:min(len(list), left)] {
			if err := s.askFirst(ctx, e.Installation.ID, &list[i]); err != nil {
				return err
			}
		}
		left -= min(len(list), left)
	}
	return nil
}

// askFirst completes one of them.
func (s *Server) askFirst(ctx context.Context, installation int64, r *Repository) error {
	owner, name, _ := strings.Cut(r.FullName, "/")
	if name == pipeline.DefaultsRepo {
		return nil // its manifest is for the others
	}
	gh := s.app.installation(installation, r.ID)
	repo, _, err := gh.Repositories.Get(ctx, owner, name)
	if err != nil {
		return unlessGone(err)
	}
	if _, _, _, err = gh.Repositories.GetContents(ctx, owner, name, pipeline.ManifestName, nil); err != nil {
		return unlessGone(err)
	}
	ref, _, err := gh.Git.GetRef(ctx, owner, name, "heads/"+repo.GetDefaultBranch())
	if err != nil {
		return unlessGone(err)
	}
	r.DefaultBranch, r.CloneURL, r.HTMLURL = repo.GetDefaultBranch(), repo.GetCloneURL(), repo.GetHTMLURL()
	r.Private, r.tip = repo.GetPrivate(), ref.GetObject().GetSHA()
	return nil
}

// unlessGone is err, unless it says that there is nothing: no repository, no manifest, no commit.
func unlessGone(err error) error {
	if gone(err) || answered(err, http.StatusConflict) {
		return nil
	}
	return err
}

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
	removed, err := stillOf(ctx, tx, id, e.Removed)
	if err != nil {
		return fx, err
	}
	for _, list := range [][]Repository{e.Repositories, e.Added, removed} {
		for _, r := range list {
			x := repoRow(r, id)
			x.Active = active
			if err := tx.PutRepo(ctx, x); err != nil {
				return fx, err
			}
		}
	}
	for _, r := range removed {
		if err := tx.DropRepo(ctx, r.ID); err != nil {
			return fx, err
		}
	}
	for _, r := range e.Removed {
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
	for _, list := range [][]Repository{e.Repositories, e.Added} {
		for i := range list {
			if err := s.first(ctx, tx, e, &list[i], &fx); err != nil {
				return fx, err
			}
		}
	}
	missed, err := tx.Republish(ctx, id)
	if err != nil {
		return fx, err
	}
	return fx, s.pipe.Publish(ctx, tx, missed...)
}

// stillOf keeps of the repositories that an installation lost those that have not gone over to another one.
func stillOf(ctx context.Context, tx store.Tx, installation int64, list []Repository) (out []Repository, err error) {
	for _, r := range list {
		kept, err := tx.Repo(ctx, r.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err != nil || kept.Installation == installation || !kept.Active {
			out = append(out, r)
		}
	}
	return out, nil
}

// first begins the first run of a repository that has a manifest, as a push of its default branch would.
func (s *Server) first(ctx context.Context, tx store.Tx, e *Event, r *Repository, fx *effect) error {
	if r.tip == "" {
		return nil
	}
	more, err := s.push(ctx, tx, &Event{Name: "push", Installation: e.Installation, Repository: r, After: r.tip,
		Ref: "refs/heads/" + r.DefaultBranch})
	fx.interrupt = append(fx.interrupt, more.interrupt...)
	return err
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
