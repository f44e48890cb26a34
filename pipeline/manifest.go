package pipeline

import (
	"fmt"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// readManifest checks a manifest; what is wrong with it is shown to its author.
func readManifest(text []byte) (*manifest.Manifest, error) {
	m, err := manifest.Parse(ManifestName, text)
	if err != nil {
		return nil, theirs("action_required", "%w", err)
	}
	return m, nil
}

// scaleManifest multiplies bounds and times of a manifest by factor: the button
// "Deeper". A harness without a bound keeps what the engine does by itself.
func scaleManifest(text []byte, factor int) ([]byte, error) {
	if factor <= 1 {
		return text, nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, theirs("action_required", "%s: %w", ManifestName, err)
	}
	scaleNode(&doc, factor)
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %s: %w", ManifestName, err)
	}
	return out, nil
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
