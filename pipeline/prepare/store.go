package prepare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// How a job goes from the process that builds it to the one that works it.
const (
	JobsFile    = "jobs.json"    // what Store leaves in its folder: a list of Job
	OutlineFile = "outline.json" // likewise: Built.Outlines
	// likewise: the only one of Built.Versions, but for its program, which is in VersionFile; null: none
	VersionsFile = "version.json"
	VersionFile  = "version"
	UnitsFolder  = "units"       // the folder below it with the units that the build compiled
	JobFile      = "job.json"    // a Job, for Work
	ResultFile   = "result.json" // what Work leaves: a verdict.Result
	// what StoreFault leaves instead of jobs when the tree or a limit is at fault: a Fault. An exit
	// status does not tell: Go's own abort has the one of a usage error
	FaultFile = "fault.json"
)

// Fault says why there are no jobs.
type Fault struct {
	Message string `json:"message"`
	Limit   string `json:"limit,omitempty"` // that the build ran into; empty: the tree is wrong
	Ours    bool   `json:"ours,omitempty"`  // the machine had no process left: the tree may be fine
}

// StoreFault leaves in a folder what Jobs found wrong with the tree, if the fault is there.
func StoreFault(err error, folder string) error {
	var ours *compile.InfraError
	var limit *compile.LimitError
	fault := Fault{Message: err.Error()}
	switch {
	case errors.As(err, &limit):
		fault.Limit, fault.Message = limit.Limit, limit.Err.Error()
	case errors.Is(err, compile.ErrShortage) || errors.Is(err, syscall.EAGAIN):
		fault.Ours = true
	case errors.As(err, &ours):
		return nil
	}
	text, failed := json.Marshal(fault)
	if failed != nil {
		return failed
	}
	return os.WriteFile(filepath.Join(folder, FaultFile), text, 0o644)
}

// Store leaves the jobs in a folder, each with the part of its program that the entry
// reaches in a file beside it, and the question that it asks of engine.
func Store(built *Built, engine, folder string) error {
	jobs := built.Jobs
	for i := range jobs {
		if err := jobs[i].store(engine, folder, i); err != nil {
			return err
		}
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		return err
	}
	outlines, err := json.Marshal(built.Outlines)
	if err != nil {
		return err
	}
	if err := storeVersion(built.Versions, folder); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(folder, OutlineFile), outlines, 0o644),
		os.WriteFile(filepath.Join(folder, JobsFile), text, 0o644))
}

// storeVersion leaves the whole program of the target that was built.
func storeVersion(list map[string]*Version, folder string) error {
	var v *Version
	for _, v = range list {
		var b bytes.Buffer
		if err := v.Module.Encode(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, VersionFile), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, VersionsFile), text, 0o644)
}

func (j *Job) store(engine, folder string, n int) error {
	if j.Settled != nil {
		return nil
	}
	part := j.Plan.Part(j.Program)
	if part == nil { // nothing to cut out: the engine says so
		j.Settled = verifier.Run(context.Background(), j.Program, j.Plan)
		j.Complete(j.Settled)
		return nil
	}
	var err error
	if j.Question, err = answers.Ask(part, j.Plan, engine); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := part.Encode(&b); err != nil {
		return err
	}
	j.Module = fmt.Sprintf("module-%d", n)
	return os.WriteFile(filepath.Join(folder, j.Module), b.Bytes(), 0o644)
}

// Work verifies the job in a folder and leaves the result there, not yet completed.
func Work(ctx context.Context, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, JobFile))
	if err != nil {
		return err
	}
	var j Job
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("%s: %w", JobFile, err)
	}
	if j.Module == "" {
		return errors.New("the job has no module")
	}
	data, err := os.ReadFile(filepath.Join(folder, j.Module))
	if err != nil {
		return err
	}
	res, err := j.work(ctx, folder, data)
	if err != nil {
		return err
	}
	text, err = json.Marshal(res)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, ResultFile), text, 0o644)
}

// work answers the job, whose program is in data.
func (j *Job) work(ctx context.Context, folder string, data []byte) (*verdict.Result, error) {
	within, cancel := budget.WithClock(ctx, j.Timeout, j.Clock())
	defer cancel()
	if j.Pair != nil {
		was, err := j.Pair.read(data)
		if err != nil {
			return nil, err
		}
		return j.Pair.answer(within, was, j.Plan), nil
	}
	m, err := ir.Decode(data)
	if err != nil {
		return nil, err
	}
	res := verifier.Run(within, m, j.Plan)
	if err := j.Against.read(folder); err != nil {
		return nil, err
	}
	j.Compare(ctx, m, res)
	return res, nil
}
