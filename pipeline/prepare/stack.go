package prepare

import (
	"context"
	"os"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
)

// Frames is the whole program for one target, with its frames.
type Frames struct {
	Target   targets.Target
	Module   *ir.Module
	Stack    *ir.Stack
	Handlers []interrupt.Handler // of `interrupts`, which are not woven in
	Notes    []string            // of the build
}

// FramesOf builds the whole programs that a request is about, one for each target: of C files, or of a folder with a
// manifest.
func FramesOf(ctx context.Context, req Request) ([]Frames, error) {
	files, dirs, err := filesAndFolders(req)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "firmproof-")
	if err != nil {
		return nil, &compile.InfraError{Stage: "prepare", Err: err}
	}
	defer os.RemoveAll(work)
	b := &preparation{ctx: ctx, req: req, work: work, runner: compile.Direct{}}
	checks := verdict.CheckSet{verdict.Stack: true}
	build := func(t targets.Target) (*compile.Image, error) { return b.buildFiles(files, t, checks, nil) }
	list, err := load(req.Targets, []string{"host"})
	var handlers []interrupt.Handler
	if len(files) == 0 {
		m, fault := manifest.Read(dirs[0])
		if fault != nil {
			return nil, fault
		}
		handlers, m.Interrupts = compile.Handlers(m.Interrupts), nil
		list, err = targetsOf(m, req.Targets)
		build = func(t targets.Target) (*compile.Image, error) {
			opts := b.options(checks)
			opts.KeepAll = true
			return compile.Project(ctx, dirs[0], m, t, opts)
		}
	}
	if err != nil {
		return nil, err
	}
	var out []Frames
	for _, t := range list {
		img, err := build(t)
		if err != nil {
			return nil, err
		}
		module, _, err := Read(img.IRPath)
		if err != nil {
			return nil, err
		}
		out = append(out, Frames{Target: t, Module: module, Stack: stackOf(img, checks), Handlers: handlers, Notes: img.Notes})
	}
	return out, nil
}
