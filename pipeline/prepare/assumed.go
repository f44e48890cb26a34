package prepare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// assumed lists what the manifest and the request say about arguments of generated harnesses, the request last.
func (b *preparation) assumed(m *manifest.Manifest) []manifest.Assumption {
	var out []manifest.Assumption
	if m != nil {
		out = slices.Clone(m.Assume)
	}
	for _, place := range slices.Sorted(maps.Keys(b.req.Assume)) {
		out = append(out, manifest.Assumption{Place: place, Text: b.req.Assume[place]})
	}
	return out
}

// give tells the program what is said about arguments.
func (b *preparation) give(p *harness.Program, m *manifest.Manifest) error {
	for _, a := range b.assumed(m) {
		if a.Text == manifest.MayAlias {
			if err := alias(a.Places()); err != nil {
				return fmt.Errorf("%s: %w", where(m, a), err)
			}
			p.MayAlias(a.Places())
			continue
		}
		if a.Text == manifest.OneBlock {
			if !p.Pool(a.Place) {
				return fmt.Errorf("%s: the program defines no variable %s", where(m, a), a.Place)
			}
			continue
		}
		g, err := harness.ParseGiven(a.Text)
		if err != nil {
			return fmt.Errorf("%s: %w", where(m, a), err)
		}
		p.Give(a.Place, g)
	}
	for _, place := range b.req.Doubted {
		if !p.Given(place) {
			null := true
			p.Give(place, &harness.Given{Null: &null, Doubted: true})
		}
	}
	for _, c := range b.req.Counts {
		if place, by, is := strings.Cut(c, "="); is {
			p.Counts(place, harness.ParseCount(by))
		}
	}
	for _, n := range b.req.Needs {
		place, bytes, _ := strings.Cut(n, "=")
		if n, err := strconv.ParseInt(bytes, 10, 64); err == nil {
			p.Needs(place, n)
		}
	}
	return nil
}

// aboutNobody says what is said about arguments of functions that the program does not have.
func (b *preparation) aboutNobody(module *ir.Module, m *manifest.Manifest) (out []string) {
	for _, a := range b.assumed(m) {
		if f, _, _ := strings.Cut(a.Place, "."); a.Text != manifest.OneBlock && len(called(module, f)) == 0 {
			out = append(out, fmt.Sprintf("%s: the program has no function %s", where(m, a), f))
		}
	}
	return out
}

// alias returns an error where places are not two pointers or more of one function.
func alias(places []string) error {
	of := func(place string) string { f, _, _ := strings.Cut(place, "."); return f }
	if len(places) < 2 || slices.ContainsFunc(places, func(p string) bool { return of(p) != of(places[0]) }) {
		return fmt.Errorf("`%s` is said of two pointers or more of one function", manifest.MayAlias)
	}
	return nil
}

// countsOf lists what jobs say of the sizes that parameters count, as Asked.Counts.
func countsOf(jobs []Job) (out []string) {
	for i := range jobs {
		for _, c := range jobs[i].Counts {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// needsOf lists how much jobs access of what pointers of the named functions lead to, as Asked.Needs.
func needsOf(jobs []Job, of map[string]bool) (out []string) {
	for i := range jobs {
		for _, n := range jobs[i].Needs {
			if of[jobs[i].function()] && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// changedLines names the functions, in C, that counted as changed in outlines.
func changedLines(outlines map[string]*Outline) map[string]bool {
	out := map[string]bool{}
	for _, o := range outlines {
		for _, f := range o.Changed {
			out[cmp.Or(o.Shown[f], f)] = true
		}
	}
	return out
}

// doubtedIn lists the pointers of generated harnesses that may be null, and the numbers that may be none of their
// enumerators, as Asked.Doubted. A function that no longer asks is to be called with these all the same: its callers may
// rely on the check.
func doubtedIn(jobs []Job) []string {
	out := map[string]bool{}
	for i := range jobs {
		for _, a := range jobs[i].Plan.Assumptions {
			if a.Relation == verdict.Nullness && a.Origin == verdict.Read {
				out[jobs[i].function()+"."+a.Subject] = true
			}
		}
		for _, name := range jobs[i].Doubted {
			out[jobs[i].function()+"."+name] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// unknownPlaces returns an error for something that is said about an argument which the harness of function does not
// have.
func (b *preparation) unknownPlaces(function string, places map[string]bool, m *manifest.Manifest) error {
	for _, a := range b.assumed(m) {
		for _, place := range a.Places() {
			f, name, _ := strings.Cut(place, ".")
			if f != function || places[name] {
				continue
			}
			known := slices.Sorted(maps.Keys(places))
			text := fmt.Sprintf("%s: a call of %s has no argument or member %s", where(m, a), f, name)
			if near := verdict.Nearest(name, known); near != "" {
				return fmt.Errorf("%s, did you mean %s?", text, near)
			}
			if len(known) > 12 {
				known = append(known[:12], "...")
			}
			return fmt.Errorf("%s; it has %s", text, strings.Join(known, ", "))
		}
	}
	return nil
}

func where(m *manifest.Manifest, a manifest.Assumption) string {
	if a.Line == 0 {
		return "--assume " + a.Place
	}
	return fmt.Sprintf("%s:%d: assume: %s", m.Path, a.Line, a.Place)
}

// nameAssumed notes for each violation in a generated harness which assumptions are about what it depends on.
func (j *Job) nameAssumed(res *verdict.Result) {
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status != verdict.Violated {
			continue
		}
		needed, own := j.dependsOn(c), res.RestsOn(c) // of longer inputs
		c.Assumptions = nil
		for _, a := range slices.Concat(own, j.Plan.Assumptions) {
			other := func(b verdict.Assumption) bool {
				return a.ID != b.ID && a.Subject == b.Subject && a.Relation == b.Relation
			}
			if a.Subject != "" && needed[a.Subject] && !slices.ContainsFunc(own, other) && !slices.Contains(c.Assumptions, a.ID) {
				c.Assumptions = append(c.Assumptions, a.ID)
			}
		}
	}
}

// dependsOn names the pointers and numbers of the harness that a violation depends on.
func (j *Job) dependsOn(c *verdict.Claim) map[string]bool {
	out := map[string]bool{}
	for _, name := range c.Failure.Names(verdict.ByHarness) {
		out[name] = true
	}
	for i := range c.Trace {
		s := &c.Trace[i]
		if !s.Relevant {
			continue
		}
		if s.Kind == verdict.StepAlloc && s.Behind != "" {
			out[s.Behind] = true
		}
		if name, ok := strings.CutPrefix(s.From, j.function()+"."); ok {
			out[name] = true
		}
	}
	return out
}

// function returns the name of the function that a generated harness calls.
func (j *Job) function() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(j.Label, AnyCall), " (_Z") // what follows tells overloaded ones apart
	return name
}
