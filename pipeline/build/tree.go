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
	// the initialiser of a constant that a function reads; its name is FILE:FUNCTION
	ownerUser ownerKind = "user"
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
	// the elements of a list that is shorter than its array, behind the value of the rest
	Filled []*node `json:"array_filler"`

	ID         string
	Type       qualType
	Opcode     string
	CastKind   string
	Value      json.RawMessage // of a literal
	ArgType    *qualType       `json:"argType"` // of sizeof (type)
	Referenced *reference      `json:"referencedDecl"`
	Member     string          `json:"referencedMemberDecl"`
	Arrow      bool            `json:"isArrow"`   // a member behind a pointer
	Postfix    bool            `json:"isPostfix"` // of ++ and --
	Init       string          // of a variable: not empty if it has an initialiser
}

// reference is a use of a declaration.
type reference struct{ ID, Name string }

// qualType is a type as it is written, and without the names that it has by typedef, where those differ.
type qualType struct {
	Qual      string `json:"qualType"`
	Desugared string `json:"desugaredQualType"`
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
	Macro     bool  `json:"-"` // the text is a macro's, or its argument's
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
	if len(n.Filled) > 0 {
		n.Inner = append(n.Inner, n.Filled...)
		n.Filled = nil
	}
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
		s.Macro = true
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
	e := n.Range.End
	return n.spans(f) || n.begins(f) && e.File == f.file && f.line == e.Line && e.fromMacro()
}

// spans reports whether the place lies between n's first and last character.
func (n *node) spans(f folded) bool {
	e := n.Range.End
	return n.begins(f) && e.File == f.file && (f.line < e.Line || f.line == e.Line && f.col < e.Col+e.TokLen)
}

func (n *node) begins(f folded) bool {
	b := n.Range.Begin
	return b.File == f.file && (b.Line < f.line || b.Line == f.line && b.Col <= f.col)
}

func (s *spot) fromMacro() bool { return s.Expansion != nil || s.Spelling != nil }

// way lists the nodes around the place, outermost first.
func (n *node) way(f folded) []*node {
	var around *node
	for _, in := range n.Inner {
		if in != nil && in.holds(f) && (around == nil || around.Range.Begin.before(in.Range.Begin)) {
			around = in
		}
	}
	if around == nil {
		return nil
	}
	return append([]*node{around}, around.way(f)...)
}

// before reports whether s stands in front of t in one file. Of nodes around a place, the last that begins there counts
// (the text of one that ends in a macro is taken to be its whole line); of those that begin together, the first:
// `int a = 1, b = 2` are two from the same word on.
func (s spot) before(t spot) bool { return s.Line < t.Line || s.Line == t.Line && s.Col < t.Col }

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
	switch {
	case constant && function != nil:
		return ownerAt(ownerFunction, function), true
	case constant:
		return owner{kind: ownerUnit}, true
	case variable != nil && (function == nil || variable.Storage == "static"):
		return ownerAt(ownerGlobal, variable), true
	case variable != nil && aggregate:
		return ownerAt(ownerAggregate, variable), true
	}
	return owner{}, false
}
