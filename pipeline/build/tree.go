package build

import (
	"encoding/json"
	"fmt"
)

// ownerKind says what an undefined constant belongs to.
type ownerKind string

// The kinds of owner.
const (
	ownerGlobal ownerKind = "global" // the initialiser of an object with static storage
	// that of an automatic object, which is copied from a constant when it is reached
	ownerAggregate ownerKind = "aggregate"
	ownerFunction  ownerKind = "function" // a constant expression within a function
	// a constant expression outside functions: an enumerator, the length of an array
	ownerUnit ownerKind = "unit"
)

// owner is a declaration, by its name in C and the place of that name.
type owner struct {
	kind      ownerKind
	name      string
	line, col int
}

// node is one of clang's syntax tree (-ast-dump=json); only what is needed here.
type node struct {
	Kind    string
	Name    string
	Loc     spot
	Range   span
	Storage string `json:"storageClass"`
	Inner   []*node
}

type span struct{ Begin, End spot }

// spot is a place. Clang leaves out a file or line that is that of the place
// printed before; readTree fills both in. Of a macro's, the expansion counts.
type spot struct {
	File      string
	Line, Col int
	TokLen    int
	Spelling  *spot `json:"spellingLoc"`
	Expansion *spot `json:"expansionLoc"`
}

// readTree reads the dump of one unit.
func readTree(dump []byte) (*node, error) {
	root := &node{}
	if err := json.Unmarshal(dump, root); err != nil {
		return nil, fmt.Errorf("syntax tree: %w", err)
	}
	last := spot{}
	root.place(&last)
	return root, nil
}

func (n *node) place(last *spot) {
	n.Loc.place(last)
	n.Range.Begin.place(last)
	n.Range.End.place(last)
	for _, in := range n.Inner {
		if in != nil {
			in.place(last)
		}
	}
}

func (s *spot) place(last *spot) {
	if s.Expansion != nil {
		if s.Spelling != nil {
			s.Spelling.place(last)
		}
		s.Expansion.place(last)
		*s = *s.Expansion
		return
	}
	if s.Col == 0 {
		return
	}
	if s.File == "" {
		s.File = last.File
	}
	if s.Line == 0 {
		s.Line = last.Line
	}
	last.File, last.Line = s.File, s.Line
}

// holds reports whether the place lies in n's source text. The end of text that a
// macro gives is its line's: an argument stands behind the macro's name.
func (n *node) holds(f folded) bool {
	b, e := n.Range.Begin, n.Range.End
	if b.File != f.file || e.File != f.file {
		return false
	}
	return (b.Line < f.line || b.Line == f.line && b.Col <= f.col) && (f.line < e.Line || f.line == e.Line &&
		(f.col < e.Col+e.TokLen || e.fromMacro()))
}

func (s *spot) fromMacro() bool { return s.Expansion != nil || s.Spelling != nil }

// way lists the nodes around the place, outermost first.
func (n *node) way(f folded) []*node {
	for i := len(n.Inner) - 1; i >= 0; i-- { // with macros the last that begins before
		if in := n.Inner[i]; in != nil && in.holds(f) {
			return append([]*node{in}, in.way(f)...)
		}
	}
	return nil
}

// ownerOf says what the value at the place belongs to; false for an expression
// that is executed, or never evaluated.
func (n *node) ownerOf(f folded) (owner, bool) {
	var function, variable *node
	aggregate, constant := false, f.constant
	for _, in := range n.way(f) {
		switch in.Kind {
		case "FunctionDecl":
			function = in
		case "VarDecl":
			variable, aggregate = in, false
		case "InitListExpr", "CompoundLiteralExpr":
			aggregate = true
		case "EnumConstantDecl", "ConstantExpr":
			constant = true
		case "StmtExpr", "UnaryExprOrTypeTraitExpr":
			variable = nil
		}
	}
	named := func(k ownerKind, d *node) (owner, bool) {
		return owner{kind: k, name: d.Name, line: d.Loc.Line, col: d.Loc.Col}, true
	}
	switch {
	case constant && function != nil:
		return named(ownerFunction, function)
	case constant:
		return owner{kind: ownerUnit}, true
	case variable != nil && (function == nil || variable.Storage == "static"):
		return named(ownerGlobal, variable)
	case variable != nil && aggregate:
		return named(ownerAggregate, variable)
	}
	return owner{}, false
}
