package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// simulation is `run --pr-sim`: a pull request without GitHub.
type simulation struct {
	fl        checkFlags
	rng, repo string
	timed     bool // --timeout is given
	out, err  io.Writer
}

func runCommand() *cobra.Command {
	s := &simulation{}
	cmd := &cobra.Command{
		Use:     "run --pr-sim BASE..HEAD",
		Short:   "Do locally what the bot does for a pull request: same findings, same text",
		Example: `  firmproof run --pr-sim main..my-branch`,
		Long: `Exports both commits of a git repository into temporary folders, verifies them, and prints the check runs that the bot would show:
title, summary and annotations, with what is new, fixed and known. Nothing in the work tree is touched or used.

Exit status: 0 success, or only what the base has, too; 1 failure (a new violation, no verdict at all, or the change does not build); 2 the request could not be carried out; 3 something unknown.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.out, s.err, s.timed = cmd.OutOrStdout(), cmd.ErrOrStderr(), cmd.Flags().Changed("timeout")
			return s.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.rng, "pr-sim", "", "the pull request as `BASE..HEAD`: commits, branches or tags")
	f.StringVar(&s.repo, "repo", ".", "`folder` of the git repository")
	f.StringArrayVar(&s.fl.req.Targets, "target", nil, "only this target (repeatable)")
	f.StringArrayVar(&s.fl.req.Entries, "entry", nil, "only this harness (repeatable)")
	secondsVar(f, &s.fl.timeout, "timeout", prepare.DefaultTimeout, "time per entry and target")
	f.StringVar(&s.fl.memory, "memory", "", "memory per entry and target, e.g. 2G")
	f.IntVar(&s.fl.jobs, "jobs", 2, "entries verified at a time")
	_ = cmd.MarkFlagRequired("pr-sim") // fails only for flags that do not exist
	return cmd
}

func (s *simulation) run(ctx context.Context) error {
	pr, err := s.verify(ctx)
	if err != nil || pr == nil {
		return err
	}
	return s.show(pr)
}

// verified holds what the two sides of a pull request say.
type verified struct {
	now, before *verdict.Report // before is nil where the base cannot be verified
	options     reports.PageOptions
	gaps        map[string]reports.Gaps // by target
	behaviour   map[string]reports.Behaviour
	ended       bool // someone ended the run: what it says is not all
}

// verify verifies both sides of the pull request; nil: nothing of it is to be, which it has said.
func (s *simulation) verify(ctx context.Context) (*verified, error) {
	s.fl.req.Integers, s.fl.req.Solver = defaultIntegers, defaultSolver
	base, head, ok := strings.Cut(s.rng, "..")
	if !ok || base == "" || head == "" || strings.HasPrefix(head, ".") {
		return nil, fmt.Errorf("--pr-sim %q: want BASE..HEAD", s.rng)
	}
	if _, err := parseSize(s.fl.memory); err != nil {
		return nil, userError(err) // and no fault of a commit
	}
	work, err := os.MkdirTemp("", "firmproof-pr-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	mirror, shas, err := s.fetch(ctx, work, base, head)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	changed, from, err := mirror.Changed(ctx, shas[0], shas[1])
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	s.fl.req.Changed, s.fl.req.Outline = changed, true
	if concerned, err := s.concerns(ctx, mirror, shas); err != nil || !concerned {
		return nil, err
	}
	if from != shas[0] {
		fmt.Fprintf(s.out, "%s is not an ancestor of %s: what is new since their merge base %.12s is shown.\n\n", base,
			head, from)
	}
	out, err := s.bothSides(ctx, mirror, [2]string{from, shas[1]}, work)
	if out == nil && ctx.Err() != nil {
		return nil, s.failed(ctx, err)
	}
	if out == nil {
		fmt.Fprintf(s.out, "firmproof: failure\n%s does not build or has no right manifest:\n%s\n", head,
			strings.TrimSpace(err.Error()))
		return nil, &exitError{code: exitViolated}
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(s.out, "%s\n\n", reports.NoBase(strings.TrimSpace(err.Error())))
	}
	m, err := manifest.Read(filepath.Join(work, "head"))
	if err != nil {
		return nil, userError(err)
	}
	if before, err := manifest.Read(filepath.Join(work, "base")); err == nil {
		out.weaken(prepare.AskedLess(before, m))
		for t, g := range out.gaps {
			g.NewTarget = !prepare.HasTarget(before, t)
			out.gaps[t] = g
		}
	}
	out.options = reports.PageOptions{Changed: changed, All: m.Report.Annotate == "all"}
	if m.Report.FailOnGiven {
		out.options.FailOn = m.Report.FailOn
	}
	if out.ended = ctx.Err() != nil; out.ended {
		fmt.Fprint(s.out, "Ended by a signal: what follows is what was known then.\n\n")
	}
	return out, nil
}

// concerns reports whether the manifest of the head has such changes verified, and says so if not.
func (s *simulation) concerns(ctx context.Context, mirror *checkout.Mirror, shas []string) (bool, error) {
	text, err := mirror.File(ctx, shas[1], manifest.Name, manifest.MaxSize)
	if err != nil {
		return true, nil // what follows says that there is none
	}
	m, err := manifest.Parse(manifest.Name, text)
	if err != nil {
		return true, nil // what follows says what is wrong with it
	}
	verified, err := pipeline.Concerns(ctx, mirror, m, shas[0], shas[1])
	if err != nil {
		return false, s.failed(ctx, err)
	}
	if !verified {
		fmt.Fprintf(s.out, "firmproof: neutral\n%s\n", pipeline.NotConcerned)
	}
	return verified, nil
}

// bothSides verifies two commits, base and head. It returns nil where the head cannot be verified; the error says why,
// or why the base cannot.
func (s *simulation) bothSides(ctx context.Context, m *checkout.Mirror, shas [2]string, work string) (*verified,
	error) {
	const tagged = "tag"
	side := func(name, sha string) func(prepare.Asked) (*prepare.Built, error) {
		return func(ask prepare.Asked) (*prepare.Built, error) {
			dir := filepath.Join(work, name)
			if err := os.Mkdir(dir, 0o755); err == nil {
				if err := m.Export(ctx, sha, dir); err != nil {
					return nil, err
				}
				if name == tagged {
					if err := takeManifest(dir, filepath.Join(work, "head")); err != nil {
						return nil, err
					}
				}
			} else if !errors.Is(err, os.ErrExist) { // where it exists, it is built once more
				return nil, err
			}
			req := s.fl.req
			req.Asked = ask
			return soon(ctx, func() (*prepare.Built, error) { return s.build(ctx, req, dir) })
		}
	}
	sides, err := prepare.BothSides(side("head", shas[1]), side("base", shas[0]),
		func(tag string, ask prepare.Asked) (*prepare.Built, error) {
			_, shas, err := s.fetch(ctx, work, "refs/tags/"+tag)
			if err != nil {
				return nil, errors.New(reports.NoTag(tag))
			}
			return side(tagged, shas[0])(ask)
		})
	if err != nil {
		return nil, err
	}
	out := &verified{gaps: sides.Gaps, behaviour: sides.Behaviour}
	now, before := s.entries(ctx, sides)
	out.now = s.report(now)
	if sides.BaseErr != nil {
		return out, sides.BaseErr
	}
	out.before = s.report(before)
	for _, c := range prepare.Behaviours(out.before) {
		b := out.behaviour[c.Target]
		b.Take(c)
		out.behaviour[c.Target] = b
	}
	return out, nil
}

// takeManifest gives a tree without a manifest that of another one.
func takeManifest(dir, from string) error {
	name := filepath.Join(dir, manifest.Name)
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text, err := os.ReadFile(filepath.Join(from, manifest.Name))
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// fetch brings commits into a mirror of their own.
func (s *simulation) fetch(ctx context.Context, work string, revisions ...string) (*checkout.Mirror, []string, error) {
	repo, err := filepath.Abs(s.repo)
	if err != nil {
		return nil, nil, err
	}
	if top, err := exec.CommandContext(ctx, "git", "-C", repo, "rev-parse", "--show-toplevel").Output(); err == nil {
		repo = strings.TrimSuffix(string(top), "\n") // a bare one has none
	}
	var wants []checkout.Want
	for _, rev := range revisions {
		cmd := exec.CommandContext(ctx, "git", "-C", repo, "rev-parse", "--verify", "--quiet", "--end-of-options",
			rev+"^{commit}")
		out, err := cmd.Output()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s is no commit of this repository", s.repo, rev)
		}
		wants = append(wants, checkout.Want{Ref: "refs/heads/firmproof-none", SHA: strings.TrimSpace(string(out))})
	}
	cache := &checkout.Cache{Dir: filepath.Join(work, "mirror"), Limits: checkout.DefaultLimits(), Local: true}
	return cache.Fetch(ctx, "sim", checkout.Remote{URL: "file://" + repo}, wants...)
}

// build prepares the verifications of the tree in dir.
func (s *simulation) build(ctx context.Context, from prepare.Request, dir string) (*prepare.Built, error) {
	fl := s.fl
	fl.req = from
	req, err := fl.request(s.timed, []string{dir})
	if err != nil {
		return nil, err
	}
	built, err := prepare.Build(ctx, req)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	return built, nil
}

// entries verifies both commits entry by entry: an entry of the base follows that of the head, whose violations it is
// tried on. So what is known when a run ends early is compared.
func (s *simulation) entries(ctx context.Context, sides *prepare.Sides) (now, before []verdict.Result) {
	n := len(sides.Head)
	renamed := func(target string) map[string]string { return sides.Gaps[target].Renamed }
	of := prepare.EntriesOf(sides.Base, sides.Head, renamed)
	t := &turns{jobs: slices.Concat(sides.Head, sides.Base), after: map[int]int{}}
	for k := range sides.Base {
		if head, is := of[k]; is {
			t.after[n+k] = head
		}
	}
	for i := range n {
		t.order = append(t.order, i)
		for k := range sides.Base {
			if head, is := of[k]; is && head == i {
				t.order = append(t.order, n+k)
			}
		}
	}
	for k := range sides.Base {
		if _, is := of[k]; !is {
			t.order = append(t.order, n+k)
		}
	}
	t.begin = func(base, head int) { t.jobs[base].TryOn(&t.jobs[head], &t.results[head]) }
	all := t.verify(ctx, s.err, &s.fl)
	now, before = all[:n:n], all[n:]
	prepare.InContext(t.jobs[:n], now)
	prepare.InContext(t.jobs[n:], before)
	return now, before
}

// report makes a report of results.
func (s *simulation) report(results []verdict.Result) *verdict.Report {
	return &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: version}, Results: results}
}
