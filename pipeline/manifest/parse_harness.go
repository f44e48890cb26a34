package manifest

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/targets/strict"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func (p *parser) harnesses(top *strict.Map) {
	list := top.List("harnesses")
	if len(list) > maxEntries {
		top.Bad("harnesses", "", "%d harnesses, more than the %d that are read", len(list), maxEntries)
		return
	}
	for i, n := range list {
		m := p.r.Map(n, fmt.Sprintf("harnesses[%d]", i), []string{"entry", "file", "unwind", "unwindset", "depth",
			"checks", "timeout"})
		if m == nil {
			continue
		}
		m.Require("entry")
		h := Harness{Line: n.Line, Entry: p.function(m, "entry"), Timeout: p.duration(m, "timeout")}
		h.File, _ = p.path(m, "file")
		if v, ok := m.Int("unwind", 1, maxUnwind); ok {
			h.Unwind = int(v)
		}
		if v, ok := m.Int("depth", 1, maxDepth); ok {
			h.Depth = int(v)
		}
		h.Unwindset = p.unwindset(m)
		h.Checks = p.checks(m)
		for _, old := range p.m.Harnesses {
			if old.Entry == h.Entry && h.Entry != "" {
				m.Bad("entry", "", "entry `%s` is given twice, first on line %d", h.Entry, old.Line)
			}
		}
		p.m.Harnesses = append(p.m.Harnesses, h)
	}
}

func (p *parser) unwindset(h *strict.Map) []LoopBound {
	if !h.Has("unwindset") {
		return nil
	}
	m := p.r.Map(h.Value("unwindset"), h.Field("unwindset"), nil)
	if m == nil {
		return nil
	}
	var out []LoopBound
	for _, key := range m.Keys() {
		b, ok := m.Int(key, 1, maxUnwind)
		name, loop, dotted := strings.Cut(key, ".")
		lb := LoopBound{Func: name, Loop: -1, Bound: int(b)}
		if dotted {
			n, err := strconv.Atoi(loop)
			if err != nil || n < 0 || n > 9999 {
				m.R.Add(m.Key(key), m.Field(key), "write FUNCTION.LOOP: BOUND, such as ring_copy.0: 17",
					"`%s` names no loop", key)
				continue
			}
			lb.Loop = n
		}
		if !identifier.MatchString(name) {
			m.R.Add(m.Key(key), m.Field(key), "write FUNCTION.LOOP: BOUND, such as ring_copy.0: 17",
				"`%s` names no function", name)
			continue
		}
		if ok {
			out = append(out, lb)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Func != out[j].Func {
			return out[i].Func < out[j].Func
		}
		return out[i].Loop < out[j].Loop
	})
	return out
}

// CheckWords lists what may stand in `checks`: the checks, and `default` and `all`.
// Each may have a - before it, which takes it out.
func CheckWords() []string {
	words := []string{"default", "all"}
	for _, q := range verdict.Properties() {
		words = append(words, string(q.Check))
	}
	return words
}

func (p *parser) checks(m *strict.Map) []string {
	list, _ := m.Strings("checks")
	words := CheckWords()
	for i, c := range list {
		name, ok := strings.TrimPrefix(c, "-"), false
		for _, w := range words {
			ok = ok || w == name
		}
		if !ok {
			n := m.Value("checks")
			if n.Kind == yaml.SequenceNode && i < len(n.Content) {
				n = n.Content[i]
			}
			m.R.Add(n, m.Field("checks"), strict.DidYouMean(name, words), "unknown check `%s`", name)
		}
	}
	return list
}
