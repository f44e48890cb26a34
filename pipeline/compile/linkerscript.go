package compile

import (
	"errors"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile/linkerscript"
	"github.com/firmproof/firmproof/targets"
)

// readScript reads the memory and the symbols of a script.
func (b *builder) readScript(file string) (linkerscript.Script, error) {
	s, err := linkerscript.Read(b.dir, file)
	var fault *linkerscript.Error
	if errors.As(err, &fault) {
		return s, &BuildError{Stage: "sources", Target: b.img.Target.Name,
			Diagnostics: []Diagnostic{{File: file, Line: fault.Line, Message: "linker script: " + fault.Error()}}}
	}
	return s, err
}

// linkerScript reads a script into the image's memory map: its regions take the
// place of the target's rom and ram, devices stay.
func (b *builder) linkerScript(file string) error {
	s, err := b.readScript(file)
	if err != nil {
		return err
	}
	b.img.Symbols = s.Symbols
	if len(s.Memory) == 0 {
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
		if ram := dataSpace(s.Memory); len(ram) > 0 {
			b.img.Memory = mergeRegions(ram, devices)
		}
		return nil
	}
	b.img.Memory = mergeRegions(devices, b.reachable(s.Memory))
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
