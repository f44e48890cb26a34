package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// AcceptIn returns the text of a manifest with an entry of `suppress` more, in the place of an earlier one of the same
// claim. All other lines stay as they are.
func AcceptIn(file string, text []byte, s Suppression) ([]byte, error) {
	m, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	want := slices.DeleteFunc(slices.Clone(m.Suppress), func(o Suppression) bool { return o.Claim == s.Claim })
	out := text
	if len(want) < len(m.Suppress) {
		if out, _, err = UnacceptIn(file, text, s.Claim); err != nil {
			return nil, err
		}
	}
	list, err := suppressOf(out)
	if err != nil {
		return nil, err
	}
	item := "- " + entryText(s)
	switch {
	case list.key == nil:
		if len(list.lines) > 0 && list.lines[len(list.lines)-1] != "" {
			list.lines = append(list.lines, "")
		}
		list.lines = slices.Insert(list.lines, len(list.lines)-1, "suppress:", "  "+item)
	case len(list.value.Content) == 0: // nothing, or []
		list.lines = slices.Replace(list.lines, list.key.Line-1, list.key.Line, "suppress:", "  "+item)
	case list.value.Style&yaml.FlowStyle != 0:
		return nil, errFlow
	default:
		list.lines = slices.Insert(list.lines, list.key.Line, list.indent(0)+item)
	}
	return checked(file, []byte(strings.Join(list.lines, "\n")), append(want, s))
}

// UnacceptIn returns the text of a manifest without the entries of `suppress` of a claim; false if there is none.
func UnacceptIn(file string, text []byte, claim string) ([]byte, bool, error) {
	m, err := Parse(file, text)
	if err != nil {
		return nil, false, err
	}
	want := slices.DeleteFunc(slices.Clone(m.Suppress), func(o Suppression) bool { return o.Claim == claim })
	if len(want) == len(m.Suppress) {
		return text, false, nil
	}
	list, err := suppressOf(text)
	if err != nil {
		return nil, false, err
	}
	if list.value.Style&yaml.FlowStyle != 0 {
		return nil, false, errFlow
	}
	for i := len(list.value.Content) - 1; i >= 0; i-- {
		if n := list.value.Content[i]; claimOf(n) == claim {
			from, to := list.extent(i)
			list.lines = slices.Delete(list.lines, from, to)
		}
	}
	if len(want) == 0 {
		list.lines = slices.Delete(list.lines, list.key.Line-1, list.key.Line)
	}
	out, err := checked(file, []byte(strings.Join(list.lines, "\n")), want)
	return out, true, err
}

var errFlow = errors.New("`suppress` is written in brackets: write it with an entry a line, each behind a dash, so that " +
	"one can be added or taken out")

// suppressList is the list `suppress` in the lines of a manifest.
type suppressList struct {
	lines      []string
	key, value *yaml.Node // nil: there is none
}

func suppressOf(text []byte) (*suppressList, error) {
	list := &suppressList{lines: strings.Split(string(text), "\n")}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode || doc.Content[0].Style&yaml.FlowStyle != 0 {
		return nil, errors.New("the manifest is no list of keys, each in a line of its own")
	}
	for top, i := doc.Content[0].Content, 0; i+1 < len(top); i += 2 {
		if top[i].Value == "suppress" {
			list.key, list.value = top[i], top[i+1]
		}
	}
	return list, nil
}

// indent is what stands in front of the dash of an entry.
func (l *suppressList) indent(i int) string {
	line := l.lines[l.value.Content[i].Line-1]
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// extent are the lines of an entry, from 0: those behind its dash that are indented deeper.
func (l *suppressList) extent(i int) (from, to int) {
	from = l.value.Content[i].Line - 1
	for to = from + 1; to < len(l.lines); to++ {
		line := l.lines[to]
		if deep := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && deep <= len(l.indent(i)) {
			break
		}
	}
	for to > from+1 && strings.TrimSpace(l.lines[to-1]) == "" {
		to--
	}
	return from, to
}

func claimOf(n *yaml.Node) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "claim" {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// entryText is an entry as the manual writes it.
func entryText(s Suppression) string {
	out := fmt.Sprintf("{claim: %s, reason: %s", quoted(s.Claim), quoted(s.Reason))
	if s.By != "" {
		out += ", by: " + quoted(s.By)
	}
	if !s.Until.IsZero() {
		out += ", until: " + s.Until.Format(Day)
	}
	return out + "}"
}

// quoted is text in YAML's single quotes, in one line.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "'", "''") + "'"
}

// checked returns a text that was edited, if it says what it was to say.
func checked(file string, text []byte, want []Suppression) ([]byte, error) {
	m, err := Parse(file, text)
	if err != nil {
		return nil, fmt.Errorf("the edited manifest would be wrong: %w", err)
	}
	key := func(s Suppression) string { return entryText(s) }
	has := map[string]int{}
	for _, s := range m.Suppress {
		has[key(s)]++
	}
	for _, s := range want {
		has[key(s)]--
	}
	for _, n := range has {
		if n != 0 {
			return nil, errors.New("the edited manifest would accept something else: edit `suppress` by hand")
		}
	}
	return text, nil
}
