package reports

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// sameWords says what an answer of a comparison means, in a row of its table.
var sameWords = map[verdict.Sameness]string{verdict.Same: "the same on all inputs",
	verdict.SameBounded: "the same up to bounds", verdict.Differs: "differs", verdict.SameOpen: "open"}

// Comparisons words what the functions that changed do, for a terminal.
func Comparisons(c *verdict.Comparisons) string {
	var b strings.Builder
	if len(c.Comparisons) == 0 {
		b.WriteString("no function changed\n")
	}
	for i := range c.Comparisons {
		comparison(&b, &c.Comparisons[i])
	}
	others(&b, "only in the new version, and so compared with nothing: ", c.Added)
	others(&b, "only in the old version: ", c.Gone)
	if len(c.Comparisons) > 0 {
		fmt.Fprintf(&b, "%d compared: %d the same on all inputs, %d the same up to bounds, %d differ, %d open\n",
			len(c.Comparisons), c.Count(verdict.Same), c.Count(verdict.SameBounded), c.Count(verdict.Differs),
			c.Count(verdict.SameOpen))
	}
	return b.String()
}

func others(b *strings.Builder, what string, names []string) {
	if len(names) > 0 {
		fmt.Fprintf(b, "%s%s\n", what, line(strings.Join(names, ", ")))
	}
}

// comparison writes the rows of one function.
func comparison(b *strings.Builder, c *verdict.Comparison) {
	fmt.Fprintf(b, "%s: %s (%s, %s)\n", line(pairName(c)), sameWords[c.Status], place(c.Pos), c.Target)
	if c.Reason != nil {
		fmt.Fprintf(b, "    %s\n", line(c.Reason.Detail))
	}
	for i := range c.Differences {
		difference(b, &c.Differences[i])
	}
	for _, e := range c.Excused {
		fmt.Fprintf(b, "    not compared: inputs with which the old version violates %s at %s\n", e.Check, place(e.Pos))
	}
	if c.Status == verdict.SameBounded {
		for _, l := range c.Bounds.Loops {
			if !l.Complete {
				fmt.Fprintf(b, "    the loop at %s: up to %d turns\n", place(l.Pos), l.Turns)
			}
		}
	}
	if c.Status == verdict.Same || c.Status == verdict.SameBounded {
		for _, a := range c.Assumptions {
			fmt.Fprintf(b, "    %s\n", line(a.Text))
		}
	}
	for _, l := range append(c.Layouts[:len(c.Layouts):len(c.Layouts)], c.Limits...) {
		fmt.Fprintf(b, "    %s\n", line(l))
	}
}

// differenceIn names a thing in which both differ.
func differenceIn(d *verdict.Difference) string {
	what := map[verdict.DifferenceKind]string{verdict.DiffersResult: "", verdict.DiffersMemory: "after the call, ",
		verdict.DiffersEvent: "not as before: ", verdict.DiffersCheck: "only the new version violates " + string(d.Check) + ": "}
	return what[d.Kind] + line(d.Name)
}

// difference writes one thing in which both differ.
func difference(b *strings.Builder, d *verdict.Difference) {
	fmt.Fprintf(b, "    %s (%s)\n", differenceIn(d), place(d.Pos))
	if d.Old != "" || d.New != "" {
		fmt.Fprintf(b, "        old: %s, new: %s\n", line(cmp.Or(d.Old, "-")), line(cmp.Or(d.New, "-")))
	}
	for _, s := range d.Trace {
		indent := strings.Repeat("  ", s.Depth)
		switch s.Kind {
		case verdict.StepInput, verdict.StepVolatile:
			fmt.Fprintf(b, "        %sinput %s = %s\n", indent, line(cmp.Or(s.From, s.What)), line(s.Value))
		case verdict.StepAssign:
			fmt.Fprintf(b, "        %s%s = %s\n", indent, line(s.What), line(s.Value))
		case verdict.StepCall:
			fmt.Fprintf(b, "        %scall of %s: %s\n", indent, line(s.What), line(s.Value))
		case verdict.StepReturn:
			fmt.Fprintf(b, "        %s%s returns %s\n", indent, line(s.What), line(s.Value))
		}
	}
}

func place(p verdict.Pos) string {
	if p.Line == 0 {
		return "?"
	}
	return fmt.Sprintf("%s:%d", line(p.File), p.Line)
}
