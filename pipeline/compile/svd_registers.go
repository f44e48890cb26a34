package compile

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// svdRegister is a register, or a cluster of them (CMSIS-SVD 1.3.9, elements registers, cluster, register): what is read
// of it for its name and its access.
type svdRegister struct {
	Name         string        `xml:"name"`
	Offset       string        `xml:"addressOffset"`
	Size         string        `xml:"size"` // bits
	Access       string        `xml:"access"`
	Dim          string        `xml:"dim"`
	DimIncrement string        `xml:"dimIncrement"`
	DimIndex     string        `xml:"dimIndex"`
	Registers    []svdRegister `xml:"register"`
	Clusters     []svdRegister `xml:"cluster"`
}

// svdNames collects the registers of a device under the names that CMSIS headers give them. They are for people: one that
// is described in a way that is not read here has no name.
type svdNames struct {
	bits  string // of registers that say nothing
	list  []ir.Register
	looks int // at registers and clusters
}

// mostRegisters bounds what is looked at of a device: the largest have some ten thousand registers.
const mostRegisters = 1 << 16

// of adds the registers of a peripheral at an address.
func (n *svdNames) of(p *svdPeripheral, name string, base uint64) {
	bits := cmp.Or(p.Size, n.bits, "32")
	n.add(name, "", base, bits, p.Registers, false)
	n.add(name, "", base, bits, p.Clusters, true)
}

// add adds registers, or those of clusters, at a base.
func (n *svdNames) add(region, prefix string, base uint64, bits string, list []svdRegister, clusters bool) {
	for i := range list {
		r := &list[i]
		offset, err := svdNumber("addressOffset", r.Offset)
		if err != nil {
			continue
		}
		size, err := svdNumber("size", cmp.Or(r.Size, bits))
		if err != nil {
			continue
		}
		count, step := uint64(1), uint64(0)
		if r.Dim != "" {
			if count, err = svdNumber("dim", r.Dim); err == nil {
				step, err = svdNumber("dimIncrement", r.DimIncrement)
			}
			if err != nil {
				continue
			}
		}
		for k := range count {
			if n.looks++; n.looks > mostRegisters {
				return
			}
			name, at := prefix+r.element(k), base+offset+k*step
			if clusters {
				n.add(region, name+".", at, cmp.Or(r.Size, bits), r.Registers, false)
				n.add(region, name+".", at, cmp.Or(r.Size, bits), r.Clusters, true)
				continue
			}
			n.list = append(n.list, ir.Register{Region: region, Name: name, At: at, Size: size / 8})
		}
	}
}

// element is the name of the k-th of an array of registers: NAME[k], or NAME with the k-th word of dimIndex in it.
func (r *svdRegister) element(k uint64) string {
	name := strings.TrimSpace(r.Name)
	if r.Dim == "" {
		return name
	}
	number := strconv.FormatUint(k, 10)
	if strings.Contains(name, "[%s]") {
		return strings.ReplaceAll(name, "[%s]", "["+number+"]")
	}
	return strings.ReplaceAll(name, "%s", cmp.Or(indexWord(r.DimIndex, k), number))
}

// indexWord is the k-th word of a dimIndex: `A,B,C`, `3-6` or `A-F`; "" if there is none.
func indexWord(index string, k uint64) string {
	index = strings.TrimSpace(index)
	if words := strings.Split(index, ","); len(words) > 1 {
		if k < uint64(len(words)) {
			return strings.TrimSpace(words[k])
		}
		return ""
	}
	from, _, ok := strings.Cut(index, "-")
	if n, err := strconv.ParseUint(from, 10, 32); ok && err == nil {
		return strconv.FormatUint(n+k, 10)
	}
	if ok && len(from) == 1 && k < 26 {
		return string(rune(from[0]) + rune(k))
	}
	return ""
}
