package syntax

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
	Storage string
	Inner   []*node // of a list that is shorter than its array, behind the value of the rest

	ID         string // of a declaration
	Type       qualType
	Opcode     string
	CastKind   string
	Value      string     // of a literal or a constant expression
	ArgType    *qualType  // of sizeof (type)
	Referenced *reference // of a use of a declaration
	Member     string     // the identity of the member
	Arrow      bool       // a member behind a pointer
	Postfix    bool       // of ++ and --
	Bitfield   bool
	Tag        string // struct or union, of a declaration
	has        content
}

// content says what is in a node or below it.
type content uint8

const (
	hasOperator content = 1 << iota
	hasInit             // a variable with an initialiser
	hasStatic
	hasList // of an initialiser
	hasBody
)

// reference is a use of a declaration.
type reference struct{ ID, Name string }

// qualType is a type as it is written, and without the names that it has by typedef, where those differ.
type qualType struct{ Qual, Desugared string }

type span struct{ Begin, End spot }

// spot is a place; of a macro's, that of its expansion.
type spot struct {
	File      string
	Line, Col int
	TokLen    int
	Macro     bool // the text is a macro's, or its argument's
}

// holds reports whether the place lies in n's source text. The end of text that a
// macro gives is its line's: an argument stands behind the macro's name.
func (n *node) holds(f Folded) bool {
	e := n.Range.End
	return n.Range.spans(f) || n.Range.begins(f) && e.File == f.file && f.line == e.Line && e.Macro
}

// spans reports whether the place lies between the first and the last character.
func (s span) spans(f Folded) bool {
	e := s.End
	return s.begins(f) && e.File == f.file && (f.line < e.Line || f.line == e.Line && f.col < e.Col+e.TokLen)
}

func (s span) begins(f Folded) bool {
	b := s.Begin
	return b.File == f.file && (b.Line < f.line || b.Line == f.line && b.Col <= f.col)
}

// way lists the nodes around the place that n holds, outermost first.
func (n *node) way(f Folded) []*node {
	var around *node
	for _, in := range n.Inner {
		if in.holds(f) && (around == nil || around.Range.Begin.before(in.Range.Begin)) {
			around = in
		}
	}
	if around == nil {
		return []*node{n}
	}
	return append([]*node{n}, around.way(f)...)
}

// before reports whether s stands in front of t in one file. Of nodes around a place, the last that begins there counts
// (the text of one that ends in a macro is taken to be its whole line); of those that begin together, the first:
// `int a = 1, b = 2` are two from the same word on.
func (s spot) before(t spot) bool { return s.Line < t.Line || s.Line == t.Line && s.Col < t.Col }

// ownerOf says what the value at a place in the declaration n belongs to; false for an expression
// that is executed, or never evaluated.
func (n *node) ownerOf(f Folded) (owner, bool) {
	var function, variable *node
	aggregate, constant := false, f.constant
	outer := "" // kind of the node around
	for _, in := range n.way(f) {
		switch in.Kind {
		case "FunctionDecl":
			function = in
		case "VarDecl":
			variable, aggregate = in, false
		case "InitListExpr", "CompoundLiteralExpr":
			aggregate = true
		case "ConstantExpr": // an element of a compound literal outside functions is the variable's
			constant = constant || outer != "InitListExpr"
		case "EnumConstantDecl":
			constant = true
		case "StmtExpr", "UnaryExprOrTypeTraitExpr":
			variable = nil
		}
		outer = in.Kind
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
