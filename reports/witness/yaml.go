package witness

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"
)

// entry is the one entry of a witness in YAML.
type entry struct {
	Type     string   `yaml:"entry_type"`
	Metadata metadata `yaml:"metadata"`
	Content  any      `yaml:"content"`
}

type metadata struct {
	Version  string   `yaml:"format_version"`
	UUID     string   `yaml:"uuid"`
	Created  string   `yaml:"creation_time"`
	Producer producer `yaml:"producer"`
	Task     task     `yaml:"task"`
}

type producer struct {
	Name    string `yaml:"name"`
	Version string `yaml:"version"`
}

type task struct {
	Files         []string          `yaml:"input_files"`
	Hashes        map[string]string `yaml:"input_file_hashes"`
	Specification string            `yaml:"specification"`
	DataModel     string            `yaml:"data_model"`
	Language      string            `yaml:"language"`
}

type segment struct {
	Segment []struct {
		Waypoint waypoint `yaml:"waypoint"`
	} `yaml:"segment"`
}

type waypoint struct {
	Type       string      `yaml:"type"`
	Action     string      `yaml:"action"`
	Location   location    `yaml:"location"`
	Constraint *constraint `yaml:"constraint,omitempty"`
}

type constraint struct {
	Value  string `yaml:"value"`
	Format string `yaml:"format,omitempty"`
}

type location struct {
	File     string `yaml:"file_name"`
	Line     int    `yaml:"line"`
	Column   int    `yaml:"column,omitempty"`
	Function string `yaml:"function,omitempty"`
}

type invariantEntry struct {
	Invariant struct {
		Type     string   `yaml:"type"`
		Location location `yaml:"location"`
		Value    string   `yaml:"value"`
		Format   string   `yaml:"format"`
	} `yaml:"invariant"`
}

// YAML writes the witness in version 2.0. A run that does not end cannot be said in it.
func (w *Witness) YAML() ([]byte, error) {
	if w.Cycle != nil {
		return nil, fmt.Errorf("YAML 2.0 has no form for a run that does not end: --witness-format graphml writes it")
	}
	e := entry{Type: "invariant_set", Content: w.invariantSet()}
	if w.Violated {
		e.Type, e.Content = "violation_sequence", w.sequence()
	}
	e.Metadata = metadata{Version: "2.0", UUID: w.uuid(), Created: w.created(),
		Producer: producer{"firmproof", w.Version},
		Task: task{Files: []string{w.File}, Hashes: map[string]string{w.File: w.hash()},
			Specification: w.Specification, DataModel: map[int]string{32: "ILP32", 64: "LP64"}[w.Bits], Language: "C"}}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode([]entry{e}); err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	return out.Bytes(), enc.Close()
}

// sequence has one segment for each waypoint: they are to be passed in this order.
func (w *Witness) sequence() []segment {
	out := []segment{}
	for _, p := range w.Waypoints {
		y := waypoint{Type: string(p.Kind), Action: "follow",
			Location: location{w.File, p.Line, p.Column, p.Function}}
		switch p.Kind {
		case Assumption:
			y.Constraint = &constraint{p.Value, "c_expression"}
		case Return:
			y.Constraint = &constraint{`\result == ` + p.Value, "acsl_expression"}
		case Branching:
			y.Constraint = &constraint{Value: p.Value}
		}
		var s segment
		s.Segment = append(s.Segment, struct {
			Waypoint waypoint `yaml:"waypoint"`
		}{y})
		out = append(out, s)
	}
	return out
}

func (w *Witness) invariantSet() []invariantEntry {
	out := []invariantEntry{}
	for _, i := range w.Invariants {
		var e invariantEntry
		e.Invariant.Type = "location_invariant"
		if i.Loop {
			e.Invariant.Type = "loop_invariant"
		}
		e.Invariant.Location = location{w.File, i.Line, i.Column, i.Function}
		e.Invariant.Value, e.Invariant.Format = i.Value, "c_expression"
		out = append(out, e)
	}
	return out
}
