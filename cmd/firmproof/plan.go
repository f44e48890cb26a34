package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/build"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// prepare builds everything that was asked for and lists what to verify, target
// by target. cleanup removes the build's files.
func prepare(ctx context.Context, fl *checkFlags, args []string) (jobs []job, err error) {
	if len(args) == 0 && len(fl.cbmcProofs) == 0 {
		args = []string{"."}
	}
	var files, dirs []string
	for _, a := range args {
		st, err := os.Stat(a)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: no such file or folder", a)
		case err != nil:
			return nil, err
		case st.IsDir():
			dirs = append(dirs, a)
		default:
			files = append(files, a)
		}
	}
	work, err := os.MkdirTemp("", "firmproof-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	b := &preparation{ctx: ctx, fl: fl, work: work}
	// in the service's sandbox, builds get fewer rights than this process has
	if b.runner, err = sandbox.BuildRunner(ctx, sandbox.Off, "", ""); err != nil {
		return nil, err
	}
	if b.unwindSet, err = parseUnwindSet(fl.unwindSet); err != nil {
		return nil, err
	}
	if b.memory, err = parseSize(fl.memory); err != nil {
		return nil, err
	}
	for _, d := range fl.cbmcProofs {
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
	return b.jobs, nil
}

// preparation collects jobs.
type preparation struct {
	ctx       context.Context
	fl        *checkFlags
	work      string
	runner    build.Runner
	builds    int
	unwindSet map[string]int
	memory    int64
	notes     []string // on how proofs of CBMC were read
	jobs      []job
}

// plain prepares C and IR files as one program.
func (b *preparation) plain(files []string) error {
	ts, err := loadTargets(b.fl.targets, []string{"host"})
	if err != nil {
		return err
	}
	entries := b.fl.entries
	if len(entries) == 0 {
		entries = []string{"main"}
	}
	checks, err := verdict.ParseChecks(b.fl.checks)
	if err != nil {
		return err
	}
	for _, t := range ts {
		opts := b.options(checks)
		opts.Shim, opts.Entries = true, entries
		opts.Include, opts.Defines, opts.Undefines, opts.CFlags = b.fl.include, b.fl.defines, b.fl.undefine, b.fl.cflags
		img, err := build.Files(b.ctx, files, t, opts)
		if err != nil {
			return err
		}
		harnesses := make([]manifest.Harness, len(entries))
		for i, e := range entries {
			harnesses[i].Entry = e
		}
		if err := b.add(img, t, harnesses, nil); err != nil {
			return err
		}
	}
	return nil
}

// project prepares a folder with a manifest.
func (b *preparation) project(dir string) error {
	m, err := manifest.Read(dir)
	if err != nil {
		return err
	}
	harnesses := m.Harnesses
	if len(b.fl.entries) > 0 {
		if harnesses, err = pick(m, b.fl.entries); err != nil {
			return err
		}
	}
	ts := m.Targets
	if len(b.fl.targets) > 0 {
		ts = nil
		for _, n := range b.fl.targets {
			t, ok := m.Target(n)
			if !ok {
				if t, err = targets.Load(n); err != nil {
					return err
				}
			}
			ts = append(ts, t)
		}
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
		opts.KeepAll = m.Functions != manifest.FunctionsNone
		img, err := build.Project(b.ctx, dir, m, t, opts)
		if err != nil {
			return err
		}
		if err := b.add(img, t, harnesses, m); err != nil {
			return err
		}
	}
	return nil
}

// pick finds the harnesses named on the command line; an entry that the manifest
// does not name is verified with the defaults.
func pick(m *manifest.Manifest, entries []string) ([]manifest.Harness, error) {
	var out []manifest.Harness
	for _, e := range entries {
		found := false
		for _, h := range m.Harnesses {
			if h.Entry == e {
				out = append(out, h)
				found = true
			}
		}
		if !found {
			var names []string
			for _, h := range m.Harnesses {
				names = append(names, h.Entry)
			}
			return nil, fmt.Errorf("%s names no harness %q, did you mean %q?", m.Path, e, verdict.Nearest(e, names))
		}
	}
	return out, nil
}

func (b *preparation) checks(h manifest.Harness) (verdict.CheckSet, error) {
	if len(b.fl.checks) > 0 {
		return verdict.ParseChecks(b.fl.checks)
	}
	return verdict.ParseChecks(h.Checks)
}

func (b *preparation) options(checks verdict.CheckSet) build.Options {
	b.builds++
	dir := filepath.Join(b.work, fmt.Sprint(b.builds))
	_ = os.Mkdir(dir, 0o755)
	opts := build.Options{Runner: b.runner, WorkDir: dir, Jobs: b.fl.jobs, Committed: b.fl.committed,
		Checks: build.Checks{UnsignedOverflow: checks.Has(verdict.UnsignedOverflow),
			Conversion: checks.Has(verdict.Conversion), Stack: checks.Has(verdict.Stack)}}
	opts.CacheDir, opts.Units = b.fl.cache, b.fl.units
	if cache, err := os.UserCacheDir(); err == nil && opts.CacheDir == "" {
		opts.CacheDir = filepath.Join(cache, "firmproof", "units")
	}
	if os.MkdirAll(opts.CacheDir, 0o755) != nil {
		opts.CacheDir = ""
	}
	return opts
}

// add reads the image and makes a job for each harness.
func (b *preparation) add(img *build.Image, t targets.Target, harnesses []manifest.Harness,
	m *manifest.Manifest) error {
	if len(img.Missing) > 0 {
		e := img.Missing[0]
		msg := fmt.Sprintf("there is no function %q to start from", e.Entry)
		if e.Nearest != "" {
			msg += fmt.Sprintf(", did you mean %q?", e.Nearest)
		}
		return errors.New(msg)
	}
	module, read, err := readModule(img.IRPath)
	if err != nil {
		return err
	}
	var assumptions []string
	if m != nil {
		if assumptions, err = applyStubs(module, img, m); err != nil {
			return err
		}
		woven, err := weaveInterrupts(module, img, m, harnesses)
		if err != nil {
			return err
		}
		assumptions = append(assumptions, woven...)
	}
	var stages []verdict.Stage
	for _, s := range img.Stages {
		stages = append(stages, verdict.Stage{Name: s.Name, Seconds: s.Seconds})
	}
	base := job{module: module, machine: machineOf(t), stages: append(stages, read), notes: img.Notes,
		timeout: b.fl.timeout, plan: verifier.Plan{
			Target: t.Name, Unwind: b.fl.unwind, UnwindSet: b.unwindSet, Depth: b.fl.depth, Memory: b.memory,
			Integers: b.fl.integers, Solver: b.fl.solver, Assumptions: assumptions, StopAfter: b.fl.stop,
			Semantics: ir.Semantics{AddressZero: t.Address0, Regions: regions(img.Memory),
				MallocNeverFails: t.Malloc == targets.MallocNeverFails}, Hosted: t.Hosted,
			Relevant: b.fl.trace == "relevant"}}
	var generated []job
	if m != nil && len(b.fl.entries) == 0 {
		if generated, err = b.generated(base, img, m); err != nil {
			return err
		}
	}
	for _, h := range harnesses {
		checks, err := b.checks(h)
		if err != nil {
			return err
		}
		if !t.Leak && len(b.fl.checks) == 0 && !saysLeak(h.Checks) {
			delete(checks, verdict.Leak)
		}
		j := base
		j.notes = append(slices.Clone(base.notes), b.notes...)
		j.plan.Entry, j.plan.Checks = h.Entry, checks
		if checks.Has(verdict.Stack) {
			j.plan.Stack = &ir.Stack{Size: int64(t.StackSize), Frames: img.Frames}
		}
		b.fromManifest(&j, h, m)
		b.jobs = append(b.jobs, j)
	}
	b.jobs = append(b.jobs, generated...)
	return nil
}

// machineOf is what the target decides about C.
func machineOf(t targets.Target) *verdict.Machine {
	m := &verdict.Machine{Int: t.Types.Int.Size, Long: t.Types.Long.Size, Pointer: t.PointerBits / 8, Endian: "little",
		Char:     "unsigned",
		AlignInt: t.Types.Int.Align, AlignLarge: t.Types.LongLong.Align}
	if t.BigEndian {
		m.Endian = "big"
	}
	if t.CharSigned {
		m.Char = "signed"
	}
	return m
}

func saysLeak(checks []string) bool {
	for _, c := range checks {
		if c == string(verdict.Leak) || c == "all" {
			return true
		}
	}
	return false
}

// fromManifest takes the harness's limits where the command line says nothing.
func (b *preparation) fromManifest(j *job, h manifest.Harness, m *manifest.Manifest) {
	if j.plan.Unwind == 0 {
		j.plan.Unwind = h.Unwind
	}
	if j.plan.Depth == 0 {
		j.plan.Depth = h.Depth
	}
	if h.Timeout > 0 && b.fl.timeout == defaultTimeout {
		j.timeout = h.Timeout
	}
	set := map[string]int{}
	for _, l := range h.Unwindset {
		name := l.Func
		if l.Loop >= 0 {
			name = fmt.Sprintf("%s.%d", l.Func, l.Loop)
		}
		set[name] = l.Bound
	}
	for k, v := range b.unwindSet {
		set[k] = v
	}
	j.plan.UnwindSet = set
	if m == nil {
		return
	}
	if len(m.Interrupts) > 0 {
		j.plan.VolatileMemory = true // the handlers say who else writes
		set[weave.Point+".0"] = weave.Turns(build.Handlers(m.Interrupts)) + 1
	}
	for _, s := range m.Suppress {
		if s.Until.IsZero() || time.Now().Before(s.Until) {
			j.suppressed = append(j.suppressed, s)
		}
	}
}

// weaveInterrupts lets the interrupt handlers of the manifest run between steps.
func weaveInterrupts(module *ir.Module, img *build.Image, m *manifest.Manifest, harnesses []manifest.Harness) (
	[]string, error) {
	if len(m.Interrupts) == 0 {
		return nil, nil
	}
	var entries, known []string
	for _, f := range img.Functions {
		known = append(known, f.Name)
	}
	for _, h := range harnesses {
		entries = append(entries, h.Entry)
	}
	notes, err := weave.Interrupts(module, build.Handlers(m.Interrupts), entries, known)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return notes, nil
}

// applyStubs replaces the functions that the manifest stubs.
func applyStubs(module *ir.Module, img *build.Image, m *manifest.Manifest) ([]string, error) {
	stubs := map[string]string{}
	for _, s := range m.Stubs {
		stubs[s.Func] = s.Kind
	}
	var known []string
	for _, f := range img.Functions {
		known = append(known, f.Name)
	}
	notes, err := weave.Stubs(module, stubs, append(known, img.Declared...))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return notes, nil
}

const defaultTimeout = 60 * time.Second

func loadTargets(names, def []string) ([]targets.Target, error) {
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

// regions turns the memory map of address space 0 into the engine's.
func regions(list []targets.Region) []ir.Region {
	access := map[targets.Access]ir.Access{targets.RAM: ir.AccessReadWrite, targets.ROM: ir.AccessRead,
		targets.Volatile: ir.AccessVolatile, targets.Constant: ir.AccessRead,
		targets.WriteOnly: ir.AccessVolatile}
	var out []ir.Region
	for _, r := range list {
		if r.Space == 0 {
			out = append(out, ir.Region{Name: r.Name, Base: r.Base, Size: r.Size, Access: access[r.Access]})
		}
	}
	return out
}

// readBaseline reads the fingerprints of the violations in an earlier JSON report.
func readBaseline(path string) (map[string]bool, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	var old verdict.Report
	if err := json.Unmarshal(data, &old); err != nil {
		return nil, fmt.Errorf("--baseline %s: not a JSON report of firmproof: %w", path, err)
	}
	known := map[string]bool{}
	for i := range old.Results {
		for j := range old.Results[i].Claims {
			if c := &old.Results[i].Claims[j]; c.Status == verdict.Violated {
				known[reports.Fingerprint(&old.Results[i], c)] = true
			}
		}
	}
	return known, nil
}

// statusAgainst is the report's status without the violations of the baseline
// and the suppressed ones.
func statusAgainst(r *verdict.Report, known map[string]bool) verdict.Status {
	s := verdict.Invalid
	for i := range r.Results {
		res := &r.Results[i]
		if res.Reason != nil {
			s = verdict.Worse(s, verdict.Unknown)
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status == verdict.Violated && (known[reports.Fingerprint(res, c)] || c.Suppressed != "") {
				continue
			}
			s = verdict.Worse(s, c.Status)
		}
	}
	return s
}
