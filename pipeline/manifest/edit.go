package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Edits of a manifest's text, by which editors change it. Each leaves all other lines as they are, and gives a text that
// Parse takes; an error where the text is written in a way that it cannot be changed in.

// AssumeIn says under `assume` what a generated harness passes at a place, instead of what is said of it.
func AssumeIn(file string, text []byte, place, what string) ([]byte, error) {
	return setIn(file, text, "assume", place, quotedIfNeeded(what))
}

// StubIn says under `stubs` what a call of a function does.
func StubIn(file string, text []byte, function, kind string) ([]byte, error) {
	return setIn(file, text, "stubs", quotedIfNeeded(function), kind)
}

// HarnessIn adds a harness.
func HarnessIn(file string, text []byte, entry, source string) ([]byte, error) {
	l, err := linesOf(text)
	if err != nil {
		return nil, err
	}
	item := fmt.Sprintf("{entry: %s, file: %s}", entry, quotedIfNeeded(source))
	key, value := l.top("harnesses")
	switch {
	case key == nil:
		l.append("harnesses:", "  - "+item)
	case len(value.Content) == 0:
		l.lines = slices.Replace(l.lines, key.Line-1, key.Line, "harnesses:", "  - "+item)
	case value.Style&yaml.FlowStyle != 0:
		l.insertAt(value, item+", ")
	default:
		l.lines = slices.Insert(l.lines, key.Line, l.indent(value.Content[0].Line)+"- "+item)
	}
	return l.parsed(file)
}

// UnwindIn says how many turns of a loop, FUNC.LOOP, a harness follows.
func UnwindIn(file string, text []byte, entry, loop string, turns int) ([]byte, error) {
	l, err := linesOf(text)
	if err != nil {
		return nil, err
	}
	_, list := l.top("harnesses")
	var harness *yaml.Node
	for i := 0; list != nil && i < len(list.Content); i++ {
		if _, name := member(list.Content[i], "entry"); name != nil && name.Value == entry {
			harness = list.Content[i]
		}
	}
	if harness == nil {
		return nil, fmt.Errorf("the manifest has no harness %s", entry)
	}
	if key, loops := member(harness, "unwindset"); key != nil {
		if err := l.set(key, loops, loop, fmt.Sprint(turns)); err != nil {
			return nil, err
		}
		return l.parsed(file)
	}
	said := fmt.Sprintf("unwindset: {%s: %d}", loop, turns)
	if harness.Style&yaml.FlowStyle != 0 {
		l.insertAt(harness, said+", ")
	} else {
		first := harness.Content[0] // a line of its own before the others: the dash stands in front of it
		line := l.lines[first.Line-1]
		behind := strings.Repeat(" ", first.Column-1)
		l.lines = slices.Replace(l.lines, first.Line-1, first.Line, line[:first.Column-1]+said, behind+line[first.Column-1:])
	}
	return l.parsed(file)
}

// setIn says a value under a name in a map of the manifest.
func setIn(file string, text []byte, key, name, value string) ([]byte, error) {
	l, err := linesOf(text)
	if err != nil {
		return nil, err
	}
	at, under := l.top(key)
	if at == nil {
		l.append(key+":", "  "+name+": "+value)
	} else if err := l.set(at, under, name, value); err != nil {
		return nil, err
	}
	return l.parsed(file)
}

// manifestLines is the text of a manifest in lines, with what YAML makes of it.
type manifestLines struct {
	lines []string
	root  *yaml.Node
}

func linesOf(text []byte) (*manifestLines, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode || doc.Content[0].Style&yaml.FlowStyle != 0 {
		return nil, errors.New("the manifest is no list of keys, each in a line of its own")
	}
	return &manifestLines{strings.Split(string(text), "\n"), doc.Content[0]}, nil
}

func (l *manifestLines) top(key string) (at, value *yaml.Node) { return member(l.root, key) }

// member returns a key of a map with its value; nil if it is not there.
func member(n *yaml.Node, key string) (at, value *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// set says a value under a name in the map behind a key.
func (l *manifestLines) set(key, under *yaml.Node, name, value string) error {
	was, old := member(under, unquoted(name))
	switch {
	case was != nil && old.Kind == yaml.ScalarNode && old.Style == 0 && old.Value != "":
		line := []rune(l.lines[old.Line-1])
		l.lines[old.Line-1] = string(line[:old.Column-1]) + value + string(line[old.Column-1+len([]rune(old.Value)):])
	case was != nil && (old.Kind != yaml.ScalarNode || under.Style&yaml.FlowStyle != 0 || was.Line != old.Line):
		return fmt.Errorf("%s says something of %s already, in a form to be changed by hand", key.Value, unquoted(name))
	case was != nil:
		l.lines[was.Line-1] = l.indent(was.Line) + name + ": " + value
	case under.Kind == yaml.MappingNode && under.Style&yaml.FlowStyle != 0 && len(under.Content) > 0:
		l.insertAt(under, name+": "+value+", ")
	case len(under.Content) > 0:
		first := under.Content[0]
		l.lines = slices.Insert(l.lines, first.Line-1, l.indent(first.Line)+name+": "+value)
	default: // nothing, or {}
		at := strings.Repeat(" ", key.Column-1)
		l.lines = slices.Replace(l.lines, key.Line-1, key.Line, l.lines[key.Line-1][:key.Column-1]+key.Value+":",
			at+"  "+name+": "+value)
	}
	return nil
}

// insertAt puts text behind the bracket that begins a node.
func (l *manifestLines) insertAt(n *yaml.Node, text string) {
	line := []rune(l.lines[n.Line-1]) // columns of YAML count characters
	l.lines[n.Line-1] = string(line[:n.Column]) + text + string(line[n.Column:])
}

// append puts lines at the end.
func (l *manifestLines) append(lines ...string) {
	for len(l.lines) > 0 && l.lines[len(l.lines)-1] == "" {
		l.lines = l.lines[:len(l.lines)-1]
	}
	l.lines = append(append(l.lines, lines...), "")
}

// indent is what stands in front of the text of a line, from 1.
func (l *manifestLines) indent(line int) string {
	text := l.lines[line-1]
	return text[:len(text)-len(strings.TrimLeft(text, " "))]
}

// parsed returns the text, if it is a manifest.
func (l *manifestLines) parsed(file string) ([]byte, error) {
	text := []byte(strings.Join(l.lines, "\n"))
	if _, err := Parse(file, text); err != nil {
		return nil, fmt.Errorf("the edited manifest would be wrong: %w", err)
	}
	return text, nil
}

// quotedIfNeeded is text as YAML takes it for these characters.
func quotedIfNeeded(text string) string {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte("a: "+text), &n); err == nil {
		if _, v := member(n.Content[0], "a"); v != nil && v.Kind == yaml.ScalarNode && v.Value == text && v.Tag == "!!str" &&
			!strings.ContainsAny(text, ",{}[]*&") {
			return text
		}
	}
	return quoted(text)
}

func unquoted(text string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(text, "'"), "'"), "''", "'")
}
