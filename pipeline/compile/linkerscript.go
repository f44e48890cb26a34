package compile

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

// script holds what is read of a GNU linker script: the MEMORY blocks, and the symbols
// whose values follow from them alone. A symbol set from the location counter gets
// its value only from the linker; its name is kept.
type script struct {
	memory  []targets.Region
	symbols []Symbol
}

// readScript reads the memory and the symbols of a script.
func (b *builder) readScript(file string) (script, error) {
	data, err := files.Read(filepath.Join(b.dir, file), maxScript)
	if errors.Is(err, os.ErrNotExist) {
		return script{}, b.fault("sources", file, "linker script: no such file")
	}
	if err != nil {
		return script{}, b.fault("sources", file, "linker script: %v", err)
	}
	s, at, err := parseScript(string(data), b.includedScript(file))
	if err != nil {
		return script{}, &BuildError{Stage: "sources", Target: b.img.Target.Name,
			Diagnostics: []Diagnostic{{File: file, Line: at, Message: "linker script: " + err.Error()}}}
	}
	return s, nil
}

// linkerScript reads a script into the image's memory map: its regions take the
// place of the target's rom and ram, devices stay.
func (b *builder) linkerScript(file string) error {
	s, err := b.readScript(file)
	if err != nil {
		return err
	}
	b.img.Symbols = s.symbols
	if len(s.memory) == 0 {
		return nil
	}
	if b.img.Target.Hosted {
		b.note("%s: the memory map of the linker script is not used on the hosted target %s", file, b.img.Target.Name)
		b.img.Symbols = nil
		return nil
	}
	var devices []targets.Region
	for _, r := range b.img.Memory {
		if r.Space != 0 || r.Access != targets.RAM && r.Access != targets.ROM {
			devices = append(devices, r)
		}
	}
	if strings.HasPrefix(b.img.Target.Triple, "avr") {
		if ram := dataSpace(s.memory); len(ram) > 0 {
			b.img.Memory = mergeRegions(ram, devices)
		}
		return nil
	}
	b.img.Memory = mergeRegions(devices, b.reachable(s.memory))
	return nil
}

// The linker's address of AVR's data space, and that of the EEPROM behind it (GNU ld: avr.sc). Program memory, at 0
// there, is another address space.
const avrData, avrEEPROM = 0x800000, 0x810000

// dataSpace returns the regions of a script for AVR that are data, at their addresses for the processor.
func dataSpace(list []targets.Region) []targets.Region {
	var out []targets.Region
	for _, r := range list {
		if r.Base >= avrData && r.Base < avrEEPROM {
			r.Base -= avrData
			out = append(out, r)
		}
	}
	return out
}

// CheckLinkerScript reports why a linker script of the project in dir cannot be read, with the line.
func CheckLinkerScript(dir, file string) error {
	_, err := (&builder{dir: dir, img: &Image{}}).readScript(file)
	return err
}

// includedScript finds what INCLUDE names: in the folder of the script, or in the
// project's root, where a linker usually runs (GNU ld: File Commands). A file outside
// of the project is not read.
func (b *builder) includedScript(file string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, dir := range []string{filepath.Dir(filepath.Join(b.dir, file)), b.dir} {
			path := filepath.Join(dir, name)
			if filepath.IsAbs(name) || !strings.HasPrefix(path, b.dir+string(filepath.Separator)) {
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

// parseScript reads a linker script; with an error it returns the line of the mistake.
func parseScript(text string, include func(string) (string, error)) (script, int, error) {
	toks, line, err := scriptTokens(text)
	if err != nil {
		return script{}, line, err
	}
	if toks, line, err = expandIncludes(toks, include); err != nil {
		return script{}, line, err
	}
	p := &scriptParser{toks: toks, vars: map[string]uint64{}}
	for p.i < len(p.toks) {
		if err := p.statement(); err != nil {
			return script{}, p.line(), err
		}
	}
	targets.SortRegions(p.s.memory)
	return p.s, 0, nil
}

type scriptParser struct {
	toks []scriptToken
	i    int
	s    script
	vars map[string]uint64
}

func (p *scriptParser) peek(n int) string {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n].text
	}
	return ""
}

func (p *scriptParser) line() int {
	if len(p.toks) == 0 {
		return 1
	}
	return p.toks[min(p.i, len(p.toks)-1)].line
}

func (p *scriptParser) expect(t string) error {
	if p.peek(0) != t {
		return fmt.Errorf("expected `%s`, found `%s`", t, p.peek(0))
	}
	p.i++
	return nil
}

// statement reads a MEMORY block or an assignment, and goes over anything else
// word by word: sections, input patterns, entry points.
func (p *scriptParser) statement() error {
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
func (p *scriptParser) assign() {
	name := p.peek(0)
	p.i += 2
	start := p.i
	v, ok := p.expr(0)
	if ok && (p.peek(0) == ";" || p.peek(0) == ")" || p.peek(0) == ",") {
		p.vars[name] = v
		p.s.symbols = append(p.s.symbols, Symbol{Name: name, Addr: v})
		return
	}
	p.i = start
	p.s.symbols = append(p.s.symbols, Symbol{Name: name, Placed: true})
}

// region reads NAME (ATTR) : ORIGIN = EXPR, LENGTH = EXPR.
func (p *scriptParser) region() error {
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
		p.s.memory = append(p.s.memory, r)
	}
	return nil
}

func (p *scriptParser) field(names ...string) (uint64, error) {
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
