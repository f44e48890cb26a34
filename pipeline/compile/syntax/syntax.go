// Package syntax reads clang's syntax tree of a unit and notes in its IR what the IR does not show: constants whose value
// is undefined, accesses that have no order (C17 6.5p2), objects that are accessed as two types or through restrict
// (6.5p7, 6.7.3.1).
package syntax

import (
	"math/big"
	"strings"

	"github.com/firmproof/firmproof/targets"
)

// Options say what is looked for.
type Options struct {
	Target      targets.Target
	Constants   bool // those that clang does not name, too
	Conversions bool // values that conversions of constants change
	Accesses    bool // the order and the types of accesses
	Relaxed     bool // types of accesses are not the compiler's to use
}

// Reader reads clang's dump of a unit's syntax tree (-Xclang -ast-dump=json) while it is written.
type Reader struct {
	syntax
	treeReader
}

// NewReader returns a reader; named are the constants that clang named.
func NewReader(o Options, named []Folded) *Reader {
	r := &Reader{syntax: syntax{evaluator: newEvaluator(o.Target), evaluated: o.Constants, conversions: o.Conversions,
		places: named, owners: make([]holder, len(named)), constants: map[string]owner{}}}
	if o.Accesses {
		r.sequencer = &sequencer{bitfields: map[string]bool{}}
		r.aliaser = newAliaser(o.Relaxed)
	}
	r.treeReader.declaration = r.syntax.declaration
	return r
}

// syntax asks the declarations of a unit: which values of constant expressions are undefined, whose they
// are, and what has no order.
type syntax struct {
	*evaluator
	evaluated   bool       // constant expressions are
	conversions bool       // values that conversions change are looked for
	sequencer   *sequencer // nil: orders are not looked at
	aliaser     *aliaser   // likewise: types of accesses

	places []Folded // that clang named
	owners []holder // of each of the places

	constants map[string]owner // with an initialiser, by their identity in the dump
	uses      []use            // of constants, in functions
}

// holder is the declaration around a place, and what the place belongs to.
type holder struct {
	begin       spot
	owner       owner
	found, owns bool
}

// use is a constant that a function reads.
type use struct {
	file, function string
	of             owner
}

// declaration looks at a declaration at file scope.
func (s *syntax) declaration(n *node) {
	function := ""
	if n.Kind == "FunctionDecl" {
		function = n.Name
	}
	if s.sequencer != nil {
		s.sequencer.declaration(n)
		s.aliaser.declaration(n)
	}
	if s.evaluated {
		s.walk(n, function, true)
	}
	for i, f := range s.places {
		if h := &s.owners[i]; n.holds(f) && (!h.found || h.begin.before(n.Range.Begin)) {
			*h = holder{begin: n.Range.Begin, found: true}
			h.owner, h.owns = n.ownerOf(f)
		}
	}
	used := map[string]bool{}
	n.each(func(in *node) {
		switch {
		case in.Kind == "VarDecl" && in.has&hasInit != 0 && strings.HasPrefix(in.Type.Qual, "const "):
			s.constants[in.ID] = ownerAt(ownerGlobal, in)
		case function != "" && in.Kind == "DeclRefExpr" && in.Referenced != nil && !used[in.Referenced.ID]:
			used[in.Referenced.ID] = true
			if of, ok := s.constants[in.Referenced.ID]; ok {
				s.uses = append(s.uses, use{file: n.Loc.File, function: function, of: of})
			}
		}
	})
}

// walk evaluates the outermost nodes that may hold operators in a constant expression, or enumerators.
func (s *syntax) walk(n *node, function string, top bool) {
	needed := false
	switch n.Kind {
	case "EnumDecl":
		needed = true
	case "VarDecl":
		needed = n.has&hasInit != 0 && (n.has&hasOperator != 0 || s.conversions) &&
			(top || n.has&(hasStatic|hasList) != 0)
	case "ConstantExpr", "StaticAssertDecl":
		needed = n.has&hasOperator != 0
	}
	if !needed {
		if n.CastKind == "FloatingToIntegral" && function != "" {
			s.executed(n, function)
		}
		for _, in := range n.Inner {
			s.walk(in, function, false)
		}
		return
	}
	if top {
		function = ""
	}
	s.evaluate(n, function)
}

// executed notes a constant of a floating type in the code of a function that does not fit the integer it becomes: the IR
// has a value that is not defined in its place, and whether it is executed is not known here.
func (s *syntax) executed(n *node, function string) {
	s.owner, s.variable = owner{kind: ownerFunction, name: function}, false
	before := len(s.found)
	s.whole(n)
	for i := before; i < len(s.found); i++ {
		s.found[i].undecided = true
	}
}

// evaluate evaluates the constant expressions of a node that stands in function (empty: outside).
func (s *syntax) evaluate(n *node, function string) {
	s.owner, s.variable = owner{kind: ownerUnit}, false
	if function != "" {
		s.owner = owner{kind: ownerFunction, name: function}
	}
	switch n.Kind {
	case "EnumDecl":
		s.enumeration(n)
	case "ConstantExpr":
		s.eval(n)
	case "StaticAssertDecl":
		if len(n.Inner) > 0 {
			s.eval(n.Inner[0])
		}
	case "VarDecl":
		s.initialiser(n, function)
	}
}

// enumeration evaluates the constants of an enumeration, one after the other.
func (s *syntax) enumeration(n *node) {
	next := new(big.Int)
	for _, in := range n.Inner {
		if in.Kind != "EnumConstantDecl" {
			continue
		}
		for _, expr := range in.Inner {
			if expr.Kind != "ConstantExpr" {
				continue
			}
			if next = s.eval(expr); next == nil { // as clang has it
				next = literal(expr)
			}
		}
		if next != nil {
			s.enumerators[in.ID] = next
			next = new(big.Int).Add(next, big.NewInt(1))
		}
	}
}

// initialiser evaluates that of a static object or of an automatic aggregate; others are executed.
func (s *syntax) initialiser(n *node, function string) {
	s.owner = ownerAt(ownerGlobal, n)
	aggregate := function != "" && n.Storage != "static"
	if aggregate {
		s.owner = ownerAt(ownerAggregate, n)
	}
	s.variable = true
	for _, in := range n.Inner {
		if !aggregate || in.Kind == "InitListExpr" {
			s.eval(in)
		}
	}
}

func ownerAt(k ownerKind, d *node) owner {
	return owner{kind: k, name: d.Name, line: d.Loc.Line, col: d.Loc.Col}
}
