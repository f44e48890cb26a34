package syntax

import (
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

// statement looks at each full expression below n.
func (s *sequencer) statement(n *node) {
	if n.isExpression() {
		s.visit(n)
		return
	}
	if n.Kind == "VarDecl" {
		for _, in := range n.Inner {
			s.keepsTemporary(&node{Range: span{n.Loc, n.Range.End}}, in)
		}
	}
	for i, in := range n.Inner {
		s.bare = withoutBlock(n, i)
		s.statement(in)
	}
	s.bare = false
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
		s.outlives(n, "the compound literal that is assigned outlives its statement, which is a block")
	}
	s.keepsTemporary(n, right)
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
func (s *sequencer) keepsTemporary(assignment, value *node) {
	if value != nil && value.temporaryArray() {
		s.outlives(assignment, "the temporary value whose array is assigned outlives its expression")
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
