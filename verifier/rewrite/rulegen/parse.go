// Package rulegen reads the rule files of package rules and writes the Go code
// that matches them. A rule is one line:
//
//	name: PATTERN => RESULT
//	name: PATTERN => RESULT if GO-EXPRESSION
//
// Terms are s-expressions over the printed names of ilr kinds. In a pattern a name
// matches any term (twice the same name, the same term), $c a constant (and binds
// its value as cv), a number that constant; (extract h l x) binds the bounds.
// Arguments of commutative kinds match in both orders. In a result, a number or
// min has the width that its place asks for, {=E} is the constant of the Go value
// E (bits.Vec), and bounds of extract and widths of extensions are Go integer
// expressions without blanks. Results are made by the store's constructors, which
// fold constants. Expressions may use w(x), the values cv, and sort, the root's.
package rulegen

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// Rule is one line of a rule file.
type Rule struct {
	Name, Cond, Line string
	Pattern, Result  *Node
}

// Node of a pattern or result: a leaf (Atom) or an application.
type Node struct {
	Atom   string
	Kind   ilr.Kind
	Params []string // bounds of an extract, width of an extension in a result
	Args   []*Node
}

// IsConst reports whether n matches a constant only.
func (n *Node) IsConst() bool { return n.Kind == 0 && (n.Atom[0] == '$' || n.IsNumber()) }

// IsNumber reports whether n is a literal: decimal, min, true or false.
func (n *Node) IsNumber() bool {
	c := n.Atom
	return n.Kind == 0 && (c[0] >= '0' && c[0] <= '9' || c[0] == '-' || c == "min" || c == "max" || c == "true" ||
		c == "false")
}

// Parse reads a rule file; blank lines and those that begin with # are skipped.
func Parse(text string) ([]Rule, error) {
	var rules []Rule
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := parseRule(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if seen[r.Name] {
			return nil, fmt.Errorf("line %d: rule %s twice", i+1, r.Name)
		}
		seen[r.Name] = true
		rules = append(rules, r)
	}
	return rules, nil
}

func parseRule(line string) (Rule, error) {
	name, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return Rule{}, fmt.Errorf("no name in %q", line)
	}
	lhs, rhs, ok := strings.Cut(rest, " => ")
	if !ok {
		return Rule{}, fmt.Errorf("no => in %q", line)
	}
	rhs, cond, _ := strings.Cut(rhs, " if ")
	r := Rule{Name: name, Cond: cond, Line: line}
	var err error
	if r.Pattern, err = ParseTerm(lhs); err != nil {
		return r, err
	}
	if r.Pattern.Kind == 0 {
		return r, fmt.Errorf("pattern %s is a leaf", lhs)
	}
	r.Result, err = ParseTerm(rhs)
	return r, err
}

// ParseTerm reads one s-expression.
func ParseTerm(text string) (*Node, error) {
	toks := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(protect(text)))
	n, rest, err := parseNode(toks)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%q goes on after a term", text)
	}
	return n, err
}

// protect hides parentheses inside braces from the tokeniser.
func protect(text string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case '(':
			if depth > 0 {
				return '\x01'
			}
		case ')':
			if depth > 0 {
				return '\x02'
			}
		}
		return r
	}, text)
}

func reveal(tok string) string {
	return strings.NewReplacer("\x01", "(", "\x02", ")").Replace(tok)
}

func parseNode(toks []string) (*Node, []string, error) {
	if len(toks) == 0 {
		return nil, nil, fmt.Errorf("term ends early")
	}
	if toks[0] != "(" {
		return &Node{Atom: reveal(toks[0])}, toks[1:], nil
	}
	if len(toks) < 2 {
		return nil, nil, fmt.Errorf("term ends early")
	}
	n := &Node{Kind: kindNamed(toks[1])}
	if n.Kind == 0 {
		return nil, nil, fmt.Errorf("no kind %q", toks[1])
	}
	toks = toks[2:]
	if n.Kind == ilr.KExtract && len(toks) > 2 {
		n.Params = []string{reveal(toks[0]), reveal(toks[1])}
		toks = toks[2:]
	}
	if (n.Kind == ilr.KZext || n.Kind == ilr.KSext) && len(toks) > 1 && toks[0][0] == '{' {
		n.Params = []string{reveal(toks[0])}
		toks = toks[1:]
	}
	for len(toks) > 0 && toks[0] != ")" {
		a, rest, err := parseNode(toks)
		if err != nil {
			return nil, nil, err
		}
		n.Args = append(n.Args, a)
		toks = rest
	}
	if len(toks) == 0 || len(n.Args) != n.Kind.Arity() {
		return nil, nil, fmt.Errorf("%s has %d arguments", n.Kind, len(n.Args))
	}
	return n, toks[1:], nil
}

func kindNamed(name string) ilr.Kind {
	for k := ilr.Kind(1); int(k) < ilr.NumKinds; k++ {
		if k.String() == name {
			return k
		}
	}
	return ilr.KInvalid
}
