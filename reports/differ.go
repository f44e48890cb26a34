package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Differences says, one line a claim, where targets disagree about the same
// claim of the same entry, and why that may be: what C leaves to the machine and the
// targets on both sides do not share.
func Differences(r *verdict.Report) []string {
	type key struct{ entry, id string }
	type seen struct {
		claim *verdict.Claim
		by    map[verdict.Status][]string
		on    map[bool][]*verdict.Machine // violated or not
	}
	found := map[key]*seen{}
	var order []key
	for i := range r.Results {
		res := &r.Results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			k := key{res.Entry, c.ID}
			if found[k] == nil {
				found[k] = &seen{claim: c, by: map[verdict.Status][]string{}, on: map[bool][]*verdict.Machine{}}
				order = append(order, k)
			}
			if c.Status == verdict.Violated {
				found[k].claim = c
			}
			found[k].on[c.Status == verdict.Violated] = append(found[k].on[c.Status == verdict.Violated], res.Machine)
			found[k].by[c.Status] = append(found[k].by[c.Status], res.Target)
		}
	}
	var out []string
	for _, k := range order {
		f := found[k]
		if len(f.by) < 2 || len(f.by[verdict.Violated]) == 0 {
			continue
		}
		var parts []string
		for _, s := range []verdict.Status{verdict.Violated, verdict.Unknown, verdict.Conditional,
			verdict.Bounded, verdict.Proved} {
			if t := f.by[s]; len(t) > 0 {
				parts = append(parts, fmt.Sprintf("%s on %s", s, strings.Join(t, ", ")))
			}
		}
		out = append(out, fmt.Sprintf("%s (%s, %s): %s", k.id, k.entry, f.claim.Pos, strings.Join(parts, "; "))+
			whyDiffer(f.claim, f.on[true], f.on[false]))
	}
	return out
}

// fact is one thing that C leaves to the machine. words are the C types whose values
// it changes, as traces show them; none if it can change any.
type fact struct {
	name  string
	of    func(*verdict.Machine) string
	words []string
}

func facts() []fact {
	bytes := func(n int) string { return fmt.Sprintf("%d bytes", n) }
	return []fact{
		{"width of int", func(m *verdict.Machine) string { return bytes(m.Int) }, []string{"int", "unsigned", "short"}},
		{"width of long", func(m *verdict.Machine) string { return bytes(m.Long) }, []string{"long"}},
		{"width of pointers", func(m *verdict.Machine) string { return bytes(m.Pointer) }, []string{"*", "size_t",
			"ptrdiff_t", "uintptr_t", "intptr_t"}},
		{"byte order", func(m *verdict.Machine) string { return m.Endian + " endian" }, nil},
		{"sign of char", func(m *verdict.Machine) string { return m.Char }, []string{"char"}},
		{"alignment of int", func(m *verdict.Machine) string { return bytes(m.AlignInt) }, nil},
		{"alignment of long long", func(m *verdict.Machine) string { return bytes(m.AlignLarge) }, nil},
	}
}

// whyDiffer names the facts that no target of one side shares with one of the other.
// Facts about types that the trace shows come alone; without any, all are named.
func whyDiffer(c *verdict.Claim, bad, good []*verdict.Machine) string {
	var all, seen []string
	for _, f := range facts() {
		here, there := valuesOf(bad, f), valuesOf(good, f)
		if len(here) == 0 || len(there) == 0 || slices.ContainsFunc(here,
			func(v string) bool { return slices.Contains(there, v) }) {
			continue
		}
		text := fmt.Sprintf("%s (%s, not %s)", f.name, strings.Join(here, " or "), strings.Join(there, " or "))
		all = append(all, text)
		if slices.ContainsFunc(c.Trace, func(s verdict.Step) bool { return mentions(s.Type, f.words) }) {
			seen = append(seen, text)
		}
	}
	switch {
	case len(seen) > 0:
		return "; because of the " + strings.Join(seen, ", ")
	case len(all) > 0:
		return "; the targets differ in " + strings.Join(all, ", ")
	}
	return ""
}

// mentions reports whether a C type has one of the words.
func mentions(t string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		if w == "*" {
			return strings.Contains(t, "*")
		}
		return slices.Contains(strings.Fields(t), w)
	})
}

// valuesOf lists the values of a fact, each once; nil if a machine is not known.
func valuesOf(list []*verdict.Machine, f fact) []string {
	var out []string
	for _, m := range list {
		if m == nil {
			return nil
		}
		if v := f.of(m); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
