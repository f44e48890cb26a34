package reports

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Behaviour says what the functions that a change touches do, compared with its base.
type Behaviour struct {
	Asked       bool                 `json:"asked,omitempty"` // it was, of a commit with a base
	Comparisons []verdict.Comparison `json:"comparisons,omitempty"`
	Added       []string             `json:"added,omitempty"`     // functions that the base does not have
	Gone        []string             `json:"gone,omitempty"`      // that the head does not have
	Unchanged   []string             `json:"unchanged,omitempty"` // patterns of functions that have to do the same as in the base
	Since       *Since               `json:"since,omitempty"`     // nil: none has to do the same as at a tag
}

// Add adds what is said of another target.
func (b *Behaviour) Add(other Behaviour) {
	b.Asked = b.Asked || other.Asked
	b.Comparisons = append(b.Comparisons, other.Comparisons...)
	b.Added, b.Gone = union(b.Added, other.Added), union(b.Gone, other.Gone)
	b.Unchanged = union(b.Unchanged, other.Unchanged)
	b.Since = b.Since.with(other.Since)
}

// Take adds answers.
func (b *Behaviour) Take(list ...verdict.Comparison) {
	for _, c := range list {
		if c.Since != "" && b.Since != nil {
			b.Since.Comparisons = append(b.Since.Comparisons, c)
		} else {
			b.Comparisons = append(b.Comparisons, c)
		}
	}
}

// all lists the comparisons with the base, and with a tag.
func (b *Behaviour) all() []verdict.Comparison {
	if b.Since == nil {
		return b.Comparisons
	}
	return slices.Concat(b.Comparisons, b.Since.Comparisons)
}

// held reports whether a function has to do the same.
func (b *Behaviour) held(name string) bool { return MatchesAny(b.Unchanged, name) }

// MatchesAny reports whether the name of a function in C is one that patterns (path.Match) stand for.
func MatchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		is, err := path.Match(pattern, name)
		return err == nil && is
	})
}

// keeps reports whether the function that c is about has to do the same, by the name that it has in the old version.
func (b *Behaviour) keeps(c *verdict.Comparison) bool {
	return c.Since != "" || b.held(cmp.Or(c.Old, c.Function))
}

// differs reports whether some function is shown to do something else.
func (b *Behaviour) differs() bool { return b.count(verdict.Differs) > 0 }

// breaks reports whether a function that has to do the same does not, or is gone.
func (b *Behaviour) breaks() bool {
	return b.Since.breaks() || slices.ContainsFunc(b.Gone, b.held) || slices.ContainsFunc(b.Comparisons, func(c verdict.Comparison) bool {
		return c.Status == verdict.Differs && b.keeps(&c)
	})
}

// unsure reports whether it is not proved that a function does the same that has to.
func (b *Behaviour) unsure() bool {
	return b.Since.unsure() || slices.ContainsFunc(b.Comparisons, func(c verdict.Comparison) bool {
		return c.Status != verdict.Same && b.keeps(&c)
	})
}

func (b *Behaviour) count(s verdict.Sameness) int {
	return (&verdict.Comparisons{Comparisons: b.Comparisons}).Count(s)
}

// text is the table in Markdown; empty if nothing was asked.
func (b *Behaviour) text() string {
	var out strings.Builder
	if b.Asked {
		out.WriteString("\n\n**What changed functions do**: ")
		if len(b.Comparisons) == 0 {
			out.WriteString("no function that both commits have changed.\n")
		} else {
			fmt.Fprintf(&out, "%s: %s.\n\n%s", plural(len(b.Comparisons), "function")+" changed", counts(b.Comparisons),
				b.table(b.Comparisons))
		}
		var waits []string
		for _, c := range b.Comparisons {
			if c.Status == verdict.NotCompared {
				waits = union(waits, []string{c.Function})
			}
		}
		if n := b.count(verdict.NotCompared); n > 0 {
			fmt.Fprintf(&out, "\n%d not compared, as the time for comparisons, a third of the verification's, was over: %s. "+
				"`/firmproof rerun`, or `firmproof diff`, compares them, too.\n", n, someNames(waits))
		}
		out.WriteString(layouts(b.Comparisons))
		if len(b.Added) > 0 {
			out.WriteString("\nOnly in the head, and so compared with nothing: " + someNames(b.Added) + ".\n")
		}
		if len(b.Gone) > 0 {
			out.WriteString("\nOnly in the base: " + someNames(b.Gone) + ".\n")
		}
		out.WriteString(bothCalls(b.Comparisons))
	}
	return out.String() + b.sinceText()
}

// table has a row for each function that was compared.
func (b *Behaviour) table(list []verdict.Comparison) string {
	var out strings.Builder
	out.WriteString("| function | target | on the same inputs | |\n|---|---|---|---|\n")
	for i := range list {
		if c := &list[i]; c.Status != verdict.NotCompared {
			fmt.Fprintf(&out, "| %s | %s | %s%s | %s |\n", codeCell(pairName(c)), Inert(c.Target), sameBadges[c.Status],
				sameWords[c.Status], Inert(b.note(c)))
		}
	}
	return out.String()
}

// bothCalls shows of each function that differs an input and both calls, folded.
func bothCalls(list []verdict.Comparison) string {
	var out strings.Builder
	for i := range list {
		c := &list[i]
		if c.Status != verdict.Differs {
			continue
		}
		var text strings.Builder
		comparison(&text, c)
		fmt.Fprintf(&out, "\n<details><summary><code>%s</code> on %s: an input, and both calls</summary>\n\n"+
			"```\n%s\n```\n\n</details>\n", inHTML(pairName(c)), inHTML(c.Target), fence(plain(strings.TrimSpace(text.String()))))
	}
	return out.String()
}

// layouts lists what has another layout in the head, and is compared by members; empty if nothing has.
func layouts(of []verdict.Comparison) string {
	var list []string
	for i := range of {
		list = union(list, of[i].Layouts)
	}
	if len(list) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("\nMemory has another layout in the head: both begin with the same in members of the same name, and these " +
		"are compared.\n\n")
	for _, text := range list[:min(len(list), maxListed)] {
		out.WriteString("- " + Inert(line(text)) + "\n")
	}
	if more := len(list) - maxListed; more > 0 {
		fmt.Fprintf(&out, "- and %d more\n", more)
	}
	return out.String()
}

// counts says how many functions do the same, and how many do not.
func counts(list []verdict.Comparison) string {
	var out []string
	for _, s := range []verdict.Sameness{verdict.Same, verdict.SameBounded, verdict.Differs, verdict.SameOpen,
		verdict.NotCompared} {
		if n := (&verdict.Comparisons{Comparisons: list}).Count(s); n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, sameMany[s]))
		}
	}
	return strings.Join(out, ", ")
}

// sameMany says the same as sameWords of some functions.
var sameMany = map[verdict.Sameness]string{verdict.Same: "the same on all inputs",
	verdict.SameBounded: "the same up to bounds", verdict.Differs: "not the same", verdict.SameOpen: "open",
	verdict.NotCompared: "not compared"}

var sameBadges = map[verdict.Sameness]string{verdict.Same: "✅ ", verdict.SameBounded: "☑️ ", verdict.Differs: "🔀 ",
	verdict.SameOpen: "❔ "}

func pairName(c *verdict.Comparison) string {
	if c.Old != "" {
		return c.Function + " (was " + c.Old + ")"
	}
	return c.Function
}

// note says in a line why: the first difference, or what is open.
func (b *Behaviour) note(c *verdict.Comparison) string {
	var out []string
	if b.keeps(c) && c.Status != verdict.Same {
		as := "the same"
		if c.Since != "" {
			as = "what it does in " + c.Since
		}
		out = append(out, "it has to do "+as+" (unchanged)")
	}
	switch {
	case len(c.Differences) > 0:
		d := &c.Differences[0]
		text := strings.TrimSuffix(differenceIn(c, d), ": ")
		if d.Old != "" || d.New != "" {
			text += fmt.Sprintf(": %s, was %s", cmp.Or(d.New, "-"), cmp.Or(d.Old, "-"))
		}
		if in := inputsOf(d.Trace); in != "" {
			text += " with " + in
		}
		out = append(out, text)
	case c.Reason != nil:
		out = append(out, c.Reason.Detail)
	}
	if c.Status == verdict.SameBounded {
		out = append(out, some(boundsOf(c)))
	}
	if len(c.Layouts) > 0 {
		out = append(out, "another layout, compared by members")
	}
	if n := len(c.Excused); n > 0 {
		out = append(out, fmt.Sprintf("inputs with which %s violates %s are not compared", cmp.Or(c.Since, "the base"),
			c.Excused[0].Check))
	}
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	return line(strings.Join(out, "; "))
}

// boundsOf lists what an answer up to bounds holds up to.
func boundsOf(c *verdict.Comparison) (out []string) {
	for _, l := range c.Bounds.Loops {
		if !l.Complete {
			out = append(out, fmt.Sprintf("the loop in line %d: up to %s", l.Pos.Line, plural(l.Turns, "turn")))
		}
	}
	for _, a := range c.Assumptions {
		if a.Guessed() {
			out = append(out, a.Text)
		}
	}
	return append(out, c.Limits...)
}

// some joins the first few of a list, and says how many more there are.
func some(list []string) string {
	if more := len(list) - maxInputs; more > 0 {
		list = append(list[:maxInputs:maxInputs], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}

// inputsOf lists the first inputs of a trace.
func inputsOf(trace []verdict.Step) string {
	var out []string
	for _, s := range trace {
		if s.Kind == verdict.StepInput && len(out) < maxInputs {
			out = append(out, cmp.Or(s.From, s.What)+" = "+s.Value)
		}
	}
	return strings.Join(out, ", ")
}

// maxInputs limits the inputs that one line shows.
const maxInputs = 4

// notes are annotations on changed lines that tell what differs.
func (b *Behaviour) notes(changed map[string][]LineRange) []Annotation {
	var out []Annotation
	list := b.all()
	for i := range list {
		c := &list[i]
		if c.Status != verdict.Differs {
			continue
		}
		at := c.Differences[0].Pos
		if !touches(changed[at.File], at.Line) {
			at = c.Pos
		}
		if !inPath(at.File) || at.Line == 0 {
			continue
		}
		var text strings.Builder
		comparison(&text, c)
		than := ""
		if c.Since != "" {
			than = " than in " + c.Since
		}
		out = append(out, Annotation{Path: at.File, StartLine: at.Line, EndLine: at.Line, Level: "notice",
			Title:      cutPlain(line(fmt.Sprintf("%s does something else%s (%s)", pairName(c), than, c.Target)), maxTitle),
			Message:    cutPlain(plain(b.note(c)), maxRaw-1),
			RawDetails: cutPlain(plain(strings.TrimSpace(text.String())), maxRaw-1)})
	}
	return out
}
