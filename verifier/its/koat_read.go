package its

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// koatReader reads the KoAT format: GOAL, STARTTERM, VAR, RULES.
type koatReader struct {
	toks  []string
	pos   int
	depth int // of brackets and signs
	lines []int
	b     *Builder
	width int // the greatest arity seen; position i is the i-th variable
	start string
	first map[int]string // names of positions
	rules []koatRule
}

type koatCall struct {
	fun  string
	args []koatExpr
}

type koatRule struct {
	line  int
	left  koatCall
	right []koatCall
	cost  *koatExpr
	guard *koatCond
}

// koatExpr and koatCond are syntax trees whose names are not yet variables.
type koatExpr struct {
	op   string // "num", "name", "+", "-", "*", "^", "neg"
	text string
	args []koatExpr
}

type koatCond struct {
	op   string
	sub  []koatCond
	l, r koatExpr
}

// ReadKoAT reads a system in the KoAT format. Variables are argument positions,
// named as in the first rule that binds them.
func ReadKoAT(name, text string) (*System, error) {
	r := &koatReader{b: NewBuilder(name), first: map[int]string{}}
	r.b.Goal(Termination)
	if err := r.scan(text); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for r.pos < len(r.toks) {
		if err := r.section(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, r.line(), err)
		}
	}
	return r.system(name)
}

func (r *koatReader) line() int {
	if len(r.lines) == 0 {
		return 0
	}
	return r.lines[min(r.pos, len(r.lines)-1)]
}

var koatSymbols = []string{":|:", "-{", "}>", "->", "&&", "||", "/\\", "\\/", "==", "!=", ">=", "<=", "=<", "{", "}",
	"(", ")", ",", "+", "-", "*", "^", "=", "<", ">", "[", "]", "!", "/"}

func (r *koatReader) scan(text string) error {
	line := 1
	for i := 0; i < len(text); {
		c := rune(text[i])
		switch {
		case c == '\n':
			line++
			i++
		case unicode.IsSpace(c):
			i++
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case isName(c):
			j := i
			for j < len(text) && isName(rune(text[j])) {
				j++
			}
			r.toks, r.lines = append(r.toks, text[i:j]), append(r.lines, line)
			i = j
		default:
			sym := ""
			for _, s := range koatSymbols {
				if strings.HasPrefix(text[i:], s) {
					sym = s
					break
				}
			}
			if sym == "" {
				return fmt.Errorf("line %d: unexpected %q", line, c)
			}
			r.toks, r.lines = append(r.toks, sym), append(r.lines, line)
			i += len(sym)
		}
	}
	return nil
}

func isName(c rune) bool {
	return c == '_' || c == '.' || c == '\'' || c == '$' || c == '@' || c == '~' || unicode.IsLetter(c) ||
		unicode.IsDigit(c)
}

func (r *koatReader) peek() string {
	if r.pos < len(r.toks) {
		return r.toks[r.pos]
	}
	return ""
}

func (r *koatReader) next() string {
	t := r.peek()
	r.pos++
	return t
}

func (r *koatReader) accept(ts ...string) bool {
	for _, t := range ts {
		if r.peek() == t {
			r.pos++
			return true
		}
	}
	return false
}

func (r *koatReader) want(t string) error {
	if got := r.next(); got != t {
		return fmt.Errorf("%q where %q should stand", got, t)
	}
	return nil
}

func (r *koatReader) section() error {
	if err := r.want("("); err != nil {
		return err
	}
	switch kind := r.next(); kind {
	case "GOAL":
		switch goal := r.next(); goal {
		case "COMPLEXITY", "EXPECTEDCOMPLEXITY":
			r.b.Goal(Complexity)
		case "TERMINATION":
			r.b.Goal(Termination)
		default:
			return fmt.Errorf("goal %q", goal)
		}
	case "STARTTERM":
		if r.accept("CONSTRUCTOR-BASED") {
			break
		}
		if err := r.want("("); err != nil {
			return err
		}
		if err := r.want("FUNCTIONSYMBOLS"); err != nil {
			return err
		}
		r.start = r.next()
		if err := r.want(")"); err != nil {
			return err
		}
	case "VAR":
		for r.peek() != ")" && r.peek() != "" {
			r.next()
		}
	case "RULES":
		for r.peek() != ")" {
			if err := r.rule(); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("section %q", kind)
	}
	return r.want(")")
}

func (r *koatReader) rule() error {
	rule := koatRule{line: r.line()}
	var err error
	if rule.left, err = r.call(); err != nil {
		return err
	}
	if r.accept("-{") {
		cost, err := r.sum()
		if err != nil {
			return err
		}
		if r.accept(",") { // a lower bound of the cost may follow
			if _, err := r.sum(); err != nil {
				return err
			}
		}
		rule.cost = &cost
		if err := r.want("}>"); err != nil {
			return err
		}
	} else if err := r.want("->"); err != nil {
		return err
	}
	if rule.right, err = r.calls(); err != nil {
		return err
	}
	if r.accept(":|:", "[") {
		closing := r.toks[r.pos-1] == "["
		c, err := r.disjunction()
		if err != nil {
			return err
		}
		rule.guard = &c
		if closing {
			if err := r.want("]"); err != nil {
				return err
			}
		}
	}
	r.rules = append(r.rules, rule)
	return nil
}

// calls reads one call or Com_k(call, ...).
func (r *koatReader) calls() ([]koatCall, error) {
	if name := r.peek(); !strings.HasPrefix(name, "Com_") || !isNumber(name[4:]) {
		c, err := r.call()
		return []koatCall{c}, err
	}
	r.next()
	if err := r.want("("); err != nil {
		return nil, err
	}
	var out []koatCall
	for !r.accept(")") {
		c, err := r.call()
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		r.accept(",")
	}
	return out, nil
}

func (r *koatReader) call() (koatCall, error) {
	c := koatCall{fun: r.next()}
	if c.fun == "" || !isName(rune(c.fun[0])) {
		return c, fmt.Errorf("%q where a function symbol should stand", c.fun)
	}
	if !r.accept("(") {
		return c, nil
	}
	for !r.accept(")") {
		e, err := r.sum()
		if err != nil {
			return c, err
		}
		c.args = append(c.args, e)
		if r.peek() != ")" {
			if err := r.want(","); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
