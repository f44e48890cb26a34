package manifest

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/targets/strict"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func (p *parser) interrupts(top *strict.Map) {
	var maps []*strict.Map
	for i, n := range top.List("interrupts") {
		m := p.r.Map(n, fmt.Sprintf("interrupts[%d]", i), []string{"handler", "max", "preempts"})
		if m == nil {
			continue
		}
		m.Require("handler")
		in := Interrupt{Handler: p.function(m, "handler"), Max: 1}
		if n := m.Value("max"); n != nil && n.Value == "any" {
			in.Max = AnyTimes
		} else if v, ok := m.Int("max", 1, 1000); ok {
			in.Max = int(v)
		}
		in.Preempts, _ = m.Strings("preempts")
		if in.Handler != "" && p.interrupt(in.Handler) != nil {
			m.Bad("handler", "", "interrupt handler `%s` is given twice", in.Handler)
		}
		p.m.Interrupts = append(p.m.Interrupts, in)
		maps = append(maps, m)
	}
	for i, m := range maps {
		p.preempts(m, &p.m.Interrupts[i])
	}
}

// interrupt returns the handler of that name, or nil.
func (p *parser) interrupt(name string) *Interrupt {
	i := slices.IndexFunc(p.m.Interrupts, func(in Interrupt) bool { return in.Handler == name })
	if i < 0 {
		return nil
	}
	return &p.m.Interrupts[i]
}

// preempts checks that what in preempts are other handlers, of which none preempts in, be it by way of others.
func (p *parser) preempts(m *strict.Map, in *Interrupt) {
	var names []string
	for _, old := range p.m.Interrupts {
		names = append(names, old.Handler)
	}
	for i, name := range in.Preempts {
		switch {
		case slices.Contains(in.Preempts[:i], name):
			m.Bad("preempts", "", "interrupt handler `%s` is given twice", name)
		case p.interrupt(name) == nil:
			hint := "list it under `interrupts`"
			if near := verdict.Nearest(name, names); near != "" {
				hint = "did you mean `" + near + "`?"
			}
			m.Bad("preempts", hint, "`%s` is no handler of `interrupts`", name)
		case p.reaches(name, in.Handler, map[string]bool{}):
			m.Bad("preempts", "leave out the handler of the same or a higher priority",
				"`%s` and `%s` would interrupt each other", in.Handler, name)
		}
	}
}

// reaches reports whether one handler is another, or preempts it, be it by way of others.
func (p *parser) reaches(from, to string, seen map[string]bool) bool {
	in := p.interrupt(from)
	if from == to || in == nil || seen[from] {
		return from == to
	}
	seen[from] = true
	return slices.ContainsFunc(in.Preempts, func(next string) bool { return p.reaches(next, to, seen) })
}
