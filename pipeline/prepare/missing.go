package prepare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// missing knows what a program declares and does not define, and what the user says of it.
type missing struct {
	kind    string            // of stub for functions that no name means; empty: none
	stubbed map[*ir.Func]bool // by it
	known   map[string]bool   // variables that the linker script provides
	units   []compile.Unit
	tree    string            // the folder to look for definitions in
	defined map[string]string // what was found there; nil: nobody looked

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
	mis = &missing{kind: stubs[manifest.AnyStub], stubbed: map[*ir.Func]bool{}, known: map[string]bool{},
		tree: b.tree, units: img.Units}
	delete(stubs, manifest.AnyStub)
	for _, s := range img.Symbols {
		mis.known[s.Name] = true
	}
	var known []string
	for _, f := range img.Functions {
		known = append(known, f.Name)
	}
	noteConst(img.Units, weave.Bodiless(module))
	weave.NoteStarts(module)
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
	reached := places.Reached(j.Program, entry)
	j.Refused = refusedBy(mis.units, reached)
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
	starts := map[string]bool{}
	for _, f := range weave.Bodiless(j.Program) {
		if reached.Funcs[f] {
			open, starts[f.Name] = append(open, f.Name), f.Starts
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
		j.Bodiless, j.BodilessNote = open, bodiless(open, mis.kind, starts)
	}
	var data []string
	for g := range reached.Globals {
		if g.Extern && g.Section == "" && !g.Weak && !mis.known[g.Name] && !strings.HasPrefix(g.Name, "firmproof_") {
			data = append(data, g.Name)
		}
	}
	if slices.Sort(data); len(data) > 0 {
		j.Plan.Undefined, j.Undefined = data, map[string]string{}
		named := slices.Clone(data)
		for i, at := range mis.definitions(j.Program, data) {
			if j.Undefined[data[i]] = at; at != "" {
				named[i] += " (" + at + " defines it)"
			}
		}
		j.Notes = append(j.Notes, fmt.Sprintf("%s, and so any value: %s",
			have(len(data), "variable", "no definition in the program"), strings.Join(named, ", ")))
	}
}

// assume puts what calls of functions without a body do in front of the assumptions of a job.
func (j *Job) assume(origin verdict.Origin, text string) {
	j.Plan.Assumptions = slices.Insert(slices.Clone(j.Plan.Assumptions), 0,
		verdict.Assume("", verdict.Calls, origin, text))
}

// definitions returns where the tree defines variables of the program, "" for those of which that is not known.
func (mis *missing) definitions(m *ir.Module, names []string) []string {
	if mis.defined == nil {
		var all []string
		for _, g := range m.Globals {
			if g.Extern {
				all = append(all, g.Name)
			}
		}
		mis.defined = map[string]string{}
		if mis.tree != "" {
			mis.defined = definitions(mis.tree, all)
		}
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = mis.defined[n]
	}
	return out
}

// ofUndefined returns why a violation is no finding that depends on what variables without a definition hold.
func (j *Job) ofUndefined(names []string) *verdict.Reason {
	at := ""
	for _, n := range names {
		if at = j.Undefined[n]; at != "" {
			break
		}
	}
	why := verdict.NotDefined(names)
	if at == "" {
		return why
	}
	file := at[:strings.LastIndex(at, ":")]
	why.Detail += ": " + at + " does"
	why.Remedy = fmt.Sprintf("check %s, too", file)
	return why
}

// bodiless says that functions have no body, and what to write where.
func bodiless(names []string, kind string, starts map[string]bool) string {
	s := fmt.Sprintf("%s: %s: what comes after a call is unknown", have(len(names), "function", "no body"),
		strings.Join(names, ", "))
	left := names[0]
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return starts[n] || ir.NoStub(n) != "" })
	switch why := ir.NoStub(left); {
	case len(names) == 0 && why != "":
		return s + " (" + why + ", which no stub does)"
	case len(names) == 0:
		return s + " (functions of the program may run later, or beside it, which no stub has them do)"
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
