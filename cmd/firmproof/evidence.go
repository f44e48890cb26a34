package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/docs"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// evidenceFiles are the files of a folder of evidence, in the order of its first page.
var evidenceFiles = [][2]string{
	{"report.json, report.html, claims.csv", "every claim with its answer, the assumptions that it rests on, and traces"},
	{"requirements.csv", "traceability: requirements (@req in harnesses) to harnesses, targets and answers"},
	{"coverage.lcov", "lines and branches that executions of the harnesses come to"},
	{"manifest.yml", "what was asked, with the accepted findings"},
	{"targets/", "what C means on each target, and its memory map"},
	{"certificates/", "why the answers hold: `firmproof verify-certificate certificates` checks that without the engines"},
	{"certificates.txt", "what that check said"},
	{"tool/", "what is modelled and what is assumed, what certificates trust, how the tool is tested, and what it once proved wrongly"},
	{"index.html, index.pdf", "this page, for a browser and for print"},
	{"SHA256SUMS", "of all files: `sha256sum --check SHA256SUMS`"},
}

func evidenceCommand() *cobra.Command {
	fl := checkFlags{trace: "short"}
	var dir string
	cmd := &cobra.Command{
		Use:   "evidence [FOLDER]",
		Short: "Verify a project and write one folder of evidence: answers, assumptions, certificates, traceability",
		Example: `  firmproof evidence -o evidence
  firmproof evidence firmware --target cortex-m3 --timeout 5m -o evidence`,
		Long: `Verifies a project (a folder with .firmproof.yml) and writes a folder that says what was asked, what was answered and what the
answers rest on, with certificates that are checked. Requirements are tags "@req ID" in the comment above a harness, or in it.
Times and paths of this machine are in no file: the same sources, tool and compiler give the same bytes, where the time suffices.

Exit status: as check.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runEvidence(cmd, &fl, args, dir)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&dir, "output", "o", "evidence", "`folder` for the evidence, which may not be there yet")
	f.StringArrayVar(&fl.req.Targets, "target", nil, "target to build for (repeatable; default: the manifest's)")
	f.StringArrayVar(&fl.req.Entries, "entry", nil, "harness (repeatable; default: all of the manifest)")
	secondsVar(f, &fl.timeout, "timeout", prepare.DefaultTimeout, "processor time per entry and target, once more for its certificate")
	f.IntVar(&fl.jobs, "jobs", runtime.NumCPU(), "entries verified at a time")
	fl.req.Integers, fl.req.Solver, fl.req.Coverage, fl.failOn = defaultIntegers, defaultSolver, true, "unknown"
	return cmd
}

func runEvidence(cmd *cobra.Command, fl *checkFlags, args []string, dir string) error {
	ctx := cmd.Context()
	if err := fl.check(); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s is there already: remove it, or name another folder with -o", dir)
	}
	project := "."
	if len(args) == 1 {
		project = args[0]
	}
	file, text, err := manifestText(project)
	if err != nil {
		return err
	}
	m, err := manifest.Parse(file, text)
	if err != nil {
		return err
	}
	req, err := fl.request(cmd.Flags().Changed("timeout"), []string{filepath.Dir(file)})
	if err != nil {
		return userError(err)
	}
	jobs, err := prepare.Jobs(ctx, req)
	if err != nil {
		return userError(err)
	}
	if len(jobs) == 0 {
		return errors.New("nothing to verify: the manifest has no harnesses")
	}
	if fl.certs, err = newCertifier(filepath.Join(dir, "certificates"), len(jobs)); err != nil {
		return err
	}
	rep := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: version},
		Results: verify(ctx, cmd.ErrOrStderr(), fl, jobs)}
	if err := fl.certs.finish(cmd.ErrOrStderr(), jobs); err != nil {
		return err
	}
	rep.Differences = reports.Differences(rep)
	withoutTimes(rep)
	w := &evidence{dir: dir, tree: treeOf([]string{filepath.Dir(file)}), report: rep}
	if err := w.write(ctx, m, text); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	reports.Text(cmd.OutOrStdout(), rep, reports.TextOptions{Quiet: true})
	fmt.Fprintf(cmd.OutOrStdout(), "wrote %s; %s is the first page\n", dir, filepath.Join(dir, "index.html"))
	if code := exitCode(standing(rep), fl.failOn); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// withoutTimes takes out of a report what another run of the same would have otherwise.
func withoutTimes(r *verdict.Report) {
	for i := range r.Results {
		res := &r.Results[i]
		res.DurationMS, res.ProcessorMS, res.PeakRSS, res.Stages = 0, 0, 0, nil
	}
}

// evidence is a folder of evidence that is being written.
type evidence struct {
	dir    string
	tree   *sourceTree
	report *verdict.Report
}

func (e *evidence) put(name string, text []byte) error {
	path := filepath.Join(e.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func (e *evidence) write(ctx context.Context, m *manifest.Manifest, text []byte) error {
	if err := e.put("manifest.yml", text); err != nil {
		return err
	}
	for _, f := range []struct{ format, name string }{{"json", "report.json"}, {"html", "report.html"}, {"csv", "claims.csv"},
		{"lcov", "coverage.lcov"}} {
		var buf bytes.Buffer
		format, _ := reports.FormatNamed(f.format)
		if err := format.Write(&buf, e.report, reports.TextOptions{Source: e.tree.read}); err != nil {
			return err
		}
		if err := e.put(f.name, buf.Bytes()); err != nil {
			return err
		}
	}
	tagged, untagged := reports.Requirements(e.report, e.tree.read)
	matrix, err := reports.RequirementsCSV(tagged, untagged)
	if err := errors.Join(err, e.put("requirements.csv", matrix), e.targets(), e.documents()); err != nil {
		return err
	}
	var checked bytes.Buffer
	if err := verifyCertificates(ctx, &checked, filepath.Join(e.dir, "certificates"), false); err != nil {
		fmt.Fprintln(&checked, err)
	}
	if err := e.put("certificates.txt", checked.Bytes()); err != nil {
		return err
	}
	facts, err := e.facts()
	if err != nil {
		return err
	}
	page := reports.Evidence{Report: e.report, Source: e.tree.read, Facts: facts, Checked: checked.String(),
		Files: evidenceFiles}
	for _, s := range m.Suppress {
		row := reports.AcceptedRow{Claim: s.Claim, Accepted: verdict.Accepted{Reason: s.Reason, By: s.By, Until: "no end"}}
		if !s.Until.IsZero() {
			row.Until = s.Until.Format(manifest.Day)
		}
		page.Accepted = append(page.Accepted, row)
	}
	index, err := reports.EvidencePage(page)
	printed, failed := reports.EvidencePDF(page)
	if err := errors.Join(err, failed, e.put("index.html", index), e.put("index.pdf", printed)); err != nil {
		return err
	}
	return e.sums()
}

// targets writes what each target of the report is.
func (e *evidence) targets() error {
	for i := range e.report.Results {
		name := e.report.Results[i].Target
		t, err := targets.Load(name)
		if err != nil {
			continue // the manifest describes it
		}
		var buf bytes.Buffer
		if err := errors.Join(t.Print(&buf), e.put("targets/"+name+".yml", buf.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// documents copies what is to be known of the tool.
func (e *evidence) documents() error {
	return fs.WalkDir(docs.OfTheTool, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := docs.OfTheTool.ReadFile(path)
		if err != nil {
			return err
		}
		return e.put("tool/"+path, text)
	})
}

// facts are what the answers come from.
func (e *evidence) facts() ([][2]string, error) {
	out := [][2]string{{"tool", "firmproof " + version}}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(program)
	out = append(out, [2]string{"SHA-256 of the program", hex.EncodeToString(sum[:])})
	if tools, err := llvm.Find(); err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		said, err := exec.CommandContext(ctx, tools.Clang, "--version").Output()
		if err == nil {
			first, _, _ := strings.Cut(string(said), "\n")
			out = append(out, [2]string{"compiler", first})
		}
	}
	if commit := e.tree.commit(); commit != "" {
		out = append(out, [2]string{"commit", commit})
	}
	var entries, on []string
	for i := range e.report.Results {
		entries, on = append(entries, e.report.Results[i].Entry), append(on, e.report.Results[i].Target)
	}
	slices.Sort(entries)
	slices.Sort(on)
	return append(out, [2]string{"harnesses", fmt.Sprint(len(slices.Compact(entries)))},
		[2]string{"targets", strings.Join(slices.Compact(on), ", ")}), nil
}

// sums writes the digests of all files.
func (e *evidence) sums() error {
	var out bytes.Buffer
	err := filepath.WalkDir(e.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(e.dir, path)
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(text), filepath.ToSlash(name))
		return err
	})
	return errors.Join(err, e.put("SHA256SUMS", out.Bytes()))
}
