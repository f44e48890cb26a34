package its

import (
	"fmt"
	"io"
	"strings"
)

// WriteDOT draws the system for Graphviz.
func WriteDOT(w io.Writer, s *System) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n  node [shape=ellipse, fontname=\"monospace\"];\n  edge [fontname=\"monospace\", fontsize=10];\n", s.Name)
	for l, name := range s.Locs {
		shape := ""
		if Loc(l) == s.Start {
			shape = ", peripheries=2"
		}
		fmt.Fprintf(&b, "  l%d [label=%q%s];\n", l, name, shape)
	}
	for i := range s.Trans {
		t := &s.Trans[i]
		style := ""
		if !t.Exact {
			style = ", style=dashed"
		}
		for _, target := range t.Targets() {
			fmt.Fprintf(&b, "  l%d -> l%d [label=\"%s\"%s];\n", t.From, target.To, dotLabel(s, t, target), style)
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func dotLabel(s *System, t *Transition, target Target) string {
	escaped := strings.NewReplacer("\\", "\\\\", "\"", "\\\"").Replace(strings.Join(labelLines(s, t, target), "\n"))
	return strings.ReplaceAll(escaped, "\n", "\\n")
}

// labelLines are the tag, the guard and the update of a transition.
func labelLines(s *System, t *Transition, target Target) []string {
	lines := []string{t.Tag}
	for _, a := range t.Guard {
		lines = append(lines, "["+s.AtomString(a)+"]")
	}
	for v, p := range target.Update {
		if name := s.Vars[v]; p.Format(s.VarName) != name {
			lines = append(lines, name+" := "+p.Format(s.VarName))
		}
	}
	return lines
}

// AtomString prints an atom with the system's names.
func (s *System) AtomString(a Atom) string {
	op := " >= 0"
	if a.Rel == EQ {
		op = " = 0"
	}
	return a.Poly.Format(s.VarName) + op
}
