package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/adopt"
	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func initCommand() *cobra.Command {
	var force bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Build a repository, try a check, and write the .firmproof.yml that works",
		Example: `  firmproof init
  firmproof init firmware --force`,
		Long: `Look at a repository, try the ways to build it (compile_commands.json, CMake, make, PlatformIO, Zephyr, ESP-IDF, Arduino,
its C files), choose what goes together as one program, and check it for a while. What was seen to work is written into
.firmproof.yml; what could not be settled is a question in that file.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return runInit(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), dir, force, limit)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a manifest that is there")
	secondsVar(cmd.Flags(), &limit, "timeout", adopt.TrialTime,
		"time of the check that is tried; a build command has twice as much, 30 s at least")
	return cmd
}

func runInit(ctx context.Context, w, progress io.Writer, dir string, force bool, limit time.Duration) error {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("%s: no such folder", dir)
	}
	old, err := manifest.Find(dir)
	var none *manifest.NotFoundError
	switch {
	case err != nil && !errors.As(err, &none):
		return err
	case err == nil && !force:
		return fmt.Errorf("%s is there already: --force replaces it", old)
	}
	if err := mayWrite(dir); err != nil {
		return fmt.Errorf("%s cannot be written there: %w: run init on a copy, or as who may", manifest.Name, err)
	}
	if err := compile.Installed(); err != nil {
		return err
	}
	terminal := isTerminal(progress)
	found, err := adopt.Find(ctx, dir, adopt.Options{Time: limit, Run: func(ctx context.Context,
		j *prepare.Job) *verdict.Result {
		return tryJob(ctx, j)
	}, Progress: func(what string) {
		if terminal {
			fmt.Fprintf(progress, "trying %s\n", what)
		}
	}})
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	text := found.Manifest()
	path := filepath.Join(dir, manifest.Name)
	if old != "" {
		path = old
	}
	if _, err := manifest.Parse(path, text); err != nil {
		return &exitError{exitInternal, fmt.Errorf("init made a manifest that is wrong: %w", err)}
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	found.Tell(w, path)
	return nil
}

// mayWrite fails where no file can be made in a folder.
func mayWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".firmproof-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// tryJob verifies a job within its time.
func tryJob(ctx context.Context, j *prepare.Job) *verdict.Result {
	if j.Settled != nil {
		return j.Settled
	}
	ctx, stop := budget.With(ctx, j.Timeout)
	defer stop()
	res := verifier.Run(ctx, j.Program, j.Plan)
	j.Complete(res)
	return res
}
