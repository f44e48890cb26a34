package prepare

import (
	"context"
	"os"
	"slices"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Version is the whole program of one version, for one target.
type Version struct {
	Module *ir.Module
	Plan   verifier.Plan   // target and meaning, without an entry
	own    map[string]bool // functions of the project, by their names in the object file
}

// Versions builds the whole programs that a request is about, one for each target: of C files, or of a folder with a
// manifest.
func Versions(ctx context.Context, req Request) ([]Version, error) {
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
	build := func(t targets.Target) (*compile.Image, error) {
		return b.buildFiles(files, t, verdict.DefaultChecks(), nil)
	}
	var list []targets.Target
	if len(files) == 0 {
		m, err := manifest.Read(dirs[0])
		if err != nil {
			return nil, err
		}
		list = m.Targets
		build = func(t targets.Target) (*compile.Image, error) {
			opts := b.options(verdict.DefaultChecks())
			opts.KeepAll = true
			return compile.Project(ctx, dirs[0], m, t, opts)
		}
	}
	if len(req.Targets) > 0 || len(list) == 0 {
		if list, err = load(req.Targets, []string{"host"}); err != nil {
			return nil, err
		}
	}
	var out []Version
	for _, t := range list {
		img, err := build(t)
		if err != nil {
			return nil, err
		}
		v, err := b.version(t, img)
		if err != nil {
			return nil, err
		}
		out = append(out, *v)
	}
	return out, nil
}

// version reads what was built for a target.
func (b *preparation) version(t targets.Target, img *compile.Image) (*Version, error) {
	module, _, err := Read(img.IRPath)
	if err != nil {
		return nil, err
	}
	noteConst(img.Units, weave.Bodiless(module))
	v := &Version{Module: module, Plan: b.base(t, nil, nil).Plan, own: map[string]bool{}}
	v.Plan.Semantics = ir.Semantics{AddressZero: t.Address0, Regions: Regions(img.Memory),
		MallocNeverFails: t.Malloc == targets.MallocNeverFails}
	for _, f := range img.Functions {
		v.own[f.Name] = true
	}
	return v, nil
}

// Renewed is a function that two versions have, by its names in the object files.
type Renewed struct{ Old, New string }

// Renewals lists the functions of now that old has, too, and that are not what they are there, in the order of now;
// and those that only one of them has. One that has another name and is otherwise as it was is the same.
func Renewals(old, now *Version) (changed []Renewed, added, gone []string) {
	forms := map[string][]string{}
	for _, f := range old.Module.Funcs {
		if g := now.Module.Func(f.Name); !f.IsDecl() && old.own[f.Name] && (g == nil || g.IsDecl()) {
			gone = append(gone, f.Name)
			form := old.Module.Form(f)
			forms[form] = append(forms[form], f.Name)
		}
	}
	for _, f := range now.Module.Funcs {
		if f.IsDecl() || !now.own[f.Name] {
			continue
		}
		switch g := old.Module.Func(f.Name); {
		case g != nil && !g.IsDecl():
			if old.Module.Substance(g) != now.Module.Substance(f) {
				changed = append(changed, Renewed{g.Name, f.Name})
			}
		default:
			if was := forms[now.Module.Form(f)]; len(was) == 1 {
				gone = slices.DeleteFunc(gone, func(n string) bool { return n == was[0] })
				changed = append(changed, Renewed{was[0], f.Name})
				continue
			}
			added = append(added, f.Name)
		}
	}
	return changed, added, gone
}
