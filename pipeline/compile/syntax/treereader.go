package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// treeReader reads clang's dump of a syntax tree (-ast-dump=json, which has a line for each field) while it is written:
// the dump of a unit has hundreds of megabytes, a declaration of it seldom one. Fields that nothing here asks for are
// passed over.
type treeReader struct {
	declaration func(*node) // is given each declaration at file scope, in order

	part  []byte  // of a line that has not ended yet
	stack []frame // the objects and lists around the line
	last  spot    // the file and line that were printed last
	file  string  // of the line before, if it named one
	id    []byte  // of the object that has just begun
	words map[string]string
	nodes []node // not used yet
	ended bool   // the root was read
}

// frame is an object of the dump, or a list, by what it becomes; one that is passed over has nothing.
type frame struct {
	node *node
	list bool // the nodes below node
	span *span
	spot *spot
	typ  *qualType
	ref  *reference
}

var errDump = errors.New("syntax tree: it is not complete")

// Write reads the next part of the dump.
func (t *treeReader) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			t.part = append(t.part, p...)
			return n, nil
		}
		line := p[:end]
		if len(t.part) > 0 {
			t.part = append(t.part, line...)
			line = t.part
		}
		if err := t.line(line); err != nil {
			return 0, err
		}
		t.part, p = t.part[:0], p[end+1:]
	}
}

var _ io.Writer = (*treeReader)(nil)

// Finish fails unless the whole dump was read.
func (t *treeReader) Finish() error {
	if len(t.part) > 0 {
		if err := t.line(t.part); err != nil {
			return err
		}
	}
	if !t.ended {
		return errDump
	}
	return nil
}

// line reads a line: the begin or end of an object or a list, or a field.
func (t *treeReader) line(line []byte) error {
	from, to := 0, len(line)
	for from < to && line[from] == ' ' {
		from++
	}
	for to > from && (line[to-1] == ',' || line[to-1] == '\r') {
		to--
	}
	text := line[from:to]
	if len(text) == 0 {
		return nil
	}
	file := t.file
	t.file = ""
	var key []byte
	if text[0] == '"' {
		n := bytes.IndexByte(text[1:], '"')
		if n < 0 || len(text) < n+5 || text[n+2] != ':' { // a string in a list
			return nil
		}
		key, text = text[1:n+1], text[n+4:]
	}
	switch {
	case len(text) == 1 && (text[0] == '{' || text[0] == '['):
		t.open(string(key), text[0] == '[')
	case text[0] == '}' || text[0] == ']':
		if len(t.stack) == 0 {
			return errDump
		}
		t.close()
	case len(key) > 0 && len(t.stack) > 0:
		t.field(key, text, file)
	case len(t.stack) > 0 && t.stack[len(t.stack)-1].list && string(text) == "{}": // an operand that is left out
		t.child(t.stack[len(t.stack)-1].node)
	}
	return nil
}

// open begins an object or a list.
func (t *treeReader) open(key string, list bool) {
	if len(t.stack) == 0 {
		t.stack = append(t.stack, frame{node: &node{}})
		return
	}
	top := t.stack[len(t.stack)-1]
	var f frame
	switch n := top.node; {
	case top.list:
		f.node = t.child(n)
	case n != nil && list:
		if key == "inner" || key == "array_filler" {
			f = frame{node: n, list: true}
		}
	case n != nil && key == "loc":
		f.spot = &n.Loc
	case n != nil && key == "range":
		f.span = &n.Range
	case n != nil && key == "type":
		f.typ = &n.Type
	case n != nil && key == "argType":
		n.ArgType = &qualType{}
		f.typ = n.ArgType
	case n != nil && key == "referencedDecl":
		n.Referenced = &reference{}
		f.ref = n.Referenced
	case top.span != nil && key == "begin":
		f.spot = &top.span.Begin
	case top.span != nil && key == "end":
		f.spot = &top.span.End
	case top.spot != nil && key == "expansionLoc": // of a macro's, the expansion counts
		top.spot.Macro = true
		f.spot = top.spot
	}
	t.stack = append(t.stack, f)
}

// child adds a node below n; declarations at file scope are not kept.
func (t *treeReader) child(n *node) *node {
	if len(t.nodes) == 0 {
		t.nodes = make([]node, 64)
	}
	c := &t.nodes[0]
	t.nodes = t.nodes[1:]
	if len(t.stack) > 2 {
		n.Inner = append(n.Inner, c)
	}
	return c
}

// close ends an object or a list.
func (t *treeReader) close() {
	f := t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	switch n := f.node; {
	case len(t.stack) == 0:
		t.ended = true
	case n == nil || f.list:
	case len(t.stack) == 2:
		t.declaration(n)
		t.nodes = nil // what is kept of one does not keep another
	default:
		t.stack[len(t.stack)-1].node.has |= n.has
	}
}

// field reads `"key": value`; file is what the line before named.
func (t *treeReader) field(key, value []byte, file string) {
	top := t.stack[len(t.stack)-1]
	switch string(key) {
	case "line":
		if v, err := strconv.Atoi(string(value)); err == nil {
			t.last.Line = v
		}
		if file != "" {
			t.last.File = file
		}
	case "file": // counts with a line behind it: others say from where it is included
		t.file = t.word(value)
	}
	switch {
	case top.list:
	case top.node != nil:
		t.nodeField(top.node, key, value)
	case top.spot != nil && string(key) == "col":
		top.spot.File, top.spot.Line = t.last.File, t.last.Line
		top.spot.Col, _ = strconv.Atoi(string(value))
	case top.spot != nil && string(key) == "tokLen":
		top.spot.TokLen, _ = strconv.Atoi(string(value))
	case top.typ != nil && string(key) == "qualType":
		top.typ.Qual = t.word(value)
	case top.typ != nil && string(key) == "desugaredQualType":
		top.typ.Desugared = t.word(value)
	case top.ref != nil && string(key) == "id":
		top.ref.ID = t.word(value)
	case top.ref != nil && string(key) == "name":
		top.ref.Name = t.word(value)
	}
}

func (t *treeReader) nodeField(n *node, key, value []byte) {
	switch string(key) {
	case "id":
		t.id = append(t.id[:0], value...)
	case "kind":
		n.Kind = t.word(value)
		switch {
		case bytes.HasSuffix(value, []byte(`Decl"`)): // others are not referred to
			n.ID = t.word(t.id)
		case n.Kind == "InitListExpr":
			n.has |= hasList
		case n.Kind == "CompoundStmt":
			n.has |= hasBody
		}
	case "name":
		n.Name = t.word(value)
	case "tagUsed":
		n.Tag = t.word(value)
	case "storageClass":
		n.Storage = t.word(value)
		if n.Storage == "static" {
			n.has |= hasStatic
		}
	case "opcode":
		n.Opcode = t.word(value)
		n.has |= hasOperator
	case "castKind":
		n.CastKind = t.word(value)
		if n.CastKind == "FloatingToIntegral" {
			n.has |= hasOperator
		}
	case "value":
		if n.Kind != "StringLiteral" {
			n.Value = t.word(value)
		}
	case "referencedMemberDecl":
		n.Member = t.word(value)
	case "isArrow":
		n.Arrow = string(value) == "true"
	case "isPostfix":
		n.Postfix = string(value) == "true"
	case "isBitfield":
		n.Bitfield = string(value) == "true"
	case "init":
		n.has |= hasInit
	}
}

// word returns a string or another scalar as text; equal ones share their bytes.
func (t *treeReader) word(value []byte) string {
	if len(value) >= 2 && value[0] == '"' {
		if bytes.IndexByte(value, '\\') >= 0 {
			var s string
			if json.Unmarshal(value, &s) == nil {
				return s
			}
		}
		value = value[1 : len(value)-1]
	}
	if s, ok := t.words[string(value)]; ok {
		return s
	}
	if t.words == nil {
		t.words = map[string]string{}
	}
	s := string(value)
	t.words[s] = s
	return s
}
