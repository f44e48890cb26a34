package compile

import (
	"bytes"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/targets/llvm"
)

// Linking and slicing with LLVM's tools costs what the whole program costs, however
// little of it an entry reaches. So the texts of the units are cut first: what the wanted
// symbols do not lead to is left out, lines stay where they are. It is a matter of names
// alone, and errs to the side of keeping. What is not laid out as LLVM's printer does it
// is not cut.

// entity is something at the top level of LLVM text.
type entity struct {
	from, to int
	kind     byte // '@' variable or alias, 'f' definition, 'd' declaration, '!' metadata, 0 always kept
	local    bool // internal or private
	strong   bool // a second definition is an error
	defined  bool
	kept     bool
}

// unitText is a unit's text and what is in it.
type unitText struct {
	text     []byte
	entities []entity
	byName   map[string]int
	names    []string // of symbols in order
	metadata []int32  // by number: 1 + entity
	outline  []byte   // the lines that readFunctions reads
	lists    bool     // compile units keep their lists of all there is
}

var tops = []string{"attributes ", "source_filename ", "target ", "module asm ", ";", "%", "$"}

// readUnit finds the entities; ok is false if the layout is not the printer's.
func readUnit(text []byte) (u *unitText, ok bool) {
	u = &unitText{text: text, byName: map[string]int{}}
	inBody := false
	for at := 0; at < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := text[at:end]
		switch c := line[0]; {
		case inBody:
			u.entities[len(u.entities)-1].to = end
			inBody = c != '}'
		case c == '\n' || c == '\r':
			u.entities = append(u.entities, entity{from: at, to: end})
		case c == ' ' || c == '\t' || c == ']' || c == '}' || c == ')':
			if len(u.entities) == 0 {
				return nil, false
			}
			u.entities[len(u.entities)-1].to = end
		default:
			if !u.add(line, at, end) {
				return nil, false
			}
			inBody = c == 'd' && line[2] == 'f'
			if inBody && !bytes.HasSuffix(bytes.TrimRight(line, " \r\n"), []byte("{")) {
				return nil, false
			}
		}
		at = end
	}
	return u, !inBody
}

var (
	symbolRE = regexp.MustCompile(`@("[^"]*"|[\w.$-]+)`)
	unitRE   = regexp.MustCompile(`^!\d+ = distinct !DICompileUnit\(`)
	unitList = regexp.MustCompile(`, (?:enums|retainedTypes|globals|imports|macros): !\d+`)
)

// add takes the entity that begins with line.
func (u *unitText) add(line []byte, from, to int) bool {
	e := entity{from: from, to: to}
	switch {
	case line[0] == '!':
		n, rest := leadingNumber(line[1:])
		if n < 0 {
			break // named metadata
		}
		e.kind = '!'
		for len(u.metadata) <= n {
			u.metadata = append(u.metadata, 0)
		}
		u.metadata[n] = int32(len(u.entities)) + 1
		if bytes.HasPrefix(rest, []byte(" = distinct !DISubprogram(")) || bytes.HasPrefix(rest, []byte(" = !DIFile(")) {
			u.outline = append(u.outline, line...)
		}
	case line[0] == '@':
		e.kind = '@'
		u.symbol(&e, line, firstWord(line[bytes.Index(line, []byte(" = "))+3:]))
	case bytes.HasPrefix(line, []byte("define ")):
		e.kind = 'f'
		u.symbol(&e, line, firstWord(line[len("define "):]))
		u.outline = append(u.outline, line...)
	case bytes.HasPrefix(line, []byte("declare ")):
		e.kind = 'd'
		u.symbol(&e, line, "external")
	case !slices.ContainsFunc(tops, func(p string) bool { return bytes.HasPrefix(line, []byte(p)) }):
		return false
	}
	u.entities = append(u.entities, e)
	return true
}

func (u *unitText) symbol(e *entity, line []byte, linkage string) {
	e.defined, e.strong = true, true
	switch linkage {
	case "internal", "private":
		e.local, e.strong = true, false
	case "external", "extern_weak":
		e.defined, e.strong = false, false
	case "weak", "weak_odr", "linkonce", "linkonce_odr", "common", "available_externally", "appending":
		e.strong = false
	}
	name := ""
	if m := symbolRE.FindSubmatch(line); m != nil {
		name = string(m[1])
	}
	u.names = append(u.names, name)
	u.byName[name] = len(u.entities)
}

func firstWord(line []byte) string {
	word, _, _ := bytes.Cut(line, []byte(" "))
	return string(word)
}

func leadingNumber(b []byte) (n int, rest []byte) {
	i := 0
	for i < len(b) && i < 10 && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == 0 {
		return -1, b
	}
	n, _ = strconv.Atoi(string(b[:i]))
	return n, b[i:]
}

// cutter follows names over all units.
type cutter struct {
	units   []*unitText
	defined map[string][]int // name, the units that define it for others
	work    [][2]int         // unit, entity
}

// cutUnits keeps of the texts what the wanted symbols lead to. It gives the new texts,
// the functions that are defined, and the names that are only declared; ok is false if
// nothing was cut.
func cutUnits(texts [][]byte, wanted []string) (cut [][]byte, functions []Function, declared []string, ok bool) {
	c := &cutter{defined: map[string][]int{}}
	strong := map[string]bool{}
	for i, t := range texts {
		u, ok := readUnit(t)
		if !ok {
			return nil, nil, nil, false
		}
		c.units = append(c.units, u)
		for _, name := range u.names {
			e := u.entities[u.byName[name]]
			if !e.defined || e.local {
				continue
			}
			if e.strong && strong[name] {
				return nil, nil, nil, false // the linker says it better
			}
			strong[name] = strong[name] || e.strong
			c.defined[name] = append(c.defined[name], i)
		}
	}
	c.roots(wanted)
	c.followAll()
	for _, u := range c.units {
		cut = append(cut, u.rest())
		functions = append(functions, readFunctions(u.outline)...)
	}
	sort.SliceStable(functions, func(i, j int) bool { return functions[i].Name < functions[j].Name })
	functions = slices.CompactFunc(functions, func(a, b Function) bool { return a.Name == b.Name })
	return cut, functions, c.declared(), true
}

// roots are the wanted symbols, what LLVM's own slicing always keeps, and the operators new and delete that the program
// replaces: those of the library call them.
func (c *cutter) roots(wanted []string) {
	for _, name := range append(slices.Clone(wanted), "__stack_chk_fail", "__stack_chk_guard", "__ssp_canary_word") {
		for i, u := range c.units {
			for _, n := range []string{name, llvm.Quote(name)} {
				if e, ok := u.byName[n]; ok {
					c.keep(i, e)
				}
			}
		}
	}
	for i, u := range c.units {
		for k, e := range u.entities {
			head, _, _ := bytes.Cut(u.text[e.from:e.to], []byte("\n"))
			if e.kind == 'f' && replacesOperator(head) {
				c.keep(i, k)
			}
			if e.kind == 0 || e.kind == '@' && bytes.HasPrefix(u.text[e.from:], []byte("@llvm.")) {
				c.keep(i, k)
			}
		}
	}
}

func (c *cutter) keep(unit, e int) {
	if x := &c.units[unit].entities[e]; !x.kept {
		x.kept = true
		c.work = append(c.work, [2]int{unit, e})
	}
}

// followAll keeps all that is named in what is kept.
func (c *cutter) followAll() {
	for len(c.work) > 0 {
		w := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		c.follow(w[0], c.units[w[0]].body(w[1]))
	}
}

// follow keeps what is named in text of the unit.
func (c *cutter) follow(unit int, text []byte) {
	u := c.units[unit]
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"': // a string has no quote inside (LangRef: string constants)
			if n := bytes.IndexByte(text[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case '!':
			if n, _ := leadingNumber(text[i+1:]); n >= 0 && n < len(u.metadata) && u.metadata[n] > 0 {
				c.keep(unit, int(u.metadata[n])-1)
			}
		case '@':
			name := symbolName(text[i+1:])
			i += len(name)
			e, ok := u.byName[name]
			if !ok {
				continue
			}
			c.keep(unit, e)
			if !u.entities[e].local {
				for _, other := range c.defined[name] {
					c.keep(other, c.units[other].byName[name])
				}
			}
		}
	}
}

// symbolName returns the name that text begins with, quotes included.
func symbolName(text []byte) string {
	if len(text) > 0 && text[0] == '"' {
		if n := bytes.IndexByte(text[1:], '"'); n >= 0 {
			return string(text[:n+2])
		}
		return ""
	}
	i := 0
	for i < len(text) && (text[i] == '_' || text[i] == '.' || text[i] == '$' || text[i] == '-' || text[i]|32 >= 'a' &&
		text[i]|32 <= 'z' || text[i] >= '0' && text[i] <= '9') {
		i++
	}
	return string(text[:i])
}

// usedText returns a unit's text without the variables of its own that nothing names, as llvm-link leaves it. ok is false
// if the layout is not the printer's.
func usedText(text []byte) (used []byte, ok bool) {
	u, ok := readUnit(text)
	if !ok {
		return nil, false
	}
	u.lists = true
	c := &cutter{units: []*unitText{u}}
	c.roots(nil)
	for i := range u.entities {
		if e := &u.entities[i]; e.kind == 'f' || e.kind == '!' || e.kind == '@' && e.defined && !e.local {
			c.keep(0, i)
		}
	}
	c.followAll()
	return u.rest(), true
}

// body returns the text of an entity; a compile unit's without its lists of all there is, unless they stay.
func (u *unitText) body(e int) []byte {
	text := u.text[u.entities[e].from:u.entities[e].to]
	if !u.lists && u.entities[e].kind == '!' && unitRE.Match(text) {
		return unitList.ReplaceAll(text, nil)
	}
	return text
}

// rest returns the text that is kept, with an empty line for each one that is not.
func (u *unitText) rest() []byte {
	out := make([]byte, 0, 1<<16)
	for i, e := range u.entities {
		if e.kept {
			out = append(out, u.body(i)...)
			continue
		}
		if m := unnamedRE.Find(u.text[e.from:e.to]); e.kind == '@' && m != nil { // numbers have no gaps
			out = append(append(out, m...), "private constant i8 0"...)
		}
		for n := bytes.Count(u.text[e.from:e.to], []byte("\n")); n > 0; n-- {
			out = append(out, '\n')
		}
	}
	return out
}

// unnamedRE is the begin of a variable that has a number for a name (LangRef: identifiers).
var unnamedRE = regexp.MustCompile(`^@\d+ = `)

// declared lists the functions that no unit defines, intrinsics left out.
func (c *cutter) declared() []string {
	var out []string
	for _, u := range c.units {
		for _, name := range u.names {
			if u.entities[u.byName[name]].kind == 'd' && len(c.defined[name]) == 0 && !strings.HasPrefix(name,
				"llvm.") {
				out = append(out, llvm.Name([]byte(name)))
			}
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// undefined returns the names of those given that text does not define either.
func undefined(names []string, text []byte) []string {
	defined := map[string]bool{}
	for _, f := range readFunctions(text) {
		defined[f.Name] = true
	}
	return slices.DeleteFunc(names, func(n string) bool { return defined[n] })
}
