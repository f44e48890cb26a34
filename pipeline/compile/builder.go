package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/firmproof/firmproof/targets"
)

// unitSpec is a file with its flags, before it is compiled.
type unitSpec struct {
	file, dir                           string // dir empty: the root
	include, defines, undefines, cflags []string

	static bool // unused static functions are compiled too
	spare  bool // C++ of a recorded build: left out where clang refuses it

	tool   []string // the compiler of the recorded call with its arguments; empty: none
	ofCall int      // how many of cflags are the call's; the rest are the manifest's
	abi    []string // those of cflags that the compiler's ABI takes
	unlike []unlike // what its compiler makes something of that clang does not
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
	files  *fileSet  // nil: the cache ends with this build, and nothing is edited

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
	if opts.CacheDir != "" || opts.Edited != nil {
		known = newFileSet()
	}
	if opts.Edited != nil {
		if err := known.edit(opts.Edited, opts.WorkDir); err != nil {
			return nil, &InfraError{"build", err}
		}
	}
	if opts.CacheDir == "" {
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
	return &builder{dir: abs, opts: opts, img: img, seen: map[string]bool{}, files: known,
		static: opts.Static}, nil
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
			if why := units[i].NoCode; why != "" {
				b.note("stack frames of %s are not known: clang makes no machine code of it for %s: %s",
					b.display(b.specs[i].dir, b.specs[i].file), b.img.Target.Name, why)
			}
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
		Checks: b.opts.Checks, Contracts: b.opts.Contracts, Silent: b.opts.Silent, Static: b.opts.KeepAll || b.static ||
			s.static, Runner: b.opts.Runner, WorkDir: b.opts.WorkDir, CacheDir: b.opts.CacheDir, Units: b.opts.Units,
		Alone: len(b.specs) < b.opts.Jobs, files: b.files, unlike: s.unlike,
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
