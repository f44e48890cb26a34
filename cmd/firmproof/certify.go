package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// certifier writes certificates of the jobs of one `check`. nil writes none.
type certifier struct {
	dir  string
	tool verdict.Tool

	mu      sync.Mutex
	folders map[string]bool
	entries []string // by job
	lines   []string // what was certified of each, by job
}

func newCertifier(dir string, jobs int) (*certifier, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--certify: %w", err)
	}
	return &certifier{dir: dir, tool: verdict.Tool{Name: "firmproof", Version: version}, folders: map[string]bool{},
		entries: make([]string, jobs), lines: make([]string, jobs)}, nil
}

// run verifies job n on the program as it is stored, and certifies the answer within the same time again.
func (c *certifier) run(ctx context.Context, n int, j *prepare.Job) *verdict.Result {
	part, text, err := certificate.Stored(j.Program, j.Plan)
	if err != nil { // there is no such entry: the engine says so
		part = j.Program
	}
	within, cancel := budget.With(ctx, j.Timeout)
	res := verifier.Run(within, part, j.Plan)
	cancel()
	j.Complete(res)
	if err != nil {
		c.lines[n] = err.Error()
		return res
	}
	within, cancel = budget.With(ctx, j.Timeout)
	defer cancel()
	c.entries[n], c.lines[n] = c.write(within, j.Name(), part, text, j.Plan, res)
	return res
}

// write writes the certificate of an answer about a program (certificate.Stored), until ctx ends. It returns the folder,
// empty if there is none, and what was certified.
func (c *certifier) write(ctx context.Context, name string, part *ir.Module, text []byte, plan problem.Plan,
	res *verdict.Result) (folder, line string) {
	defer budget.Work(ctx)()
	began := time.Now()
	folder = c.folder(certificate.FolderOf(plan.Target, name))
	cert, err := certificate.Write(ctx, filepath.Join(c.dir, folder), c.tool, part, text, plan, res)
	if err != nil {
		return "", err.Error()
	}
	answers, with := counts(cert)
	return folder, fmt.Sprintf("%d of %d answers certified in %.1f s", with, answers, time.Since(began).Seconds())
}

// folder returns a name for a folder that no other entry has.
func (c *certifier) folder(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	free := name
	for n := 2; c.folders[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	c.folders[free] = true
	return free
}

// finish writes the index, and says what was certified.
func (c *certifier) finish(w io.Writer, jobs []prepare.Job) error {
	if c == nil {
		return nil
	}
	var entries []string
	for i, e := range c.entries {
		line := c.lines[i]
		if line == "" {
			line = "no certificate: it was decided without the engines"
		}
		fmt.Fprintf(w, "firmproof: certificate of %s on %s: %s\n", jobs[i].Name(), jobs[i].Plan.Target, line)
		if e != "" {
			entries = append(entries, e)
		}
	}
	return certificate.WriteIndex(c.dir, c.tool, entries)
}

// counts returns the number of claims with an answer, and of these the number with evidence.
func counts(c *certificate.Certificate) (answers, with int) {
	for i := range c.Claims {
		if cl := &c.Claims[i]; cl.Status != verdict.Unknown {
			answers++
			if cl.Evidence > 0 {
				with++
			}
		}
	}
	return answers, with
}

func verifyCertificateCommand() *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:   "verify-certificate DIR",
		Short: "Check the certificates that check or diff --certify wrote, without the engines that found the answers",
		Example: `  firmproof check --certify certificates
  firmproof verify-certificate certificates`,
		Long: `Check the certificates that "firmproof check --certify DIR" or "firmproof diff --certify DIR" wrote: executions by the
interpreter, refutations by unit propagation over clauses made afresh from the stored program, ranking functions by exact
arithmetic. What is checked and what is trusted is in docs/CERTIFICATES.md. Answers without a certificate are listed as such.

Exit status: 0 every certificate holds; 1 one does not: the message says what fails; 2 a file is missing, cut or none of ours.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyCertificates(cmd.Context(), cmd.OutOrStdout(), args[0], verbose)
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "name every claim")
	return cmd
}

func verifyCertificates(ctx context.Context, w io.Writer, dir string, verbose bool) error {
	index, err := certificate.ReadIndex(dir)
	if err != nil {
		return userError(err)
	}
	refused, answers, with := 0, 0, 0
	for _, e := range index.Entries {
		c, out, err := certificate.Verify(ctx, filepath.Join(dir, e))
		var file *certificate.FileError
		switch {
		case errors.As(err, &file) || c == nil || ctx.Err() != nil:
			return userError(err)
		case err != nil:
			refused++
			fmt.Fprintf(w, "%s on %s: refused: %v\n", c.Entry, c.Target, err)
			continue
		}
		n, k := counts(c)
		answers, with = answers+n, with+k
		writeOutcome(w, c, out, verbose)
	}
	if refused > 0 {
		return &exitError{code: exitViolated, err: fmt.Errorf("%d of %d certificates refused", refused,
			len(index.Entries))}
	}
	fmt.Fprintf(w, "%d entries: %d of %d answers certified. Trusted for all: what made the stored program from the sources\n",
		len(index.Entries), with, answers)
	return nil
}

// writeOutcome writes a line per group of claims.
func writeOutcome(w io.Writer, c *certificate.Certificate, out *certificate.Outcome, verbose bool) {
	fmt.Fprintf(w, "%s on %s: program %.16s\n", c.Entry, c.Target, c.Program)
	for _, g := range out.Groups {
		by := map[verdict.Status][]string{}
		for _, cl := range g.Claims {
			by[cl.Status] = append(by[cl.Status], cl.ID)
		}
		for _, s := range []verdict.Status{verdict.Violated, verdict.Proved, verdict.Bounded,
			verdict.Conditional} {
			if ids := by[s]; len(ids) > 0 {
				fmt.Fprintf(w, "  %s: %s: %s: %s; trusted: %s\n", s, claimsNamed(ids, verbose), g.Kind, g.Checked,
					g.Trusted)
			}
		}
	}
	writeBare(w, out.Bare, verbose)
	if len(out.Others) > 0 {
		fmt.Fprintf(w, "  not certified: %s of the program that the certificate does not name\n",
			claimsNamed(out.Others, verbose))
	}
	for _, a := range c.Rest {
		fmt.Fprintf(w, "  assumed: %s\n", a)
	}
}

// writeBare writes a line for the claims that lack a certificate for the same reason.
func writeBare(w io.Writer, bare []*certificate.Claim, verbose bool) {
	type kind struct {
		status verdict.Status
		why    string
	}
	by, order := map[kind][]string{}, []kind{}
	for _, cl := range bare {
		k := kind{cl.Status, cl.Why}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], cl.ID)
	}
	for _, k := range order {
		fmt.Fprintf(w, "  not certified: %s, said to be %s: %s\n", claimsNamed(by[k], verbose), k.status, k.why)
	}
}

// claimsNamed names one claim or a few, and counts many.
func claimsNamed(ids []string, all bool) string {
	if len(ids) == 1 || all {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%d claims", len(ids))
}
