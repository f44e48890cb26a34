package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/editors"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "lsp",
		Short:   "Language server for editors, on standard input and output",
		Example: `  firmproof lsp`,
		Long: `Speaks the Language Server Protocol: a file that is opened, changed or saved is checked with its project, by the
.firmproof.yml above it. Violations are errors with the steps of the counterexample, unknowns are warnings. Above each function
are commands: check, prove, compare with HEAD, write a harness. Quick fixes edit the manifest; hovering says what is proved of a
variable, and hints what is assumed of parameters.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return editors.New(cmd.OutOrStdout(), languageTool(self), version).Serve(cmd.Context(), cmd.InOrStdin())
		},
	}
}

// languageTool runs commands of the program self, which may have first arguments, each in a process of its own that can be
// ended.
func languageTool(self ...string) editors.Tool {
	return editors.Tool{
		Check: func(ctx context.Context, c editors.Check, progress func(editors.Progress)) (*verdict.Report, error) {
			report := &verdict.Report{}
			err := answerOf(ctx, self, c.Dir, editorCheck(c), report, progress)
			if err == nil && report.Version == 0 {
				err = errors.New("firmproof check ended without a report")
			}
			return report, err
		},
		Diff: func(ctx context.Context, dir, function string) (*verdict.Comparisons, error) {
			out := &verdict.Comparisons{}
			err := answerOf(ctx, self, dir, []string{"diff", "HEAD", "--function", function, "--json"}, out, nil)
			return out, err
		},
		Harness: func(ctx context.Context, dir, function string) (file, entry string, err error) {
			var out harnessWritten
			err = answerOf(ctx, self, dir, []string{"harness", function, "--json"}, &out, nil)
			return filepath.Join(dir, out.File), out.Entry, err
		},
	}
}

// editorCheck are the arguments of a check for an editor.
func editorCheck(c editors.Check) []string {
	args := []string{"check", "--format", "json", "--progress-json"}
	if dir := editorAnswers(c.Dir); dir != "" {
		args = append(args, "--cache", dir)
	}
	if c.Limit > 0 {
		args = append(args, "--timeout", c.Limit.String())
	}
	for _, e := range c.Entries {
		if f, ok := strings.CutPrefix(e, editors.AnyCall); ok {
			args = append(args, "--function", f)
		} else {
			args = append(args, "--entry", e)
		}
	}
	for file, text := range c.Edited {
		args = append(args, "--edited", file+"="+text)
	}
	return append(args, ".")
}

// editorAnswers is the folder for answers of checks in a folder: that of the hook before a commit, in git's; without git, one
// of the user's. Empty: there is none.
func editorAnswers(dir string) string {
	cmd := exec.Command("git", "rev-parse", "--path-format=absolute", "--git-path", "firmproof-answers")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(cache, "firmproof", "answers", hex.EncodeToString(sum[:8]))
}

// answerOf runs a command in dir, reads the JSON that it writes into out, and hands on its progress. The exit status says
// how it came out; what it said on standard error is the error where it wrote no JSON.
func answerOf(ctx context.Context, self []string, dir string, args []string, out any, progress func(editors.Progress)) error {
	cmd := exec.CommandContext(ctx, self[0], slices.Concat(self[1:], args)...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its children
	cmd.WaitDelay = noticeTime
	var text bytes.Buffer
	cmd.Stdout = &text
	errs, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	said := saidBy(errs, progress)
	_ = cmd.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if json.Unmarshal(text.Bytes(), out) == nil {
		return nil
	}
	return errors.New(cmp.Or(strings.TrimPrefix(said, "firmproof: "), "firmproof "+args[0]+" ended without an answer"))
}

// saidBy reads what a command says, until it ends: lines of progress are handed on.
func saidBy(from io.Reader, progress func(editors.Progress)) string {
	var rest []string
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p editors.Progress
		if progress != nil && strings.HasPrefix(lines.Text(), "{") && json.Unmarshal(lines.Bytes(), &p) == nil {
			progress(p)
			continue
		}
		rest = append(rest, lines.Text())
	}
	return strings.TrimSpace(strings.Join(rest, "\n"))
}
