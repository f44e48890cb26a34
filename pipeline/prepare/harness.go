package prepare

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Harness is a harness in C.
type Harness struct {
	Entry string // its function
	Of    string // file that defines the function that it calls
	Text  string // of the function
}

// HarnessFor builds what the request names and writes a harness for a function of it.
func HarnessFor(ctx context.Context, req Request, function string) (*Harness, error) {
	work, err := os.MkdirTemp("", "firmproof-")
	if err != nil {
		return nil, &compile.InfraError{Stage: "prepare", Err: err}
	}
	defer os.RemoveAll(work)
	b := &preparation{ctx: ctx, req: req, work: work, runner: compile.Direct{}, named: []string{function}}
	files, dirs, err := filesAndFolders(req)
	if err != nil {
		return nil, err
	}
	m, img := &manifest.Manifest{}, (*compile.Image)(nil)
	if len(files) > 0 {
		ts, err := load(req.Targets, []string{"host"})
		if err != nil {
			return nil, err
		}
		img, err = b.buildFiles(files, ts[0], verdict.CheckSet{}, nil)
		if err != nil {
			return nil, err
		}
	} else if m, img, err = b.wholeProject(dirs[0]); err != nil {
		return nil, err
	}
	module, _, err := Read(img.IRPath)
	if err != nil {
		return nil, err
	}
	found, err := named(module, img, m, b.named)
	if err != nil {
		return nil, err
	}
	f := found[0]
	h := &Harness{Entry: f.CName + "_harness"}
	for _, src := range img.Functions {
		if src.Name == f.Name {
			h.Of = src.File
		}
	}
	if h.Of == "" {
		return nil, fmt.Errorf("%s: its file is not known", function)
	}
	if strings.HasPrefix(f.Name, "_Z") {
		return nil, fmt.Errorf(
			"%s is C++, and harnesses are written in C: give what calls it the linkage extern \"C\", "+
				"or check it with --function %s", f.CName, f.CName)
	}
	h.Text, err = harness.NewProgram(module).Source(f, h.Entry)
	return h, err
}

// wholeProject builds all that the manifest of dir names, for its first target.
func (b *preparation) wholeProject(dir string) (*manifest.Manifest, *compile.Image, error) {
	m, err := manifest.Read(dir)
	if err != nil {
		return nil, nil, err
	}
	t, err := targets.Load("host")
	if len(m.Targets) > 0 {
		t, err = m.Targets[0], nil
	}
	if err != nil {
		return nil, nil, err
	}
	opts := b.options(verdict.CheckSet{})
	opts.KeepAll = true
	img, err := compile.Project(b.ctx, filepath.Clean(dir), m, t, opts)
	return m, img, err
}
