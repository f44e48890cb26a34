package syntax

import (
	"fmt"
	"strings"
)

// What compilers make of types (C17 6.5p7) and of restrict (6.7.3.1) changes programs that access one object by lvalues
// of two types. Here is looked for where a function says so itself:
//
//	*(uint32_t *)&f           a pointer to one type is converted to one to another
//	int *i = m; short *s = m; one pointer without a type becomes two of different types, and does not change between
//	g(&u.i, &u.f)             pointers to two members of a union
//	h(p, p)                   two arguments lead to one object, of which a parameter with restrict is one
//
// What such an expression does rests on the compiler's not using the rule, as with -fno-strict-aliasing (docs/decisions
// 0027). Characters, and a structure and its members, are no such types.

// aliaser looks at the functions of a unit.
type aliaser struct {
	*ctypes
	relaxed  bool // the compiler is told not to use the rule; restrict stays
	function string
	full     *node                 // the expression or declaration that is looked at, as a whole
	way      []branch              // the alternatives of statements that are looked at
	values   map[string]*node      // of a local variable that is set once, what it is set to
	changed  map[string]int        // how often a variable, or a member by its text, is changed
	bare     map[string][]pointing // pointers without a type, by their text
	unions   map[string][]pointing // addresses of members, by the union's text
	globals  map[string]bool       // variables at file scope, by their identity
	params   map[string]int        // parameters of the function, by their identity
	apart    [][2]int              // parameters of the function that restrict keeps apart in calls
	calls    map[string]*summary   // of functions that are defined further up
	locals   []*node               // with restrict and a value, of the blocks around what is looked at
	found    []conflict
}

func newAliaser(relaxed bool) *aliaser {
	return &aliaser{ctypes: newTypes(), relaxed: relaxed, globals: map[string]bool{}, calls: map[string]*summary{}}
}

// branch is one of the alternatives of a statement.
type branch struct {
	of  *node
	nth int
}

// otherwise is the way on behind an if whose statement is left.
const otherwise = -1

// pointing is a pointer to a type that is made of something.
type pointing struct {
	to   string
	full *node
	way  []branch
}

// declaration looks at a declaration at file scope.
func (a *aliaser) declaration(n *node) {
	a.ctypes.declaration(n)
	if n.Kind == "VarDecl" {
		a.globals[n.ID] = true
	}
	if n.Kind != "FunctionDecl" || n.has&hasBody == 0 {
		return
	}
	a.function, a.values, a.changed = n.Name, map[string]*node{}, map[string]int{}
	a.apart, a.locals, a.bare, a.unions, a.params = nil, nil, map[string][]pointing{}, map[string][]pointing{}, map[string]int{}
	n.each(a.changes)
	a.statement(n)
	a.calls[n.Name] = a.summarise(n)
}

// changes notes what a node sets.
func (a *aliaser) changes(n *node) {
	switch {
	case n.Kind == "VarDecl" && n.has&hasInit != 0 && len(n.Inner) > 0 && n.Storage != "static":
		a.sets(n.ID, n.Inner[len(n.Inner)-1])
	case n.Kind == "ParmVarDecl":
		a.params[n.ID] = len(a.params)
		a.sets(n.ID, nil)
	case n.Kind == "BinaryOperator" && n.Opcode == "=" && len(n.Inner) == 2:
		a.sets(lvalueOf(n.Inner[0]), n.Inner[1])
	case n.Kind == "CompoundAssignOperator" && len(n.Inner) == 2,
		n.Kind == "UnaryOperator" && (n.Opcode == "++" || n.Opcode == "--" || n.Opcode == "&") && len(n.Inner) == 1:
		a.changed[lvalueOf(n.Inner[0])] += 2
	}
}

func (a *aliaser) sets(id string, value *node) {
	a.changed[id]++
	a.values[id] = value
}

// lvalueOf returns what tells an lvalue from others of the function.
func lvalueOf(n *node) string {
	if n = n.plain(); n.Kind == "DeclRefExpr" && n.Referenced != nil {
		return n.Referenced.ID
	}
	return n.text()
}

// statement looks at each full expression below n.
func (a *aliaser) statement(n *node) {
	if n.isExpression() && n.Kind != "StmtExpr" || n.Kind == "VarDecl" || n.Kind == "ReturnStmt" {
		a.full = n
		a.expression(n, nil)
		a.declared(n)
		return
	}
	was, locals := len(a.way), a.locals
	if n.Kind == "CompoundStmt" {
		defer func() { a.locals = locals }()
	}
	for i, in := range n.Inner {
		switch {
		case n.Kind == "CompoundStmt" && i > 0 && n.Inner[i-1].leaves():
			a.way = append(a.way[:len(a.way):len(a.way)], branch{n.Inner[i-1], otherwise})
		case n.Kind == "IfStmt" && i > 0:
			a.way = append(a.way[:was:was], branch{n, i})
		case in.Kind == "CaseStmt" || in.Kind == "DefaultStmt":
			a.way = append(a.way[:was:was], branch{n, i})
		}
		a.statement(in)
	}
	a.way = a.way[:was:was]
}

// expression looks at an expression, an operand of parent.
func (a *aliaser) expression(n, parent *node) {
	switch {
	case n.Kind == "StmtExpr":
		was := a.full
		for _, in := range n.Inner {
			a.statement(in)
		}
		a.full = was
		return
	case strings.HasPrefix(n.Kind, "UnaryExprOrTypeTrait"), n.Kind == "OffsetOfExpr":
		return
	case strings.HasSuffix(n.Kind, "CastExpr") && len(n.Inner) == 1 && !a.relaxed:
		a.conversion(n)
	case n.Kind == "UnaryOperator" && n.Opcode == "&" && len(n.Inner) == 1 && !a.relaxed && !a.dropsType(parent) &&
		(parent == nil || parent.Kind != "UnaryOperator" || parent.Opcode != "*"):
		a.member(n)
	case n.Kind == "CallExpr":
		a.restricted(n)
		a.handed(n)
	}
	for _, in := range n.Inner {
		a.expression(in, n)
	}
}

// dropsType reports a conversion to a pointer to void, or to characters.
func (a *aliaser) dropsType(n *node) bool {
	return n != nil && strings.HasSuffix(n.Kind, "CastExpr") && pointee(n.desugared()) != "" && a.untyped(n)
}

// untyped reports whether a value is no pointer to a type that says anything.
func (a *aliaser) untyped(n *node) bool { return a.base(pointee(n.desugared())) == "" }

// conversion looks at a conversion of a pointer.
func (a *aliaser) conversion(n *node) {
	if !a.untyped(n) {
		a.becomes(n.Inner[0], n.desugared())
	}
}

// becomes looks at a value that is made a pointer to a type.
func (a *aliaser) becomes(value *node, to string) {
	from := a.source(value, 4)
	switch {
	case !a.untyped(from):
		if is := from.desugared(); a.differ(pointee(is), pointee(to)) && !(isVolatile(is) && isVolatile(to)) {
			a.note(a.full, accessed(pointee(is), pointee(to)))
		}
	case from.Kind == "DeclRefExpr" || from.Kind == "MemberExpr":
		if key := lvalueOf(from); !strings.Contains(key, "...") && a.changed[key] <= 1 {
			a.pairs(a.bare, key, pointee(to))
		}
	}
}

func isVolatile(pointer string) bool { return strings.Contains(pointer, "volatile") }

// source returns the expression that a pointer is first made by: behind conversions and variables that are set once.
func (a *aliaser) source(n *node, steps int) *node {
	for n = n.plain(); strings.HasSuffix(n.Kind, "CastExpr") && n.CastKind != "ArrayToPointerDecay" && len(n.Inner) == 1; {
		n = n.Inner[0].plain()
	}
	if n.Kind != "DeclRefExpr" || steps == 0 || a.changed[lvalueOf(n)] != 1 || a.values[lvalueOf(n)] == nil {
		return n
	}
	if s := a.source(a.values[lvalueOf(n)], steps-1); s.Kind == "DeclRefExpr" || !a.untyped(s) {
		return s
	}
	return n
}

// member looks at the address of a member of a union.
func (a *aliaser) member(n *node) {
	for m := n.Inner[0].plain(); m.Kind == "MemberExpr" && len(m.Inner) == 1; m = m.Inner[0].plain() {
		of := m.Inner[0].Type.Qual
		if m.Arrow {
			of = pointee(of)
		}
		tag, ok := tagOf(a.base(of))
		if ok && a.records[tag] != nil && a.records[tag].union {
			if key := m.Inner[0].text(); !strings.Contains(key, "...") {
				a.pairs(a.unions, key, m.Type.Qual)
			}
			return
		}
	}
}

// pairs notes that a pointer to a type is made of something, and which others of other types are.
func (a *aliaser) pairs(made map[string][]pointing, key, to string) {
	for _, p := range made[key] {
		if a.differ(p.to, to) && !apartWays(p.way, a.way) {
			a.note(p.full, accessed(p.to, to))
			a.note(a.full, accessed(p.to, to))
		}
	}
	made[key] = append(made[key], pointing{to, a.full, a.way})
}

// apartWays reports whether two statements are in different alternatives.
func apartWays(x, y []branch) bool {
	for i := range min(len(x), len(y)) {
		if x[i].of == y[i].of && x[i].nth != y[i].nth {
			return true
		}
	}
	return false
}

// note keeps what is assumed of all that an expression or declaration does.
func (a *aliaser) note(n *node, what string) {
	if n.Kind == "VarDecl" {
		n = &node{Range: span{n.Loc, n.Range.End}}
	}
	at := access{at: within(n), write: true, call: n.Kind == "CallExpr" && n != a.full}
	c := conflict{function: a.function, chosen: true, what: what, accesses: [2]access{at, at}}
	for _, f := range a.found {
		if f.function == c.function && f.what == c.what && f.accesses == c.accesses {
			return
		}
	}
	a.found = append(a.found, c)
}

func accessed(is, as string) string {
	return fmt.Sprintf("what is accessed as %s and as %s is one object to the compiler, as with -fno-strict-aliasing "+
		"(C17 6.5p7)", unqualifiedName(is), unqualifiedName(as))
}

// unqualifiedName returns a type without its outer qualifiers, as messages have it.
func unqualifiedName(name string) string {
	for _, q := range []string{"const ", "volatile "} {
		name = strings.TrimPrefix(name, q)
	}
	return name
}
