package lemma

import (
	"fmt"
	"math"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// ellipseTerm returns an atomEllipse.
func (a *Atom) ellipseTerm(s *ilr.Store, vals []ilr.Term) ilr.Term {
	var inside []ilr.Term
	for _, v := range a.Inside {
		inside = append(inside, vals[v])
	}
	return a.Ellipse.Term(s, inside)
}

// ellipseText words an atomEllipse.
func (a *Atom) ellipseText(h *encode.Header) string {
	var sum, limits []string
	name := func(v int) string { return h.Vars[a.Inside[v]].Name }
	for _, m := range a.Ellipse.Products {
		sum = append(sum, fmt.Sprintf("%.4g*%s*%s", m.Coef, name(m.A), name(m.B)))
	}
	for _, l := range a.Ellipse.Limits {
		k := bits.FormatOf(l.Most.Width()).Convert(bits.NearestEven, l.Most, bits.FormatOf(64))
		limits = append(limits, fmt.Sprintf("|%s| <= %.6g", name(l.Var), math.Float64frombits(k.Low64())))
	}
	text := strings.ReplaceAll(strings.Join(sum, " + "), "+ -", "- ")
	return text + " <= 1 and " + strings.Join(limits, " and ")
}

// floatText words the bound of a floating-point number.
func (a *Atom) floatText(v string, neg bool) string {
	k, op := a.K, " <= "
	if (a.Kind == Ule) != neg {
		op = " >= "
	}
	if neg {
		k = bits.Add(k, bits.New(k.Width(), 1))
	}
	if k.Width() == 64 {
		return v + op + fmt.Sprint(math.Float64frombits(k.Low64()))
	}
	if k.Width() == 32 {
		return v + op + fmt.Sprint(math.Float32frombits(uint32(k.Low64())))
	}
	return v + op + "0x" + k.Hex()
}
