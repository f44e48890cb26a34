package witness

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// builder makes waypoints of the steps of a trace.
type builder struct {
	*source
	out     []Waypoint
	waiting map[string][]pending // by function
	calls   []verdict.Pos        // of the active functions, from where they were called
	leapt   bool                 // turns of a loop are left out: branches behind them are none of the next ones
}

// pending is an assumption about a variable that lives, in front of a statement that control has not come to yet.
type pending struct {
	at       int // token
	waypoint Waypoint
}

// step adds what one step of the trace says.
func (b *builder) step(s *verdict.Step) {
	if i, ok := b.token(s.Pos); ok {
		b.arrive(s.Pos.Function, i)
	}
	switch s.Kind {
	case verdict.StepCall:
		b.calls = append(b.calls, s.Pos)
	case verdict.StepReturn:
		if len(b.calls) > 0 {
			b.calls = b.calls[:len(b.calls)-1]
		}
	case verdict.StepInput:
		if name, call := strings.CutSuffix(s.What, "()"); call {
			b.returns(s, name)
		} else if isName(s.What) {
			b.holds(s)
		}
	case verdict.StepBranch:
		if b.leapt = b.leapt || s.LeavesOut(); !b.leapt {
			b.branch(s)
		}
	}
}

// arrive adds the assumptions whose statements stand in front of token i of the function.
func (b *builder) arrive(function string, i int) {
	var rest []pending
	for _, p := range b.waiting[function] {
		if p.at <= i {
			b.out = append(b.out, p.waypoint)
		} else {
			rest = append(rest, p)
		}
	}
	b.waiting[function] = rest
}

// waypoint is one at token i.
func (b *builder) waypoint(k Kind, i int, function, value string) Waypoint {
	t := b.tokens[i]
	return Waypoint{Kind: k, Line: t.line, Column: t.col, Function: function, Value: value}
}

// returns is a call of a function of the environment: the waypoint is its closing parenthesis.
func (b *builder) returns(s *verdict.Step, name string) {
	value, ok := constant(s)
	i, known := b.token(s.Pos)
	if !ok || !known || b.tokens[i].text != name || i+1 >= len(b.tokens) || b.tokens[i+1].text != "(" {
		return
	}
	r := reader{tree: &tree{}, tokens: b.tokens}
	end := r.closing(i+1) - 1
	if b.tokens[end].text != ")" {
		return
	}
	w := b.waypoint(Return, end, s.Pos.Function, value)
	w.Called = name
	b.out = append(b.out, w)
}

// holds returns the value of a variable before it is written: an assumption in front of the statement behind its
// declaration.
func (b *builder) holds(s *verdict.Step) {
	value, ok := constant(s)
	i, known := b.declared(s.What, s.Pos)
	if !ok || !known {
		return
	}
	at, ok := b.behind(i)
	if !ok {
		return
	}
	w := b.waypoint(Assumption, at, s.Pos.Function, s.What+" == "+value)
	b.waiting[s.Pos.Function] = append(b.waiting[s.Pos.Function], pending{at, w})
}

// declared is the token of a variable's name in its declaration: debug information has its line alone.
func (s *source) declared(name string, p verdict.Pos) (int, bool) {
	line, ok := s.line(p)
	if !ok {
		return 0, false
	}
	found, n := 0, 0
	for i, t := range s.tokens {
		if t.line == line && t.text == name && (n == 0 || s.tokens[i-1].text == "," || isName(s.tokens[i-1].text)) {
			found = i
			n++
		}
		if t.line > line {
			break
		}
	}
	return found, n == 1
}

// behind is the first token of the simple statement behind the one that holds token i, in the same block.
func (s *source) behind(i int) (int, bool) {
	e, ok := s.statement(i)
	if !ok || e.to+1 >= len(s.tokens) || s.tokens[e.to].text != ";" {
		return 0, false
	}
	next := e.to + 1
	in, ok := s.block(i)
	if !ok || !in.holds(next) || s.tokens[next].text == "}" {
		return 0, false
	}
	if after, ok := s.statement(next); ok && after.from == next {
		return next, true
	}
	for _, c := range s.controls { // that is evaluated once where control comes to it
		if k := s.tokens[c.keyword].text; c.keyword == next && (k == "if" || k == "switch") {
			return next, true
		}
	}
	return 0, false
}

// branches are the outcomes of a branch by the name of the block that clang gives the place where control goes on.
var branches = []struct{ block, keyword, value string }{
	{"if.then", "if", "true"}, {"if.else", "if", "false"}, {"if.end", "if", "false"},
	{"while.body", "while", "true"}, {"while.end", "while", "false"},
	{"for.body", "for", "true"}, {"for.end", "for", "false"}, {"for.cond.cleanup", "for", "false"},
	{"do.body", "do", "true"}, {"do.end", "do", "false"},
	{"cond.true", "?", "true"}, {"cond.false", "?", "false"},
	{"sw.bb", "switch", ""}, {"sw.default", "switch", "default"}, {"sw.epilog", "switch", "default"},
}

// branch is the outcome of a condition.
func (b *builder) branch(s *verdict.Step) {
	i, ok := b.token(s.Pos)
	if !ok {
		return
	}
	for _, r := range branches {
		if strings.TrimRight(s.What, "0123456789") != r.block {
			continue
		}
		at := 0
		if r.keyword == "?" {
			if at, ok = b.question(i); !ok {
				return
			}
		} else if c, found := b.decides(i, r.keyword); found {
			at = c.keyword
		} else {
			return
		}
		value := r.value
		if value == "" {
			if value, ok = number(s.Bytes, true); !ok {
				return
			}
		}
		b.out = append(b.out, b.waypoint(Branching, at, s.Pos.Function, value))
		return
	}
}

// question is the question mark of the conditional expression whose condition holds token i.
func (s *source) question(i int) (int, bool) {
	e, ok := s.statement(i)
	if !ok {
		return 0, false
	}
	depth := 0
	for ; i < e.to; i++ {
		switch s.tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case "?":
			if depth <= 0 {
				return i, true
			}
		case ":", ",", ";":
			if depth <= 0 {
				return 0, false
			}
		}
	}
	return 0, false
}

// target is where the property is violated: the innermost call that is in the file, if the place itself is not.
func (b *builder) target(p verdict.Pos) {
	places := []verdict.Pos{p}
	for i := len(b.calls) - 1; i > 0; i-- {
		places = append(places, b.calls[i])
	}
	for _, p := range places {
		line, ok := b.line(p)
		if !ok {
			continue
		}
		w := Waypoint{Kind: Target, Line: line, Column: p.Column, Function: p.Function}
		if i, ok := b.token(p); ok {
			if e, found := b.statement(i); found {
				i = e.from
			}
			w = b.waypoint(Target, i, p.Function, "")
		} else if b.marked {
			w.Column = 0
		}
		b.out = append(b.out, w)
		return
	}
}

// cycle is the loop that a run does not leave.
func (b *builder) cycle(c *verdict.Claim) *Waypoint {
	line, ok := b.line(c.Pos)
	if !ok {
		return &Waypoint{Value: "1", Function: c.Pos.Function}
	}
	w := &Waypoint{Line: line, Column: c.Pos.Column, Function: c.Pos.Function, Value: "1"}
	if i, ok := b.token(c.Pos); ok {
		if at, found := b.decides(i, "while", "for", "do"); found {
			w.Line, w.Column = b.tokens[at.keyword].line, b.tokens[at.keyword].col
		}
	}
	return w
}
