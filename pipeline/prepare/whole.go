package prepare

import (
	"context"
	"os"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// whole builds whole programs: of C files, or of a folder with a manifest.
type whole struct {
	*preparation
	files    []string
	folder   string
	manifest *manifest.Manifest // nil: of C files
}

// wholeOf reads what the whole programs of a request are made of.
func wholeOf(ctx context.Context, req Request) (*whole, error) {
	files, dirs, err := filesAndFolders(req)
	if err != nil {
		return nil, err
	}
	w := &whole{preparation: &preparation{ctx: ctx, req: req, runner: compile.Direct{}}, files: files}
	if len(files) == 0 {
		w.folder = dirs[0]
		if w.manifest, err = manifest.Read(w.folder); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// build builds the programs, one for each target, and hands over each, until the first error. What was built is gone
// afterwards.
func (w *whole) build(checks verdict.CheckSet, use func(t targets.Target, img *compile.Image) error) error {
	list, err := w.targets()
	if err != nil {
		return err
	}
	if w.work, err = os.MkdirTemp("", "firmproof-"); err != nil {
		return &compile.InfraError{Stage: "prepare", Err: err}
	}
	defer os.RemoveAll(w.work)
	for _, t := range list {
		img, err := w.image(t, checks)
		if err == nil {
			err = use(t, img)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *whole) targets() ([]targets.Target, error) {
	if w.manifest == nil {
		return load(w.req.Targets, []string{"host"})
	}
	return targetsOf(w.manifest, w.req.Targets)
}

func (w *whole) image(t targets.Target, checks verdict.CheckSet) (*compile.Image, error) {
	if w.manifest == nil {
		return w.buildFiles(w.files, t, checks, nil)
	}
	opts := w.options(checks)
	opts.KeepAll = true
	return compile.Project(w.ctx, w.folder, w.manifest, t, opts)
}
