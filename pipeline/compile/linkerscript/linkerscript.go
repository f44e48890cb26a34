// Package linkerscript reads what of a GNU linker script follows without linking: memories and symbols.
package linkerscript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets"
)

// maxScript is how long a linker script may be, in bytes.
const maxScript = 1 << 20

// Script holds the MEMORY blocks, and the symbols whose values follow from them alone. A symbol set from the location
// counter gets its value only from the linker; its name is kept.
type Script struct {
	Memory  []targets.Region
	Symbols []Symbol
}

// Symbol is an address that the script provides.
type Symbol struct {
	Name   string
	Addr   uint64
	Placed bool // depends on the layout of sections: Addr is not known
}

// Error says why a script cannot be read.
type Error struct {
	Line int // 0: about the file as a whole
	err  error
}

func (e *Error) Error() string { return e.err.Error() }

func (e *Error) Unwrap() error { return e.err }

// Read reads a script of the project in dir. What fails is an *Error.
func Read(dir, file string) (Script, error) {
	data, err := files.Read(filepath.Join(dir, file), maxScript)
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("no such file")
	}
	if err != nil {
		return Script{}, &Error{err: err}
	}
	s, line, err := parse(string(data), included(dir, file))
	if err != nil {
		return Script{}, &Error{Line: line, err: err}
	}
	return s, nil
}

// included finds what INCLUDE names: in the folder of the script, or in the project's root, where a linker usually runs
// (GNU ld: File Commands). A file outside of the project is not read.
func included(root, file string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, dir := range []string{filepath.Dir(filepath.Join(root, file)), root} {
			path := filepath.Join(dir, name)
			if filepath.IsAbs(name) || !strings.HasPrefix(path, root+string(filepath.Separator)) {
				continue
			}
			data, err := files.Read(path, maxScript)
			if err == nil {
				return string(data), nil
			}
			if !errors.Is(err, os.ErrNotExist) {
				return "", fmt.Errorf("INCLUDE %s: %w", name, err)
			}
		}
		return "", fmt.Errorf("INCLUDE %s: no such file in the project", name)
	}
}

// parse reads a script; with an error it returns the line of the mistake.
func parse(text string, include func(string) (string, error)) (Script, int, error) {
	toks, line, err := tokensOf(text)
	if err != nil {
		return Script{}, line, err
	}
	if toks, line, err = expandIncludes(toks, include); err != nil {
		return Script{}, line, err
	}
	p := &parser{toks: toks, vars: map[string]uint64{}}
	for p.i < len(p.toks) {
		if err := p.statement(); err != nil {
			return Script{}, p.line(), err
		}
	}
	targets.SortRegions(p.s.Memory)
	return p.s, 0, nil
}

type parser struct {
	toks []token
	i    int
	s    Script
	vars map[string]uint64
}

func (p *parser) peek(n int) string {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n].text
	}
	return ""
}

func (p *parser) line() int {
	if len(p.toks) == 0 {
		return 1
	}
	return p.toks[min(p.i, len(p.toks)-1)].line
}

func (p *parser) expect(t string) error {
	if p.peek(0) != t {
		return fmt.Errorf("expected `%s`, found `%s`", t, p.peek(0))
	}
	p.i++
	return nil
}

// statement reads a MEMORY block or an assignment, and goes over anything else
// word by word: sections, input patterns, entry points.
func (p *parser) statement() error {
	switch {
	case p.peek(0) == "MEMORY" && p.peek(1) == "{":
		p.i += 2
		for p.peek(0) != "}" {
			if p.i >= len(p.toks) {
				return fmt.Errorf("MEMORY is not closed")
			}
			if err := p.region(); err != nil {
				return err
			}
		}
		p.i++
	case (p.peek(0) == "PROVIDE" || p.peek(0) == "PROVIDE_HIDDEN" || p.peek(0) == "HIDDEN") && p.peek(1) == "(" &&
		p.peek(3) == "=":
		p.i += 2
		p.assign()
	case p.peek(1) == "=" && p.peek(0) != "." && p.peek(0) != "" && (wordByte(p.peek(0)[0])):
		p.assign()
	default:
		p.i++
	}
	return nil
}

// assign reads NAME = EXPR; a value that needs the location counter or a section
// is kept by name only.
func (p *parser) assign() {
	name := p.peek(0)
	p.i += 2
	start := p.i
	v, ok := p.expr(0)
	if ok && (p.peek(0) == ";" || p.peek(0) == ")" || p.peek(0) == ",") {
		p.vars[name] = v
		p.s.Symbols = append(p.s.Symbols, Symbol{Name: name, Addr: v})
		return
	}
	p.i = start
	p.s.Symbols = append(p.s.Symbols, Symbol{Name: name, Placed: true})
}

// region reads NAME (ATTR) : ORIGIN = EXPR, LENGTH = EXPR.
func (p *parser) region() error {
	r := targets.Region{Name: p.peek(0), Access: targets.RAM}
	p.i++
	if p.peek(0) == "(" {
		attr := ""
		for p.i++; p.peek(0) != ")"; p.i++ {
			if p.i >= len(p.toks) {
				return fmt.Errorf("the attributes of region %s are not closed", r.Name)
			}
			attr += p.peek(0)
		}
		p.i++
		if !strings.Contains(strings.ToLower(strings.SplitN(attr, "!", 2)[0]), "w") {
			r.Access = targets.ROM
		}
	} else if n := strings.ToLower(r.Name); strings.Contains(n, "flash") || strings.Contains(n, "rom") {
		r.Access = targets.ROM
	}
	if err := p.expect(":"); err != nil {
		return err
	}
	base, err := p.field("ORIGIN", "org", "o")
	if err != nil {
		return err
	}
	if p.peek(0) == "," {
		p.i++
	}
	size, err := p.field("LENGTH", "len", "l")
	if err != nil {
		return err
	}
	r.Base, r.Size = base, size
	p.vars["ORIGIN "+r.Name], p.vars["LENGTH "+r.Name] = base, size
	if size > 0 && base+(size-1) >= base {
		p.s.Memory = append(p.s.Memory, r)
	}
	return nil
}

func (p *parser) field(names ...string) (uint64, error) {
	for _, n := range names {
		if p.peek(0) == n {
			p.i++
			if err := p.expect("="); err != nil {
				return 0, err
			}
			v, ok := p.expr(0)
			if !ok {
				return 0, fmt.Errorf("%s is not a number that can be computed here", names[0])
			}
			return v, nil
		}
	}
	return 0, fmt.Errorf("expected %s, found `%s`", names[0], p.peek(0))
}
