package witness

import "github.com/firmproof/firmproof/verifier/verdict"

// invariant places a loop's invariant: at the loop, of a `do` at the first statement of its body, where it begins.
// False if the loop or the scope of a variable is not certain.
func (s *source) invariant(inv verdict.Invariant) (Invariant, bool) {
	i, ok := s.token(inv.Pos)
	if !ok {
		return Invariant{}, false
	}
	for _, l := range inv.Locals {
		if !s.inScope(l, i) {
			return Invariant{}, false
		}
	}
	for _, c := range s.controls {
		if c.keyword != i {
			continue
		}
		out := Invariant{Loop: true, Function: inv.Pos.Function, Value: inv.Value}
		switch s.tokens[i].text {
		case "while", "for":
		case "do":
			first := c.body + 1
			e, found := s.statement(first)
			if s.tokens[c.body].text != "{" || !found || e.from != first {
				return Invariant{}, false
			}
			out.Loop, i = false, first
		default:
			return Invariant{}, false
		}
		out.Line, out.Column = s.tokens[i].line, s.tokens[i].col
		return out, true
	}
	return Invariant{}, false
}

// inScope reports that token i is in the scope of a local variable: of a parameter that is the whole function.
func (s *source) inScope(l verdict.Local, i int) bool {
	at, ok := s.declared(l.Name, l.Pos)
	if !ok {
		return false
	}
	in, ok := s.block(at)
	if f, known := s.functions[l.Pos.Function]; known && at < f.from {
		in, ok = f, true
	}
	return ok && in.holds(i) && (at < i || s.tokens[i].text == "for" && in.from == i)
}
