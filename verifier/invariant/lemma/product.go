package lemma

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// Factor is a number of a header, now or on entry, made as wide as the equation.
type Factor struct {
	V        int
	Entry    bool
	Unsigned bool
}

// Product is coef times the factors, none to two.
type Product struct {
	Coef    int64
	Factors []Factor
}

// wide returns the factor's value among vals, or entry, as a word of n bits.
func (x Factor) wide(s *ilr.Store, n int, vals, entry []ilr.Term) ilr.Term {
	t := vals[x.V]
	if x.Entry {
		t = entry[x.V]
	}
	if x.Unsigned {
		return s.Zext(t, n)
	}
	return s.Sext(t, n)
}

// productsWidth is the width of a's products.
func (a *Atom) productsWidth(s *ilr.Store, vals []ilr.Term) int {
	n := 0
	for _, m := range a.Products {
		for _, x := range m.Factors {
			n = max(n, s.Width(vals[x.V]))
		}
	}
	return n
}

// productsTerm returns an atomProducts: its first summand, a number, is the sum of the others with opposite signs.
func (a *Atom) productsTerm(s *ilr.Store, vals, entry []ilr.Term) ilr.Term {
	n := a.productsWidth(s, vals)
	term := func(m Product, coef int64) ilr.Term {
		t := s.Int(n, coef)
		for _, x := range m.Factors {
			t = s.Mul(t, x.wide(s, n, vals, entry))
		}
		return t
	}
	rest := s.Int(n, 0)
	for _, m := range a.Products[1:] {
		rest = s.Add(rest, term(m, -m.Coef))
	}
	return s.Eq(term(a.Products[0], a.Products[0].Coef), rest)
}

// productsText words an atomProducts.
func (a *Atom) productsText(h *encode.Header, op string) string {
	text := func(m Product, coef int64) string {
		var parts []string
		if coef != 1 || len(m.Factors) == 0 {
			parts = append(parts, fmt.Sprint(coef))
		}
		for _, x := range m.Factors {
			name := h.Vars[x.V].Name
			if x.Entry {
				name += " on entry"
			}
			parts = append(parts, name)
		}
		return strings.Join(parts, "*")
	}
	var rest []string
	for _, m := range a.Products[1:] {
		rest = append(rest, text(m, -m.Coef))
	}
	if len(rest) == 0 {
		rest = []string{"0"}
	}
	return text(a.Products[0], a.Products[0].Coef) + op + strings.ReplaceAll(strings.Join(rest, " + "), "+ -", "- ")
}
