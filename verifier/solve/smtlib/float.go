package smtlib

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

func formatText(f bits.Format) string { return fmt.Sprintf("%d %d", f.Exp, f.Prec) }

// float returns the text of a floating-point application.
func (p *Script) float(t ilr.Term) string {
	p.floats = true
	s := p.s
	k := s.Kind(t)
	rm := [...]string{"RNE", "RTZ", "RTP", "RTN", "RNA"}[s.Imm(t)]
	arg := s.Arg(t, 0)
	in := func(i int) string {
		f := bits.FormatOf(s.Width(s.Arg(t, i)))
		return fmt.Sprintf("((_ to_fp %s) %s)", formatText(f), p.names[s.Arg(t, i)])
	}
	switch k {
	case ilr.KFEq:
		return fmt.Sprintf("(fp.eq %s %s)", in(0), in(1))
	case ilr.KFLt:
		return fmt.Sprintf("(fp.lt %s %s)", in(0), in(1))
	case ilr.KFLe:
		return fmt.Sprintf("(fp.leq %s %s)", in(0), in(1))
	case ilr.KFToU, ilr.KFToS:
		return toInt(bits.FormatOf(s.Width(arg)), rm, in(0), s.Width(t), k == ilr.KFToS)
	}
	out := formatText(bits.FormatOf(s.Width(t)))
	switch k {
	case ilr.KFAdd:
		return p.encoded(t, fmt.Sprintf("(fp.add %s %s %s)", rm, in(0), in(1)))
	case ilr.KFMul:
		return p.encoded(t, fmt.Sprintf("(fp.mul %s %s %s)", rm, in(0), in(1)))
	case ilr.KFDiv:
		return p.encoded(t, fmt.Sprintf("(fp.div %s %s %s)", rm, in(0), in(1)))
	case ilr.KFFma:
		return p.encoded(t, fmt.Sprintf("(fp.fma %s %s %s %s)", rm, in(0), in(1), in(2)))
	case ilr.KFSqrt:
		return p.encoded(t, fmt.Sprintf("(fp.sqrt %s %s)", rm, in(0)))
	case ilr.KFRound:
		return p.encoded(t, fmt.Sprintf("(fp.roundToIntegral %s %s)", rm, in(0)))
	case ilr.KFToF:
		return p.encoded(t, fmt.Sprintf("((_ to_fp %s) %s %s)", out, rm, in(0)))
	case ilr.KUToF:
		return p.encoded(t, fmt.Sprintf("((_ to_fp_unsigned %s) %s %s)", out, rm, p.names[arg]))
	case ilr.KSToF:
		return p.encoded(t, fmt.Sprintf("((_ to_fp %s) %s %s)", out, rm, p.names[arg]))
	}
	p.err = fmt.Errorf("smt-lib: no counterpart of %s", k)
	return ""
}

// encoded names the encoding of a float: NaN has one.
func (p *Script) encoded(t ilr.Term, value string) string {
	f := bits.FormatOf(p.s.Width(t))
	name := fmt.Sprintf("f%d", t)
	fp := fmt.Sprintf("((_ to_fp %s) %s)", formatText(f), name)
	fmt.Fprintf(&p.text, "(declare-const %s %s)\n(assert (= %s %s))\n(assert (=> (fp.isNaN %s) (= %s %s)))\n",
		name, sortText(p.s.Sort(t)), fp, value, fp, name, constText(f.NaN()))
	return name
}

// toInt returns the text of a conversion that is 0 outside the range of the integer type.
func toInt(f bits.Format, rm, x string, w int, signed bool) string {
	power := func(n int) string { // 2^n as a float, infinite if it is too large
		one := bits.Shl(bits.New(n+1, 1), uint(n))
		return fmt.Sprintf("((_ to_fp_unsigned %s) RNE %s)", formatText(f), constText(one))
	}
	rounded := fmt.Sprintf("(fp.roundToIntegral %s %s)", rm, x)
	zero, conv := constText(bits.New(w, 0)), "fp.to_ubv"
	low, high := fmt.Sprintf("((_ to_fp %s) %s)", formatText(f), constText(f.Zero(false))), power(w)
	if signed {
		conv = "fp.to_sbv"
		low, high = fmt.Sprintf("(fp.neg %s)", power(w-1)), power(w-1)
	}
	return fmt.Sprintf("(let ((r %s)) (ite (and (fp.leq %s r) (fp.lt r %s) (not (fp.isInfinite r))) ((_ %s %d) %s %s) %s))", rounded, low, high, conv, w, rm, x, zero)
}
