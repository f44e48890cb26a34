package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Context holds what is known about a report beside it; kept with it, so that
// every rendering of it is the same.
type Context struct {
	Changed map[string][]reports.LineRange `json:"changed"` // nil: not of a change
	States  map[string]reports.State       `json:"states"`  // by reports.Key
	Fixed   int                            `json:"fixed"`
	Sandbox string                         `json:"sandbox,omitempty"`
	// what the manifest says under `report`
	AnnotateAll bool `json:"annotate_all,omitempty"`
	Comment     bool `json:"comment,omitempty"`
	// keys of the findings that Fixed counts
	FixedKeys []string `json:"fixed_keys,omitempty"`
	// some harnesses of the commit have never been verified
	Partial bool `json:"partial,omitempty"`
	// what makes a check run fail beside violations: "unknown", "violation" (nothing else) or what is usual
	FailOn string `json:"fail_on,omitempty"`
	// what of the change was not looked at
	Gaps reports.Gaps `json:"gaps,omitzero"`
	// what the functions that changed do
	Behaviour reports.Behaviour `json:"behaviour,omitzero"`
	// how each entry came out: what overviews show without reading the report
	Entries []EntryAnswer `json:"entries,omitempty"`
}

// prepared holds what a built run waits with for its tasks.
type prepared struct {
	Context Context  `json:"context"`
	Scope   string   `json:"scope"`    // of its answers
	BaseRef string   `json:"base_ref"` // branch whose baseline counts
	Note    string   `json:"note,omitempty"`
	Base    compared `json:"base"`
}

// build does the first half of target runs: it adds a task for each entry, with
// the answers that the store has.
func (s *Service) build(ctx context.Context, _ string, _ int) error {
	return s.turns(ctx, store.Builds, func(ctx context.Context, run store.Run) error {
		in, err := s.inputs(ctx, run)
		if err != nil {
			return err
		}
		m, err := readManifest(in.manifest)
		if err != nil {
			return err
		}
		p := prepared{Context: Context{AnnotateAll: m.Report.Annotate == "all", Comment: m.Report.Comment},
			Scope: scopeOf(run, in.fork), BaseRef: in.baseRef, Note: in.note}
		if m.Report.FailOnGiven {
			p.Context.FailOn = m.Report.FailOn
		}
		if in.base != "" {
			if p.Context.Changed, p.Base.Commit, err = in.mirror.Changed(ctx, in.base, run.HeadSHA); err != nil {
				return err
			}
			p.Context.Gaps.Less = s.askedLess(ctx, in, p.Base.Commit, m)
		}
		tasks, used, err := s.tasks(ctx, run, in, m, &p)
		if err != nil {
			return err
		}
		return s.spread(ctx, run, &p, tasks, used)
	})
}

// askedLess lists what the manifest of a change asks less than that of the commit which it starts from. A manifest that
// cannot be read asks for nothing.
func (s *Service) askedLess(ctx context.Context, in *inputs, commit string, now *manifest.Manifest) []reports.Less {
	from := in.before(commit)
	if err := errors.Join(from.readManifest(ctx), s.withDefaults(ctx, from)); err != nil {
		return nil
	}
	m, err := readManifest(from.manifest)
	if err != nil {
		return nil
	}
	return prepare.AskedLess(m, now)
}

// tree holds what a build begins with: a commit, with the manifest that governs it.
type tree struct {
	commit   string
	manifest []byte
	options  store.Options
}

// tasks builds the commit of a run, whose manifest is m, and those that it is compared with, and lists their
// verifications.
func (s *Service) tasks(ctx context.Context, run store.Run, in *inputs, m *manifest.Manifest, p *prepared) ([]store.Task,
	[]store.Answer, error) {
	// the try is part of the name: what an earlier one left running must not meet this one
	root := filepath.Join(s.cfg.Data, "work", fmt.Sprintf("%s-%d", run.ID, run.Tries))
	defer s.sweepAway(root)
	builds := 0
	var folders [3]string // with the programs of the head, the base, and a tag
	build := func(side int) func(t tree, ask prepare.Asked) (*prepare.Built, error) {
		return func(t tree, ask prepare.Asked) (*prepare.Built, error) {
			builds++
			dir := filepath.Join(root, strconv.Itoa(builds))
			folders[side] = filepath.Join(dir, "out")
			return s.buildTree(ctx, run, in, p, t, ask, dir)
		}
	}
	var fault error // of ours
	sides, err := prepare.BothSides(func(ask prepare.Asked) (*prepare.Built, error) {
		built, err := build(0)(tree{run.HeadSHA, in.manifest, run.Options}, ask)
		if err == nil {
			built.Freeze(m)
		}
		return built, err
	}, func(ask prepare.Asked) (*prepare.Built, error) {
		return s.base(ctx, run, in, p, ask, build(1))
	}, func(tag string, ask prepare.Asked) (*prepare.Built, error) {
		built, err := s.tagged(ctx, run, in, tag, ask, build(2))
		if err != nil && !isFinal(err) {
			fault = err
		}
		return built, err
	})
	if fault != nil {
		return nil, nil, fault
	}
	if err == nil && sides.BaseErr != nil {
		err = withoutBase(p, sides.BaseErr)
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range sides.Base {
		if pair := sides.Base[i].Pair; pair != nil && !asks(run) {
			pair.Needed = true // who asks anew has it all compared
		}
	}
	p.Context.Gaps.Add(sides.Gaps[run.Target])
	p.Context.Behaviour.Add(sides.Behaviour[run.Target])
	versions := s.versionsIn(folders[0])
	jobs := append(sides.Head, sides.Base...)
	known, used, err := s.recall(ctx, run, p.Scope, jobs)
	if err != nil {
		return nil, nil, err
	}
	var tasks []store.Task
	for i := range jobs {
		from := folders[0]
		if jobs[i].Base {
			from = folders[1]
		}
		answer := known[i]
		if jobs[i].Base && answer != nil && (answer.Undecided() || answer.Status == verdict.Violated &&
			!hasQuestion(sides.Head, &jobs[i])) {
			answer = nil // the findings of the head may decide it, or the head what it does of them
		}
		t, err := s.task(ctx, run, &jobs[i], from, answer, p.Base.Tasks)
		if err == nil && jobs[i].Pair != nil {
			was := folders[1]
			if jobs[i].Pair.Since != "" {
				was = folders[2]
			}
			t.Module, err = versions(ctx, was)
		}
		if err != nil {
			return nil, nil, err
		}
		t.N = i
		tasks = append(tasks, t)
	}
	return tasks, used, nil
}

// buildTree lays a tree out below dir and builds it.
func (s *Service) buildTree(ctx context.Context, run store.Run, in *inputs, p *prepared, t tree, ask prepare.Asked,
	dir string) (*prepare.Built, error) {
	req := Request{Run: run.ID, Dir: filepath.Join(dir, "src"), Scratch: filepath.Join(dir, "out"),
		Work:   filepath.Join(s.cfg.Data, "work"),
		Target: run.Target, Options: t.options, Limit: s.cfg.RunLimit, Changed: p.Context.Changed, Asked: ask}
	if err := errors.Join(os.MkdirAll(req.Dir, 0o755), os.MkdirAll(req.Scratch, 0o755)); err != nil {
		return nil, ours(err)
	}
	if run.Trigger == BisectTrigger { // as at night, but for what is left out
		req.Only, req.Options.Entries = t.options.Entries, nil
	}
	if asks(run) {
		req.Units = s.unitsOf(run)
	}
	if err := layOut(ctx, in.mirror, t, req.Dir); err != nil {
		return nil, err
	}
	built, err := s.cfg.Checker.Build(ctx, req)
	if err != nil {
		return nil, err
	}
	p.Context.Sandbox = built.Sandbox
	if p.Scope == "" {
		if err := keepUnits(filepath.Join(req.Scratch, prepare.UnitsFolder), s.unitsOf(run)); err != nil {
			s.log.Warn("compiled units are not kept", "run", run.ID, "err", err)
		}
	}
	return &prepare.Built{Jobs: built.Jobs, Outlines: built.Outlines, Versions: built.Versions}, nil
}

// hasQuestion reports whether one of jobs asks the same of the same program as j.
func hasQuestion(jobs []prepare.Job, j *prepare.Job) bool {
	return j.Key.Exact != "" && slices.ContainsFunc(jobs, func(o prepare.Job) bool { return o.Key.Exact == j.Key.Exact })
}

// task makes the row of a job. Its program goes to the blob store, unless the answer is known and nobody else needs it.
func (s *Service) task(ctx context.Context, run store.Run, j *prepare.Job, from string, known *verdict.Result,
	needed bool) (store.Task, error) {
	j.Timeout, j.Raise = min(j.Timeout, s.cfg.RunLimit), run.Trigger == "nightly" || run.Trigger == BisectTrigger
	state := store.TaskQueued
	if j.Base && (j.Pair == nil || j.Waits()) { // it begins with what the head's answers say, or has what time they leave
		state = store.TaskHeld
	}
	t := store.Task{Run: run.ID, State: state, Repo: run.Repo, Installation: run.Installation,
		Entry: j.Name(), Target: run.Target,
		Engine: s.cfg.Checker.Engine(), Priority: priority(run.Trigger), Timeout: j.Timeout,
		Base: j.Base}
	if j.Settled != nil {
		known = j.Settled
	}
	var err error
	if known != nil {
		err = answer(&t, known)
	}
	if err == nil && j.Module != "" && j.Pair == nil && (known == nil || needed && !j.Base) {
		var data []byte
		if data, err = readModule(filepath.Join(from, j.Module)); err == nil {
			t.Module, err = s.blobs.Put(ctx, data)
		}
	}
	if err != nil {
		return t, ours(err)
	}
	text, err := json.Marshal(j)
	t.Job = string(text)
	return t, err
}

// versionsIn returns a function that puts the whole program of the head, whose build left it in a folder, behind an older
// one into the blob store, once for each.
func (s *Service) versionsIn(head string) func(ctx context.Context, was string) (string, error) {
	blobs := map[string]string{}
	return func(ctx context.Context, older string) (string, error) {
		if blobs[older] != "" {
			return blobs[older], nil
		}
		is, err := readModule(filepath.Join(head, prepare.VersionFile))
		if err != nil {
			return "", ours(err)
		}
		was, err := readModule(filepath.Join(older, prepare.VersionFile))
		if err != nil {
			return "", ours(err)
		}
		if blobs[older], err = s.blobs.Put(ctx, prepare.JoinVersions(was, is)); err != nil {
			return "", ours(err)
		}
		return blobs[older], nil
	}
}

// readModule reads a file that a child left: a regular one of bounded size.
func readModule(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxReport {
		return nil, fmt.Errorf("the build left no usable %s", filepath.Base(name))
	}
	return io.ReadAll(io.LimitReader(f, maxReport))
}

// sweepAway removes a work tree.
func (s *Service) sweepAway(root string) {
	if err := files.Remove(root); err != nil {
		s.log.Warn("work tree stays", "folder", root, "err", err)
	}
}

// layOut exports a tree.
func layOut(ctx context.Context, mirror *checkout.Mirror, t tree, dir string) error {
	if err := mirror.Export(ctx, t.commit, dir); err != nil {
		return err
	}
	text, err := adjustManifest(t.manifest, t.options)
	if err != nil {
		return err
	}
	// the commit may have anything in its place, even a symbolic link
	name := filepath.Join(dir, ManifestName)
	if err := files.Remove(name); err != nil {
		return ours(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return ours(err)
	}
	return nil
}
