package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/store"
)

// readManifest checks a manifest; what is wrong with it is shown to its author.
func readManifest(text []byte) (*manifest.Manifest, error) {
	m, err := manifest.Parse(ManifestName, text)
	if err != nil {
		return nil, theirs("action_required", "%w", err)
	}
	return m, nil
}

// adjustManifest changes bounds and times of a manifest as the options of a run
// say: the buttons "Deeper" and "Prove", or a night's larger budget. A harness without a
// bound keeps what the engine does by itself.
func adjustManifest(text []byte, o store.Options) ([]byte, error) {
	if o.Factor <= 1 && o.Unwind == 0 && o.Timeout == 0 && !o.Prove {
		return text, nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, theirs("action_required", "%s: %w", ManifestName, err)
	}
	if o.Factor > 1 {
		scaleNode(&doc, o.Factor)
	}
	if len(doc.Content) > 0 {
		if hs := field(doc.Content[0], "harnesses"); hs != nil {
			for _, h := range hs.Content {
				deepen(h, o)
			}
		}
	}
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %s: %w", ManifestName, err)
	}
	return out, nil
}

// deepen raises the budget of one harness.
func deepen(h *yaml.Node, o store.Options) {
	if o.Prove { // no bounds: the engine unwinds until it is done or out of time
		drop(h, "unwind", "unwindset", "depth")
		if o.Timeout == 0 {
			o.Timeout = proofTime
		}
	}
	if n := field(h, "unwind"); n != nil {
		if v, err := strconv.Atoi(n.Value); err == nil && v < o.Unwind {
			n.Value = strconv.Itoa(o.Unwind)
		}
	}
	if o.Timeout == 0 || h.Kind != yaml.MappingNode {
		return
	}
	if n := field(h, "timeout"); n != nil {
		n.Value = o.Timeout.String()
		return
	}
	h.Content = append(h.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "timeout"},
		&yaml.Node{Kind: yaml.ScalarNode, Value: o.Timeout.String()})
}

// proofTime is the time of a harness when a proof is asked for.
const proofTime = 10 * time.Minute

// drop removes keys from a map.
func drop(m *yaml.Node, keys ...string) {
	if m.Kind != yaml.MappingNode {
		return
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		if !slices.Contains(keys, m.Content[i].Value) {
			kept = append(kept, m.Content[i], m.Content[i+1])
		}
	}
	m.Content = kept
}

// field is the value of a key, or nil.
func field(m *yaml.Node, key string) *yaml.Node {
	if m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

func scaleNode(n *yaml.Node, factor int) {
	if n.Kind != yaml.MappingNode {
		for _, c := range n.Content {
			scaleNode(c, factor)
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := n.Content[i+1]
		switch n.Content[i].Value {
		case "unwind", "depth":
			scaleNumber(value, factor)
		case "unwindset":
			for j := 1; j < len(value.Content); j += 2 {
				scaleNumber(value.Content[j], factor)
			}
		case "timeout":
			if d, err := time.ParseDuration(value.Value); err == nil {
				value.Value = (d * time.Duration(factor)).String()
			}
		default:
			scaleNode(value, factor)
		}
	}
}

func scaleNumber(n *yaml.Node, factor int) {
	if v, err := strconv.Atoi(n.Value); err == nil && n.Kind == yaml.ScalarNode {
		n.Value = strconv.Itoa(v * factor)
	}
}
