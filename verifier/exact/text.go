package exact

import (
	"fmt"
	"strconv"
	"strings"
)

// MarshalText writes a as "2*x0 - x1 + 5".
func (a Lin) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Lin) UnmarshalText(text []byte) error {
	words := strings.Fields(string(text))
	var terms []Term
	var c Int
	sign := I(1)
	for i, w := range words {
		if i%2 == 1 {
			if w != "+" && w != "-" {
				return fmt.Errorf("linear expression %q: %q is no sign", text, w)
			}
			sign = map[string]Int{"+": I(1), "-": I(-1)}[w]
			continue
		}
		coef, name, product := strings.Cut(w, "*")
		if !product {
			coef, name = "1", w
			if rest, negative := strings.CutPrefix(w, "-x"); negative {
				coef, name = "-1", "x"+rest
			}
		}
		digits, isVar := strings.CutPrefix(name, "x")
		if !isVar {
			coef = name
		}
		k, ok := ParseInt(coef)
		if !ok || product && !isVar {
			return fmt.Errorf("linear expression %q: %q is no term", text, w)
		}
		if k = k.Mul(sign); !isVar {
			c = c.Add(k)
			continue
		}
		v, err := strconv.ParseInt(digits, 10, 32)
		if err != nil || v < 0 {
			return fmt.Errorf("linear expression %q: %q is no variable", text, name)
		}
		terms = append(terms, Term{Var(v), k})
	}
	if len(words)%2 == 0 {
		return fmt.Errorf("linear expression %q is cut", text)
	}
	*a = LinOf(c, terms...)
	return nil
}
