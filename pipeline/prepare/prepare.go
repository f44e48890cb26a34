// Package prepare turns what a project asks for into jobs: it reads the manifest, has
// the program built, weaves into it what the manifest asks for, and says for each
// entry on each target what to verify and how.
//
//	manifest -> compile.Image -> *ir.Module -> []Job
package prepare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// DefaultTimeout is the time for an entry on a target that nobody says anything about.
const DefaultTimeout = 60 * time.Second

// EachTimeout is the default of Request.Timeout where all functions of a program, or a list of them, get generated
// harnesses: there are many, and most are decided in a second or not at all.
const EachTimeout = 10 * time.Second

// Request says what to prepare. What it leaves empty is the manifest's to say.
type Request struct {
	Paths      []string           // folders with a manifest, C files, LLVM IR; empty: the current folder
	Manifest   *manifest.Manifest // of each folder, instead of its own
	CBMCProofs []string           // folders with proofs written for CBMC: themselves or below them
	Targets    []string
	Entries    []string // harnesses, or functions that get a generated one
	Functions  []string // get a generated harness
	// harnesses, written or generated, that alone are verified of what the manifest asks for, as far as it does; with
	// the generated harnesses of what calls the same functions (InContext). nil: all
	Only   []string
	Checks []string

	Unwind    int
	UnwindSet map[string]int
	Depth     int
	Timeout   time.Duration     // of an entry on a target
	Memory    int64             // bytes
	Stubs     map[string]string // function, or manifest.AnyStub, to its kind; over the manifest's
	Assume    map[string]string // FUNCTION.ARGUMENT to what harness.ParseGiven reads; over the manifest's
	Integers  string            // see verifier.Plan, like the next three
	Solver    string
	StopAfter string
	Off       map[string]bool
	Coverage  bool // find out which lines and branches executions come to
	Relevant  bool // traces hold only what the failure depends on

	Include, Defines, Undefines, CFlags []string // for plain C files

	// for generated harnesses of changed functions: the lines that changed, or the
	// commit to compare with; both empty: there is no change to look at
	Changed map[string][]reports.LineRange
	Since   string
	Outline bool // the outlines of the programs are asked for
	Asked

	Recording *compile.Recording // of the build command of a folder, which is not run then

	Edited    map[string]string // see compile.Options
	Compilers int               // that run at a time
	Committed bool              // the tree is a commit's: a build may not change what is verified
	Units     string            // folder with compiled units, which is only read
	Cache     string            // folder for compiled units; empty: the user's
}

// Built is what was asked for, built.
type Built struct {
	Jobs     []Job               // what to verify, target by target
	Outlines map[string]*Outline // of the programs of manifests, by target, where Request.Outline asks for them
	Versions map[string]*Version // likewise, where behaviour is compared; nil: it is not
}

// Jobs builds everything that was asked for and lists what to verify, target by target.
func Jobs(ctx context.Context, req Request) ([]Job, error) {
	built, err := Build(ctx, req)
	if err != nil {
		return nil, err
	}
	return built.Jobs, nil
}

// Build builds everything that was asked for.
func Build(ctx context.Context, req Request) (*Built, error) {
	files, dirs, err := filesAndFolders(req)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "firmproof-")
	if err != nil {
		return nil, &compile.InfraError{Stage: "prepare", Err: err}
	}
	defer os.RemoveAll(work)
	b := &preparation{ctx: ctx, req: req, work: work, outlines: map[string]*Outline{}}
	// in the service's sandbox, builds get fewer rights than this process has
	if b.runner, err = sandbox.BuildRunner(ctx, sandbox.Off, "", ""); err != nil {
		return nil, &compile.InfraError{Stage: "prepare", Err: err}
	}
	for _, d := range req.CBMCProofs {
		if err := b.cbmcProofs(d); err != nil {
			return nil, err
		}
	}
	for _, d := range dirs {
		if err := b.project(d); err != nil {
			return nil, err
		}
	}
	if len(files) > 0 {
		if err := b.plain(files); err != nil {
			return nil, err
		}
	}
	if len(b.jobs) == 0 && b.req.Since != "" {
		return nil, errors.New(strings.Join(append([]string{"nothing to verify: no function has a line that changed since " + b.req.Since},
			b.since...), "; "))
	}
	return &Built{b.jobs, b.outlines, b.versions}, nil
}

// filesAndFolders tells the files of a request from its folders.
func filesAndFolders(req Request) (files, dirs []string, err error) {
	paths := req.Paths
	if len(paths) == 0 && len(req.CBMCProofs) == 0 {
		paths = []string{"."}
	}
	for _, a := range paths {
		st, err := os.Stat(a)
		switch {
		case errors.Is(err, fs.ErrNotExist) && a == "-":
			return nil, nil, errors.New("-: what is verified is not read from standard input: name a file")
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fmt.Errorf("%s: no such file or folder", a)
		case err != nil:
			return nil, nil, err
		case st.IsDir() && req.Manifest != nil:
			dirs = append(dirs, a)
		case st.IsDir():
			if a, err = manifest.Above(a); err != nil {
				return nil, nil, err
			}
			dirs = append(dirs, a)
		default:
			files = append(files, a)
		}
	}
	return files, dirs, nil
}

// preparation collects jobs.
type preparation struct {
	ctx       context.Context
	req       Request
	work      string
	runner    compile.Runner
	builds    int
	loops     *loops         // of the program at hand
	unwindSet map[string]int // of the request, for its loops
	notes     []string       // on how proofs of CBMC were read
	tree      string         // the folder that the program at hand is from
	named     []string       // functions of the program at hand that were asked for by name
	jobs      []Job
	outlines  map[string]*Outline
	versions  map[string]*Version
	near      *nearby  // what is called because of a change, of the program at hand
	since     []string // what is said of changes beside functions
}

// plain prepares C and IR files as one program. Without a word about entries it starts
// from main, or calls each function of the files if there is none.
func (b *preparation) plain(files []string) error {
	ts, err := load(b.req.Targets, []string{"host"})
	if err != nil {
		return err
	}
	entries, functions := b.splitEntries(b.req.Entries)
	b.named, b.tree = functions, treeOf(files[0])
	asked := len(entries)+len(functions) > 0
	if !asked {
		entries = []string{"main"}
	}
	if b.req.Since != "" {
		return errors.New("--changed-since is about projects (folders with .firmproof.yml), not about single files")
	}
	checks, err := verdict.ParseChecks(b.req.Checks)
	if err != nil {
		return err
	}
	for _, t := range ts {
		img, err := b.buildFiles(files, t, checks, entries)
		var none *compile.EntryError
		if errors.As(err, &none) && !asked {
			if err = b.eachFunction(files, t, checks); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if left := harnessesIn(img); !asked && len(left) > 0 {
			img.Notes = append(img.Notes, fmt.Sprintf("only main was verified: --entry %s verifies what looks like a harness",
				strings.Join(left, ", --entry ")))
		}
		harnesses := make([]manifest.Harness, len(entries))
		for i, e := range entries {
			harnesses[i].Entry = e
		}
		var m *manifest.Manifest
		if len(functions) > 0 {
			m = &manifest.Manifest{}
		}
		if err := b.add(img, t, harnesses, m); err != nil {
			return err
		}
	}
	return nil
}

// harnessesIn lists the functions of a program that are called as `firmproof harness` calls harnesses.
func harnessesIn(img *compile.Image) []string {
	var out []string
	for _, f := range img.Functions {
		if strings.HasSuffix(f.Name, "_harness") && !f.Static {
			out = append(out, f.Name)
		}
	}
	return out
}

// eachFunction prepares a generated harness for each function of files.
func (b *preparation) eachFunction(files []string, t targets.Target, checks verdict.CheckSet) error {
	img, err := b.buildFiles(files, t, checks, nil)
	if err != nil {
		return err
	}
	before := len(b.jobs)
	if err := b.add(img, t, nil, &manifest.Manifest{Functions: manifest.FunctionsAll}); err != nil {
		return err
	}
	if len(b.jobs) == before {
		return fmt.Errorf("%s: no function to verify: it defines none that code elsewhere may call", files[0])
	}
	return nil
}

// buildFiles builds plain files: what entries reach, or all of it if there are functions to call.
func (b *preparation) buildFiles(files []string, t targets.Target, checks verdict.CheckSet, entries []string) (
	*compile.Image, error) {
	opts := b.options(checks)
	opts.Entries = entries
	opts.Static = len(b.named) == 0 && len(b.req.Entries) == 0 // without main, the same units serve for each function
	opts.KeepAll = len(entries) == 0 || len(b.named) > 0
	opts.Include, opts.Defines, opts.Undefines, opts.CFlags = b.req.Include, b.req.Defines, b.req.Undefines,
		b.req.CFlags
	img, err := compile.Files(b.ctx, files, t, opts)
	if err != nil {
		return nil, err
	}
	for _, dir := range opts.Include {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			img.Notes = append(img.Notes, fmt.Sprintf("-I %s: there is no such folder", dir))
		}
	}
	return img, nil
}

// splitEntries tells entries to start from, and functions to call: those of --function, and those
// that are named as the report names generated harnesses.
func (b *preparation) splitEntries(list []string) (entries, functions []string) {
	functions = slices.Clone(b.req.Functions)
	for _, e := range list {
		if f, ok := strings.CutPrefix(e, AnyCall); ok {
			functions = append(functions, f)
		} else {
			entries = append(entries, e)
		}
	}
	return entries, functions
}

// project prepares a folder with a manifest.
func (b *preparation) project(dir string) error {
	m, err := b.req.Manifest, error(nil)
	if m == nil {
		if m, err = manifest.Read(dir); err != nil {
			return err
		}
	}
	harnesses := b.onlyWritten(m.Harnesses)
	entries, functions := b.splitEntries(b.req.Entries)
	b.named, b.tree = functions, dir
	if len(entries)+len(b.named) > 0 {
		var others []string
		harnesses, others = pick(m, entries)
		b.named = append(b.named, others...)
	}
	if len(harnesses)+len(b.named) == 0 && m.Functions == manifest.FunctionsNone && b.req.Called == nil &&
		!b.req.Committed && !b.req.Alone {
		return fmt.Errorf("%s: nothing to verify: add `harnesses`, `functions: all` or `functions: changed`, or name some with --function",
			m.Path)
	}
	ts, err := targetsOf(m, b.req.Targets)
	if err != nil {
		return err
	}
	for _, t := range ts {
		all := verdict.CheckSet{}
		for _, h := range harnesses {
			c, err := b.checks(h)
			if err != nil {
				return fmt.Errorf("%s:%d: %w", m.Path, h.Line, err)
			}
			for k := range c {
				all[k] = true
			}
		}
		opts := b.options(all)
		opts.KeepAll = m.Functions != manifest.FunctionsNone || len(b.named)+len(b.req.Called) > 0 || b.req.Whole ||
			b.comparesBehaviour(m)
		img, err := compile.Project(b.ctx, dir, m, t, opts)
		if err == nil && b.req.Alone {
			err = b.keepVersion(t, img, m)
		} else if err == nil {
			err = b.add(img, t, harnesses, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// targetsOf returns the targets that are named, the manifest's own among them, or else all of the manifest's.
func targetsOf(m *manifest.Manifest, named []string) ([]targets.Target, error) {
	if len(named) == 0 {
		return m.Targets, nil
	}
	var out []targets.Target
	for _, n := range named {
		t, ok := m.Target(n)
		if !ok {
			var err error
			if t, err = targets.Load(n); err != nil {
				return nil, err
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// pick finds the harnesses named on the command line, and the names that are none.
func pick(m *manifest.Manifest, entries []string) (harnesses []manifest.Harness, others []string) {
	for _, e := range entries {
		before := len(harnesses)
		for _, h := range m.Harnesses {
			if h.Entry == e {
				harnesses = append(harnesses, h)
			}
		}
		if len(harnesses) == before {
			others = append(others, e)
		}
	}
	return harnesses, others
}

func (b *preparation) checks(h manifest.Harness) (verdict.CheckSet, error) {
	if len(b.req.Checks) > 0 {
		return verdict.ParseChecks(b.req.Checks)
	}
	return verdict.ParseChecks(h.Checks)
}

func (b *preparation) options(checks verdict.CheckSet) compile.Options {
	b.builds++
	dir := filepath.Join(b.work, fmt.Sprint(b.builds))
	_ = os.Mkdir(dir, 0o755)
	opts := compile.Options{Runner: b.runner, WorkDir: dir, Jobs: b.req.Compilers, Committed: b.req.Committed,
		Recording: b.req.Recording, Edited: b.req.Edited,
		Checks: compile.Checks{UnsignedOverflow: checks.Has(verdict.UnsignedOverflow),
			Conversion: checks.Has(verdict.Conversion), Stack: checks.Has(verdict.Stack)}}
	opts.CacheDir, opts.Units = b.req.Cache, b.req.Units
	if cache, err := os.UserCacheDir(); err == nil && opts.CacheDir == "" {
		opts.CacheDir = filepath.Join(cache, "firmproof", "units")
	}
	if os.MkdirAll(opts.CacheDir, 0o755) != nil {
		opts.CacheDir = ""
	}
	if len(opts.Edited) > 0 && opts.Units == "" { // somebody types: the next text is another one
		opts.CacheDir, opts.Units = "", opts.CacheDir
	}
	return opts
}

// load finds targets by name.
func load(names, def []string) ([]targets.Target, error) {
	if len(names) == 0 {
		names = def
	}
	var out []targets.Target
	for _, n := range names {
		t, err := targets.Load(n)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
