package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/reports"
)

// jobCommand is what the service runs in its sandbox: a build, and one verification
// of what it built. See pipeline.ChildChecker for the files.
func jobCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "job", Hidden: true}
	req := prepare.Request{Committed: true, Integers: defaultIntegers, Solver: defaultSolver}
	var engine, out, change string
	build := &cobra.Command{Use: "build [FOLDER]", Args: cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command,
		args []string) error {
		if err := readChange(change, &req); err != nil {
			return err
		}
		req.Paths, req.Cache = args, filepath.Join(out, prepare.UnitsFolder)
		built, err := prepare.Build(cmd.Context(), req)
		if err != nil {
			return errors.Join(userError(err), prepare.StoreFault(err, out))
		}
		return prepare.Store(built, engine, out)
	}}
	build.Flags().StringArrayVar(&req.Targets, "target", nil, "target to build for")
	build.Flags().StringArrayVar(&req.Entries, "entry", nil, "only this harness (repeatable)")
	build.Flags().StringVar(&engine, "engine", "", "`name` of this build of firmproof, for the keys")
	build.Flags().StringVar(&req.Units, "units", "", "`folder` with compiled units, to be read")
	build.Flags().StringVar(&change, "change", "", "`file` about the change that the commit is part of")
	build.Flags().StringVarP(&out, "output", "o", "", "`folder` for the jobs")
	verify := &cobra.Command{Use: "verify FOLDER", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command,
		args []string) error {
		return prepare.Work(cmd.Context(), args[0])
	}}
	cmd.AddCommand(build, verify)
	return cmd
}

// readChange completes a request with what a file says of the change; without a file, there is no change.
func readChange(file string, req *prepare.Request) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c prepare.Change
	if err := json.Unmarshal(text, &c); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	req.Only, req.Outline = c.Only, c.Lines != nil
	if req.Changed, req.Asked = c.Lines, c.Asked; req.Changed == nil {
		req.Changed = map[string][]reports.LineRange{}
	}
	return nil
}
