package pipeline

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// inputs holds what a run starts from.
type inputs struct {
	repo     store.Repo
	mirror   *checkout.Mirror
	head     string // commit that the run is of
	manifest []byte
	base     string // commit of the branch that the head is to be merged into; empty if there is none
	baseRef  string // branch whose baseline counts
	governor string // commit of that branch whose manifest governs that of a fork; empty: the head's own governs
	note     string // what the author should know about the manifest
	fork     bool   // of a pull request from a fork
}

// TestTrigger is the trigger of runs that test a patch on the head of a pull request, which is their BaseSHA.
const TestTrigger = "test"

// inputs fetches the commits of a run and reads the manifest that governs it:
// the head's, but the base branch's for a pull request from a fork.
func (s *Service) inputs(ctx context.Context, run store.Run) (*inputs, error) {
	in := &inputs{}
	patch := run.Options.Patch
	head, from := checkout.Want{Ref: run.Ref, SHA: run.HeadSHA}, checkout.Want{SHA: run.BaseSHA}
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		if in.repo, err = tx.Repo(ctx, run.Repo); err != nil {
			return err
		}
		in.baseRef = cmp.Or(run.BaseRef, in.repo.DefaultBranch)
		if run.Pull == 0 {
			return nil
		}
		p, err := tx.Pull(ctx, run.Repo, run.Pull)
		in.fork, in.baseRef = p.Fork, cmp.Or(run.BaseRef, p.BaseRef) // of runs from before that was kept
		if patch != nil {
			head, from = checkout.Want{Ref: run.Ref, SHA: run.BaseSHA}, checkout.Want{SHA: p.BaseSHA}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	remote, err := s.cfg.Source.Remote(ctx, in.repo)
	if err != nil {
		return nil, err
	}
	wants := []checkout.Want{head}
	if isChange(run) && from.SHA != "" {
		from.Ref, in.base = "refs/heads/"+in.baseRef, from.SHA
		wants = append(wants, from)
	}
	if in.fork {
		in.governor = in.base
	}
	var shas []string
	if in.mirror, shas, err = s.mirrors.Fetch(ctx, folderOf(run.Installation, run.Repo), remote,
		wants...); err != nil {
		return nil, err
	}
	in.head = shas[0]
	if patch != nil {
		in.base = head.SHA
		in.head, err = in.mirror.Patched(ctx, head.SHA, []byte(patch.Text))
		if bad := (*checkout.Error)(nil); errors.As(err, &bad) && bad.Theirs {
			err = theirs("failure", "%w", bad.Err)
		}
		if err != nil {
			return nil, err
		}
	}
	if run.HeadSHA == "" {
		if err := s.store.Write(ctx, func(tx store.Tx) error { return tx.SetHead(ctx, run.ID, in.head) }); err != nil {
			return nil, err
		}
	}
	if err := in.readManifest(ctx); err != nil {
		return nil, err
	}
	own := in.manifest
	if err := s.withDefaults(ctx, in); err != nil {
		return nil, err
	}
	if in.fork {
		if head, err := in.mirror.File(ctx, in.head, ManifestName, manifest.MaxSize); err != nil ||
			string(head) != string(own) {
			in.note += reports.ForkManifest(ManifestName)
		}
	}
	return in, nil
}

// mergeTrigger is the trigger of runs of groups in a merge queue.
const mergeTrigger = "merge_group"

// isChange reports whether a run is of a change, which is compared with what it starts from.
func isChange(run store.Run) bool { return run.Pull != 0 || run.Trigger == mergeTrigger }

// before returns the inputs of a commit that the change of in starts from. It has its own manifest, but not where the
// change is a patch on the head of a fork.
func (in *inputs) before(commit string) *inputs {
	from := *in
	from.head, from.base = commit, ""
	if in.governor == in.base {
		from.fork = false
	}
	return &from
}

// readManifest reads the manifest that governs: the head's, but the base branch's for a
// pull request from a fork. A change that takes the manifest away does not pass by that.
func (in *inputs) readManifest(ctx context.Context) error {
	governing := in.head
	if in.fork {
		governing = in.governor
	}
	var err error
	in.manifest, err = in.mirror.File(ctx, governing, ManifestName, manifest.MaxSize)
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if in.base != "" && !in.fork {
		if _, err := in.mirror.File(ctx, in.base, ManifestName, manifest.MaxSize); !errors.Is(err, os.ErrNotExist) {
			return theirs("action_required", "%s", reports.ManifestGone(ManifestName))
		}
	}
	return theirs("neutral", "%s", reports.NoManifest(ManifestName))
}

// DefaultsRepo is the repository whose manifest completes those of all others of
// its owner, as it is with GitHub's own community files.
const DefaultsRepo = ".github"

// withDefaults adds what the owner's defaults have and the manifest has not. The
// defaults themselves are only read for mistakes.
func (s *Service) withDefaults(ctx context.Context, in *inputs) error {
	if owner, name, _ := strings.Cut(in.repo.FullName, "/"); name == DefaultsRepo {
		if _, _, err := manifest.Merge(nil, ManifestName, in.manifest); err != nil {
			return theirs("action_required", "%w", err)
		}
		return theirs("neutral", "%s", reports.DefaultsOnly(owner))
	}
	source, ok := s.cfg.Source.(Defaulter)
	if !ok {
		return nil
	}
	where, text, err := source.Defaults(ctx, in.repo)
	if err != nil || text == nil {
		return err
	}
	merged, keys, err := manifest.Merge(in.manifest, where, text)
	if err != nil {
		return theirs("action_required", "%w", err)
	}
	if len(keys) > 0 {
		in.manifest = merged
		in.note = "From " + where + ": " + strings.Join(keys, ", ") + ".\n\n"
	}
	return nil
}
