package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// difference is `diff`.
type difference struct {
	req       prepare.Request
	functions []string
	machines  []string // two targets: one version is compared on them
	repo      string
	timeout   time.Duration
	json      bool
	emit      string // folder for tests of what differs
	certify   string // folder for certificates of what is the same
	certs     *certifier
	proofs    []*change.Proof
}

func diffCommand() *cobra.Command {
	d := &difference{}
	cmd := &cobra.Command{
		Use:   "diff OLD.c NEW.c | BASE..HEAD | COMMIT | --targets A,B [PATH...]",
		Short: "Compare what changed functions do, on all inputs, or what functions do on two targets",
		Example: `  firmproof diff uart-old.c uart.c --function uart_put
  firmproof diff main..my-branch --target cortex-m3 --timeout 60s
  firmproof diff HEAD                       # what is not committed yet
  firmproof diff --targets cortex-m3,avr crc.c --function crc16`,
		Long: `Calls the old and the new version of each function that changed on the same inputs, from the same memory, and says for each:
the same on all inputs (proved), the same up to bounds, differs (with an input), or open, with the reason. Results count, memory
that is written, calls of functions without a body and volatile accesses, in order. Inputs with which the old version has
undefined behaviour do not.

With --targets, each function of one version is called on two targets instead: with the same values of arguments, and of members
of memory by name. int, long, char, padding and the order of bytes may differ. The first target is the reference: inputs with
which the program violates a check there do not count. PATH is a folder with a manifest (default .), or C files.

Exit status: 0 nothing differs and nothing is open; 1 something differs; 2 the request could not be carried out; 3 something open.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(d.machines) > 0 {
				return nil
			}
			return cobra.RangeArgs(1, 2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			compare := d.run
			if len(d.machines) > 0 {
				compare = d.onTwo
			}
			var err error
			if d.certs, err = newCertifier(d.certify, 0); err != nil {
				return userError(err)
			}
			out, err := compare(cmd.Context(), args)
			if err != nil {
				return userError(err)
			}
			if err := d.certificates(cmd.Context(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			if err := d.tests(out); err != nil {
				return err
			}
			return d.show(cmd.OutOrStdout(), out)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&d.functions, "function", nil, "only this function (repeatable)")
	f.StringSliceVar(&d.req.Targets, "target", nil, "only these targets, as a list or repeated (default: the manifest's, else host)")
	f.StringSliceVar(&d.machines, "targets", nil, "compare one version on these two targets")
	f.StringVar(&d.repo, "repo", ".", "`folder` of the git repository")
	secondsVar(f, &d.timeout, "timeout", 20*time.Second, "processor time per function and target; in a second up to two processors work")
	f.StringVar(&d.emit, "emit", "", "write a C program into this `folder` for each difference in a result or in memory: it fails on the new version")
	f.StringVar(&d.certify, "certify", "",
		"write into this `folder` why functions are the same, for verify-certificate")
	f.BoolVar(&d.json, "json", false, "write JSON")
	sourceFlags(f, &d.req.Include, &d.req.Defines)
	return cmd
}

// run compares the versions that the arguments name.
func (d *difference) run(ctx context.Context, args []string) (*verdict.Comparisons, error) {
	out := noComparisons()
	if len(args) == 2 {
		return out, d.trees(ctx, out, args[0], args[1])
	}
	base, head, commits := strings.Cut(args[0], "..")
	if base == "" || commits && (head == "" || strings.HasPrefix(head, ".")) || filepath.Ext(base) == ".c" {
		return nil, fmt.Errorf("%q: want two C files, BASE..HEAD, or a commit to compare the work tree with", args[0])
	}
	work, err := os.MkdirTemp("", "firmproof-diff-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	s := &sides{repo: d.repo, old: filepath.Join(work, "base"), now: filepath.Join(work, "head")}
	if err := s.export(ctx, work, base, cmp.Or(head, "HEAD"), commits); err != nil {
		return nil, err
	}
	old, now := s.old, s.now
	names := []string{""}
	if _, err := manifest.Find(now); err != nil {
		names = nil
		for name := range s.changed {
			if filepath.Ext(name) == ".c" && exists(filepath.Join(old, name)) && exists(filepath.Join(now, name)) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	}
	for _, name := range names {
		if err := d.trees(ctx, out, filepath.Join(old, name), filepath.Join(now, name)); err != nil {
			return nil, without(err, old, now)
		}
	}
	for i := range out.Comparisons {
		inRepository(&out.Comparisons[i], old, now)
	}
	return out, nil
}

// noComparisons is an answer about nothing yet.
func noComparisons() *verdict.Comparisons {
	return &verdict.Comparisons{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: version}, Comparisons: []verdict.Comparison{}}
}

// sides are the two versions of a repository.
type sides struct {
	repo     string
	old, now string // folders
	changed  map[string][]reports.LineRange
}

// export writes the merge base of two commits, and the second one; or else the first one alone, which the work tree is
// compared with then.
func (s *sides) export(ctx context.Context, work, base, head string, commits bool) error {
	mirror, shas, err := (&simulation{repo: s.repo}).fetch(ctx, work, base, head)
	if err != nil {
		return err
	}
	from := shas[0]
	if commits {
		s.changed, from, err = mirror.Changed(ctx, shas[0], shas[1])
	} else {
		s.changed, err = checkout.ChangedSince(ctx, s.repo, from)
	}
	if err != nil {
		return err
	}
	exported := map[string]string{s.old: from}
	if commits {
		exported[s.now] = shas[1]
	}
	for dir, sha := range exported {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		if err := mirror.Export(ctx, sha, dir); err != nil {
			return err
		}
	}
	prefix, err := exec.CommandContext(ctx, "git", "-C", s.repo, "rev-parse", "--show-prefix").Output()
	below := filepath.Clean(strings.TrimSpace(string(prefix)))
	switch {
	case err != nil && commits: // a bare repository
		return nil
	case !commits:
		s.old, s.now = filepath.Join(s.old, below), filepath.Clean(s.repo)
		return err
	}
	for ; below != "."; below = filepath.Dir(below) { // as check finds the project that a folder is in
		if _, err := manifest.Find(filepath.Join(s.now, below)); err == nil {
			s.old, s.now = filepath.Join(s.old, below), filepath.Join(s.now, below)
			break
		}
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// without takes the names of temporary folders out of an error.
func without(err error, folders ...string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, f := range folders {
		text = strings.ReplaceAll(text, f+"/", "")
	}
	return errors.New(text)
}

// inRepository names places as the repository does.
func inRepository(c *verdict.Comparison, folders ...string) {
	c.EachPos(func(p *verdict.Pos) {
		for _, f := range folders {
			p.File = strings.TrimPrefix(p.File, f+"/")
		}
	})
}

// trees compares two files, or two folders with manifests.
func (d *difference) trees(ctx context.Context, out *verdict.Comparisons, old, now string) error {
	var sides [2][]prepare.Version
	for i, path := range []string{old, now} {
		req := d.req
		req.Paths = []string{path}
		var err error
		if sides[i], err = prepare.Versions(ctx, req); err != nil {
			return err
		}
	}
	for i := range sides[1] {
		is := &sides[1][i]
		k := slices.IndexFunc(sides[0], func(v prepare.Version) bool { return v.Plan.Target == is.Plan.Target })
		if k < 0 {
			continue // a new target
		}
		if err := d.versions(ctx, out, &sides[0][k], is); err != nil {
			return err
		}
	}
	return nil
}

// versions compares two versions of a program for a target.
func (d *difference) versions(ctx context.Context, out *verdict.Comparisons, old, now *prepare.Version) error {
	list, added, gone := prepare.Renewals(&old.Bodies, &now.Bodies)
	known := change.NewKnown(prepare.NamesBefore(list))
	if d.certs != nil {
		known.Keep(d.keep)
	}
	for _, name := range d.functions {
		if f, g := old.Module.Func(name), now.Module.Func(name); f == nil || g == nil {
			return fmt.Errorf("no function %q in both versions", name)
		}
	}
	if len(d.functions) > 0 {
		list, added, gone = nil, nil, nil
		for _, name := range d.functions {
			list = append(list, prepare.Renewed{Old: name, New: name})
		}
	}
	answers := make([]verdict.Comparison, len(list))
	for _, i := range prepare.InTurn(list, &now.Bodies) {
		within, cancel := budget.With(ctx, d.timeout)
		answers[i] = *change.Compare(within, old.Module, now.Module, list[i].Old, list[i].New, now.Plan, known)
		cancel()
	}
	out.Comparisons = append(out.Comparisons, answers...)
	out.Added, out.Gone = merged(out.Added, added), merged(out.Gone, gone)
	return nil
}

// merged adds the names of more that list does not have.
func merged(list, more []string) []string {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// show writes the answers, and says by its error how it ends.
func (d *difference) show(w io.Writer, out *verdict.Comparisons) error {
	if d.json {
		if err := writeJSON(w, out); err != nil {
			return err
		}
	} else if _, err := io.WriteString(w, reports.Comparisons(out)); err != nil {
		return err
	}
	switch {
	case out.Count(verdict.Differs) > 0:
		return &exitError{code: exitViolated}
	case out.Count(verdict.SameOpen) > 0:
		return &exitError{code: exitUnknown}
	}
	return nil
}

// writeJSON writes v as people read it.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
