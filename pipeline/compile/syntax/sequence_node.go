package syntax

import (
	"cmp"
	"strings"
)

// extent is a half-open range of places in a file. The instruction of an access has a place in it.
type extent struct {
	file               string
	line, col, end, to int
	macro              bool
}

// each calls do with n and all nodes below.
func (n *node) each(do func(*node)) {
	do(n)
	for _, in := range n.Inner {
		in.each(do)
	}
}

func (n *node) isExpression() bool {
	return strings.HasSuffix(n.Kind, "Expr") || strings.HasSuffix(n.Kind, "Operator") ||
		strings.HasSuffix(n.Kind, "Literal")
}

// withoutBlock reports whether child i of n is an expression with a block of its own in C, which the debug information
// does not tell: a condition, or the body of a loop without braces (C17 6.8.4p3, 6.8.5p5).
func withoutBlock(n *node, i int) bool {
	switch n.Kind {
	case "ForStmt":
		return i == len(n.Inner)-1
	case "WhileStmt", "DoStmt", "SwitchStmt":
		return true
	}
	return false
}

// plain returns the expression without parentheses.
func (n *node) plain() *node {
	for (n.Kind == "ParenExpr" || n.Kind == "UnaryOperator" && n.Opcode == "__extension__") && len(n.Inner) == 1 {
		n = n.Inner[0]
	}
	return n
}

// variable returns the name whose object an lvalue is, or lies in; nil if a pointer leads to it.
func (n *node) variable() *node {
	n = n.plain()
	switch {
	case n.Kind == "DeclRefExpr" && n.Referenced != nil:
		return n
	case len(n.Inner) == 0 || n.Kind == "MemberExpr" && n.Arrow:
		return nil
	case n.Kind == "MemberExpr" || n.Kind == "ArraySubscriptExpr",
		n.Kind == "ImplicitCastExpr" && n.CastKind == "ArrayToPointerDecay":
		return n.Inner[0].variable()
	}
	return nil
}

var qualifiers = strings.NewReplacer("const ", "", "volatile ", "", "unsigned ", "", "signed ", "")

// object returns the type that decides what may alias (C17 6.5p7), without qualifiers and sign.
func (n *node) object() string { return qualifiers.Replace(n.desugared()) }

// desugared returns the type, which is no typedef.
func (n *node) desugared() string { return cmp.Or(n.Type.Desugared, n.Type.Qual) }

// literalAddress reports whether the value is the address of a compound literal.
func (n *node) literalAddress() bool {
	n = n.plain()
	switch {
	case len(n.Inner) != 1:
		return false
	case n.Kind == "UnaryOperator" && n.Opcode == "&",
		n.Kind == "ImplicitCastExpr" && n.CastKind == "ArrayToPointerDecay":
		in := n.Inner[0].plain()
		for in.Kind == "MemberExpr" && !in.Arrow && len(in.Inner) == 1 {
			in = in.Inner[0].plain()
		}
		return in.Kind == "CompoundLiteralExpr"
	case strings.HasSuffix(n.Kind, "CastExpr"):
		return n.Inner[0].literalAddress()
	}
	return false
}

// temporaryArray reports whether the value is the address of an array in a structure that is no object of the program.
func (n *node) temporaryArray() bool {
	n = n.plain()
	switch {
	case len(n.Inner) != 1 || n.Inner[0] == nil:
		return false
	case n.Kind == "ImplicitCastExpr" && n.CastKind == "ArrayToPointerDecay":
		in := n.Inner[0].plain()
		if in.Kind != "MemberExpr" {
			return false
		}
		for in.Kind == "MemberExpr" && !in.Arrow && len(in.Inner) == 1 {
			in = in.Inner[0].plain()
		}
		return in.Kind == "CallExpr" || in.Kind == "ConditionalOperator" || in.Kind == "StmtExpr" ||
			in.Kind == "BinaryOperator"
	case strings.HasSuffix(n.Kind, "CastExpr"):
		return n.Inner[0].temporaryArray()
	}
	return false
}

// callee returns the name of the called function, empty if it is called through a pointer.
func (n *node) callee() string {
	if len(n.Inner) == 0 {
		return ""
	}
	f := n.Inner[0]
	for f.Kind != "DeclRefExpr" && len(f.Inner) == 1 {
		f = f.Inner[0]
	}
	if f.Referenced == nil {
		return ""
	}
	return f.Referenced.Name
}

// text returns an lvalue as it may be written.
func (n *node) text() string {
	n = n.plain()
	inner := func() string {
		if len(n.Inner) == 0 {
			return "..."
		}
		return n.Inner[0].text()
	}
	switch {
	case n.Kind == "DeclRefExpr" && n.Referenced != nil:
		return n.Referenced.Name
	case n.Kind == "MemberExpr" && n.Arrow:
		return inner() + "->" + n.Name
	case n.Kind == "MemberExpr":
		return inner() + "." + n.Name
	case n.Kind == "ArraySubscriptExpr" && len(n.Inner) == 2:
		return inner() + "[" + n.Inner[1].text() + "]"
	case n.Kind == "UnaryOperator" && n.Opcode == "*":
		return "*" + inner()
	case n.Kind == "ImplicitCastExpr":
		return inner()
	case n.Kind == "IntegerLiteral":
		return n.Value
	}
	return "..."
}

// within returns the extent of an expression.
func within(n *node) extent { return extentOf(n.Range.Begin, n.Range.End) }

// begin returns the place where an expression begins.
func begin(n *node) extent { return extentOf(n.Range.Begin, n.Range.Begin) }

func extentOf(from, to spot) extent {
	return extent{file: from.File, line: from.Line, col: from.Col, end: to.Line, to: to.Col + max(to.TokLen, 1),
		macro: from.Macro || to.Macro}
}

// between returns the extent of an operator.
func between(left, right *node) extent {
	from, to := left.Range.End, right.Range.Begin
	if from.File != to.File || !from.before(to) {
		e := begin(left)
		e.macro = true
		return e
	}
	return extent{file: from.File, line: from.Line, col: from.Col + from.TokLen, end: to.Line, to: to.Col}
}
