package prepare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// missing knows what a program declares and does not define, and what the user says of it.
type missing struct {
	kind    string            // of stub for functions that no name means; empty: none
	stubbed map[*ir.Func]bool // by it
	known   map[string]bool   // variables that the linker script provides

	effects map[*ir.Func][]string // functions without a body whose effect is known, by those that call them
}

// applyStubs replaces the functions that the manifest and the request stub, and returns the
// assumptions that this makes and what is to be said of stubs that stand for nothing.
func (b *preparation) applyStubs(module *ir.Module, img *compile.Image, m *manifest.Manifest) (
	mis *missing, assumptions []verdict.Assumption, notes []string, err error) {
	stubs := map[string]string{}
	if m != nil {
		for _, s := range m.Stubs {
			stubs[s.Func] = s.Kind
		}
	}
	maps.Copy(stubs, b.req.Stubs)
	mis = &missing{kind: stubs[manifest.AnyStub], stubbed: map[*ir.Func]bool{}, known: map[string]bool{}}
	delete(stubs, manifest.AnyStub)
	for _, s := range img.Symbols {
		mis.known[s.Name] = true
	}
	var known []string
	for _, f := range img.Functions {
		known = append(known, f.Name)
	}
	assumptions, absent, err := weave.Stubs(module, stubs, append(known, img.Declared...))
	if err == nil {
		mis.effects = weave.Known(module)
	}
	if err == nil && mis.kind != "" {
		var rest []*ir.Func
		rest, err = weave.StubRest(module, mis.kind)
		for _, f := range rest {
			mis.stubbed[f] = true
		}
	}
	if err != nil && m != nil && m.Path != "" {
		err = fmt.Errorf("%s: %w", m.Path, err)
	}
	return mis, assumptions, absent, err
}

// complete adds to a job what its entry reaches and the program does not define.
func (mis *missing) complete(j *Job) {
	if j.Settled != nil {
		return
	}
	entry := j.Program.Func(j.Plan.Entry)
	if entry == nil {
		return
	}
	reached := weave.Reached(j.Program, entry)
	var stubbed, ends, open, effects []string
	for f, names := range mis.effects {
		if reached.Funcs[f] {
			effects = append(effects, names...)
		}
	}
	slices.Sort(effects)
	if effects = slices.Compact(effects); len(effects) > 0 {
		j.assume(verdict.Read, fmt.Sprintf("%s: a call does what the library says, with any result that it allows: %s",
			have(len(effects), "function", "no body"), strings.Join(effects, ", ")))
	}
	for f := range mis.stubbed {
		switch {
		case !reached.Funcs[f]:
		case f.Model == ir.ModelTrapI:
			ends = append(ends, f.Name)
		default:
			stubbed = append(stubbed, f.Name)
		}
	}
	for _, f := range weave.Bodiless(j.Program) {
		if reached.Funcs[f] {
			open = append(open, f.Name)
		}
	}
	if slices.Sort(ends); len(ends) > 0 {
		j.assume(verdict.Read, fmt.Sprintf("%s, declared not to return: a call ends the program: %s",
			have(len(ends), "function", "no body"), strings.Join(ends, ", ")))
	}
	j.Stubbed = stubbed
	if slices.Sort(stubbed); len(stubbed) > 0 {
		j.assume(verdict.Declared, fmt.Sprintf("%s: a call gives %s; nothing else changes: %s",
			have(len(stubbed), "function", "no body"), weave.StubMeans(mis.kind), strings.Join(stubbed, ", ")))
	}
	if len(open) > 0 {
		slices.Sort(open)
		j.Bodiless, j.BodilessNote = open, bodiless(open, mis.kind)
	}
	var data []string
	for g := range reached.Globals {
		if g.Extern && g.Section == "" && !g.Weak && !mis.known[g.Name] && !strings.HasPrefix(g.Name, "firmproof_") {
			data = append(data, g.Name)
		}
	}
	if slices.Sort(data); len(data) > 0 {
		j.Notes = append(j.Notes, fmt.Sprintf("%s, and so any value: %s",
			have(len(data), "variable", "no definition in the program"), strings.Join(data, ", ")))
	}
}

// assume puts what calls of functions without a body do in front of the assumptions of a job.
func (j *Job) assume(origin verdict.Origin, text string) {
	j.Plan.Assumptions = slices.Insert(slices.Clone(j.Plan.Assumptions), 0,
		verdict.Assume("", verdict.Calls, origin, text))
}

// bodiless says that functions have no body, and what to write where.
func bodiless(names []string, kind string) string {
	s := fmt.Sprintf("%s: %s: what comes after a call is unknown", have(len(names), "function", "no body"),
		strings.Join(names, ", "))
	if names = slices.DeleteFunc(slices.Clone(names), ir.ReturnsTwice); len(names) == 0 {
		return s + " (a jump comes back to it with what memory holds then, which no stub does)"
	}
	if kind != "" {
		return s + " (a structure among the arguments holds pointers: write a stub in C, or nondet)"
	}
	return s + fmt.Sprintf(
		"; to let a call give %s, write `stubs: {%s: havoc}` in the manifest, or `stubs: {\"*\": havoc}` for all (--stub '*=havoc')",
		weave.StubMeans(weave.StubHavoc), strings.Join(names, ": havoc, "))
}

// have is "1 NOUN has WHAT" or "3 NOUNs have WHAT".
func have(n int, noun, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s has %s", noun, what)
	}
	return fmt.Sprintf("%d %ss have %s", n, noun, what)
}
