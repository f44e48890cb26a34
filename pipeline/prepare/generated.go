package prepare

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// AnyCall starts the shown names of generated harnesses.
const AnyCall = "any call of "

// generated makes a harness for each function that `functions` of the manifest means,
// and a job of it. A function that no harness can be made for is an unknown.
func (b *preparation) generated(base Job, img *compile.Image, m *manifest.Manifest, program *harness.Program) (
	[]Job, error) {
	list, err := b.chosen(base.Program, img, m, base.Plan.Target)
	if err != nil {
		return nil, err
	}
	b.since = b.unlooked(m)
	base.Notes = slices.Concat(base.Notes, b.since, b.leftOut(base.Program, img, m, list), b.aboutNobody(base.Program, m))
	var out []Job
	calledBy := weave.Callers(base.Program)
	allocating := allocatingOf(base.Program, calledBy)
	if err := b.give(program, m); err != nil {
		return nil, err
	}
	if b.req.Timeout == 0 && len(b.named) == 0 && b.req.Called == nil &&
		(m.Functions == manifest.FunctionsAll || m.Functions == manifest.FunctionsNamed) {
		base.Timeout = EachTimeout
	}
	static := map[string]bool{}
	for _, f := range img.Functions {
		static[f.Name] = f.Static
	}
	linkage := func(f *ir.Func) (is, known bool) {
		is, known = static[f.Name]
		return is, known
	}
	samples := sync.OnceValue(func() [][]byte { return samplesIn(b.tree, b.req.Changed) })
	for _, f := range b.onlyGenerated(base.Program, list, calledBy) {
		j := base
		name := AnyCall + shownName(base.Program, f)
		if err := program.Misnamed(f); err != nil {
			return nil, err
		}
		h, err := program.Harness(f)
		if err != nil {
			s := settled(name, base.Plan.Target, "no harness can be made: "+err.Error())
			s.Stages, s.Notes = base.Stages, base.Notes
			out = append(out, s)
			continue
		}
		if err := b.unknownPlaces(f.CName, h.Places, m); err != nil {
			return nil, err
		}
		if j.Plan.Checks, err = b.checks(manifest.Harness{}); err != nil {
			return nil, err
		}
		if b.asksLost(f, img, allocating) {
			j.Plan.Leaks = ir.LeakCalled
		} else {
			delete(j.Plan.Checks, verdict.Leak)
		}
		delete(j.Plan.Checks, verdict.Race) // it does not say whether handlers interrupt the function, or call it
		if !b.names(verdict.PointerOverflow, nil) {
			delete(j.Plan.Checks, verdict.PointerOverflow) // what counts is the access
		}
		j.Plan.Stack = stackOf(img, j.Plan.Checks)
		j.Plan.KeepsRanges = true
		j.Plan.EndsUnasked = !b.names(verdict.Termination, nil)
		j.Plan.Entry, j.Label, j.Plan.Generated = h.Entry.Name, name, true
		j.Plan.Assumptions = append(slices.Clone(base.Plan.Assumptions), h.Assumptions...)
		j.Plan.Open = h.Open
		j.Notes = slices.Concat(base.Notes, h.Warnings, b.described(j.Plan.Checks, img, nil))
		j.Plan.Calls = callsOf(program, h, f, linkage)
		if b.near != nil || b.req.Called != nil || len(b.named) > 0 && len(b.req.Changed) > 0 { // of a change
			j.Plan.Samples = samples()
			if w := program.Wide(f); w != nil {
				j.Plan.Wide = beside(&base, w)
			}
		}
		if o := program.Overlapping(f); o != nil {
			j.Plan.Overlap = beside(&base, o)
		}
		for _, l := range program.Longer(f) {
			j.Plan.Longer = append(j.Plan.Longer, beside(&base, l))
		}
		if made := program.Made(f, linkage); made != nil {
			j.Plan.Made = beside(&base, made)
		}
		j.Plan.Guesses, j.Plan.Texts, j.Structs, j.Tests = h.Guesses, h.Texts, h.Structs, h.Tests
		j.Doubted, j.Unended, j.Unplaced = h.Doubted, h.Unended, h.Unplaced
		for _, name := range slices.Sorted(maps.Keys(h.Counts)) {
			j.Counts = append(j.Counts, f.CName+"."+name+"="+h.Counts[name].String())
		}
		for _, name := range slices.Sorted(maps.Keys(h.Needs)) {
			j.Needs = append(j.Needs, fmt.Sprintf("%s.%s=%d", f.CName, name, h.Needs[name]))
		}
		if len(b.named) == 0 {
			if is, known := linkage(f); !h.Dropped || is || !known { // else what the other commit asks is for callers elsewhere
				j.Callers = b.callers(base.Program, f, list, calledBy, m)
			}
			b.near.complete(&j, f, base.Program, calledBy)
		}
		b.fromManifest(&j, manifest.Harness{}, m)
		out = append(out, j)
	}
	return out, nil
}

// stackOf is what the check `stack` asks about the program of an image; nil where nobody asks.
func stackOf(img *compile.Image, checks verdict.CheckSet) *ir.Stack {
	if !checks.Has(verdict.Stack) {
		return nil
	}
	return &ir.Stack{Size: int64(img.Target.StackSize), Frames: img.Frames}
}

// beside is an entry that a generated harness has beside its own.
func beside(base *Job, h *harness.Harnessed) *problem.Wide {
	return &problem.Wide{Entry: h.Entry.Name, Open: h.Open,
		Assumptions: append(slices.Clone(base.Plan.Assumptions), h.Assumptions...)}
}

// CalledIn lists the functions that generated harnesses call: those whose findings need to be known of the base, too.
func CalledIn(jobs []Job) []string {
	out := []string{}
	for i := range jobs {
		if name, ok := strings.CutPrefix(jobs[i].Name(), AnyCall); ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// CalledBy lists the functions whose calls a report is about; nil: none.
func CalledBy(r *verdict.Report) []string {
	if r == nil {
		return nil
	}
	var out []string
	for i := range r.Results {
		if name, ok := strings.CutPrefix(r.Results[i].Entry, AnyCall); ok {
			out = append(out, name)
		}
	}
	return out
}

// changedLines are the lines that count as changed.
func (b *preparation) changedLines(m *manifest.Manifest) (map[string][]reports.LineRange, error) {
	switch {
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
