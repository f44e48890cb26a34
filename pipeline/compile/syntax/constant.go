package syntax

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Constant expressions, evaluated on the syntax tree by C's rules (C17 6.5, 6.6): clang computes their values and
// is silent about what is undefined in operands of unary and conditional operators, in compound literals, and
// about values that a conversion changes.

// intType is an integer type.
type intType struct {
	bits   int
	signed bool
	isBool bool
}

func (t intType) min() *big.Int {
	if !t.signed {
		return new(big.Int)
	}
	return new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(t.bits-1)))
}

func (t intType) max() *big.Int {
	n := t.bits
	if t.signed {
		n--
	}
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1))
}

func (t intType) holds(v *big.Int) bool { return v.Cmp(t.min()) >= 0 && v.Cmp(t.max()) <= 0 }

// wrap returns the value of the type that is equal to v modulo 2^bits.
func (t intType) wrap(v *big.Int) *big.Int {
	out := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(t.bits)), big.NewInt(1)))
	if t.signed && out.Cmp(t.max()) > 0 {
		out.Sub(out, new(big.Int).Lsh(big.NewInt(1), uint(t.bits)))
	}
	return out
}

// evaluator computes constant expressions of one unit, and notes what is undefined in them.
type evaluator struct {
	types       map[string]intType
	doubleSize  int                 // bytes
	enumerators map[string]*big.Int // by the identity of the declaration in the dump
	found       []Folded
	skipped     []span // operands that are not evaluated
	owner       owner
	outer       string // the outermost operator around; where it is binary, clang evaluates all of it and warns
	variable    bool   // the value of a variable: conversions count, and shifts into the sign
}

func newEvaluator(t targets.Target) *evaluator {
	c := t.Types
	e := &evaluator{types: map[string]intType{"_Bool": {bits: 1, isBool: true}, "bool": {bits: 1, isBool: true}},
		enumerators: map[string]*big.Int{}, doubleSize: c.Double.Size}
	add := func(size int, signed bool, names ...string) {
		for _, n := range names {
			e.types[n] = intType{bits: 8 * size, signed: signed}
		}
	}
	add(1, t.CharSigned, "char")
	add(1, true, "signed char")
	add(1, false, "unsigned char")
	add(c.Short.Size, true, "short")
	add(c.Short.Size, false, "unsigned short")
	add(c.Int.Size, true, "int")
	add(c.Int.Size, false, "unsigned int")
	add(c.Long.Size, true, "long")
	add(c.Long.Size, false, "unsigned long")
	add(c.LongLong.Size, true, "long long")
	add(c.LongLong.Size, false, "unsigned long long")
	add(16, true, "__int128")
	add(16, false, "unsigned __int128")
	return e
}

// typeOf returns the integer type of an expression; false if it is of another type, or of an enumeration.
func (e *evaluator) typeOf(n *node) (intType, bool) {
	name := n.Type.Desugared
	if name == "" {
		name = n.Type.Qual
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "const "), "volatile ")
	t, ok := e.types[name]
	return t, ok
}

// note adds something undefined, once per place and check.
func (e *evaluator) note(n *node, check verdict.Check, format string, args ...any) {
	at := n.Range.Begin
	f := Folded{file: at.File, line: at.Line, col: at.Col, check: check, text: fmt.Sprintf(format, args...),
		owner: e.owner,
		end:   n.Range.End}
	for _, g := range e.found {
		if g.file == f.file && g.line == f.line && g.col == f.col && g.check == f.check {
			return
		}
	}
	e.found = append(e.found, f)
}

// eval returns the value of an expression, nil if it is not known.
func (e *evaluator) eval(n *node) *big.Int {
	arg := func(i int) *big.Int {
		if i >= len(n.Inner) {
			return nil
		}
		return e.eval(n.Inner[i])
	}
	switch n.Kind {
	case "UnaryOperator", "BinaryOperator", "ConditionalOperator", "CompoundLiteralExpr":
		if e.outer == "" {
			e.outer = n.Kind
			defer func() { e.outer = "" }()
		}
	}
	switch n.Kind {
	case "IntegerLiteral", "CharacterLiteral":
		return literal(n)
	case "ParenExpr":
		return arg(0)
	case "ConstantExpr":
		return arg(0)
	case "DeclRefExpr":
		if n.Referenced != nil {
			return e.enumerators[n.Referenced.ID]
		}
		return nil
	case "ImplicitCastExpr", "CStyleCastExpr":
		if n.CastKind == "FloatingToIntegral" {
			return e.whole(n)
		}
		return e.cast(n, arg(0))
	case "UnaryOperator":
		return e.unary(n, arg(0))
	case "BinaryOperator":
		return e.binary(n)
	case "ConditionalOperator", "BinaryConditionalOperator":
		return e.conditional(n)
	case "UnaryExprOrTypeTraitExpr":
		return e.sizeOf(n)
	case "InitListExpr", "CompoundLiteralExpr":
		for i := range n.Inner {
			arg(i)
		}
	}
	return nil
}

// literal returns the value that the dump has for a literal, or for a constant expression; nil if it has none.
func literal(n *node) *big.Int {
	v, ok := new(big.Int).SetString(n.Value, 10)
	if !ok {
		return nil
	}
	return v
}

// undecided notes arithmetic on values that are not known, where clang does not look either. What initialises an
// automatic aggregate with such a value is executed, as a rule.
func (e *evaluator) undecided(n *node, t intType, check verdict.Check) *big.Int {
	if e.outer != "BinaryOperator" && (t.signed || check == verdict.Shift) && e.owner.kind != ownerAggregate {
		e.note(n, check, "a value that is not followed (of sizeof, an address, a variable)")
		e.found[len(e.found)-1].undecided = true
	}
	return nil
}

// conditional evaluates the chosen operand alone. Where the condition is not known, what is undefined in an
// operand is undecided.
func (e *evaluator) conditional(n *node) *big.Int {
	if n.Kind == "BinaryConditionalOperator" || len(n.Inner) != 3 {
		return nil
	}
	switch c := e.eval(n.Inner[0]); {
	case c == nil:
		before := len(e.found)
		e.eval(n.Inner[1])
		e.eval(n.Inner[2])
		if e.owner.kind == ownerAggregate {
			e.found = e.found[:before]
		}
		for i := before; i < len(e.found); i++ {
			e.found[i].undecided = true
		}
		return nil
	case c.Sign() != 0:
		e.skipped = append(e.skipped, n.Inner[2].Range)
		return e.eval(n.Inner[1])
	}
	e.skipped = append(e.skipped, n.Inner[1].Range)
	return e.eval(n.Inner[2])
}

// sizeOf returns the size of an integer type.
func (e *evaluator) sizeOf(n *node) *big.Int {
	if n.Name != "sizeof" || n.ArgType == nil {
		return nil
	}
	t, ok := e.typeOf(&node{Type: *n.ArgType})
	if !ok {
		return nil
	}
	return big.NewInt(int64(max(t.bits/8, 1)))
}

func (e *evaluator) cast(n *node, v *big.Int) *big.Int {
	t, ok := e.typeOf(n)
	switch {
	case v == nil || !ok:
		return nil
	case n.CastKind == "IntegralToBoolean":
		return truth(v.Sign() != 0)
	case n.CastKind == "NoOp" || n.CastKind == "LValueToRValue":
		return v
	case n.CastKind != "IntegralCast" || t.isBool:
		return nil
	}
	if w := t.wrap(v); w.Cmp(v) != 0 {
		if e.variable && n.Kind == "ImplicitCastExpr" {
			e.note(n, verdict.Conversion, "%s becomes %s when it is converted to %s", v, w, n.Type.Qual)
		}
		return w
	}
	return v
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func (e *evaluator) unary(n *node, v *big.Int) *big.Int {
	t, ok := e.typeOf(n)
	if !ok {
		return nil
	}
	if v == nil {
		if n.Opcode == "-" {
			return e.undecided(n, t, verdict.SignedOverflow)
		}
		return nil
	}
	switch n.Opcode {
	case "+", "__extension__":
		return v
	case "-":
		return e.arithmetic(n, t, new(big.Int).Neg(v))
	case "~":
		return t.wrap(new(big.Int).Not(v))
	case "!":
		return truth(v.Sign() == 0)
	}
	return nil
}

// arithmetic returns the value modulo 2^bits, and notes one that a signed type does not hold.
func (e *evaluator) arithmetic(n *node, t intType, v *big.Int) *big.Int {
	if t.signed && !t.holds(v) {
		e.note(n, verdict.SignedOverflow, "overflow in expression; the value %s does not fit type '%s'", v, n.Type.Qual)
	}
	return t.wrap(v)
}

func (e *evaluator) binary(n *node) *big.Int {
	if len(n.Inner) != 2 {
		return nil
	}
	a := e.eval(n.Inner[0])
	if n.Opcode == "&&" || n.Opcode == "||" {
		switch {
		case a == nil:
			return nil
		case (a.Sign() != 0) == (n.Opcode == "||"): // decided by the first operand
			e.skipped = append(e.skipped, n.Inner[1].Range)
			return truth(a.Sign() != 0)
		}
	}
	b := e.eval(n.Inner[1])
	if n.Opcode == "," {
		return b
	}
	t, ok := e.typeOf(n)
	if (n.Opcode == "/" || n.Opcode == "%") && b != nil && b.Sign() == 0 && ok {
		e.note(n, verdict.DivByZero, "division by zero is undefined")
		return nil
	}
	if !ok {
		return nil
	}
	if a == nil || b == nil {
		switch n.Opcode {
		case "+", "-", "*", "/", "%":
			return e.undecided(n, t, verdict.SignedOverflow)
		case "<<", ">>":
			return e.undecided(n, t, verdict.Shift)
		}
		return nil
	}
	if v, ok := e.compare(n.Opcode, a, b); ok {
		return v
	}
	return e.compute(n, t, a, b)
}

// compare decides comparisons and logical operators.
func (e *evaluator) compare(op string, a, b *big.Int) (*big.Int, bool) {
	c := a.Cmp(b)
	switch op {
	case "==":
		return truth(c == 0), true
	case "!=":
		return truth(c != 0), true
	case "<":
		return truth(c < 0), true
	case "<=":
		return truth(c <= 0), true
	case ">":
		return truth(c > 0), true
	case ">=":
		return truth(c >= 0), true
	case "&&", "||": // the first operand did not decide
		return truth(b.Sign() != 0), true
	}
	return nil, false
}

func (e *evaluator) compute(n *node, t intType, a, b *big.Int) *big.Int {
	switch n.Opcode {
	case "+":
		return e.arithmetic(n, t, new(big.Int).Add(a, b))
	case "-":
		return e.arithmetic(n, t, new(big.Int).Sub(a, b))
	case "*":
		return e.arithmetic(n, t, new(big.Int).Mul(a, b))
	case "/":
		return e.arithmetic(n, t, new(big.Int).Quo(a, b))
	case "%":
		if t.signed && !t.holds(new(big.Int).Quo(a, b)) {
			return e.arithmetic(n, t, new(big.Int).Quo(a, b))
		}
		return new(big.Int).Rem(a, b)
	case "&":
		return t.wrap(new(big.Int).And(a, b))
	case "|":
		return t.wrap(new(big.Int).Or(a, b))
	case "^":
		return t.wrap(new(big.Int).Xor(a, b))
	case "<<", ">>":
		return e.shift(n, t, a, b)
	}
	return nil
}

func (e *evaluator) shift(n *node, t intType, a, b *big.Int) *big.Int {
	if b.Sign() < 0 || b.Cmp(big.NewInt(int64(t.bits))) >= 0 {
		e.note(n, verdict.Shift, "shift count %s is negative or not below the width of type '%s'", b, n.Type.Qual)
		return nil
	}
	if n.Opcode == ">>" {
		return new(big.Int).Rsh(a, uint(b.Uint64()))
	}
	v := new(big.Int).Lsh(a, uint(b.Uint64()))
	if t.signed && e.variable && (a.Sign() < 0 || !t.holds(v)) {
		e.note(n, verdict.Shift, "the shifted value %s is negative or does not fit type '%s'", v, n.Type.Qual)
	}
	return t.wrap(v)
}
