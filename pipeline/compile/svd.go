package compile

import (
	"encoding/xml"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/ir"
)

// maxSVD is how long a device description may be, in bytes.
const maxSVD = 64 << 20

// svdDevice holds what is read of a CMSIS-SVD file: where the registers of each
// peripheral lie (CMSIS-SVD 1.3.9, elements device, peripherals, peripheral, addressBlock).
type svdDevice struct {
	XMLName     xml.Name        `xml:"device"`
	Size        string          `xml:"size"`   // bits of registers that say nothing
	Access      string          `xml:"access"` // likewise
	Peripherals []svdPeripheral `xml:"peripherals>peripheral"`
}

type svdPeripheral struct {
	DerivedFrom  string     `xml:"derivedFrom,attr"`
	Name         string     `xml:"name"`
	Base         string     `xml:"baseAddress"`
	Access       string     `xml:"access"`
	Dim          string     `xml:"dim"`
	DimIncrement string     `xml:"dimIncrement"`
	Size         string     `xml:"size"`
	Blocks       []svdBlock `xml:"addressBlock"`
	// their accesses win over the peripheral's
	Registers []svdRegister `xml:"registers>register"`
	Clusters  []svdRegister `xml:"registers>cluster"`
}

// writeOnly reports whether no register of p can be read.
func (p *svdPeripheral) writeOnly() bool {
	return strings.HasPrefix(p.Access, "write") && writeOnly(p.Registers) && writeOnly(p.Clusters)
}

// writeOnly reports whether no register says that it can be read.
func writeOnly(list []svdRegister) bool {
	return !slices.ContainsFunc(list, func(r svdRegister) bool {
		return r.Access != "" && !strings.HasPrefix(r.Access, "write") || !writeOnly(r.Registers) || !writeOnly(r.Clusters)
	})
}

type svdBlock struct {
	Offset string `xml:"offset"`
	Size   string `xml:"size"`
	Usage  string `xml:"usage"`
}

// svd reads a device description into the image's memory map: reads of its
// registers are fresh values, and it takes the place of what the target says there.
func (b *builder) svd(file string) error {
	path := filepath.Join(b.dir, file)
	data, err := files.Read(path, maxSVD)
	if err != nil {
		return b.fault("sources", file, "SVD file: %v", err)
	}
	list, registers, err := parseSVD(data)
	if err != nil {
		return b.fault("sources", file, "SVD file: %v", err)
	}
	if b.img.Target.Hosted {
		b.note("%s: the peripherals are not used on the hosted target %s", file, b.img.Target.Name)
		return nil
	}
	for _, r := range b.reachable(list) { // peripherals may share registers: the first one names them
		b.img.Memory = mergeRegions(b.img.Memory, []targets.Region{r})
	}
	b.img.Registers = registers
	return nil
}

// parseSVD returns the register blocks of a device, in its order, and its registers.
func parseSVD(data []byte) ([]targets.Region, []ir.Register, error) {
	var dev svdDevice
	if err := xml.Unmarshal(data, &dev); err != nil {
		return nil, nil, err
	}
	byName := map[string]*svdPeripheral{}
	for i := range dev.Peripherals {
		p := &dev.Peripherals[i]
		if p.Name = strings.TrimSpace(p.Name); p.Name == "" {
			return nil, nil, fmt.Errorf("peripheral number %d has no name", i+1)
		}
		byName[p.Name] = p
	}
	var out []targets.Region
	names := &svdNames{bits: dev.Size, access: dev.Access}
	for i := range dev.Peripherals {
		p := &dev.Peripherals[i]
		p.derive(byName)
		regions, err := p.regions(names)
		if err != nil {
			return nil, nil, fmt.Errorf("peripheral %s: %w", p.Name, err)
		}
		out = append(out, regions...)
	}
	if len(out) == 0 {
		return nil, nil, fmt.Errorf("no peripheral with an address block")
	}
	return out, ir.SortRegisters(names.registers()), nil
}

// derive takes over what p leaves out from the peripheral that it is derived from, which may stand behind it.
func (p *svdPeripheral) derive(byName map[string]*svdPeripheral) {
	from := byName[strings.TrimSpace(p.DerivedFrom)]
	if p.DerivedFrom = ""; from == nil {
		return
	}
	from.derive(byName)
	if len(p.Blocks) == 0 {
		p.Blocks = from.Blocks
	}
	if p.Access == "" {
		p.Access = from.Access
	}
	if p.Size == "" {
		p.Size = from.Size
	}
	p.Registers = append(p.Registers, from.Registers...)
	p.Clusters = append(p.Clusters, from.Clusters...)
}

// regions returns the blocks of a peripheral, or of each element of an array of them, and adds its registers to names.
func (p *svdPeripheral) regions(names *svdNames) ([]targets.Region, error) {
	base, err := svdNumber("baseAddress", p.Base)
	if err != nil {
		return nil, err
	}
	count, step := uint64(1), uint64(0)
	if p.Dim != "" {
		if count, err = svdNumber("dim", p.Dim); err == nil {
			step, err = svdNumber("dimIncrement", p.DimIncrement)
		}
		if err != nil {
			return nil, err
		}
		if count > 1024 {
			return nil, fmt.Errorf("dim %d: more than 1024", count)
		}
	}
	access := targets.Volatile
	if p.writeOnly() {
		access = targets.WriteOnly
	}
	var out []targets.Region
	for k := range count {
		name := p.Name
		if p.Dim != "" {
			name = strings.NewReplacer("[%s]", strconv.FormatUint(k, 10), "%s", strconv.FormatUint(k, 10)).Replace(name)
		}
		names.of(p, name, base+k*step)
		for _, blk := range p.Blocks {
			offset, err := svdNumber("offset", blk.Offset)
			if err != nil {
				return nil, err
			}
			size, err := svdNumber("size", blk.Size)
			if err != nil {
				return nil, err
			}
			if blk.Usage == "reserved" || size == 0 {
				continue
			}
			r := targets.Region{Name: name, Base: base + k*step + offset, Size: size, Access: access}
			if k > 0 && step > math.MaxInt64/k || r.Base < base || r.Base < offset || r.Base+r.Size-1 < r.Base {
				return nil, fmt.Errorf("block at %s, %d bytes: beyond the address space", blk.Offset, size)
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// svdNumber reads a scaledNonNegativeInteger: decimal, 0x hexadecimal or # binary, and k, m, g.
func svdNumber(field, s string) (uint64, error) {
	text := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "+"))
	unit := uint64(1)
	switch {
	case strings.HasPrefix(text, "0x"):
	case strings.HasSuffix(text, "k"):
		unit = 1 << 10
	case strings.HasSuffix(text, "m"):
		unit = 1 << 20
	case strings.HasSuffix(text, "g"):
		unit = 1 << 30
	}
	if unit > 1 {
		text = text[:len(text)-1]
	}
	base := 10
	switch {
	case strings.HasPrefix(text, "0x"):
		text, base = text[2:], 16
	case strings.HasPrefix(text, "#"):
		text, base = text[1:], 2
	}
	n, err := strconv.ParseUint(text, base, 63)
	if err != nil {
		return 0, fmt.Errorf("%s `%s` is no number", field, s)
	}
	if n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%s `%s` is too large", field, s)
	}
	return n * unit, nil
}
