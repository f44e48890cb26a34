// Package smtlib writes terms as SMT-LIB 2.6 scripts and runs solvers on them.
//
// Logics: QF_BV, QF_ABV, QF_BVFP, QF_ABVFP. Kinds without a counterpart in the
// standard are spelt out: overflow predicates by wider arithmetic, range writes
// and copies by expanding the reads above them (eliminate.go). Floats are
// bit-vectors here; an operation converts its operands with to_fp and names its
// result's encoding by a fresh variable, because the standard has no function from
// floats to encodings.
package smtlib

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// Script is a set of terms in the form of SMT-LIB text.
type Script struct {
	Vars   []ilr.Term // the declared variables, named v<term>
	Logic  string
	text   strings.Builder
	s      *ilr.Store
	names  map[ilr.Term]string // how a term is referred to
	depth  map[ilr.Term]int
	uses   map[ilr.Term]int
	floats bool
	arrays bool
	consts bool
	err    error
}

// Print writes the terms asserted and, as a last check, the assumptions. The store
// may get new terms.
func Print(s *ilr.Store, asserted, assumptions []ilr.Term) (*Script, error) {
	p := &Script{s: s, names: map[ilr.Term]string{}, depth: map[ilr.Term]int{}, uses: map[ilr.Term]int{}}
	roots, err := newEliminator(s).terms(slices.Concat(asserted, assumptions))
	if err != nil {
		return nil, err
	}
	s.Walk(roots, func(t ilr.Term) {
		for i := 0; i < s.NumArgs(t); i++ {
			p.uses[s.Arg(t, i)]++
		}
	})
	s.Walk(roots, p.define)
	if p.err != nil {
		return nil, p.err
	}
	var lits []string
	for i, r := range roots {
		if i < len(asserted) {
			fmt.Fprintf(&p.text, "(assert %s)\n", p.names[r])
			continue
		}
		q := fmt.Sprintf("q%d", i-len(asserted))
		fmt.Fprintf(&p.text, "(declare-const %s Bool)\n(assert (=> %s %s))\n", q, q, p.names[r])
		lits = append(lits, q)
	}
	fmt.Fprintf(&p.text, "(check-sat-assuming (%s))\n", strings.Join(lits, " "))
	if p.consts { // no logic of the standard has constant arrays
		p.Logic = "ALL"
		return p, nil
	}
	p.Logic = "QF_" + map[bool]string{true: "A"}[p.arrays] + "BV" + map[bool]string{true: "FP"}[p.floats]
	return p, nil
}

// WriteTo writes the script, the question of the model's values included.
func (p *Script) WriteTo(w io.Writer) (int64, error) {
	b := bufio.NewWriter(w)
	n, err := fmt.Fprintf(b, "(set-option :produce-models true)\n(set-logic %s)\n%s", p.Logic, p.text.String())
	if err == nil {
		err = b.Flush()
	}
	return int64(n), err
}

// values returns the command that asks for the model.
func (p *Script) values() string {
	var b strings.Builder
	for _, v := range p.Vars {
		fmt.Fprintf(&b, "(get-value (%s))\n", p.names[v])
	}
	return b.String()
}

func sortText(s ilr.Sort) string {
	switch s.Kind {
	case ilr.SortBool:
		return "Bool"
	case ilr.SortBV:
		return fmt.Sprintf("(_ BitVec %d)", s.W)
	}
	return fmt.Sprintf("(Array (_ BitVec %d) (_ BitVec %d))", s.Idx, s.W)
}

func constText(v bits.Vec) string {
	if v.Width()%4 == 0 {
		return "#x" + v.Hex()
	}
	var b strings.Builder
	b.WriteString("#b")
	for i := v.Width() - 1; i >= 0; i-- {
		b.WriteByte("01"[map[bool]int{true: 1}[v.Bit(i)]])
	}
	return b.String()
}

// define gives t a name: its text, or a definition when it is used again or deep.
func (p *Script) define(t ilr.Term) {
	s := p.s
	switch s.Kind(t) {
	case ilr.KTrue, ilr.KFalse:
		p.names[t] = s.Kind(t).String()
		return
	case ilr.KConst:
		v, _ := s.ConstVal(t)
		p.names[t] = constText(v)
		return
	case ilr.KVar:
		p.names[t] = fmt.Sprintf("v%d", t)
		p.arrays = p.arrays || s.Sort(t).Kind == ilr.SortArray
		p.Vars = append(p.Vars, t)
		fmt.Fprintf(&p.text, "(declare-const v%d %s) ; %s\n", t, sortText(s.Sort(t)), strings.ReplaceAll(s.VarName(t),
			"\n", " "))
		return
	}
	text := p.app(t)
	d := 0
	for i := 0; i < s.NumArgs(t); i++ {
		d = max(d, p.depth[s.Arg(t, i)])
	}
	if p.uses[t] > 1 || d >= 10 {
		fmt.Fprintf(&p.text, "(define-fun t%d () %s %s)\n", t, sortText(s.Sort(t)), text)
		p.names[t] = fmt.Sprintf("t%d", t)
		return
	}
	p.names[t] = text
	p.depth[t] = d + 1
}

// app returns the text of an application whose arguments have names.
func (p *Script) app(t ilr.Term) string {
	s := p.s
	a := func(i int) string { return p.names[s.Arg(t, i)] }
	switch k := s.Kind(t); k {
	case ilr.KExtract:
		return fmt.Sprintf("((_ extract %d %d) %s)", s.Imm(t)>>32, uint32(s.Imm(t)), a(0))
	case ilr.KZext, ilr.KSext:
		return fmt.Sprintf("((_ %s %d) %s)", k, s.Width(t)-s.Width(s.Arg(t, 0)), a(0))
	case ilr.KUaddO:
		return p.wider(t, "bvadd", "zero_extend", 1)
	case ilr.KSaddO:
		return p.wider(t, "bvadd", "sign_extend", 1)
	case ilr.KSsubO:
		return p.wider(t, "bvsub", "sign_extend", 1)
	case ilr.KUmulO:
		return p.wider(t, "bvmul", "zero_extend", s.Width(s.Arg(t, 0)))
	case ilr.KSmulO:
		return p.wider(t, "bvmul", "sign_extend", s.Width(s.Arg(t, 0)))
	case ilr.KArrConst:
		p.consts = true
		return fmt.Sprintf("((as const %s) %s)", sortText(s.Sort(t)), a(0))
	case ilr.KArrTable:
		return p.table(t)
	}
	if s.Kind(t) >= ilr.KFAdd {
		return p.float(t)
	}
	parts := []string{s.Kind(t).String()}
	for i := 0; i < s.NumArgs(t); i++ {
		parts = append(parts, a(i))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// wider returns the text for overflow: the exact result by n more bits is not the extension of
// its own low part.
func (p *Script) wider(t ilr.Term, op, extend string, n int) string {
	w := p.s.Width(p.s.Arg(t, 0))
	exact := fmt.Sprintf("(%s ((_ %s %d) %s) ((_ %s %d) %s))", op, extend, n, p.names[p.s.Arg(t, 0)], extend, n,
		p.names[p.s.Arg(t, 1)])
	return fmt.Sprintf("(let ((e %s)) (not (= e ((_ %s %d) ((_ extract %d 0) e)))))", exact, extend, n, w-1)
}

// table returns the definition of a table as a chain of definitions, sixteen stores each.
func (p *Script) table(t ilr.Term) string {
	p.consts = true
	s := p.s
	sort := s.Sort(t)
	cur := fmt.Sprintf("((as const %s) #x00)", sortText(sort))
	n := 0
	for i, v := range s.TableData(t) {
		if sort.Idx < 63 && i >= 1<<uint(sort.Idx) {
			break
		}
		if v == 0 {
			continue
		}
		cur = fmt.Sprintf("(store %s %s #x%02x)", cur, constText(bits.New(sort.Idx, uint64(i))), v)
		if n++; n%16 == 0 {
			name := fmt.Sprintf("t%d.%d", t, n/16)
			fmt.Fprintf(&p.text, "(define-fun %s () %s %s)\n", name, sortText(sort), cur)
			cur = name
		}
	}
	return cur
}
