package strict

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Map is a YAML mapping whose keys were checked against the known ones.
type Map struct {
	R    *Reader
	Node *yaml.Node
	Path string // dotted path, empty at the root
	at   map[string]entry
}

type entry struct{ key, value *yaml.Node }

// Map reads n as a mapping with no other keys than the known ones. Merge keys
// (`<<`) are followed; a key of the map itself wins. It returns nil, with a problem,
// if n is no mapping.
func (r *Reader) Map(n *yaml.Node, path string, known []string) *Map {
	n = Resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		r.Add(n, path, "known keys are "+strings.Join(known, ", "), "%smust be a map, not %s", subject(path),
			Describe(n))
		return nil
	}
	m := &Map{R: r, Node: n, Path: path, at: map[string]entry{}}
	m.fill(n, known, false)
	return m
}

func subject(path string) string {
	if path == "" {
		return "the document "
	}
	return "`" + path + "` "
}

func (m *Map) fill(n *yaml.Node, known []string, merged bool) {
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := Resolve(n.Content[i]), n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			m.R.Add(k, m.Path, "", "a key must be a word, not %s", Describe(k))
			continue
		}
		if k.Tag == "!!merge" {
			merges = append(merges, v)
			continue
		}
		if !contains(known, k.Value) && known != nil {
			m.R.Add(k, m.join(k.Value), m.instead(k.Value, known), "unknown key `%s`%s", k.Value, m.inside())
			continue
		}
		if old, twice := m.at[k.Value]; twice {
			if !merged {
				m.R.Add(k, m.join(k.Value), "", "key `%s` is given twice, first on line %d", k.Value, old.key.Line)
			}
			continue
		}
		m.at[k.Value] = entry{k, v}
	}
	for _, v := range merges {
		m.merge(Resolve(v), known)
	}
}

func (m *Map) merge(v *yaml.Node, known []string) {
	switch v.Kind {
	case yaml.MappingNode:
		m.fill(v, known, true)
	case yaml.SequenceNode:
		for _, e := range v.Content {
			if e = Resolve(e); e.Kind == yaml.MappingNode {
				m.fill(e, known, true)
			} else {
				m.R.Add(e, m.Path, "", "`<<` merges maps, not %s", Describe(e))
			}
		}
	default:
		m.R.Add(v, m.Path, "", "`<<` merges maps, not %s", Describe(v))
	}
}

// instead suggests what to do with an unknown key.
func (m *Map) instead(key string, known []string) string {
	if home := m.R.Homes[key]; home != "" && home != m.Path {
		return "it belongs under `" + home + "`"
	}
	return DidYouMean(key, known)
}

func (m *Map) inside() string {
	if m.Path == "" {
		return ""
	}
	return " in `" + m.Path + "`"
}

func (m *Map) join(key string) string {
	if m.Path == "" {
		return key
	}
	return m.Path + "." + key
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// Has reports whether the key is there.
func (m *Map) Has(key string) bool { _, ok := m.at[key]; return ok }

// Keys lists the keys in the order of the document.
func (m *Map) Keys() []string {
	var out []string
	for i := 0; i+1 < len(m.Node.Content); i += 2 {
		if k := Resolve(m.Node.Content[i]); k.Kind == yaml.ScalarNode && m.Has(k.Value) {
			out = append(out, k.Value)
		}
	}
	return out
}

// Value is the node under a key, aliases followed, or nil.
func (m *Map) Value(key string) *yaml.Node { return Resolve(m.at[key].value) }

// Key is the node of the key itself (for positions), or the map's node.
func (m *Map) Key(key string) *yaml.Node {
	if e, ok := m.at[key]; ok {
		return e.key
	}
	return m.Node
}

// Field is the dotted path of a key.
func (m *Map) Field(key string) string { return m.join(key) }

// Bad records a problem with the value of a key.
func (m *Map) Bad(key, suggestion, format string, args ...any) {
	n := m.Value(key)
	if n == nil {
		n = m.Node
	}
	m.R.Add(n, m.join(key), suggestion, format, args...)
}

// Require records a problem for each key that is missing.
func (m *Map) Require(keys ...string) {
	for _, k := range keys {
		if !m.Has(k) {
			where := "the document"
			if m.Path != "" {
				where = "`" + m.Path + "`"
			}
			m.R.Add(m.Node, m.join(k), "", "%s needs the key `%s`", where, k)
		}
	}
}

// String is a text value. A number or truth value is not accepted: YAML turns
// `no` and `1.10` into something else than was written.
func (m *Map) String(key string) (string, bool) {
	n := m.Value(key)
	if n == nil {
		return "", false
	}
	s, ok := m.R.Text(n, m.join(key))
	return s, ok
}

// Text reads a node as text that is not empty.
func (r *Reader) Text(n *yaml.Node, path string) (string, bool) {
	n = Resolve(n)
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		hint := ""
		if n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
			hint = fmt.Sprintf("write it in quotes: %q", n.Value)
		}
		r.Add(n, path, hint, "`%s` must be text, not %s", path, Describe(n))
		return "", false
	}
	if strings.TrimSpace(n.Value) == "" {
		r.Add(n, path, "", "`%s` is empty", path)
		return "", false
	}
	return n.Value, true
}

// Enum is a text value out of a list of words.
func (m *Map) Enum(key string, words ...string) (string, bool) {
	n := m.Value(key)
	if n == nil {
		return "", false
	}
	if n.Kind == yaml.ScalarNode && contains(words, n.Value) {
		return n.Value, true
	}
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		m.Bad(key, DidYouMean(n.Value, words), "`%s` cannot be `%s`", m.join(key), n.Value)
	} else {
		m.Bad(key, DidYouMean("", words), "`%s` must be one of %s, not %s", m.join(key), strings.Join(words, ", "),
			Describe(n))
	}
	return "", false
}

// Bool is a truth value.
func (m *Map) Bool(key string) (value, ok bool) {
	n := m.Value(key)
	if n == nil {
		return false, false
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		m.Bad(key, "write true or false", "`%s` must be true or false, not %s", m.join(key), Describe(n))
		return false, false
	}
	return strings.EqualFold(n.Value, "true"), true
}

// Int is a whole number between lo and hi, decimal or hexadecimal.
func (m *Map) Int(key string, lo, hi int64) (int64, bool) {
	n := m.Value(key)
	if n == nil {
		return 0, false
	}
	return m.R.Int(n, m.join(key), lo, hi)
}

// Int reads a node as a whole number between lo and hi.
func (r *Reader) Int(n *yaml.Node, path string, lo, hi int64) (int64, bool) {
	n = Resolve(n)
	v, ok := r.number(n, path, false)
	if !ok {
		return 0, false
	}
	if v.Cmp(big.NewInt(lo)) < 0 || v.Cmp(big.NewInt(hi)) > 0 {
		r.Add(n, path, "", "`%s` is %s: it must be from %d to %d", path, v, lo, hi)
		return 0, false
	}
	return v.Int64(), true
}

// Size is an address or a size in bytes: a whole number of at most 64 bits,
// decimal or hexadecimal, perhaps with K, M or G (powers of 1024) behind it.
func (m *Map) Size(key string) (uint64, bool) {
	n := m.Value(key)
	if n == nil {
		return 0, false
	}
	v, ok := m.R.number(n, m.join(key), true)
	if !ok {
		return 0, false
	}
	if v.Sign() < 0 || v.BitLen() > 64 {
		m.Bad(key, "", "`%s` is %s: it must fit in 64 bits and not be negative", m.join(key), v)
		return 0, false
	}
	return v.Uint64(), true
}

func (r *Reader) number(n *yaml.Node, path string, units bool) (*big.Int, bool) {
	if n != nil && n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || units && n.Tag == "!!str") {
		if v, ok := ParseNumber(n.Value, units); ok {
			return v, true
		}
	}
	hint := ""
	if units {
		hint = "write 4096, 0x1000 or 4K"
	}
	r.Add(n, path, hint, "`%s` must be a whole number, not %s", path, Describe(n))
	return nil, false
}

// ParseNumber reads a decimal, 0x, 0o or 0b number, with K, M or G behind it if
// units are allowed. A leading zero without a letter is refused: people disagree
// about what it means.
func ParseNumber(s string, units bool) (*big.Int, bool) {
	shift := uint(0)
	if units && len(s) > 1 {
		switch s[len(s)-1] {
		case 'K', 'k':
			shift = 10
		case 'M', 'm':
			shift = 20
		case 'G', 'g':
			shift = 30
		}
		if shift > 0 {
			s = s[:len(s)-1]
		}
	}
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' || len(s) > 80 {
		return nil, false
	}
	v, ok := new(big.Int).SetString(s, 0)
	if !ok {
		return nil, false
	}
	return v.Lsh(v, shift), true
}

// Strings is a list of texts; a single text counts as a list of one.
func (m *Map) Strings(key string) ([]string, bool) {
	n := m.Value(key)
	if n == nil {
		return nil, false
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		s, ok := m.String(key)
		return []string{s}, ok
	}
	var out []string
	for i, e := range m.List(key) {
		if s, ok := m.R.Text(e, m.join(key)+"["+strconv.Itoa(i)+"]"); ok {
			out = append(out, s)
		}
	}
	return out, true
}

// List is the elements of a list, or nil with a problem.
func (m *Map) List(key string) []*yaml.Node {
	n := m.Value(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		m.Bad(key, "", "`%s` must be a list, not %s", m.join(key), Describe(n))
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		out[i] = Resolve(e)
	}
	return out
}
