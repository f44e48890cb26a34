package rulegen

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// build emits a result; want is the Go expression of the width wanted of literals.
func (e *emitter) build(n *Node, want string) (string, error) {
	if n.Kind == 0 {
		return e.atom(n, want)
	}
	switch n.Kind {
	case ilr.KExtract:
		x, err := e.build(n.Args[0], "")
		return fmt.Sprintf("s.Extract(%s, %s, %s)", x, goExpr(n.Params[0]), goExpr(n.Params[1])), err
	case ilr.KZext, ilr.KSext:
		if len(n.Params) == 0 {
			return "", fmt.Errorf("%s without a width", n.Kind)
		}
		x, err := e.build(n.Args[0], "")
		return fmt.Sprintf("s.%s(%s, %s)", constName(n.Kind)[1:], x, goExpr(n.Params[0])), err
	}
	inner := want
	switch {
	case n.Kind >= ilr.KUlt && n.Kind <= ilr.KSmulO || n.Kind == ilr.KEq:
		inner = "" // from a sibling
	case n.Kind == ilr.KConcat:
		inner = "?"
	}
	texts := make([]string, len(n.Args))
	for pass := 0; pass < 2; pass++ {
		for i, a := range n.Args {
			literal := a.IsNumber()
			if literal != (pass == 1) {
				continue
			}
			w := inner
			if n.Kind == ilr.KIte && i == 0 {
				w = ""
			}
			x, err := e.build(a, w)
			if err != nil {
				return "", err
			}
			if !literal {
				x = e.temp(x)
				if inner == "" && !(n.Kind == ilr.KIte && i == 0) {
					inner = fmt.Sprintf("s.Width(%s)", x)
				}
			}
			texts[i] = x
		}
	}
	return fmt.Sprintf("s.%s(%s)", constName(n.Kind)[1:], strings.Join(texts, ", ")), nil
}

func (e *emitter) temp(x string) string {
	if e.bound[x] {
		return x
	}
	e.temps++
	t := fmt.Sprintf("r%d", e.temps)
	e.p("%s := %s\n", t, x)
	return t
}

func (e *emitter) atom(n *Node, want string) (string, error) {
	a := n.Atom
	switch {
	case a == "true":
		return "s.True()", nil
	case a == "false":
		return "s.False()", nil
	case strings.HasPrefix(a, "{="):
		return fmt.Sprintf("s.Const(%s)", goExpr("{"+a[2:])), nil
	case n.IsNumber():
		if want == "" || want == "?" {
			return "", fmt.Errorf("width of literal %s is not known", a)
		}
		switch a {
		case "min":
			return fmt.Sprintf("s.Const(bits.MinSigned(%s))", want), nil
		case "max":
			return fmt.Sprintf("s.Const(bits.MaxSigned(%s))", want), nil
		}
		return fmt.Sprintf("s.Int(%s, %s)", want, a), nil
	}
	a = strings.TrimPrefix(a, "$")
	if !e.bound[a] {
		return "", fmt.Errorf("%s is not bound", a)
	}
	return a, nil
}
