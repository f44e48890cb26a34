package certificate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// Place is a header of a cut program and the numbers there that expressions speak about.
type Place struct {
	Header string   `json:"header"` // encode.Header.Key
	Where  string   `json:"where"`  // file and line
	Vars   []string `json:"variables"`
}

// PlaceAt describes header h.
func PlaceAt(h *encode.Header) Place {
	p := Place{Header: h.Key, Where: fmt.Sprintf("%s:%d", h.Pos.File, h.Pos.Line)}
	for i := range h.Vars {
		p.Vars = append(p.Vars, fmt.Sprintf("%s:%d", h.Vars[i].Name, h.Vars[i].Width))
	}
	return p
}

// Lemma says that Holds is true whenever control is at a place. Expressions are in prefix form, as in SMT-LIB; now.2 is
// the third variable there, entry.2 what it was on entry of the loop (or before the call), 8'h0f a number of 8 bits.
// Floating-point arithmetic rounds to the nearest number.
type Lemma struct {
	Place
	Holds string `json:"holds"`
}

// Measures fall in lexicographic order, read as unsigned, on each turn of the loop at a place.
type Measures struct {
	Place
	Fall []string `json:"fall"`
}

// Express writes a term over the numbers at header h.
func Express(h *encode.Header, term func(s *ilr.Store, now, entry []ilr.Term) ilr.Term) string {
	s := ilr.NewStore(nil)
	var now, entry []ilr.Term
	for i := range h.Vars {
		sort := ilr.BV(h.Vars[i].Width)
		if h.Vars[i].Width == 0 {
			sort = ilr.Bool
		}
		now = append(now, s.Var(fmt.Sprintf("now.%d", i), sort))
		entry = append(entry, s.Var(fmt.Sprintf("entry.%d", i), sort))
	}
	return write(s, term(s, now, entry))
}

func write(s *ilr.Store, t ilr.Term) string {
	switch k := s.Kind(t); k {
	case ilr.KTrue, ilr.KFalse:
		return k.String()
	case ilr.KVar:
		return s.VarName(t)
	case ilr.KConst:
		v, _ := s.ConstVal(t)
		return fmt.Sprintf("%d'h%s", v.Width(), v.Hex())
	}
	parts := []string{s.Kind(t).String()}
	switch s.Kind(t) {
	case ilr.KExtract:
		low := int(uint32(s.Imm(t)))
		parts = append(parts, fmt.Sprint(low+s.Width(t)-1), fmt.Sprint(low))
	case ilr.KZext, ilr.KSext, ilr.KFToF:
		parts = append(parts, fmt.Sprint(s.Width(t)))
	}
	for i := range s.NumArgs(t) {
		parts = append(parts, write(s, s.Arg(t, i)))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// reader makes terms of expressions.
type reader struct {
	s          *ilr.Store
	words      []string
	now, entry []ilr.Term
}

// kinds are those that may stand in expressions, by name.
var kinds = func() map[string]ilr.Kind {
	out := map[string]ilr.Kind{}
	for k := ilr.KNot; k <= ilr.KSlt; k++ {
		out[k.String()] = k
	}
	for _, k := range []ilr.Kind{ilr.KFAdd, ilr.KFMul, ilr.KFToF, ilr.KFLe} { // to the nearest number
		out[k.String()] = k
	}
	return out
}()

// read makes the term that an expression is for the given numbers. A sort that does not fit is an error.
func read(s *ilr.Store, text string, now, entry []ilr.Term, sort ilr.Sort) (t ilr.Term, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the expression %s makes no sense: %v", text, r)
		}
	}()
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	x := &reader{s: s, words: words, now: now, entry: entry}
	t = x.term()
	if len(x.words) > 0 || sort.Kind == ilr.SortBool && s.Sort(t) != sort || s.Sort(t).Kind != sort.Kind {
		panic("it is of another sort")
	}
	return t, nil
}

func (x *reader) next() string {
	if len(x.words) == 0 {
		panic("it ends early")
	}
	w := x.words[0]
	x.words = x.words[1:]
	return w
}

func (x *reader) number() int {
	n, err := strconv.Atoi(x.next())
	if err != nil || n < 0 || n > 1<<16 {
		panic("a width is no number")
	}
	return n
}

func (x *reader) term() ilr.Term {
	w := x.next()
	if w != "(" {
		return x.leaf(w)
	}
	k, known := kinds[x.next()]
	if !known {
		panic("an operator is unknown")
	}
	var imm uint64
	sort := ilr.Sort{}
	switch k {
	case ilr.KExtract:
		high := x.number()
		imm = uint64(high)<<32 | uint64(x.number())
	case ilr.KZext, ilr.KSext, ilr.KFToF:
		sort = ilr.BV(x.number())
	case ilr.KFLe:
		sort = ilr.Bool
	}
	var args []ilr.Term
	for len(x.words) > 0 && x.words[0] != ")" {
		args = append(args, x.term())
	}
	if x.next() != ")" || len(args) != k.Arity() {
		panic("an operator has too few arguments, or too many")
	}
	x.fit(k, imm, sort, args)
	if k == ilr.KFAdd || k == ilr.KFMul {
		sort = x.s.Sort(args[0])
	}
	return x.s.Make(k, sort, imm, args)
}

// fit panics unless the arguments have sorts that go together.
func (x *reader) fit(k ilr.Kind, imm uint64, sort ilr.Sort, args []ilr.Term) {
	boolean := func(t ilr.Term) bool { return x.s.Sort(t) == ilr.Bool }
	ok := true
	switch k {
	case ilr.KNot, ilr.KAnd:
		for _, a := range args {
			ok = ok && boolean(a)
		}
	case ilr.KIte:
		ok = boolean(args[0]) && x.s.Sort(args[1]) == x.s.Sort(args[2])
	case ilr.KEq:
		ok = x.s.Sort(args[0]) == x.s.Sort(args[1])
	case ilr.KConcat:
		ok = !boolean(args[0]) && !boolean(args[1])
	case ilr.KExtract:
		ok = !boolean(args[0]) && uint32(imm) <= uint32(imm>>32) && int(imm>>32) < x.s.Width(args[0])
	case ilr.KZext, ilr.KSext:
		ok = !boolean(args[0]) && sort.W >= x.s.Width(args[0])
	case ilr.KFAdd, ilr.KFMul, ilr.KFLe, ilr.KFToF:
		for _, a := range args {
			w := x.s.Width(a)
			ok = ok && !boolean(a) && (w == 32 || w == 64) && w == x.s.Width(args[0])
		}
		ok = ok && (k != ilr.KFToF || sort.W == 32 || sort.W == 64)
	default:
		for _, a := range args {
			ok = ok && !boolean(a) && x.s.Width(a) == x.s.Width(args[0])
		}
	}
	if !ok {
		panic("the arguments of " + k.String() + " do not go together")
	}
}

func (x *reader) leaf(w string) ilr.Term {
	switch w {
	case "true":
		return x.s.True()
	case "false":
		return x.s.False()
	}
	if width, digits, ok := strings.Cut(w, "'h"); ok {
		n, err := strconv.Atoi(width)
		if err != nil || n < 1 || n > 1<<16 {
			panic("a width is no number")
		}
		v, err := bits.ParseHex(n, digits)
		if err != nil {
			panic(err)
		}
		return x.s.Const(v)
	}
	list, index, _ := strings.Cut(w, ".")
	n, err := strconv.Atoi(index)
	vars := map[string][]ilr.Term{"now": x.now, "entry": x.entry}[list]
	if err != nil || n < 0 || n >= len(vars) {
		panic("there is no " + w)
	}
	return vars[n]
}
