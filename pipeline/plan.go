package pipeline

import (
	"context"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
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
