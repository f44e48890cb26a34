package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/weave"
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
		keep = append(keep, in.Handler, weave.Point, weave.Tears)
	}
	return b.finish(ctx, append(entries, opts.Entries...), keep)
}

// unitSpec is a file with its flags, before it is compiled.
type unitSpec struct {
	file, dir                           string // dir empty: the root
	include, defines, undefines, cflags []string

	static bool // unused static functions are compiled too
	spare  bool // C++ of a recorded build: left out where clang refuses it

	tool   []string // the compiler of the recorded call with its arguments; empty: none
	ofCall int      // how many of cflags are the call's; the rest are the manifest's
	abi    []string // those of cflags that the compiler's ABI takes
}

type builder struct {
	dir   string
	opts  Options
	img   *Image
	specs []unitSpec
	seen  map[string]bool

	harnesses []string // files of harnesses that the build does not have

	plain bool // files are given one by one, on the command line

	before committed // with Options.Committed: the tree before build.command ran
	static bool      // unused static functions are compiled too
	files  *fileSet  // nil: the cache ends with this build

	refused []Diagnostic // of C++ that is left out
}

func newBuilder(dir string, t targets.Target, opts Options) (*builder, error) {
	abs, err := filepath.Abs(dir)
	if err == nil { // what a build records are real paths
		abs, err = filepath.EvalSymlinks(abs)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, &BuildError{Stage: "sources", Target: t.Name,
			Diagnostics: []Diagnostic{{File: dir, Message: "no such directory"}}}
	}
	if err != nil {
		return nil, &InfraError{"build", err}
	}
	if opts.WorkDir == "" {
		return nil, &InfraError{"build", errors.New("no directory to work in")}
	}
	if opts.WorkDir, err = filepath.Abs(opts.WorkDir); err != nil {
		return nil, &InfraError{"build", err}
	}
	var known *fileSet
	if opts.CacheDir != "" {
		known = newFileSet()
	} else {
		opts.CacheDir = filepath.Join(opts.WorkDir, "cache")
	}
	if opts.CacheDir, err = filepath.Abs(opts.CacheDir); err != nil {
		return nil, &InfraError{"build", err}
	}
	if st, err := os.Stat(opts.WorkDir); err != nil || !st.IsDir() {
		return nil, &InfraError{"build", fmt.Errorf("%s is no directory", opts.WorkDir)}
	}
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.NumCPU()
	}
	img := &Image{Target: t, Memory: append([]targets.Region(nil), t.Memory...)}
	return &builder{dir: abs, opts: opts, img: img, seen: map[string]bool{}, files: known}, nil
}

func (b *builder) note(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, n := range b.img.Notes {
		if n == s {
			return
		}
	}
	b.img.Notes = append(b.img.Notes, s)
}

// add takes a unit into the program, once.
func (b *builder) add(s unitSpec) {
	key := s.file
	if !filepath.IsAbs(key) {
		key = filepath.Join(b.dir, s.dir, key)
	}
	if filepath.IsAbs(s.dir) && !filepath.IsAbs(s.file) {
		key = filepath.Join(s.dir, s.file)
	}
	if b.seen[key] {
		b.note("%s is compiled more than once by the build: the first set of flags is used", b.display(b.dir, s.file))
		return
	}
	b.seen[key] = true
	b.specs = append(b.specs, s)
}

func (b *builder) fault(stage, file, format string, args ...any) error {
	return &BuildError{Stage: stage, Target: b.img.Target.Name,
		Diagnostics: []Diagnostic{{File: file, Message: fmt.Sprintf(format, args...)}}}
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
func Handlers(list []manifest.Interrupt) []weave.Handler {
	var out []weave.Handler
	for _, in := range list {
		out = append(out, weave.Handler{Name: in.Handler, Max: in.Max, Preempts: in.Preempts})
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
	if err := os.WriteFile(filepath.Join(b.opts.WorkDir, file), []byte(weave.PointSource(Handlers(list))),
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

// withoutIncluded leaves out the units whose file the file of a harness includes: they are verified as that
// unit has them.
func (b *builder) withoutIncluded(units []Unit) []Unit {
	return slices.DeleteFunc(slices.Clone(units), func(u Unit) bool {
		own := absoluteIn(b.dir, u.File)
		return slices.ContainsFunc(units, func(h Unit) bool {
			file := absoluteIn(b.dir, h.File)
			if file == own || !slices.Contains(b.harnesses, file) || !slices.Contains(h.Sources, own) {
				return false
			}
			b.img.Notes = append(b.img.Notes, fmt.Sprintf("%s is verified as %s includes it", u.File, h.File))
			return true
		})
	})
}

func unique(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// compileAll compiles every unit, several at once, and collects what is wrong
// with all of them.
func (b *builder) compileAll(ctx context.Context) error {
	b.refused = nil
	units, errs := make([]*Unit, len(b.specs)), make([]error, len(b.specs))
	var wg sync.WaitGroup
	slots := make(chan struct{}, b.opts.Jobs)
	for i, s := range b.specs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := ctx.Err(); err != nil {
				errs[i] = &InfraError{"compile " + s.file, err}
				return
			}
			units[i], errs[i] = Compile(ctx, b.request(s))
		}()
	}
	wg.Wait()
	all := &BuildError{Stage: "compile", Target: b.img.Target.Name}
	seen := map[Diagnostic]bool{}
	var without []unitSpec // that do not find a header
	for i, err := range errs {
		var be *BuildError
		switch {
		case err == nil:
			b.img.Units = append(b.img.Units, *units[i])
			b.img.addFrames(units[i].Frames)
		case errors.As(err, &be) && b.specs[i].spare:
			b.note("C++ file %s is not verified: clang refuses it: %s", b.display(b.specs[i].dir, b.specs[i].file),
				be.Diagnostics[0].Message)
			b.refused = append(b.refused, be.Diagnostics...)
		case errors.As(err, &be):
			if _, _, ok := missingHeader(err); ok {
				without = append(without, b.specs[i])
			}
			for _, d := range be.Diagnostics {
				if !seen[d] && len(all.Diagnostics) < maxDiagnostics {
					seen[d] = true
					all.Diagnostics = append(all.Diagnostics, d)
				}
			}
			all.Stage = be.Stage
		default:
			return err
		}
	}
	if len(all.Diagnostics) == 0 {
		return nil
	}
	all.replaceMissing(b.missingHeaders(ctx, without))
	return all
}

func (b *builder) request(s unitSpec) Request {
	dir := b.dir
	if s.dir != "" {
		dir = s.dir
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(b.dir, dir)
		}
	}
	return Request{
		File: s.file, Dir: dir, Root: b.dir, Target: b.img.Target, Include: s.include, Defines: s.defines,
		Undefines: s.undefines, CFlags: s.cflags,
		Checks: b.opts.Checks, Contracts: b.opts.Contracts, Static: b.opts.KeepAll || b.static ||
			s.static, Runner: b.opts.Runner, WorkDir: b.opts.WorkDir, CacheDir: b.opts.CacheDir, Units: b.opts.Units,
		Alone: len(b.specs) < b.opts.Jobs, files: b.files,
	}
}

// reachable leaves out the regions that a target's pointers cannot reach: one
// memory map may serve targets of several widths.
func (b *builder) reachable(list []targets.Region) []targets.Region {
	var out []targets.Region
	for _, r := range list {
		if bits := b.img.Target.PointerBits; bits < 64 && (r.Base+(r.Size-1))>>bits != 0 {
			b.note("memory region %s is above the %d-bit address space of %s: left out", r.Name, bits,
				b.img.Target.Name)
			continue
		}
		out = append(out, r)
	}
	return out
}

// mergeRegions lays regions of the manifest over those of the target: where they
// overlap, the target's give way.
func mergeRegions(base, over []targets.Region) []targets.Region {
	out := append([]targets.Region(nil), over...)
	for _, b := range base {
		out = append(out, subtract(b, over)...)
	}
	targets.SortRegions(out)
	return out
}

// subtract returns the parts of a region that no other covers.
func subtract(r targets.Region, over []targets.Region) []targets.Region {
	parts := []targets.Region{r}
	for _, o := range over {
		var next []targets.Region
		for _, p := range parts {
			pEnd, oEnd := p.Base+(p.Size-1), o.Base+(o.Size-1)
			if o.Space != p.Space || oEnd < p.Base || o.Base > pEnd {
				next = append(next, p)
				continue
			}
			if o.Base > p.Base {
				left := p
				left.Size = o.Base - p.Base
				next = append(next, left)
			}
			if oEnd < pEnd {
				right := p
				right.Base, right.Size = oEnd+1, pEnd-oEnd
				next = append(next, right)
			}
		}
		parts = next
	}
	return parts
}
