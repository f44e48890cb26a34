package prepare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/moved"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// add reads the image and makes a job for each harness.
func (b *preparation) add(img *compile.Image, t targets.Target, harnesses []manifest.Harness,
	m *manifest.Manifest) error {
	if len(img.Missing) > 0 {
		e := img.Missing[0]
		msg := fmt.Sprintf("there is no function %q to start from", e.Entry)
		if e.Nearest != "" {
			msg += fmt.Sprintf(", did you mean %q?", e.Nearest)
		}
		return errors.New(msg)
	}
	module, read, err := Read(img.IRPath)
	if err != nil {
		return err
	}
	mis, assumptions, absent, err := b.applyStubs(module, img, m)
	if err != nil {
		return err
	}
	regions := weave.Registers(module, Regions(img.Memory))
	var woven *interrupt.Woven
	if m != nil && len(m.Interrupts) > 0 {
		if woven, err = b.weaveInterrupts(module, img, m, harnesses, regions); err != nil {
			return err
		}
		assumptions = append(assumptions, woven.Assumptions...)
	}
	b.loops = loopsOf(module)
	if b.unwindSet, err = b.loops.expand(b.req.UnwindSet); err != nil {
		return err
	}
	base := b.base(t, append(stagesOf(img), read), append(img.Notes, absent...))
	base.Program, base.Machine, base.Markers = module, machineOf(t), markersOf(module)
	base.Plan.Assumptions, base.Plan.Hosted = assumptions, t.Hosted
	base.Plan.Semantics = ir.Semantics{AddressZero: t.Address0, Regions: regions, Registers: img.Registers,
		MallocNeverFails: t.Malloc == targets.MallocNeverFails}
	var generated []Job
	var program *harness.Program
	b.near = nil
	var own *project
	funcs := slices.Clone(module.Funcs)
	if m != nil {
		own = projectOf(img, m)
	}
	first := len(b.jobs)
	calls := m != nil && (len(b.named) > 0 || len(b.req.Entries) == 0)
	keeps := harness.ReadsVolatile(module) && (m == nil || len(m.Interrupts) == 0 &&
		(m.Volatile == manifest.VolatileUnsaid || m.Volatile == manifest.VolatileKept))
	if calls || keeps && len(harnesses) > 0 {
		program = harness.NewProgram(module)
		program.Woven(woven)
	}
	if calls {
		if generated, err = b.generated(base, img, m, program); err != nil {
			return err
		}
	}
	for _, h := range harnesses {
		checks, err := b.checks(h)
		if err != nil {
			return err
		}
		if !t.Leak && !b.names(verdict.Leak, h.Checks) {
			delete(checks, verdict.Leak)
		}
		j := base
		j.Notes = slices.Concat(base.Notes, b.notes, b.described(checks, img, h.Checks))
		asked := append(slices.Clone(b.req.Checks), h.Checks...)
		if slices.Contains(asked, string(verdict.Race)) && checks.Has(verdict.Race) && (m == nil || len(m.Interrupts) == 0) {
			j.Notes = append(j.Notes, "race: there is nothing to look for, since `interrupts` of the manifest lists no handlers")
		}
		if entry := module.Func(h.Entry); entry != nil {
			if list := harness.Unlisted(module, entry, woven); len(list) > 0 {
				j.Quiet = list
				j.Notes = append(j.Notes, fmt.Sprintf("%s: handlers of interrupts that change what this harness reads do not run "+
					"in it: `interrupts` of the manifest has them run", strings.Join(list, ", ")))
			}
		}
		j.Plan.Entry, j.Plan.Checks = h.Entry, checks
		j.Plan.EndsUnasked = !b.names(verdict.Termination, h.Checks)
		j.Plan.Stack = stackOf(img, checks)
		b.fromManifest(&j, h, m)
		if entry := module.Func(h.Entry); entry != nil && !j.Plan.VolatileMemory {
			j.Plan.Open = harness.VolatilePointers(module, entry)
			if keeps {
				j.Plan.KeepsRanges = true
				rests, open := program.Kept(entry, m != nil && m.Volatile == manifest.VolatileKept)
				j.Plan.Assumptions = append(slices.Clone(j.Plan.Assumptions), rests...)
				j.Plan.Open = append(j.Plan.Open, open...)
			}
		}
		mis.complete(&j)
		b.jobs = append(b.jobs, j)
	}
	for i := range generated {
		mis.complete(&generated[i])
	}
	b.jobs = append(b.jobs, generated...)
	if m != nil && b.req.Outline {
		if !calls || m.Functions != manifest.FunctionsChanged && !b.req.Whole {
			program = nil // nobody asks what harnesses give
		}
		o := outlineOf(module, funcs, own, program, machineFor(img, t))
		o.reach(b.jobs[first:])
		b.near.outline(o, module)
		b.outlines[t.Name] = o
		return b.keepVersion(t, img, m)
	}
	return nil
}

// base is a job with what the request says of every one.
func (b *preparation) base(t targets.Target, stages []verdict.Stage, notes []string) Job {
	r := &b.req
	timeout := r.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	return Job{Stages: stages, Notes: notes, Timeout: timeout, Plan: verifier.Plan{
		Target: t.Name, Unwind: r.Unwind, UnwindSet: r.UnwindSet, Depth: r.Depth, Memory: r.Memory,
		Integers: r.Integers, Solver: r.Solver, Off: r.Off, StopAfter: r.StopAfter, Relevant: r.Relevant,
		Coverage: r.Coverage}}
}

// stagesOf are the stages of a build, as results show them.
func stagesOf(img *compile.Image) []verdict.Stage {
	out := []verdict.Stage{}
	for _, s := range img.Stages {
		out = append(out, verdict.Stage{Name: s.Name, Seconds: s.Seconds})
	}
	return out
}

// machineOf returns what the target decides about C.
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

// names reports whether the request, or else the harness, names a check that is off there unless it is named.
func (b *preparation) names(check verdict.Check, harness []string) bool {
	list := b.req.Checks
	if len(list) == 0 {
		list = harness
	}
	return slices.ContainsFunc(list, func(c string) bool {
		return strings.TrimSpace(c) == string(check) || strings.TrimSpace(c) == "all"
	})
}

// fromManifest takes the harness's limits where the request says nothing.
func (b *preparation) fromManifest(j *Job, h manifest.Harness, m *manifest.Manifest) {
	if j.Plan.Unwind == 0 {
		j.Plan.Unwind = h.Unwind
	}
	if j.Plan.Depth == 0 {
		j.Plan.Depth = h.Depth
	}
	if h.Timeout > 0 && b.req.Timeout == 0 {
		j.Timeout = h.Timeout
	}
	set := map[string]int{}
	for _, l := range h.Unwindset {
		name := l.Func
		if l.Loop >= 0 {
			name = fmt.Sprintf("%s.%d", l.Func, l.Loop)
		}
		bounds, err := b.loops.expand(map[string]int{name: l.Bound})
		if err != nil {
			j.Notes = append(j.Notes, err.Error())
		}
		maps.Copy(set, bounds)
	}
	maps.Copy(set, b.unwindSet)
	j.Plan.UnwindSet = set
	if m == nil {
		return
	}
	j.Plan.Coverage = j.Plan.Coverage || m.Report.Coverage
	j.Plan.VolatileMemory = j.Plan.VolatileMemory || m.Volatile == manifest.VolatileMemory
	if len(m.Interrupts) > 0 {
		j.Plan.VolatileMemory = true // the handlers say who else writes
		if n := interrupt.Turns(compile.Handlers(m.Interrupts)); n < interrupt.AnyTimes {
			set[irbuild.Point+".0"] = n + 1
		}
	}
	for _, s := range m.Suppress {
		own := suppression{Suppression: s, Named: s.Claim, Expired: !s.Until.IsZero() && !time.Now().Before(s.Until)}
		own.Claim = moved.ClaimID(j.Program, s.Claim)
		own.Absent = j.Program != nil && j.Program.Func(functionOf(s.Claim)) == nil
		j.Suppressed = append(j.Suppressed, own)
	}
}

// weaveInterrupts lets the interrupt handlers of the manifest run between steps.
func (b *preparation) weaveInterrupts(module *ir.Module, img *compile.Image, m *manifest.Manifest,
	harnesses []manifest.Harness, regions []ir.Region) (*interrupt.Woven, error) {
	var entries, known []string
	for _, f := range img.Functions {
		known = append(known, f.Name)
	}
	races := false
	for _, h := range harnesses {
		entries = append(entries, h.Entry)
		checks, err := b.checks(h)
		if err != nil {
			return nil, err
		}
		races = races || checks.Has(verdict.Race)
	}
	out, err := interrupt.Interrupts(&interrupt.Program{Module: module, Entries: entries, Known: known, Races: races,
		Devices: func(at uint64, n int64) bool { return ir.InDevice(regions, at, n) }}, compile.Handlers(m.Interrupts))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return out, nil
}

// described leaves out the check of registers where no file describes them, and says so where somebody names it.
func (b *preparation) described(checks verdict.CheckSet, img *compile.Image, named []string) []string {
	if !checks.Has(verdict.Register) || len(img.Registers) > 0 {
		return nil
	}
	delete(checks, verdict.Register)
	if !slices.Contains(slices.Concat(b.req.Checks, named), string(verdict.Register)) {
		return nil
	}
	return []string{"register: there is nothing to look for, since no file of `build.svd` describes the registers"}
}

// Regions turns the memory map of address space 0 into the engine's.
func Regions(list []targets.Region) []ir.Region {
	access := map[targets.Access]ir.Access{targets.RAM: ir.AccessReadWrite, targets.ROM: ir.AccessRead,
		targets.Volatile: ir.AccessVolatile, targets.Constant: ir.AccessRead,
		targets.WriteOnly: ir.AccessVolatile}
	var out []ir.Region
	for _, r := range list {
		if r.Space == 0 {
			out = append(out, ir.Region{Name: r.Name, Base: r.Base, Size: r.Size, Access: access[r.Access],
				NoRead: r.Access == targets.WriteOnly})
		}
	}
	return out
}
