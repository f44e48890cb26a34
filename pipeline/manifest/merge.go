package manifest

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/targets/strict"
)

// Merge adds to a repository's manifest the top-level keys of its owner's
// defaults that it does not have, each whole, and says which. The text of the
// manifest stays as it is, so that its line numbers hold. A manifest that cannot be
// read is given back: Parse says what is wrong with it. The error is an *Error
// about the defaults, whose file is `where`.
func Merge(own []byte, where string, defaults []byte) ([]byte, []string, error) {
	p := parser{r: strict.Reader{Homes: homes()}, m: &Manifest{Path: where}, part: true}
	from := p.r.Parse(defaults, strict.DefaultLimits())
	if from != nil {
		p.top(from)
	}
	if err := p.problems(where); err != nil {
		return nil, nil, err
	}
	if bytes.ContainsAny(anchors(from), "&*") {
		return nil, nil, &Error{[]Problem{{File: where, Message: "defaults cannot have anchors or aliases",
			Suggestion: "write the values out"}}}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(own, &doc); err != nil || len(doc.Content) == 0 ||
		doc.Content[0].Kind != yaml.MappingNode || from == nil {
		return own, nil, nil
	}
	root, add, keys := doc.Content[0], &yaml.Node{Kind: yaml.MappingNode}, []string(nil)
	have := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		have[root.Content[i].Value] = true
	}
	for i := 0; i+1 < len(from.Content); i += 2 {
		if key := from.Content[i]; !have[key.Value] {
			add.Content = append(add.Content, key, from.Content[i+1])
			keys = append(keys, key.Value)
		}
	}
	if len(keys) == 0 {
		return own, nil, nil
	}
	if root.Style&yaml.FlowStyle != 0 { // one line of braces: it is written anew
		root.Content, root.Style = append(root.Content, add.Content...), 0
		out, err := yaml.Marshal(root)
		return out, keys, err
	}
	out, err := yaml.Marshal(add)
	return fmt.Appendf(nil, "%s\n# from %s\n%s", own, where, out), keys, err
}

// anchors lists the anchors and aliases below n.
func anchors(n *yaml.Node) []byte {
	if n == nil {
		return nil
	}
	var out []byte
	if n.Anchor != "" {
		out = append(out, '&')
	}
	if n.Kind == yaml.AliasNode {
		return append(out, '*')
	}
	for _, c := range n.Content {
		out = append(out, anchors(c)...)
	}
	return out
}
