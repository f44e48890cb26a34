package witness

import (
	"encoding/xml"
	"fmt"
	"strconv"
)

// document is a witness automaton in GraphML.
type document struct {
	XMLName xml.Name `xml:"http://graphml.graphdrawing.org/xmlns graphml"`
	XSI     string   `xml:"xmlns:xsi,attr"`
	Keys    []key    `xml:"key"`
	Graph   graph    `xml:"graph"`
}

type key struct {
	ID      string `xml:"id,attr"`
	Name    string `xml:"attr.name,attr"`
	Type    string `xml:"attr.type,attr"`
	For     string `xml:"for,attr"`
	Default string `xml:"default,omitempty"`
}

type graph struct {
	Direction string `xml:"edgedefault,attr"`
	Data      []data `xml:"data"`
	Nodes     []node `xml:"node"`
	Edges     []edge `xml:"edge"`
}

type node struct {
	ID   string `xml:"id,attr"`
	Data []data `xml:"data"`
}

type edge struct {
	Source string `xml:"source,attr"`
	Target string `xml:"target,attr"`
	Data   []data `xml:"data"`
}

type data struct {
	Key  string `xml:"key,attr"`
	Text string `xml:",chardata"`
}

var graphmlKeys = []key{
	{"witness-type", "witness-type", "string", "graph", ""},
	{"sourcecodelang", "sourcecodelang", "string", "graph", ""},
	{"producer", "producer", "string", "graph", ""},
	{"specification", "specification", "string", "graph", ""},
	{"programfile", "programfile", "string", "graph", ""},
	{"programhash", "programhash", "string", "graph", ""},
	{"architecture", "architecture", "string", "graph", ""},
	{"creationtime", "creationtime", "string", "graph", ""},
	{"entry", "entry", "boolean", "node", "false"},
	{"violation", "violation", "boolean", "node", "false"},
	{"cyclehead", "cyclehead", "boolean", "node", "false"},
	{"invariant", "invariant", "string", "node", ""},
	{"invariant.scope", "invariant.scope", "string", "node", ""},
	{"startline", "startline", "int", "edge", ""},
	{"endline", "endline", "int", "edge", ""},
	{"assumption", "assumption", "string", "edge", ""},
	{"assumption.scope", "assumption.scope", "string", "edge", ""},
	{"assumption.resultfunction", "assumption.resultfunction", "string", "edge", ""},
	{"control", "control", "string", "edge", ""},
	{"enterFunction", "enterFunction", "string", "edge", ""},
	{"enterLoopHead", "enterLoopHead", "boolean", "edge", "false"},
}

// GraphML writes the witness in version 1.0.
func (w *Witness) GraphML() ([]byte, error) {
	kind := "correctness_witness"
	if w.Violated {
		kind = "violation_witness"
	}
	d := document{XSI: "http://www.w3.org/2001/XMLSchema-instance", Keys: graphmlKeys,
		Graph: graph{Direction: "directed", Data: []data{
			{"witness-type", kind}, {"sourcecodelang", "C"}, {"producer", "firmproof " + w.Version},
			{"specification", w.Specification}, {"programfile", w.File}, {"programhash", w.hash()},
			{"architecture", fmt.Sprintf("%dbit", w.Bits)}, {"creationtime", w.created()},
		}}}
	g := &d.Graph
	g.node(data{"entry", "true"})
	g.node()
	g.edge(0, 1, data{"enterFunction", "main"})
	if w.Violated {
		w.path(g)
	} else {
		w.heads(g)
	}
	out, err := xml.MarshalIndent(d, "", " ")
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	return append([]byte(xml.Header), append(out, '\n')...), nil
}

func (g *graph) node(d ...data) int {
	g.Nodes = append(g.Nodes, node{"N" + strconv.Itoa(len(g.Nodes)), d})
	return len(g.Nodes) - 1
}

func (g *graph) edge(from, to int, d ...data) {
	g.Edges = append(g.Edges, edge{g.Nodes[from].ID, g.Nodes[to].ID, d})
}

func lines(n int) []data {
	return []data{{"startline", strconv.Itoa(n)}, {"endline", strconv.Itoa(n)}}
}

// path is a chain of the waypoints behind node 1.
func (w *Witness) path(g *graph) {
	last := 1
	for _, p := range w.Waypoints {
		d := lines(p.Line)
		switch p.Kind {
		case Assumption:
			d = append(d, data{"assumption", p.Value}, data{"assumption.scope", p.Function})
		case Return:
			d = append(d, data{"assumption", `\result == ` + p.Value}, data{"assumption.scope", p.Function},
				data{"assumption.resultfunction", p.Called})
		case Branching:
			if p.Value != "true" && p.Value != "false" {
				continue // GraphML says two outcomes
			}
			d = append(d, data{"control", "condition-" + p.Value})
		}
		next := 0
		if p.Kind == Target {
			next = g.node(data{"violation", "true"})
		} else {
			next = g.node()
		}
		g.edge(last, next, d...)
		last = next
	}
	if c := w.Cycle; c != nil {
		head := g.node(data{"cyclehead", "true"}, data{"invariant", c.Value}, data{"invariant.scope", c.Function})
		turn := g.node()
		g.edge(last, head, data{"enterLoopHead", "true"})
		g.edge(head, turn, lines(c.Line)...)
		g.edge(turn, head, data{"enterLoopHead", "true"})
	}
}

// heads are nodes at the heads of loops, with their invariants.
func (w *Witness) heads(g *graph) {
	for _, i := range w.Invariants {
		if !i.Loop {
			continue
		}
		n := g.node(data{"invariant", i.Value}, data{"invariant.scope", i.Function})
		g.edge(1, n, append(lines(i.Line), data{"enterLoopHead", "true"})...)
	}
}
