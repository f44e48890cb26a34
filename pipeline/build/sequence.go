package build

import (
	"fmt"
	"strings"
)

// What C leaves without an order (C17 6.5p2, p3): two accesses of one object in an expression, of which one changes
// it, that no sequence point separates are undefined; calls whose effects meet may come in either order. The syntax
// tree says which accesses are unsequenced; whether they meet in one object is asked in the IR, where they are found
// by their places:
//
//	!firmproof.unsequenced = !{!8}
//	!8 = !{!"undefined", !"a.c", !"main", !"what", !"write", !"i", !"4", !"8", !"4", !"9", !"", !"read", !"i", ...}
//
// Behind the text stand two accesses: kind, variable (empty: through a pointer), from line and column up to line and
// column, and "conditional", "macro" or both where it is not always made, or its place is a macro's.

// access is a read or a write of an object by an expression, or a call.
type access struct {
	lvalue      *node  // nil: a call
	call        bool   // of a conflict that is kept
	variable    string // likewise: the one whose object lvalue is, or lies in
	at          extent
	write       bool
	settled     bool // complete when the value of the expression is known
	conditional bool
}

// extent is a half-open range of places in a file. The instruction of an access has a place in it.
type extent struct {
	file               string
	line, col, end, to int
	macro              bool
}

// conflict is a pair of accesses without an order.
type conflict struct {
	function string
	ordered  bool // one after the other, in an order that is not specified
	assumed  bool // no pair: what is assumed at the first access
	what     string
	accesses [2]access
}

// sequencer finds the conflicts in the functions of a unit.
type sequencer struct {
	bitfields map[string]bool // members, by their identity in the dump
	function  string
	addressed map[string]bool // local variables whose address the function takes
	global    map[string]bool
	bare      bool // the statement is a block without braces
	found     []conflict
	before    int // how many were found in the functions in front
}

// maxConflicts limits the conflicts of a function that are followed; of one with more, the rest is an assumption.
const maxConflicts = 200

// declaration looks at the body of a function, and at the members of structures.
func (s *sequencer) declaration(n *node) {
	n.each(func(in *node) {
		if in.Bitfield {
			s.bitfields[in.ID] = true
		}
	})
	if n.Kind == "FunctionDecl" && n.has&hasBody != 0 {
		s.read(n)
	}
}

// read looks at the body of one function.
func (s *sequencer) read(f *node) {
	s.function, s.addressed, s.before = f.Name, map[string]bool{}, len(s.found)
	locals := map[string]bool{}
	f.each(func(n *node) {
		switch n.Kind {
		case "VarDecl", "ParmVarDecl":
			locals[n.ID] = n.Storage != "static" && n.Storage != "extern"
		case "UnaryOperator":
			if n.Opcode == "&" && len(n.Inner) == 1 {
				if v := n.Inner[0].variable(); v != nil {
					s.addressed[v.Referenced.ID] = true
				}
			}
		case "ImplicitCastExpr":
			if n.CastKind == "ArrayToPointerDecay" && len(n.Inner) == 1 {
				if v := n.Inner[0].variable(); v != nil {
					s.addressed[v.Referenced.ID] = true
				}
			}
		}
	})
	s.global = map[string]bool{}
	f.each(func(n *node) {
		if n.Kind == "DeclRefExpr" && n.Referenced != nil && !locals[n.Referenced.ID] {
			s.global[n.Referenced.ID] = true
		}
	})
	s.statement(f)
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

// statement looks at each full expression below n.
func (s *sequencer) statement(n *node) {
	if n.isExpression() {
		s.visit(n)
		return
	}
	if n.Kind == "VarDecl" {
		for _, in := range n.Inner {
			s.keepsTemporary(in)
		}
	}
	for i, in := range n.Inner {
		s.bare = withoutBlock(n, i)
		s.statement(in)
	}
	s.bare = false
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

// visit returns the accesses of an expression, and notes the conflicts among them.
func (s *sequencer) visit(n *node) []access {
	switch n.Kind {
	case "UnaryExprOrTypeTraitExpr", "GenericSelectionExpr", "ChooseExpr", "OffsetOfExpr", "ConstantExpr":
		return nil
	case "StmtExpr":
		for _, in := range n.Inner {
			s.statement(in)
		}
		return nil
	case "ImplicitCastExpr":
		out := s.inOrder(n.Inner)
		if n.CastKind == "LValueToRValue" && len(n.Inner) == 1 {
			out = append(out, access{lvalue: n.Inner[0].plain(), at: within(n.Inner[0])})
		}
		return out
	case "UnaryOperator":
		return s.unary(n)
	case "BinaryOperator", "CompoundAssignOperator":
		if len(n.Inner) == 2 {
			return s.binary(n)
		}
	case "ConditionalOperator", "BinaryConditionalOperator":
		out := settle(s.visit(n.Inner[0]))
		for _, in := range n.Inner[1:] {
			out = append(out, onCondition(s.visit(in))...)
		}
		return out
	case "ArraySubscriptExpr":
		return s.operands(n.Inner, false)
	case "InitListExpr":
		return s.operands(n.Inner, true)
	case "CallExpr":
		if strings.HasPrefix(n.callee(), "__builtin_constant_p") || n.callee() == "__builtin_object_size" {
			return nil
		}
		return append(settle(s.operands(n.Inner, false)), access{at: begin(n), write: true})
	}
	return s.inOrder(n.Inner)
}

func (s *sequencer) inOrder(ns []*node) (out []access) {
	for _, in := range ns {
		out = append(out, s.visit(in)...)
	}
	return out
}

// operands returns the accesses of operands that have no order among each other, or (ordered) any.
func (s *sequencer) operands(ns []*node, ordered bool) (out []access) {
	for _, in := range ns {
		next := s.visit(in)
		s.compare(out, next, ordered)
		out = append(out, next...)
	}
	return out
}

func (s *sequencer) unary(n *node) []access {
	out := s.inOrder(n.Inner)
	if n.Opcode != "++" && n.Opcode != "--" || len(n.Inner) != 1 {
		return out
	}
	at := begin(n)
	if n.Postfix {
		at = extentOf(n.Range.End, n.Range.End)
	}
	return s.own(out, access{lvalue: n.Inner[0].plain(), at: at, write: true})
}

func (s *sequencer) binary(n *node) []access {
	left, right := n.Inner[0], n.Inner[1]
	switch {
	case n.Opcode == ",":
		return append(settle(s.visit(left)), s.visit(right)...)
	case n.Opcode == "&&" || n.Opcode == "||":
		return append(settle(s.visit(left)), onCondition(s.visit(right))...)
	case n.Kind == "BinaryOperator" && n.Opcode != "=":
		return s.operands(n.Inner, false)
	}
	if s.bare && right.literalAddress() {
		s.assume(right, "the compound literal that is assigned outlives its statement, which is a block")
	}
	s.keepsTemporary(right)
	target := access{lvalue: left.plain(), at: between(left, right)}
	a, b := s.visit(left), s.visit(right)
	if n.Kind == "CompoundAssignOperator" {
		a = append(a, target)
	}
	s.compare(a, b, false)
	target.write = true
	return s.own(append(a, b...), target)
}

// keepsTemporary notes that the address of an array in a temporary value is assigned: the value ends with the full
// expression (C17 6.2.4p8).
func (s *sequencer) keepsTemporary(value *node) {
	if value != nil && value.temporaryArray() {
		s.assume(value, "the temporary value whose array is assigned outlives its expression")
	}
}

// own adds what an operator does to its operand. That comes behind the values of the operands (C17 6.5.16p3), but
// not behind side effects in them.
func (s *sequencer) own(operands []access, own access) []access {
	var effects []access
	for _, a := range operands {
		if a.write && !a.settled && a.lvalue != nil {
			effects = append(effects, a)
		}
	}
	s.compare(effects, []access{own}, false)
	return append(operands, own)
}

func settle(as []access) []access {
	for i := range as {
		as[i].settled = true
	}
	return as
}

func onCondition(as []access) []access {
	for i := range as {
		as[i].conditional = true
	}
	return as
}

// compare notes the conflicts of an access of as with one of bs.
func (s *sequencer) compare(as, bs []access, ordered bool) {
	for _, a := range as {
		for _, b := range bs {
			call := a.lvalue == nil || b.lvalue == nil
			if !a.write && !b.write || len(s.found)-s.before > maxConflicts || !s.meet(a, b) {
				continue
			}
			s.note(conflict{function: s.function, ordered: call || ordered,
				what: sentence(a, b), accesses: [2]access{a, b}})
		}
	}
}

// note keeps a conflict, without its part of the syntax tree.
func (s *sequencer) note(c conflict) {
	for i := range c.accesses {
		a := &c.accesses[i]
		if a.call = a.lvalue == nil; !a.call {
			if v := a.lvalue.variable(); v != nil {
				a.variable = v.Referenced.Name
			}
		}
		a.lvalue = nil
	}
	s.found = append(s.found, c)
	if len(s.found)-s.before == maxConflicts {
		at := extent{file: c.accesses[0].at.file, line: c.accesses[0].at.line}
		s.found = append(s.found, conflict{function: s.function, assumed: true,
			what:     "the function has more accesses and calls without an order than are followed: from here on they do not meet",
			accesses: [2]access{{at: at, write: true, call: true}, {at: at, write: true, call: true}}})
	}
}

// assume notes what holds at an expression.
func (s *sequencer) assume(n *node, what string) {
	at := access{at: begin(n), write: true}
	s.note(conflict{function: s.function, assumed: true, what: what, accesses: [2]access{at, at}})
}

func sentence(a, b access) string {
	if a.lvalue == nil || b.lvalue == nil {
		return ""
	}
	x, y := a.lvalue.text(), b.lvalue.text()
	of := "of '" + x + "'"
	if x != y {
		of = "of one object, '" + x + "' and '" + y + "'"
	}
	if a.write && b.write {
		return "unsequenced modifications " + of
	}
	return "unsequenced modification and access " + of
}

// meet reports whether two accesses may be of one object.
func (s *sequencer) meet(a, b access) bool {
	if a.lvalue == nil || b.lvalue == nil {
		for _, x := range []access{a, b} {
			if x.lvalue != nil && (!s.shared(x.lvalue) || strings.HasPrefix(x.lvalue.Type.Qual, "const ")) {
				return false
			}
		}
		return true
	}
	x, y := a.lvalue.variable(), b.lvalue.variable()
	switch {
	case x != nil && y != nil && x.Referenced.ID != y.Referenced.ID:
		return false
	case (x == nil || y == nil) && !(s.shared(a.lvalue) && s.shared(b.lvalue)):
		return false
	case x == nil || y == nil:
		if a.lvalue.object() != b.lvalue.object() {
			return false
		}
	}
	return !s.apart(a.lvalue, b.lvalue)
}

// shared reports whether others may reach the object: it is not a local variable whose address nobody takes.
func (s *sequencer) shared(n *node) bool {
	v := n.variable()
	return v == nil || s.global[v.Referenced.ID] || s.addressed[v.Referenced.ID]
}

// apart reports whether two accesses are of different elements or members of one object.
func (s *sequencer) apart(a, b *node) bool {
	a, b = a.plain(), b.plain()
	if a.Kind == "MemberExpr" && b.Kind == "MemberExpr" && a.Member != b.Member {
		return s.bitfields[a.Member] || s.bitfields[b.Member]
	}
	if a.Kind != b.Kind || len(a.Inner) == 0 || len(b.Inner) == 0 {
		return false
	}
	if a.Kind == "ArraySubscriptExpr" && len(a.Inner) == 2 && len(b.Inner) == 2 {
		i, j := literal(a.Inner[1].plain()), literal(b.Inner[1].plain())
		if i != nil && j != nil && i.Cmp(j) != 0 && a.Inner[0].variable() != nil && b.Inner[0].variable() != nil {
			return true
		}
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
func (n *node) object() string {
	name := n.Type.Desugared
	if name == "" {
		name = n.Type.Qual
	}
	return qualifiers.Replace(name)
}

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

// fields returns the strings of the metadata.
func (c conflict) fields(shown func(string) string) []string {
	kind := "undefined"
	if c.ordered {
		kind = "unspecified"
	}
	if c.assumed {
		kind = "assumed"
	}
	out := []string{kind, shown(c.accesses[0].at.file), c.function, c.what}
	for _, a := range c.accesses {
		what, how := "read", []string{}
		if a.call {
			what = "call"
		} else if a.write {
			what = "write"
		}
		if a.conditional {
			how = append(how, "conditional")
		}
		if a.at.macro {
			how = append(how, "macro")
		}
		out = append(out, what, a.variable, fmt.Sprint(a.at.line), fmt.Sprint(a.at.col), fmt.Sprint(a.at.end),
			fmt.Sprint(a.at.to), strings.Join(how, " "))
	}
	return out
}
