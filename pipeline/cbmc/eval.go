package cbmc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// evaluateText evaluates the arithmetic after __eval in a JSON proof: Python's, with
// integers, comparisons, + - * /, min and max of two, and A if C else B. Division
// rounds down.
func evaluateText(s string) (string, error) {
	e := &evaluator{words: exprWord.FindAllString(s, -1)}
	if strings.Join(e.words, "") != strings.Join(strings.Fields(s), "") {
		return "", fmt.Errorf("%q: a sign that is not known", strings.TrimSpace(s))
	}
	n, err := e.choice()
	if err == nil && len(e.words) > 0 {
		err = fmt.Errorf("unexpected %q", e.words[0])
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w", strings.TrimSpace(s), err)
	}
	return strconv.FormatInt(n, 10), nil
}

var exprWord = regexp.MustCompile(`\d+|\w+|[<>=!]=|[-+*/()<>,]`)

type evaluator struct{ words []string }

func (e *evaluator) next(options ...string) (string, bool) {
	for _, o := range options {
		if len(e.words) > 0 && e.words[0] == o {
			e.words = e.words[1:]
			return o, true
		}
	}
	return "", false
}

func (e *evaluator) expect(word string) error {
	if _, ok := e.next(word); !ok {
		return fmt.Errorf("no %q", word)
	}
	return nil
}

func (e *evaluator) choice() (int64, error) {
	v, err := e.compare()
	if err != nil {
		return 0, err
	}
	if _, ok := e.next("if"); !ok {
		return v, nil
	}
	c, err := e.compare()
	if err == nil {
		err = e.expect("else")
	}
	if err != nil {
		return 0, err
	}
	other, err := e.choice()
	if c == 0 {
		v = other
	}
	return v, err
}

func (e *evaluator) compare() (int64, error) {
	x, err := e.binary(0)
	if err != nil {
		return 0, err
	}
	op, ok := e.next("==", "!=", "<=", ">=", "<", ">")
	if !ok {
		return x, nil
	}
	y, err := e.binary(0)
	holds := map[string]bool{"==": x == y, "!=": x != y, "<=": x <= y, ">=": x >= y, "<": x < y, ">": x > y}[op]
	if holds {
		return 1, err
	}
	return 0, err
}

// binary evaluates sums (level 0) and products (level 1).
func (e *evaluator) binary(level int) (int64, error) {
	operand := func() (int64, error) {
		if level == 1 {
			return e.atom()
		}
		return e.binary(1)
	}
	x, err := operand()
	for err == nil {
		op, ok := e.next([][]string{{"+", "-"}, {"*", "/"}}[level]...)
		if !ok {
			break
		}
		var y int64
		y, err = operand()
		switch {
		case err != nil:
		case op == "+":
			x += y
		case op == "-":
			x -= y
		case op == "*":
			x *= y
		case y == 0:
			err = fmt.Errorf("division by zero")
		default:
			q := x / y
			if x%y != 0 && (x < 0) != (y < 0) {
				q--
			}
			x = q
		}
	}
	return x, err
}

func (e *evaluator) atom() (int64, error) {
	if len(e.words) == 0 {
		return 0, fmt.Errorf("ends too early")
	}
	if _, ok := e.next("("); ok {
		v, err := e.choice()
		if err == nil {
			err = e.expect(")")
		}
		return v, err
	}
	if fn, ok := e.next("min", "max"); ok {
		return e.extreme(fn)
	}
	n, err := strconv.ParseInt(e.words[0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("unexpected %q", e.words[0])
	}
	e.words = e.words[1:]
	return n, nil
}

func (e *evaluator) extreme(fn string) (int64, error) {
	var v [2]int64
	for i, open := range []string{"(", ","} {
		err := e.expect(open)
		if err == nil {
			v[i], err = e.choice()
		}
		if err != nil {
			return 0, err
		}
	}
	if fn == "min" {
		return min(v[0], v[1]), e.expect(")")
	}
	return max(v[0], v[1]), e.expect(")")
}
