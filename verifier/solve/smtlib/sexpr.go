package smtlib

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// sexpr is an atom or a list of what a solver printed.
type sexpr struct {
	atom string
	list []sexpr
}

func (x sexpr) is(i int, atom string) bool { return i < len(x.list) && x.list[i].atom == atom }

// readSexprs parses all expressions of text.
func readSexprs(text string) ([]sexpr, error) {
	stack := [][]sexpr{nil}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c == '(':
			stack = append(stack, nil)
			i++
		case c == ')':
			n := len(stack) - 1
			if n == 0 {
				return nil, fmt.Errorf("smt-lib: unbalanced answer")
			}
			stack[n-1] = append(stack[n-1], sexpr{list: stack[n]})
			stack = stack[:n]
			i++
		case c == '"' || c == '|':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return nil, fmt.Errorf("smt-lib: open quote in answer")
			}
			stack[len(stack)-1] = append(stack[len(stack)-1], sexpr{atom: text[i : i+end+2]})
			i += end + 2
		default:
			j := i
			for j < len(text) && !strings.ContainsRune(" \n\t\r()", rune(text[j])) {
				j++
			}
			stack[len(stack)-1] = append(stack[len(stack)-1], sexpr{atom: text[i:j]})
			i = j
		}
	}
	if len(stack) != 1 {
		return nil, fmt.Errorf("smt-lib: answer ends early")
	}
	return stack[0], nil
}

// env holds let bindings of a printed value.
type env map[string]sexpr

func (e env) resolve(x sexpr) (sexpr, env) {
	for {
		if x.atom != "" {
			y, ok := e[x.atom]
			if !ok {
				return x, e
			}
			x = y
			continue
		}
		if x.is(0, "let") && len(x.list) == 3 {
			inner := env{}
			for k, v := range e {
				inner[k] = v
			}
			for _, b := range x.list[1].list {
				if len(b.list) == 2 {
					inner[b.list[0].atom] = b.list[1]
				}
			}
			e, x = inner, x.list[2]
			continue
		}
		return x, e
	}
}

// vec reads a bit-vector or Bool of width w.
func (e env) vec(x sexpr, w int) (bits.Vec, error) {
	x, _ = e.resolve(x)
	base, digits := 0, ""
	switch {
	case x.atom == "true" || x.atom == "false":
		return bits.Bool(x.atom == "true"), nil
	case strings.HasPrefix(x.atom, "#x"):
		base, digits = 16, x.atom[2:]
	case strings.HasPrefix(x.atom, "#b"):
		base, digits = 2, x.atom[2:]
	case x.is(0, "_") && len(x.list) == 3 && strings.HasPrefix(x.list[1].atom, "bv"):
		base, digits = 10, x.list[1].atom[2:]
	}
	v, ok := new(big.Int).SetString(digits, max(base, 2))
	if base == 0 || !ok {
		return bits.Vec{}, fmt.Errorf("smt-lib: value %v not understood", x)
	}
	return bits.FromBig(w, v), nil
}

// array reads nested stores over a constant array.
func (e env) array(x sexpr, sort ilr.Sort) (*ilr.ArrayValue, error) {
	type entry struct{ i, v bits.Vec }
	var entries []entry
	for {
		x, e = e.resolve(x)
		if x.is(0, "store") && len(x.list) == 4 {
			i, err := e.vec(x.list[2], sort.Idx)
			if err != nil {
				return nil, err
			}
			v, err := e.vec(x.list[3], sort.W)
			if err != nil {
				return nil, err
			}
			entries = append(entries, entry{i, v})
			x = x.list[1]
			continue
		}
		break
	}
	if len(x.list) != 2 || !x.list[0].is(0, "as") || !x.list[0].is(1, "const") {
		return nil, fmt.Errorf("smt-lib: array value not understood")
	}
	d, err := e.vec(x.list[1], sort.W)
	if err != nil {
		return nil, err
	}
	a := &ilr.ArrayValue{Elems: map[bits.Vec]bits.Vec{}, Default: d}
	for n := len(entries) - 1; n >= 0; n-- {
		a.Elems[entries[n].i] = entries[n].v
	}
	return a, nil
}
