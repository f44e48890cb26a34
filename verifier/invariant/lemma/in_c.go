package lemma

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// ofLoops calls do with the lemmas about loops that the walk meets once: those hold in all turns of the loop.
func ofLoops(f *encode.Formula, keep []*Lemma, do func(*Lemma, *encode.Header)) {
	met := map[string]int{}
	for _, h := range f.Headers {
		if h.Loop != nil {
			met[h.Loop.Name]++
		}
	}
	for _, l := range keep {
		if h := &f.Headers[l.Header]; h.Loop != nil && met[h.Loop.Name] == 1 {
			do(l, h)
		}
	}
}

// OfLoops words the lemmas about loops that the walk meets once, each once, in the order of their places.
func OfLoops(f *encode.Formula, keep []*Lemma) []verdict.LoopFact {
	var out []verdict.LoopFact
	ofLoops(f, keep, func(l *Lemma, h *encode.Header) {
		out = append(out, verdict.LoopFact{Pos: h.Pos, Text: l.Text(f)})
	})
	slices.SortFunc(out, func(a, b verdict.LoopFact) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(out)
}

// InC lists those of the lemmas that C can say: about integer variables, of loops that the walk meets once.
func InC(f *encode.Formula, keep []*Lemma) []verdict.Invariant {
	var out []verdict.Invariant
	ofLoops(f, keep, func(l *Lemma, h *encode.Header) {
		w := cWriter{h: h, fn: h.Loop.Header.Func, locals: map[string]*ir.Var{}}
		var parts []string
		for _, x := range l.Literals {
			t, ok := w.literal(x)
			if !ok {
				parts = nil
				break
			}
			parts = append(parts, t)
		}
		if len(parts) == 0 {
			return
		}
		inv := verdict.Invariant{Pos: h.Pos, Value: strings.Join(parts, " || ")}
		for _, v := range w.fn.Vars {
			if w.locals[v.Name] == v {
				inv.Locals = append(inv.Locals, verdict.Local{Name: v.Name, Pos: v.Pos})
			}
		}
		out = append(out, inv)
	})
	return out
}

// cWriter writes literals about the variables of a header in C. Values are computed modulo their width: in C, by
// conversion to unsigned types.
type cWriter struct {
	h      *encode.Header
	fn     *ir.Func
	locals map[string]*ir.Var // that were named
}

// cTypes are the names of integer types by width. They are those of all targets of SV-COMP.
var cTypes = map[int]string{8: "char", 16: "short", 32: "int", 64: "long long"}

func (w *cWriter) literal(l Literal) (string, bool) {
	t, ok := w.atom(l.Atom)
	if ok && l.Neg {
		t = "!(" + t + ")"
	}
	return t, ok
}

func (w *cWriter) atom(a *Atom) (string, bool) {
	if a.Relative() || a.Kind == IsTrue || a.Kind == SumSle || a.Kind == InEllipse {
		return "", false
	}
	width := 0
	for _, i := range a.Vars() {
		if w.variable(i) == nil {
			return "", false
		}
		width = max(width, w.h.Vars[i].Width)
	}
	if cTypes[width] == "" {
		return "", false
	}
	switch a.Kind {
	case Eq:
		return w.value(a.V, width, true) + " == " + number(a.K, true), true
	case Sle:
		return w.value(a.V, width, true) + " <= " + number(a.K, true), true
	case Ule:
		return w.value(a.V, width, false) + " <= " + number(a.K, false), true
	case EqVar:
		return w.value(a.V, width, !a.Zeros) + " == " + w.value(a.W, width, !a.Zeros), true
	case SleVar:
		return w.value(a.V, width, true) + " <= " + w.value(a.W, width, true), true
	case UleVar:
		return w.value(a.V, width, false) + " <= " + w.value(a.W, width, false), true
	}
	var parts []string
	for _, m := range a.Sum {
		t := w.value(m.V, max(width, 32), false)
		if m.Coef != 1 {
			t = number(bits.New(max(width, 32), uint64(m.Coef)), false) + " * " + t
		}
		parts = append(parts, t)
	}
	sum := strings.Join(parts, " + ")
	switch {
	case a.Kind == SumLow:
		n := a.K.Width()
		if n > 63 {
			return "", false
		}
		return fmt.Sprintf("(%s) %% %dU == %s", sum, uint64(1)<<n, number(a.K, false)), n < 32 || width == 64
	case width < 32:
		return fmt.Sprintf("(unsigned %s)(%s) == %s", cTypes[width], sum, number(a.K, false)), true
	}
	return sum + " == " + number(a.K, false), true
}

// variable is the integer variable of C that number i of the header is the value of, or nil.
func (w *cWriter) variable(i int) *ir.Var {
	v := &w.h.Vars[i]
	var found *ir.Var
	for _, l := range w.fn.Vars {
		switch {
		case v.From.Slot != nil && l.Slot == ir.Value(v.From.Slot):
			found = l
		case l.Name == v.Name && v.From.Global != nil:
			return nil // hidden
		}
	}
	if v.From.Global != nil {
		found = v.From.Global.Var
	}
	if found == nil || found.T == nil || v.From.Off != 0 || v.Offset || v.Cell || v.Ghost || v.Outer ||
		found.T.Bits != v.Width {
		return nil
	}
	switch found.T.Kind {
	case ir.DInt, ir.DChar, ir.DBool, ir.DEnum:
	default:
		return nil
	}
	for _, l := range w.fn.Vars {
		if l != found && l.Name == found.Name {
			return nil // one of them hides the other somewhere
		}
	}
	if v.From.Slot != nil {
		w.locals[found.Name] = found
	}
	return found
}

// value is number i at width n, as a signed or unsigned number. Narrower ones are extended by their sign, as atoms do.
func (w *cWriter) value(i, n int, signed bool) string {
	v := w.variable(i)
	isSigned := v.T.Kind != ir.DBool && (v.T.Signed || v.T.Kind == ir.DEnum && v.T.Elem != nil && v.T.Elem.Signed)
	own, t := w.h.Vars[i].Width, v.Name
	if own < n && !isSigned { // its own bits, as a signed number
		t, isSigned = "("+signedType(own)+")"+t, true
	}
	switch {
	case signed && !isSigned:
		return "(" + signedType(n) + ")" + t
	case !signed && (isSigned || own < n):
		return "(unsigned " + cTypes[n] + ")" + t
	}
	return t
}

func signedType(n int) string {
	if n == 8 {
		return "signed char"
	}
	return cTypes[n]
}

// number writes k as a constant of C.
func number(k bits.Vec, signed bool) string {
	switch n, fits := k.Int64(); {
	case !signed && k.Width() > 32:
		return k.Unsigned().String() + "ULL"
	case !signed:
		return k.Unsigned().String() + "U"
	case fits && n == -1<<63:
		return "(-9223372036854775807LL - 1)"
	default:
		return fmt.Sprint(n)
	}
}
