package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Files builds plain files, as `firmproof check a.c b.ll` does. File names stay as
// they were given. Entries in opts that do not exist are in Image.Missing; an
// *EntryError if none does.
func Files(ctx context.Context, files []string, t targets.Target, opts Options) (*Image, error) {
	if len(files) == 0 {
		return nil, &BuildError{Stage: "sources", Target: t.Name,
			Diagnostics: []Diagnostic{{Message: "no files to build"}}}
	}
	b, err := newBuilder(".", t, opts)
	if err != nil {
		return nil, err
	}
	b.plain = true
	for _, f := range files {
		b.add(unitSpec{file: f, include: opts.Include, defines: opts.Defines, undefines: opts.Undefines,
			cflags: opts.CFlags})
	}
	return b.finish(ctx, opts.Entries, nil)
}

// Source is one unit with the flags of its own.
type Source struct {
	File   string // absolute, or relative to Dir
	Dir    string // absolute: where the compiler runs
	CFlags []string
	Static bool // unused static functions stay
}

// Sources builds units given one by one. root is the folder that names are shown
// relative to; the entries are those of opts.
func Sources(ctx context.Context, root string, list []Source, t targets.Target, opts Options) (*Image, error) {
	b, err := newBuilder(root, t, opts)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		b.add(unitSpec{file: s.File, dir: s.Dir, cflags: s.CFlags, static: s.Static})
	}
	return b.finish(ctx, opts.Entries, nil)
}

// Project builds what a manifest describes, for one target. dir is the root of the
// repository.
func Project(ctx context.Context, dir string, m *manifest.Manifest, t targets.Target, opts Options) (*Image, error) {
	b, err := newBuilder(dir, t, opts)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	switch {
	case m.Build.CompileCommands != "":
		err = b.fromDatabase(m.Build, filepath.Join(b.dir, m.Build.CompileCommands))
	case m.Build.Command != "":
		err = b.fromCommand(ctx, m.Build)
	case len(m.Build.Sources) > 0:
		err = b.fromSources(m.Build)
	}
	if err != nil {
		return nil, err
	}
	if err := b.adoptABI(ctx); err != nil {
		return nil, err
	}
	b.img.stage("sources", start)
	b.addHarnesses(m)
	if err := b.addInterrupts(m.Interrupts); err != nil {
		return nil, err
	}
	if err := b.asCommitted(filepath.Join(b.dir, m.Build.LinkerScript), filepath.Join(b.dir, m.Build.SVD)); err != nil {
		return nil, err
	}
	if m.Build.LinkerScript != "" {
		if err := b.linkerScript(m.Build.LinkerScript); err != nil {
			return nil, err
		}
	}
	if m.Build.SVD != "" {
		if err := b.svd(m.Build.SVD); err != nil {
			return nil, err
		}
	}
	b.img.Memory = mergeRegions(b.img.Memory, b.reachable(m.MemoryMap))
	var entries, keep []string
	for _, h := range m.Harnesses {
		entries = append(entries, h.Entry)
	}
	for _, in := range m.Interrupts {
		keep = append(keep, in.Handler, irbuild.Point, interrupt.Tears)
	}
	return b.finish(ctx, append(entries, opts.Entries...), keep)
}

// fromSources expands the patterns of a manifest.
func (b *builder) fromSources(mb manifest.Build) error {
	found := map[string]bool{}
	root := os.DirFS(b.dir)
	for _, pattern := range mb.Sources {
		drop := strings.HasPrefix(pattern, "!")
		pattern = filepath.ToSlash(filepath.Clean(strings.TrimPrefix(pattern, "!")))
		if drop {
			for f := range found {
				if ok, _ := doublestar.Match(pattern, f); ok {
					delete(found, f)
				}
			}
			continue
		}
		files, err := doublestar.Glob(root, pattern, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
		if err != nil {
			return b.fault("sources", manifest.Name, "pattern %s: %v", pattern, err)
		}
		if len(files) == 0 {
			return b.fault("sources", manifest.Name, "`%s` in build.sources matches no file%s", pattern,
				submoduleHint(b.dir, func(m string) bool { return strings.HasPrefix(pattern, m+"/") }))
		}
		for _, f := range files {
			found[f] = true
		}
	}
	names := make([]string, 0, len(found))
	for f := range found {
		names = append(names, f)
	}
	sort.Strings(names)
	for _, f := range names {
		switch filepath.Ext(f) {
		case ".c", ".i", ".cc", ".cpp", ".cxx", ".ll", ".bc":
			b.add(unitSpec{file: f, include: mb.Include, defines: mb.Defines, undefines: mb.Undefines,
				cflags: mb.CFlags})
		case ".s", ".S", ".asm":
			b.note("assembly file %s is not verified", f)
		case ".h":
		default:
			b.note("%s is not C: left out", f)
		}
	}
	if len(b.specs) == 0 {
		return b.fault("sources", manifest.Name, "build.sources matches no C file")
	}
	return nil
}

// addHarnesses adds the harnesses' own files. They see the manifest's include
// path and macros, and those that all units of a recorded build share.
func (b *builder) addHarnesses(m *manifest.Manifest) {
	spec := unitSpec{include: m.Build.Include, defines: m.Build.Defines, undefines: m.Build.Undefines,
		cflags: m.Build.CFlags}
	if len(m.Build.Sources) == 0 {
		spec = b.shared(spec)
	}
	added := map[string]bool{}
	for _, h := range m.Harnesses {
		file := filepath.Clean(h.File)
		if h.File == "" || added[file] || b.seen[filepath.Join(b.dir, file)] {
			continue
		}
		added[file] = true
		s := spec
		s.file = file
		b.add(s)
		b.harnesses = append(b.harnesses, filepath.Join(b.dir, file))
	}
}

// Handlers returns the interrupt handlers of a manifest.
func Handlers(list []manifest.Interrupt) []interrupt.Handler {
	var out []interrupt.Handler
	for _, in := range list {
		out = append(out, interrupt.Handler{Name: in.Handler, Max: in.Max, Preempts: in.Preempts})
	}
	return out
}

// addInterrupts adds the function that runs interrupt handlers.
func (b *builder) addInterrupts(list []manifest.Interrupt) error {
	if len(list) == 0 {
		return nil
	}
	// compiled in its own folder, so that reports and keys do not name that folder
	const file = "firmproof-interrupts.c"
	if err := os.WriteFile(filepath.Join(b.opts.WorkDir, file), []byte(interrupt.PointSource(Handlers(list))),
		0o644); err != nil {
		return &InfraError{"interrupts", err}
	}
	b.add(unitSpec{file: file, dir: b.opts.WorkDir})
	return nil
}

// finish compiles and links. Where an entry is missing it looks once more with the
// static functions that nothing calls.
func (b *builder) finish(ctx context.Context, entries, keep []string) (*Image, error) {
	if len(b.specs) == 0 {
		return nil, b.fault("sources", manifest.Name, "nothing to build")
	}
	before := *b.img
	img, err := b.attempt(ctx, entries, keep)
	var ee *EntryError
	again := errors.As(err, &ee) || err == nil && len(img.Missing) > 0
	if !again || b.opts.KeepAll || b.static {
		return img, err
	}
	b.static = true
	*b.img = before
	img, err = b.attempt(ctx, entries, keep)
	if errors.As(err, &ee) && len(b.refused) > 0 { // it may be there
		err = &BuildError{Stage: "compile", Target: b.img.Target.Name,
			Diagnostics: b.refused[:min(len(b.refused), maxDiagnostics)]}
	}
	return img, err
}

func (b *builder) attempt(ctx context.Context, entries, keep []string) (*Image, error) {
	start := time.Now()
	if err := b.compileAll(ctx); err != nil {
		return nil, err
	}
	b.img.stage("compile", start)
	for _, u := range b.img.Units {
		if err := b.asCommitted(u.Sources...); err != nil {
			return nil, err
		}
		for _, s := range u.Spellings {
			b.note("%s", s)
		}
		for _, f := range u.Implicit {
			b.note("%s calls %s without a declaration: it is taken to return int", u.File, f)
		}
	}
	units := b.withoutIncluded(b.img.Units)
	img := *b.img
	img.Units = units
	if b.opts.Contracts != nil {
		keep = append(keep, contract.Kept()...)
	}
	l := linker{opts: b.opts, img: &img, entries: unique(entries), keep: unique(keep)}
	if err := l.link(ctx); err != nil {
		return nil, err
	}
	return &img, nil
}
