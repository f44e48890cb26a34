package pipeline

import (
	"context"
	"errors"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// tagged builds the program that has a tag, with the manifest that it had then; one without any is built as the run is.
func (s *Service) tagged(ctx context.Context, run store.Run, in *inputs, tag string, ask prepare.Asked,
	build func(tree, prepare.Asked) (*prepare.Built, error)) (*prepare.Built, error) {
	remote, err := s.cfg.Source.Remote(ctx, in.repo)
	if err != nil {
		return nil, err
	}
	_, shas, err := s.mirrors.Fetch(ctx, folderOf(run.Installation, run.Repo), remote, checkout.Want{Ref: "refs/tags/" + tag})
	if errors.Is(err, checkout.ErrGone) {
		return nil, theirs("neutral", "%s", reports.NoTag(tag))
	}
	if err != nil {
		return nil, err
	}
	from := *in
	from.head, from.base, from.fork = shas[0], "", false // a tag of the repository itself
	if err := errors.Join(from.readManifest(ctx), s.withDefaults(ctx, &from)); err != nil {
		if !isFinal(err) {
			return nil, err
		}
		from.manifest = in.manifest
	}
	return build(tree{commit: from.head, manifest: from.manifest}, ask)
}
