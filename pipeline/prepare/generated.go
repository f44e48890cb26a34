package prepare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/build"
	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// AnyCall starts the shown names of generated harnesses.
const AnyCall = "any call of "

// generated makes a harness for each function that `functions` of the manifest means,
// and a job of it. A function that no harness can be made for is an unknown.
func (b *preparation) generated(base Job, img *build.Image, m *manifest.Manifest) ([]Job, error) {
	if m.Functions == manifest.FunctionsNone && b.req.Called == nil {
		return nil, nil
	}
	meant, err := b.meant(m)
	if err != nil {
		return nil, err
	}
	var out []Job
	for _, f := range choose(base.Program, img, m, meant) {
		j := base
		name := AnyCall + f.CName
		entry, notes, err := weave.Harness(base.Program, f)
		if err != nil {
			s := settled(name, base.Plan.Target, "no harness can be made: "+err.Error())
			s.Stages, s.Notes = base.Stages, base.Notes
			out = append(out, s)
			continue
		}
		if j.Plan.Checks, err = b.checks(manifest.Harness{}); err != nil {
			return nil, err
		}
		delete(j.Plan.Checks, verdict.Leak) // the harness itself frees nothing
		j.Plan.Entry, j.Label = entry.Name, name
		j.Plan.Assumptions = append(slices.Clone(base.Plan.Assumptions), notes...)
		b.fromManifest(&j, manifest.Harness{}, m)
		out = append(out, j)
	}
	return out, nil
}

// meant reports whether a function gets a harness.
func (b *preparation) meant(m *manifest.Manifest) (func(f *ir.Func, src build.Function) bool, error) {
	if b.req.Called != nil {
		return func(f *ir.Func, _ build.Function) bool { return slices.Contains(b.req.Called, f.CName) }, nil
	}
	changed, err := b.changedLines(m)
	return func(f *ir.Func, src build.Function) bool {
		return changed == nil || touches(changed[src.File], src.Line, lastLine(f))
	}, err
}

// CalledIn lists the functions that generated harnesses of a report call: those whose
// findings need to be known of the base, too.
func CalledIn(r *verdict.Report) []string {
	out := []string{}
	for i := range r.Results {
		if name, ok := strings.CutPrefix(r.Results[i].Entry, AnyCall); ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// changedLines are the lines that count as changed; nil where all do.
func (b *preparation) changedLines(m *manifest.Manifest) (map[string][]reports.LineRange, error) {
	switch {
	case m.Functions == manifest.FunctionsAll:
		return nil, nil
	case b.req.Changed != nil:
		return b.req.Changed, nil
	case b.req.Since != "":
		return checkout.ChangedSince(b.ctx, filepath.Dir(m.Path), b.req.Since)
	}
	if len(m.Harnesses) == 0 {
		return nil, fmt.Errorf(
			"%s: functions: changed: there is no change to look at: --changed-since COMMIT names one", m.Path)
	}
	b.notes = append(b.notes, "functions: changed: there is no change to look at (--changed-since COMMIT names one)")
	return map[string][]reports.LineRange{}, nil
}

// choose lists the functions of the project that get a harness, in the order of the
// module: not entries, handlers, main, or what lies in the harnesses' own files.
func choose(module *ir.Module, img *build.Image, m *manifest.Manifest, meant func(f *ir.Func,
	src build.Function) bool) []*ir.Func {
	skip := map[string]bool{"main": true}
	files := map[string]bool{}
	for _, h := range m.Harnesses {
		skip[h.Entry] = true
		if h.File != "" {
			files[filepath.Clean(h.File)] = true
		}
	}
	for _, in := range m.Interrupts {
		skip[in.Handler] = true
	}
	for _, s := range m.Stubs {
		skip[s.Func] = true
	}
	own := map[string]build.Function{}
	for _, f := range img.Functions {
		if !filepath.IsAbs(f.File) && !files[filepath.Clean(f.File)] && !skip[f.Name] {
			own[f.Name] = f
		}
	}
	var out []*ir.Func
	for _, f := range module.Funcs {
		src, ok := own[f.Name]
		if !ok || f.IsDecl() || !meant(f, src) {
			continue
		}
		out = append(out, f)
	}
	return out
}

func touches(list []reports.LineRange, from, to int) bool {
	return slices.ContainsFunc(list, func(r reports.LineRange) bool { return r.From <= to && r.To >= from })
}

// lastLine is the last line of a function that holds code.
func lastLine(f *ir.Func) int {
	last := f.Pos.Line
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Pos.File == f.Pos.File {
				last = max(last, in.Pos.Line)
			}
		}
	}
	return last
}
