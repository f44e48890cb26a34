package seg

import (
	"fmt"
	"io"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// DOT draws the graph for Graphviz: generalised states with what they know, and
// the paths between them.
func (g *Graph) DOT(w io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph seg {\n\tnode [shape=box, fontname=monospace];\n")
	for n, c := range g.cuts {
		fmt.Fprintf(&b, "\tn%d [label=%s];\n", n, quote(g.describe(c)))
	}
	ends := 0
	index := map[*cutPoint]int{}
	for n, c := range g.cuts {
		index[c] = n
	}
	for n, c := range g.cuts {
		for _, e := range c.edges {
			to := fmt.Sprintf("n%d", index[e.to])
			if e.to == nil {
				to = fmt.Sprintf("end%d", ends)
				ends++
				fmt.Fprintf(&b, "\t%s [shape=plain, label=%s];\n", to, quote(e.tag))
			}
			style := ""
			if e.st.approx != "" {
				style = ", style=dashed"
			}
			fmt.Fprintf(&b, "\tn%d -> %s [label=%s%s];\n", n, to, quote(e.tag), style)
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Diagram returns the graph for reports: generalised states with what they know, and the paths between them.
func (g *Graph) Diagram() verdict.Diagram {
	d := verdict.Diagram{Title: "symbolic execution graph"}
	index := map[*cutPoint]int{}
	for n, c := range g.cuts {
		index[c] = n
		lines := strings.Split(g.describe(c), "\n")
		lines[0] = g.b.where(c.st) // for a reader of C
		d.Nodes = append(d.Nodes, lines)
	}
	ends := map[string]int{}
	for n, c := range g.cuts {
		for _, e := range c.edges {
			to := index[e.to]
			if e.to == nil {
				end, known := ends[e.tag]
				if !known {
					end = len(d.Nodes)
					ends[e.tag] = end
					d.Nodes = append(d.Nodes, []string{e.tag})
				}
				to = end
			}
			d.Edges = append(d.Edges, verdict.Arrow{From: n, To: to, Label: []string{e.tag}})
		}
	}
	return d
}

func (g *Graph) describe(c *cutPoint) string {
	var b strings.Builder
	b.WriteString(c.st.position())
	name := map[exact.Var]string{}
	for _, sl := range c.slots {
		name[sl.v] = sl.name
	}
	show := func(v exact.Var) string {
		if n, ok := name[v]; ok {
			return n
		}
		return g.b.names[v]
	}
	for _, sl := range c.slots {
		i := c.st.know.iv[sl.v]
		if i.constant() {
			fmt.Fprintf(&b, "\n%s = %s", sl.name, i.lo)
		} else if i.hasLo && i.hasHi {
			fmt.Fprintf(&b, "\n%s <= %s <= %s", i.lo, sl.name, i.hi)
		}
	}
	for _, r := range c.st.know.rows {
		rel := ">="
		if r.EQ {
			rel = "="
		}
		fmt.Fprintf(&b, "\n%s %s 0", r.Lin.Format(show), rel)
	}
	return b.String()
}

// quote makes a left-aligned DOT label.
func quote(s string) string {
	s = strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\l").Replace(s)
	return "\"" + s + "\\l\""
}
