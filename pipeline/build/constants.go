package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
)

// constants finds the constant expressions in the dump of a syntax tree (clang's -ast-dump=json, which has a line for
// each field), and evaluates them. The dump of a unit has tens of megabytes: it is read line by line, and only the
// nodes that hold constant expressions are decoded.
type constants struct {
	*evaluator
	conversions bool       // values that conversions change are looked for
	sequencer   *sequencer // nil: orders are not looked at

	dump     []byte
	last     spot   // the place that was printed last
	file     string // of the line before, if it named one
	function string // the function at file scope that is being read, or empty
	member   string // the identity of the last member that was declared
	begin    [2]int // where the two lines before begin
}

// scan reads the whole dump.
func (c *constants) scan(dump []byte) error {
	c.dump = dump
	if !bytes.HasSuffix(bytes.TrimSpace(dump), []byte("}")) {
		return errors.New("syntax tree: it is not complete")
	}
	for at := 0; at < len(dump); {
		end := bytes.IndexByte(dump[at:], '\n')
		if end < 0 {
			end = len(dump) - at
		}
		next, err := c.line(at, at+end)
		if err != nil {
			return err
		}
		c.begin = [2]int{c.begin[1], at}
		at = next
	}
	return nil
}

// line reads a line of the dump, and returns where to go on.
func (c *constants) line(at, end int) (next int, err error) {
	text := bytes.TrimLeft(c.dump[at:end], " ")
	indent := end - at - len(text)
	file := c.file
	c.file = ""
	if n, ok := bytes.CutPrefix(text, []byte(`"line": `)); ok {
		if v, err := strconv.Atoi(string(bytes.TrimRight(n, ","))); err == nil {
			c.last.Line = v
		}
		if file != "" {
			c.last.File = file
		}
		return end + 1, nil
	}
	// counts with a line behind it: others say from where it is included
	if n, ok := bytes.CutPrefix(text, []byte(`"file": `)); ok {
		_ = json.Unmarshal(bytes.TrimRight(n, ","), &c.file)
		return end + 1, nil
	}
	const top = 6 // the indentation of the fields of a declaration at file scope
	if n, ok := bytes.CutPrefix(text, []byte(`"name": `)); ok && indent == top {
		_ = json.Unmarshal(bytes.TrimRight(n, ","), &c.function)
	}
	kind, ok := bytes.CutPrefix(text, []byte(`"kind": "`))
	if c.sequencer != nil && bytes.HasPrefix(text, []byte(`"isBitfield": true`)) {
		c.sequencer.bitfields[c.member] = true
	}
	if !ok {
		return end + 1, nil
	}
	if indent == top {
		c.function = ""
	}
	kind, _, _ = bytes.Cut(kind, []byte(`"`))
	return c.node(string(kind), end, indent-2)
}

// node decodes the node whose kind stands in the line that ends at end, if constant expressions may stand in it.
func (c *constants) node(kind string, end, indent int) (next int, err error) {
	body := c.sequencer != nil && kind == "FunctionDecl" && indent == 4
	switch kind {
	case "VarDecl", "EnumDecl", "ConstantExpr", "StaticAssertDecl":
	case "FieldDecl":
		_, id, _ := bytes.Cut(c.dump[c.begin[1]:end], []byte(`"id": "`))
		id, _, _ = bytes.Cut(id, []byte(`"`))
		c.member = string(id)
		return end + 1, nil
	default:
		if !body {
			return end + 1, nil
		}
	}
	first := c.begin[0]
	if first+indent >= end || c.dump[first+indent] != '{' { // a reference to a declaration
		return end + 1, nil
	}
	close := append(append([]byte{'\n'}, bytes.Repeat([]byte{' '}, indent)...), '}')
	length := bytes.Index(c.dump[end:], close)
	if length < 0 {
		return 0, errors.New("syntax tree: it is not complete")
	}
	text := c.dump[first : end+length+len(close)]
	if !c.needed(kind, text, indent) {
		return end + 1, nil
	}
	n := &node{}
	if err := json.Unmarshal(text, n); err != nil {
		return 0, fmt.Errorf("syntax tree: %w", err)
	}
	if body { // its declarations and constants are read again
		last := c.last
		n.place(&last)
		c.sequencer.read(n)
		return end + 1, nil
	}
	n.place(&c.last)
	function := c.function
	if indent == 4 { // at file scope
		function = ""
	}
	c.evaluate(n, function)
	return end + length + len(close) + 1, nil
}

// needed reports whether a node may hold operators in a constant expression, or enumerators.
func (c *constants) needed(kind string, text []byte, indent int) bool {
	has := func(mark string) bool { return bytes.Contains(text, []byte(mark)) }
	switch kind {
	case "EnumDecl":
		return true
	case "FunctionDecl":
		return has(`"kind": "CompoundStmt"`)
	case "VarDecl":
		return has(`"init": `) && (has(`"opcode": `) || c.conversions) &&
			(indent == 4 || has(`"storageClass": "static"`) || has(`"InitListExpr"`))
	}
	return has(`"opcode": `)
}

// evaluate evaluates the constant expressions of a node that stands in function (empty: outside).
func (c *constants) evaluate(n *node, function string) {
	c.owner, c.variable = owner{kind: ownerUnit}, false
	if function != "" {
		c.owner = owner{kind: ownerFunction, name: function}
	}
	switch n.Kind {
	case "EnumDecl":
		c.enumeration(n)
	case "ConstantExpr":
		c.eval(n)
	case "StaticAssertDecl":
		if len(n.Inner) > 0 && n.Inner[0] != nil {
			c.eval(n.Inner[0])
		}
	case "VarDecl":
		c.initialiser(n, function)
	}
}

// enumeration evaluates the constants of an enumeration, one after the other.
func (c *constants) enumeration(n *node) {
	next := new(big.Int)
	for _, in := range n.Inner {
		if in == nil || in.Kind != "EnumConstantDecl" {
			continue
		}
		for _, expr := range in.Inner {
			if expr == nil || expr.Kind != "ConstantExpr" {
				continue
			}
			if next = c.eval(expr); next == nil { // as clang has it
				next = literal(expr)
			}
		}
		if next != nil {
			c.enumerators[in.ID] = next
			next = new(big.Int).Add(next, big.NewInt(1))
		}
	}
}

// initialiser evaluates that of a static object or of an automatic aggregate; others are executed.
func (c *constants) initialiser(n *node, function string) {
	c.owner = ownerAt(ownerGlobal, n)
	aggregate := function != "" && n.Storage != "static"
	if aggregate {
		c.owner = ownerAt(ownerAggregate, n)
	}
	c.variable = true
	for _, in := range n.Inner {
		if in != nil && (!aggregate || in.Kind == "InitListExpr") {
			c.eval(in)
		}
	}
}

func ownerAt(k ownerKind, d *node) owner {
	return owner{kind: k, name: d.Name, line: d.Loc.Line, col: d.Loc.Col}
}
