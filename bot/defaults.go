package bot

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// Defaults implements pipeline.Defaulter: the manifest in the default branch of the
// owner's .github repository, if the App is installed there, too. It is asked for
// each run; GitHub answers most of these reads with 304, at no cost.
func (a *app) Defaults(ctx context.Context, repo store.Repo) (string, []byte, error) {
	owner, _, _ := strings.Cut(repo.FullName, "/")
	gh := a.client(repo.Installation, func(ctx context.Context) (string, error) {
		return a.token(ctx,
			scope{repo.Installation, 0, true})
	})
	file, _, _, err := gh.Repositories.GetContents(ctx, owner, pipeline.DefaultsRepo, pipeline.ManifestName,
		&github.RepositoryContentGetOptions{})
	switch {
	case answered(err, http.StatusNotFound, http.StatusForbidden):
		return "", nil, nil // not installed there, or no such file
	case err != nil:
		return "", nil, fmt.Errorf("github: defaults of %s: %w", owner, err)
	case file == nil: // a folder of that name
		return "", nil, nil
	}
	text, err := file.GetContent()
	return owner + "/" + pipeline.DefaultsRepo + "/" + pipeline.ManifestName, []byte(text), err
}
