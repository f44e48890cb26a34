package witness

// tree holds what is known of the structure of a C file.
type tree struct {
	statements []extent // expressions statements, declarations, jumps, and conditions of control statements
	controls   []control
	blocks     []extent // compound statements, and `for` statements, which are blocks as well
	functions  map[string]extent
}

// extent is a piece of a file: tokens from..to-1.
type extent struct{ from, to int }

func (e extent) holds(i int) bool { return e.from <= i && i < e.to }

// control is a control statement.
type control struct {
	keyword int    // its token: if, while, for, do, switch
	cond    extent // between the parentheses
	all     extent
	body    int // the first token of what it controls
}

// reader goes through tokens.
type reader struct {
	*tree
	tokens []token
	depth  int
}

// deepest bounds how statements nest: what is deeper is passed over.
const deepest = 500

func (t *tree) read(tokens []token) {
	t.functions = map[string]extent{}
	r := &reader{tree: t, tokens: tokens}
	for i := 0; i < len(tokens); {
		i = r.declaration(i)
	}
}

func (r *reader) text(i int) string {
	if i >= 0 && i < len(r.tokens) {
		return r.tokens[i].text
	}
	return ""
}

// declaration passes over what stands at i outside of functions: a declaration or a function.
func (r *reader) declaration(i int) int {
	name := ""
	for from := i; i < len(r.tokens); {
		switch r.text(i) {
		case ";":
			if name == "" || !r.oldStyle(from, i) {
				return i + 1
			}
			i++ // of a parameter of an old style function
		case "(":
			end := r.closing(i)
			if prev := r.text(i - 1); name == "" && isName(prev) && prev != "__attribute__" {
				name = prev
			}
			i = end
		case "[":
			i = r.closing(i)
		case "{":
			if name == "" || r.text(i-1) == "=" || r.typeBody(i) {
				i = r.closing(i)
				continue
			}
			end := r.compound(i)
			r.functions[name] = extent{i, end}
			return end
		default:
			i++
		}
	}
	return i
}

// oldStyle reports that a function's body follows behind tokens from..i: int f(a) int a; {
func (r *reader) oldStyle(from, i int) bool {
	for k := from; k < i; k++ {
		if r.text(k) == ")" && isName(r.text(k+1)) && r.text(k+1) != "__attribute__" && r.text(k+1) != "__asm__" {
			for j := i + 1; j < len(r.tokens); j++ {
				switch r.text(j) {
				case "{":
					return r.text(j-1) == ";"
				case "(", "=", "}":
					return false
				}
			}
		}
	}
	return false
}

// typeBody reports that the brace at i opens the members of a structure, union or enumeration.
func (r *reader) typeBody(i int) bool {
	for k := i - 1; k >= max(0, i-2); k-- {
		switch r.text(k) {
		case "struct", "union", "enum":
			return true
		}
	}
	return false
}

// closing is behind the bracket that closes the one at i; statements between braces within it are read.
func (r *reader) closing(i int) int {
	open := []int{i}
	for i++; i < len(r.tokens) && len(open) > 0; i++ {
		switch r.text(i) {
		case "{":
			if r.text(i-1) == "(" && r.depth < deepest { // a statement expression
				i = r.compound(i) - 1
				continue
			}
			open = append(open, i)
		case "(", "[":
			open = append(open, i)
		case ")", "]", "}":
			open = open[:len(open)-1]
		}
	}
	return i
}

// compound reads the block that begins at i, and is behind it.
func (r *reader) compound(i int) int {
	from := i
	for i++; i < len(r.tokens) && r.text(i) != "}"; {
		i = r.statement(i)
	}
	i = min(i+1, len(r.tokens))
	r.blocks = append(r.blocks, extent{from, i})
	return i
}

// statement reads the statement or declaration at i, and is behind it.
func (r *reader) statement(i int) int {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > deepest {
		return r.simple(i)
	}
	switch t := r.text(i); {
	case t == "{":
		return r.compound(i)
	case t == ";":
		return i + 1
	case t == "if" && r.text(i+1) == "(":
		end, at := r.head(i)
		end = r.statement(end)
		if r.text(end) == "else" {
			end = r.statement(end + 1)
		}
		r.controls[at].all.to = end
		return end
	case (t == "while" || t == "switch") && r.text(i+1) == "(":
		end, at := r.head(i)
		end = r.statement(end)
		r.controls[at].all.to = end
		return end
	case t == "for" && r.text(i+1) == "(":
		return r.forLoop(i)
	case t == "do":
		return r.doLoop(i)
	case t == "case" || t == "default":
		for i++; i < len(r.tokens) && r.text(i) != ":"; i++ {
		}
		return i + 1
	case isName(t) && r.text(i+1) == ":":
		return i + 2
	}
	return r.simple(i)
}

// head reads the keyword at i and its condition. It is behind that, and gives the number of the control statement.
func (r *reader) head(i int) (end, at int) {
	end = r.closing(i + 1)
	c := extent{i + 2, max(i+2, end-1)}
	r.statements = append(r.statements, c)
	r.controls = append(r.controls, control{keyword: i, cond: c, body: end, all: extent{i, end}})
	return end, len(r.controls) - 1
}

// forLoop reads a `for` statement. Its condition, for a control, are all three parts.
func (r *reader) forLoop(i int) int {
	end := r.closing(i + 1)
	at := len(r.controls)
	r.controls = append(r.controls, control{keyword: i, cond: extent{i + 2, end - 1}, body: end})
	from := i + 2
	for k := from; k < end; k++ {
		switch r.text(k) {
		case "(", "[", "{":
			k = r.closing(k) - 1
		case ";":
			r.statements = append(r.statements, extent{from, k})
			from = k + 1
		}
	}
	r.statements = append(r.statements, extent{from, max(from, end-1)})
	end = r.statement(end)
	r.controls[at].all = extent{i, end}
	r.blocks = append(r.blocks, extent{i, end})
	return end
}

// doLoop reads do ... while (...);
func (r *reader) doLoop(i int) int {
	at := len(r.controls)
	r.controls = append(r.controls, control{keyword: i, body: i + 1})
	end := r.statement(i + 1)
	if r.text(end) == "while" && r.text(end+1) == "(" {
		c := extent{end + 2, r.closing(end+1) - 1}
		r.controls[at].cond = c
		r.statements = append(r.statements, c)
		end = c.to + 1
		if r.text(end) == ";" {
			end++
		}
	}
	r.controls[at].all = extent{i, end}
	return end
}

// simple reads up to the semicolon.
func (r *reader) simple(i int) int {
	from := i
	for i < len(r.tokens) {
		switch r.text(i) {
		case ";":
			r.statements = append(r.statements, extent{from, i})
			return i + 1
		case "}":
			return i // not C
		case "(", "[", "{":
			i = r.closing(i)
		default:
			i++
		}
	}
	return i
}

// statement is the smallest statement or condition that holds token i.
func (t *tree) statement(i int) (extent, bool) { return smallest(t.statements, i) }

// block is the smallest block that holds token i.
func (t *tree) block(i int) (extent, bool) { return smallest(t.blocks, i) }

func smallest(list []extent, i int) (extent, bool) {
	best, found := extent{}, false
	for _, e := range list {
		if e.holds(i) && (!found || e.to-e.from < best.to-best.from) {
			best, found = e, true
		}
	}
	return best, found
}

// decides is the control statement with one of the keywords whose condition, or keyword, token i is part of.
func (s *source) decides(i int, keywords ...string) (control, bool) {
	best, found := control{}, false
	for _, c := range s.controls {
		if !c.cond.holds(i) && c.keyword != i {
			continue
		}
		for _, k := range keywords {
			if s.tokens[c.keyword].text == k && (!found || c.cond.to-c.cond.from < best.cond.to-best.cond.from) {
				best, found = c, true
			}
		}
	}
	return best, found
}
