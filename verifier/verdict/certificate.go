package verdict

import "slices"

// Certificate says how a proof was found and checked.
type Certificate struct {
	// "complete unwinding", "k-induction", "ranking function", "recurrent set", "lasso", ...
	Method  string   `json:"method"`
	Detail  []string `json:"detail,omitempty"`  // ranking in C variables, invariants, lasso: one line each
	Checked string   `json:"checked,omitempty"` // by what independent checker
	// techniques that had a part in it: of inductive invariants, who proposed those that the proof needs
	Makers []string `json:"makers,omitempty"`
	// what a proof about whole runs is about, where that is small enough to be looked at
	Diagrams []Diagram `json:"diagrams,omitempty"`

	// of inductive invariants: those of loops that are met once. Claims that were proved together share the list
	Always []LoopFact `json:"always,omitempty"`

	Invariants []Invariant `json:"-"` // those that C can say
}

// LoopFact is a condition that holds whenever the condition of the loop at Pos is evaluated, or the body of a `do` begins:
// in all executions that the verification is about, up to a violation.
type LoopFact struct {
	Pos  Pos    `json:"location"`
	Text string `json:"text"` // as people read it, such as `at <= 99u`
}

// Techniques lists who had a part in the status of c: the engine that settled it, and what that says of itself.
func (c *Claim) Techniques() []string {
	if c.By == "" {
		return nil
	}
	out := []string{c.By}
	if c.Certificate != nil {
		out = append(out, c.Certificate.Makers...)
	}
	return out
}

// Diagram is a graph to be drawn; it begins at its first node.
type Diagram struct {
	Title string     `json:"title"`
	Nodes [][]string `json:"nodes"` // the lines of each
	Edges []Arrow    `json:"edges"`
}

// Renamed returns the diagram with other names of nodes and edges: rename of the first line of each.
func (d Diagram) Renamed(rename func(string) string) Diagram {
	named := func(lines []string) []string {
		if len(lines) == 0 {
			return lines
		}
		return append([]string{rename(lines[0])}, lines[1:]...)
	}
	d.Nodes, d.Edges = slices.Clone(d.Nodes), slices.Clone(d.Edges)
	for i := range d.Nodes {
		d.Nodes[i] = named(d.Nodes[i])
	}
	for i := range d.Edges {
		d.Edges[i].Label = named(d.Edges[i].Label)
	}
	return d
}

// Arrow is an edge of a Diagram.
type Arrow struct {
	From  int      `json:"from"` // a number of a node
	To    int      `json:"to"`
	Label []string `json:"label"` // its lines; the first is its name
}

// Invariant is a condition in C that holds whenever the condition of the loop at Pos is evaluated, or the body of a
// `do` begins.
type Invariant struct {
	Pos    Pos
	Value  string
	Locals []Local // that it speaks of
}

// Local is a local variable, by the line of its declaration.
type Local struct {
	Name string
	Pos  Pos
}
