package pipeline

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// ManifestName is the file in the root of a repository that says what to verify.
const ManifestName = manifest.Name

// NotConcerned is said of a pull request that changes no file of `pull_requests: paths`.
const NotConcerned = "Nothing was checked: no file changed that `pull_requests: paths` of the manifest names. A comment " +
	"`/firmproof rerun` checks it all the same."

// Concerns reports whether a manifest has the change from base to head verified by itself.
func Concerns(ctx context.Context, mirror *checkout.Mirror, m *manifest.Manifest, base, head string) (bool, error) {
	if len(m.Pulls.Paths) == 0 {
		return true, nil
	}
	files, err := mirror.ChangedFiles(ctx, base, head)
	return err != nil || m.Pulls.Concern(files), err
}

// plan reads the manifest of aggregate runs and adds a run per target.
func (s *Service) plan(ctx context.Context, _ string, _ int) error {
	return s.turns(ctx, store.Plans, func(ctx context.Context, run store.Run) error {
		in, err := s.inputs(ctx, run)
		if err != nil {
			return err
		}
		run.HeadSHA = in.head
		m, err := readManifest(in.manifest)
		if err != nil {
			return err
		}
		if run.Trigger == "push" {
			if err := s.store.Write(ctx, func(tx store.Tx) error {
				return schedule(ctx, tx, run.Repo,
					m)
			}); err != nil {
				return err
			}
		}
		if run.Trigger == "pull_request" && in.base != "" {
			if verified, err := Concerns(ctx, in.mirror, m, in.base, run.HeadSHA); err != nil {
				return err
			} else if !verified {
				return theirs("neutral", "%s", NotConcerned)
			}
		}
		var targets []string
		for _, t := range m.Targets {
			targets = append(targets, t.Name)
		}
		switch {
		case run.Trigger == BisectTrigger: // of an older commit, which nobody asks about beside
			targets = slices.DeleteFunc(targets, func(t string) bool {
				return !slices.Contains(run.Options.Targets,
					t)
			})
			if len(targets) == 0 {
				return theirs("neutral", "none of these targets is in %s", ManifestName)
			}
		case len(run.Options.Targets) > 0:
			if targets, err = s.chosen(ctx, run, targets); err != nil {
				return err
			}
		}
		if err := s.keepNewCommits(ctx, run, in); err != nil {
			return err
		}
		return s.fanOut(ctx, run, targets, in.note)
	})
}

// maxCommits bounds how many commits of a run are kept.
const maxCommits = 200

// keepNewCommits records the commits of the default branch since its run before this one.
func (s *Service) keepNewCommits(ctx context.Context, run store.Run, in *inputs) error {
	if run.Trigger == BisectTrigger || run.Pull != 0 || run.Ref != "refs/heads/"+in.repo.DefaultBranch {
		return nil
	}
	last := ""
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		last, err = tx.LastHead(ctx, run.Repo, in.repo.DefaultBranch)
		return err
	}); err != nil || last == "" || last == run.HeadSHA {
		return err
	}
	list, err := in.mirror.Log(ctx, last, run.HeadSHA, maxCommits)
	if err != nil {
		// its history was rewritten
		s.log.Info("the commits since the last run are not known", "run", run.ID, "since", last, "err", err)
		return nil
	}
	kept := make([]store.Commit, len(list))
	for i, c := range list {
		kept[i] = store.Commit(c)
	}
	return s.store.Write(ctx, func(tx store.Tx) error { return tx.PutCommits(ctx, run.ID, kept) })
}

// chosen lists the targets that a run on chosen ones has to do: these, and those of the
// manifest that no earlier run has answered for the commit. So no target is ever left out.
func (s *Service) chosen(ctx context.Context, run store.Run, all []string) ([]string, error) {
	want := slices.Clone(run.Options.Targets)
	for _, w := range want {
		if !slices.Contains(all, w) {
			return nil, theirs("action_required", "target %s is not in %s, which has %s", w, ManifestName,
				strings.Join(all, ", "))
		}
	}
	var earlier []store.Run
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		earlier, err = tx.RunsByHead(ctx, run.Repo, run.HeadSHA)
		return err
	}); err != nil {
		return nil, err
	}
	for _, t := range all {
		if !slices.Contains(want, t) && !slices.ContainsFunc(earlier,
			func(r store.Run) bool { return r.Target == t && answersFor(&r, &run) }) {
			want = append(want, t)
		}
	}
	return want, nil
}

// fanOut adds the target runs, once.
func (s *Service) fanOut(ctx context.Context, run store.Run, targets []string, note string) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		if ours, err := tx.Heartbeat(ctx, run.ID, s.owner, leaseTime); err != nil || !ours {
			return err
		}
		children, err := tx.Children(ctx, run.ID)
		if err != nil {
			return err
		}
		for _, target := range targets {
			if slices.ContainsFunc(children, func(c store.Run) bool { return c.Target == target }) {
				continue // an earlier try of this plan got that far
			}
			child := store.Run{Parent: run.ID, Repo: run.Repo, Installation: run.Installation, Pull: run.Pull,
				HeadSHA: run.HeadSHA, BaseSHA: run.BaseSHA, BaseRef: run.BaseRef, Ref: run.Ref,
				Target: target, Trigger: run.Trigger, Options: run.Options}
			if len(run.Options.Targets) > 0 && !slices.Contains(run.Options.Targets, target) {
				child.Options.Entries = nil // never answered before: all of it
			}
			id, err := tx.AddRun(ctx, child)
			if err != nil {
				return err
			}
			if err := s.queue.Enqueue(ctx, tx, queue.Job{Kind: BuildJob, ID: id, Lane: queue.Builds,
				Priority: priority(run.Trigger)}); err != nil {
				return err
			}
			if err := s.Publish(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := tx.SetRunState(ctx, run.ID, store.Waiting, note); err != nil {
			return err
		}
		return s.Publish(ctx, tx, run.ID)
	})
}

// inputs holds what a run starts from.
type inputs struct {
	repo     store.Repo
	mirror   *checkout.Mirror
	head     string // commit that the run is of
	manifest []byte
	base     string // commit of the branch that the head is to be merged into; empty if there is none
	baseRef  string // branch whose baseline counts
	note     string // what the author should know about the manifest
	fork     bool   // of a pull request from a fork
}

// inputs fetches the commits of a run and reads the manifest that governs it:
// the head's, but the base branch's for a pull request from a fork.
func (s *Service) inputs(ctx context.Context, run store.Run) (*inputs, error) {
	in := &inputs{}
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
		return err
	})
	if err != nil {
		return nil, err
	}
	remote, err := s.cfg.Source.Remote(ctx, in.repo)
	if err != nil {
		return nil, err
	}
	wants := []checkout.Want{{Ref: run.Ref, SHA: run.HeadSHA}}
	if isChange(run) && run.BaseSHA != "" {
		wants = append(wants, checkout.Want{Ref: "refs/heads/" + in.baseRef, SHA: run.BaseSHA})
		in.base = run.BaseSHA
	}
	var shas []string
	if in.mirror, shas, err = s.mirrors.Fetch(ctx, folderOf(run.Installation, run.Repo), remote,
		wants...); err != nil {
		return nil, err
	}
	in.head = shas[0]
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

// readManifest reads the manifest that governs: the head's, but the base branch's for a
// pull request from a fork. A change that takes the manifest away does not pass by that.
func (in *inputs) readManifest(ctx context.Context) error {
	governing := in.head
	if in.fork {
		governing = in.base
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
