package cycles

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Image is the program memory of a linked program.
type Image struct {
	code  []byte
	valid []bool         // which bytes of code are loaded
	funcs map[string]int // functions by name; -1: several of one name
	names map[int]string // what begins at an address, for people
	lines []lineEntry    // by address
}

type lineEntry struct {
	at, line int
	file     string
	end      bool // nothing is known from here on
}

// The machines of e_flags (binutils, elf/avr.h) that are AVRe or AVRe+ with internal RAM and a program counter of 16 bits.
var machines = map[uint32]bool{4: true, 5: true, 51: true}

// Read reads an ELF file: one that is linked, for an AVR whose cycles the table holds.
func Read(path string) (*Image, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	flags, err := elfFlags(path)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Machine != elf.EM_AVR:
		return nil, fmt.Errorf("%s: an image for %s; cycles are known of AVRs alone", path, f.Machine)
	case !machines[flags&0x7f]:
		return nil, fmt.Errorf("%s: an image for avr%d; cycles are known of avr4, avr5 and avr51 (such as ATmega328P)", path, flags&0x7f)
	case f.Type != elf.ET_EXEC:
		return nil, fmt.Errorf("%s: not linked: an image is what the linker wrote", path)
	}
	img := &Image{funcs: map[string]int{}, names: map[int]string{}}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 || p.Filesz == 0 {
			continue
		}
		data, err := io.ReadAll(p.Open())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		end := int(p.Vaddr) + len(data)
		if p.Vaddr > 1<<17 || end > 1<<17 {
			return nil, fmt.Errorf("%s: more than 128 KiB of program memory", path)
		}
		if n := end - len(img.code); n > 0 {
			img.code, img.valid = append(img.code, make([]byte, n)...), append(img.valid, make([]bool, n)...)
		}
		copy(img.code[p.Vaddr:], data)
		for i := range data {
			img.valid[int(p.Vaddr)+i] = true
		}
	}
	symbols, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols {
		kind, at := elf.ST_TYPE(s.Info), int(s.Value)
		if kind != elf.STT_FUNC && kind != elf.STT_NOTYPE || s.Section == elf.SHN_UNDEF || s.Section >= elf.SHN_LORESERVE || s.Name == "" {
			continue
		}
		if old := img.names[at]; old == "" || kind == elf.STT_FUNC && (img.funcs[old] != at || s.Name < old) {
			img.names[at] = s.Name
		}
		if kind != elf.STT_FUNC {
			continue
		}
		if old, twice := img.funcs[s.Name]; twice && old != at {
			at = -1
		}
		img.funcs[s.Name] = at
	}
	img.readLines(f)
	return img, nil
}

// elfFlags reads e_flags of a 32-bit file, which debug/elf leaves out.
func elfFlags(path string) (uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var b [4]byte
	if _, err := f.ReadAt(b[:], 36); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return binary.LittleEndian.Uint32(b[:]), nil
}

// readLines reads the table of lines, as far as there is one: it names places for people, and those of declared turns.
func (img *Image) readLines(f *elf.File) {
	d, err := f.DWARF()
	if err != nil {
		return
	}
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		if e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
			continue
		}
		lr, err := d.LineReader(e)
		r.SkipChildren()
		if err != nil || lr == nil {
			continue
		}
		var l dwarf.LineEntry
		for lr.Next(&l) == nil {
			name := ""
			if l.File != nil {
				name = l.File.Name
			}
			img.lines = append(img.lines, lineEntry{int(l.Address), l.Line, name, l.EndSequence})
		}
	}
	slices.SortStableFunc(img.lines, func(a, b lineEntry) int { return a.at - b.at })
}

// place returns the file and the line of an address; "" and 0: not known.
func (img *Image) place(at int) (string, int) {
	i, found := slices.BinarySearchFunc(img.lines, at, func(e lineEntry, at int) int { return e.at - at })
	if !found {
		i--
	} else {
		for i+1 < len(img.lines) && img.lines[i+1].at == at {
			i++
		}
	}
	if i < 0 || img.lines[i].end {
		return "", 0
	}
	return img.lines[i].file, img.lines[i].line
}

// name returns what begins at an address, or the address.
func (img *Image) name(at int) string {
	if n := img.names[at]; n != "" {
		return n
	}
	return fmt.Sprintf("0x%x", at)
}
