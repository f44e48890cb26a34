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
	old, _ := sidesOf(c)
	fmt.Fprintf(b, "%s: %s (%s, %s)\n", line(pairName(c)), sameWords[c.Status], place(c.Pos), machinesOf(c))
	if c.Reason != nil {
		fmt.Fprintf(b, "    %s\n", line(c.Reason.Detail))
	}
	for i := range c.Differences {
		difference(b, c, &c.Differences[i])
	}
	for _, e := range c.Excused {
		fmt.Fprintf(b, "    not compared: inputs with which %s violates %s at %s\n", old.name, e.Check, place(e.Pos))
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

// side is how one side of a comparison is called: what does something, and whose value it is.
type side struct{ name, value string }

// sidesOf names what is compared: two versions, or two targets.
func sidesOf(c *verdict.Comparison) (old, now side) {
	if c.Against != "" {
		return side{c.Against, c.Against}, side{c.Target, c.Target}
	}
	return side{cmp.Or(c.Since, "the old version"), "old"}, side{"the new version", "new"}
}

// machinesOf names the target that a comparison is about, or both.
func machinesOf(c *verdict.Comparison) string {
	if c.Against != "" {
		return c.Against + " and " + c.Target
	}
	return c.Target
}

// differenceIn names a thing in which both differ.
func differenceIn(c *verdict.Comparison, d *verdict.Difference) string {
	_, now := sidesOf(c)
	what := map[verdict.DifferenceKind]string{verdict.DiffersResult: "", verdict.DiffersMemory: "after the call, ",
		verdict.DiffersEvent: "not as before: ", verdict.DiffersCheck: "only " + now.name + " violates " + string(d.Check) + ": "}
	return what[d.Kind] + line(d.Name)
}

// difference writes one thing in which both differ.
func difference(b *strings.Builder, c *verdict.Comparison, d *verdict.Difference) {
	fmt.Fprintf(b, "    %s (%s)\n", differenceIn(c, d), place(d.Pos))
	if d.Old != "" || d.New != "" {
		old, now := sidesOf(c)
		fmt.Fprintf(b, "        %s: %s, %s: %s\n", old.value, line(cmp.Or(d.Old, "-")), now.value, line(cmp.Or(d.New, "-")))
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
