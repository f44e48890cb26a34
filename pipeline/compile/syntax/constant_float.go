package syntax

import (
	"math"
	"math/big"
	"strconv"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// whole returns the integer that a constant of a floating type becomes (C17 6.3.1.4p1), and notes one that its type does
// not hold; nil: it is not known.
func (e *evaluator) whole(n *node) *big.Int {
	t, ok := e.typeOf(n)
	if !ok || len(n.Inner) != 1 {
		return nil
	}
	f, ok := e.floating(n.Inner[0])
	if !ok {
		return nil
	}
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		if v, _ := big.NewFloat(f).Int(nil); t.holds(v) {
			return v
		}
	}
	e.note(n, verdict.FloatConversion, "floating-point value %v does not fit type '%s'", f, n.Type.Qual)
	return nil
}

// floating returns the value of a constant expression of type float or double; false: it is not known.
func (e *evaluator) floating(n *node) (float64, bool) {
	round, ok := e.rounding(n)
	if !ok {
		return 0, false
	}
	arg := func(i int) (float64, bool) {
		if i >= len(n.Inner) {
			return 0, false
		}
		return e.floating(n.Inner[i])
	}
	switch n.Kind {
	case "FloatingLiteral":
		f, err := strconv.ParseFloat(n.Value, 64)
		return round(f), err == nil
	case "ParenExpr", "ConstantExpr":
		return arg(0)
	case "ImplicitCastExpr", "CStyleCastExpr":
		switch n.CastKind {
		case "FloatingCast", "NoOp":
			f, ok := arg(0)
			return round(f), ok
		case "IntegralToFloating":
			v := e.eval(n.Inner[0])
			if v == nil || v.BitLen() > 53 {
				return 0, false
			}
			f, _ := new(big.Float).SetInt(v).Float64()
			return round(f), true
		}
	case "UnaryOperator":
		f, ok := arg(0)
		switch n.Opcode {
		case "-":
			return -f, ok
		case "+":
			return f, ok
		}
	case "BinaryOperator":
		x, ok := arg(0)
		y, ok2 := arg(1)
		if !ok || !ok2 {
			return 0, false
		}
		switch n.Opcode {
		case "+":
			return round(x + y), true
		case "-":
			return round(x - y), true
		case "*":
			return round(x * y), true
		case "/":
			return round(x / y), true
		}
	}
	return 0, false
}

// rounding returns how a number becomes one of the type of n; false: that is neither float nor double. A sum, product or
// quotient of floats that is rounded to double first, is the same (Figueroa 1995).
func (e *evaluator) rounding(n *node) (func(float64) float64, bool) {
	name := n.Type.Desugared
	if name == "" {
		name = n.Type.Qual
	}
	switch {
	case name == "float", name == "double" && e.doubleSize == 4:
		return func(f float64) float64 { return float64(float32(f)) }, true
	case name == "double":
		return func(f float64) float64 { return f }, true
	}
	return nil, false
}
