package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/build"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/ir"
)

// jobCommand is what the service runs in its sandbox: a build, and one verification
// of what it built. See pipeline.ChildChecker for the files.
func jobCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "job", Hidden: true}
	fl := checkFlags{committed: true, timeout: defaultTimeout, integers: "bitvector", solver: "auto"}
	var engine, out, changed string
	buildCmd := &cobra.Command{Use: "build [FOLDER]", Args: cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command,
		args []string) error {
		if changed != "" {
			text, err := os.ReadFile(changed)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(text, &fl.changed); err != nil {
				return fmt.Errorf("%s: %w", changed, err)
			}
			if fl.changed == nil {
				fl.changed = map[string][]reports.LineRange{}
			}
		}
		return buildJobs(cmd.Context(), &fl, args, engine, out)
	}}
	buildCmd.Flags().StringArrayVar(&fl.targets, "target", nil, "target to build for")
	buildCmd.Flags().StringArrayVar(&fl.entries, "entry", nil, "only this harness (repeatable)")
	buildCmd.Flags().StringVar(&engine, "engine", "", "`name` of this build of firmproof, for the keys")
	buildCmd.Flags().StringVar(&fl.units, "units", "", "`folder` with compiled units, to be read")
	buildCmd.Flags().StringVar(&changed, "changed-lines", "", "`file` with the lines of the change")
	buildCmd.Flags().StringVarP(&out, "output", "o", "", "`folder` for the jobs")
	verify := &cobra.Command{Use: "verify FOLDER", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command,
		args []string) error {
		return verifyJob(cmd.Context(), args[0])
	}}
	cmd.AddCommand(buildCmd, verify)
	return cmd
}

// buildJobs builds the project of a folder and leaves a job per entry:
// what each reaches, cut out of the program, and the key of its verification.
func buildJobs(ctx context.Context, fl *checkFlags, args []string, engine, out string) error {
	fl.cache = filepath.Join(out, pipeline.UnitsFolder)
	list, err := prepare(ctx, fl, args)
	if err != nil {
		return errors.Join(userError(err), leaveFault(err, out))
	}
	jobs := make([]pipeline.Job, len(list))
	for i := range list {
		j, err := storeJob(&list[i], engine, out, i)
		if err != nil {
			return err
		}
		jobs[i] = *j
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, pipeline.JobsFile), text, 0o644)
}

// leaveFault tells the service that the tree is at fault, if it is.
func leaveFault(err error, out string) error {
	var ours *build.InfraError
	if errors.As(err, &ours) {
		return nil
	}
	text, failed := json.Marshal(pipeline.Fault{Message: err.Error()})
	if failed != nil {
		return failed
	}
	return os.WriteFile(filepath.Join(out, pipeline.FaultFile), text, 0o644)
}

func storeJob(j *job, engine, out string, n int) (*pipeline.Job, error) {
	stored := j.stored()
	if j.settled != nil {
		return stored, nil
	}
	entry := j.module.Func(j.plan.Entry)
	if entry == nil || entry.IsDecl() { // nothing to cut out: the engine says so
		stored.Settled = verifier.Run(context.Background(), j.module, j.plan)
		stored.Complete(stored.Settled)
		return stored, nil
	}
	part := j.module.Part(entry)
	var err error
	if stored.Key, err = verifier.KeyOf(part, j.plan, engine); err != nil {
		return nil, err
	}
	if stored.Proof, err = verifier.KeyOf(part, pipeline.Unbounded(j.plan), engine); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := part.Encode(&b); err != nil {
		return nil, err
	}
	stored.Module = fmt.Sprintf("module-%d", n)
	return stored, os.WriteFile(filepath.Join(out, stored.Module), b.Bytes(), 0o644)
}

// verifyJob works on one job.
func verifyJob(ctx context.Context, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, pipeline.JobFile))
	if err != nil {
		return err
	}
	var j pipeline.Job
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("%s: %w", pipeline.JobFile, err)
	}
	if j.Module == "" {
		return errors.New("the job has no module")
	}
	data, err := os.ReadFile(filepath.Join(folder, j.Module))
	if err != nil {
		return err
	}
	m, err := ir.Decode(data)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	res, err := json.Marshal(verifier.Run(ctx, m, j.Plan))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, pipeline.ResultFile), res, 0o644)
}
