package prepare

import (
	"context"

	"github.com/firmproof/firmproof/pipeline/compile"
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
	w, err := wholeOf(ctx, req)
	if err != nil {
		return nil, err
	}
	var handlers []interrupt.Handler
	if m := w.manifest; m != nil {
		handlers, m.Interrupts = compile.Handlers(m.Interrupts), nil
	}
	var out []Frames
	checks := verdict.CheckSet{verdict.Stack: true}
	err = w.build(checks, func(t targets.Target, img *compile.Image) error {
		module, _, err := Read(img.IRPath)
		if err == nil {
			out = append(out, Frames{Target: t, Module: module, Stack: stackOf(img, checks), Handlers: handlers, Notes: img.Notes})
		}
		return err
	})
	return out, err
}
