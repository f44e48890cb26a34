package reports

import (
	"fmt"
	"slices"
	"strings"
)

// Gaps says what of a change was not looked at.
type Gaps struct {
	Functions []string `json:"functions,omitempty"` // that differ from the base, and that no entry comes to
	All       bool     `json:"all,omitempty"`       // no entry comes to any function that differs
	Callers   []string `json:"callers,omitempty"`   // of changed functions, beyond the nearest ones
	Less      []Less   `json:"less,omitempty"`      // what is asked less than of the base
	Unasked   []string `json:"unasked,omitempty"`   // findings of the base that may be gone because of Less, by Key
	Ended     []string `json:"ended,omitempty"`     // entries without a whole answer, as someone ended the run
	// findings of the base that are not found any more, and that nothing shows to be mended, by Key
	Doubtful []string `json:"doubtful,omitempty"`
	// likewise, where the head does not fail on the inputs that show them: whether it does on others was not decided
	Passing []string          `json:"passing,omitempty"`
	Renamed map[string]string `json:"renamed,omitempty"` // functions, by their names in the base
	// the base does not have the target; and the functions that count as changed, as C names them
	NewTarget bool     `json:"new_target,omitempty"`
	Changed   []string `json:"changed,omitempty"`
}

// Less is something that a commit is asked less than its base, or under more assumptions.
type Less struct {
	Entry string `json:"entry,omitempty"` // that it is about; empty: all
	Bound bool   `json:"bound,omitempty"` // it is a bound: a proof without bounds does not rest on it
	What  string `json:"what"`            // in words
}

// Counts reports whether a finding of an entry that is gone may be gone because of l; proved: its claim is proved.
func (l *Less) Counts(entry string, proved bool) bool {
	return (l.Entry == "" || l.Entry == entry) && !(l.Bound && proved)
}

// text lists the gaps in Markdown; empty if there are none.
func (g *Gaps) text() string {
	out := ""
	if len(g.Ended) > 0 {
		out += "\n**Ended before it was done**, without a whole answer: " + someNames(g.Ended) + ".\n"
	}
	if len(g.Functions) > 0 {
		out += "\n**Not looked at**: " + someNames(g.Functions) + ". " +
			"The code differs from the base, and no harness comes to it: `functions: changed` in the manifest calls what changed.\n"
	}
	if len(g.Callers) > 0 {
		out += "\n**Callers left out**: " + someNames(g.Callers) + ". " +
			"They lead to what changed; only the nearest ones are called.\n"
	}
	if len(g.Less) > 0 {
		out += "\n**Asked less** than of the base\n"
		for _, l := range g.Less {
			out += "\n- " + Inert(l.What)
		}
		out += "\n"
	}
	if len(g.Unasked) > 0 {
		out += "\n**Not found any more, which is no repair**: less is asked\n"
		for _, k := range g.Unasked {
			entry, id, _ := strings.Cut(k, "|")
			out += fmt.Sprintf("\n- %s (%s)", Code(id), Code(entry))
		}
		out += "\n"
	}
	if len(g.Doubtful) > 0 {
		out += "\n**Not found any more, and not known to be mended**: the inputs of the base still fail, or less far was looked\n"
		for _, k := range g.Doubtful {
			entry, id, _ := strings.Cut(k, "|")
			out += fmt.Sprintf("\n- %s (%s)", Code(id), Code(entry))
		}
		out += "\n"
	}
	if len(g.Passing) > 0 {
		out += "\n**No failure any more on the inputs that showed it**: whether other inputs bring it about was not decided\n"
		for _, k := range g.Passing {
			entry, id, _ := strings.Cut(k, "|")
			out += fmt.Sprintf("\n- %s (%s)", Code(id), Code(entry))
		}
		out += "\n"
	}
	return out
}

// someNames lists functions, the first of them by name.
func someNames(list []string) string {
	var out []string
	for _, n := range list[:min(len(list), maxListed)] {
		out = append(out, Code(n))
	}
	if more := len(list) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// nothingChecked is said of a change of which nothing was checked, as nothing differs.
const nothingChecked = "Nothing was checked: no function that is built differs from the base in code, types or " +
	"constants, and there are no harnesses."

// nothingReached is the same where something differs.
const nothingReached = "Nothing of the change was checked: no harness comes to what differs from the base."

// Add adds the gaps of another target.
func (g *Gaps) Add(other Gaps) {
	g.All = g.All || other.All
	g.Functions, g.Callers = union(g.Functions, other.Functions), union(g.Callers, other.Callers)
	g.Ended = union(g.Ended, other.Ended)
	g.Less, g.Unasked = union(g.Less, other.Less), union(g.Unasked, other.Unasked)
	g.Doubtful, g.Changed = union(g.Doubtful, other.Doubtful), union(g.Changed, other.Changed)
	g.Passing = union(g.Passing, other.Passing)
	g.NewTarget = g.NewTarget || other.NewTarget
	for was, is := range other.Renamed {
		if g.Renamed == nil {
			g.Renamed = map[string]string{}
		}
		g.Renamed[was] = is
	}
}

func union[T comparable](list, more []T) []T {
	for _, n := range more {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}
