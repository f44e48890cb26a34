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
	Name         string         `xml:"name"`
	Offset       string         `xml:"addressOffset"`
	Size         string         `xml:"size"` // bits
	Access       string         `xml:"access"`
	Dim          string         `xml:"dim"`
	DimIncrement string         `xml:"dimIncrement"`
	DimIndex     string         `xml:"dimIndex"`
	DerivedFrom  string         `xml:"derivedFrom,attr"`
	Modified     string         `xml:"modifiedWriteValues"`
	ReadAction   string         `xml:"readAction"`
	Constraint   *svdConstraint `xml:"writeConstraint"`
	Fields       []svdField     `xml:"fields>field"`
	Registers    []svdRegister  `xml:"register"`
	Clusters     []svdRegister  `xml:"cluster"`
}

// svdNames collects the registers of a device under the names that CMSIS headers give them. One that is described in a way
// that is not read here has no name.
type svdNames struct {
	bits, access string // of registers that say nothing
	list         []ir.Register
	looks        int  // at registers and clusters
	partial      bool // some are not in the list
}

// registers returns what was collected. Where one is missing, nothing is known of those that may share its place.
func (n *svdNames) registers() []ir.Register {
	if n.partial {
		for i := range n.list {
			n.list[i].Use, n.list[i].Fields = ir.AnyUse, nil
		}
	}
	return n.list
}

// mostRegisters bounds what is looked at of a device: the largest have some ten thousand registers.
const mostRegisters = 1 << 16

// of adds the registers of a peripheral at an address.
func (n *svdNames) of(p *svdPeripheral, name string, base uint64) {
	above := svdAbove{cmp.Or(p.Size, n.bits, "32"), cmp.Or(p.Access, n.access)}
	n.add(name, "", base, above, p.Registers, false)
	n.add(name, "", base, above, p.Clusters, true)
}

// svdAbove holds the elements of a device, peripheral or cluster that its registers take over where they have none.
type svdAbove struct{ bits, access string }

// add adds registers, or those of clusters, at a base.
func (n *svdNames) add(region, prefix string, base uint64, above svdAbove, list []svdRegister, clusters bool) {
	for i := range list {
		r := &list[i]
		offset, err := svdNumber("addressOffset", r.Offset)
		if err != nil {
			n.partial = true
			continue
		}
		inside := svdAbove{cmp.Or(r.Size, above.bits), cmp.Or(r.Access, above.access)}
		size, err := svdNumber("size", inside.bits)
		if err != nil {
			n.partial = true
			continue
		}
		count, step := uint64(1), uint64(0)
		if r.Dim != "" {
			if count, err = svdNumber("dim", r.Dim); err == nil {
				step, err = svdNumber("dimIncrement", r.DimIncrement)
			}
			if err != nil {
				n.partial = true
				continue
			}
		}
		var fields []ir.Field
		if !clusters {
			fields = r.fields()
		}
		for k := range count {
			if n.looks++; n.looks > mostRegisters {
				n.partial = true
				return
			}
			name, at := prefix+r.element(k), base+offset+k*step
			if clusters {
				n.add(region, name+".", at, inside, r.Registers, false)
				n.add(region, name+".", at, inside, r.Clusters, true)
				continue
			}
			n.list = append(n.list, ir.Register{Region: region, Name: name, At: at, Size: size / 8,
				Use: r.use(above.access), Fields: fields})
		}
	}
}

// use returns what programs may do with the register: what it says, its fields do not contradict, and no effect of the opposite access
// is described. Where it says nothing, that is what all fields say, or what it is in, if it has no fields.
func (r *svdRegister) use(above string) ir.RegisterUse {
	use := useOf(r.Access)
	if r.Access == "" && len(r.Fields) == 0 {
		use = useOf(above)
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		if r.Access == "" && i == 0 {
			use = useOf(f.Access)
		}
		if f.Access == "" && (r.Access == "" || f.DerivedFrom != "") || f.Access != "" && useOf(f.Access) != use ||
			use == ir.ReadOnly && f.Modified != "" || use == ir.WriteOnly && f.ReadAction != "" {
			return ir.AnyUse
		}
	}
	if r.DerivedFrom != "" || use == ir.ReadOnly && r.Modified != "" || use == ir.WriteOnly && r.ReadAction != "" {
		return ir.AnyUse // the fields of what it is derived from are not looked up
	}
	return use
}

// useOf is the use that an element access (CMSIS-SVD 1.3.9, accessType) stands for.
func useOf(access string) ir.RegisterUse {
	switch strings.TrimSpace(access) {
	case "read-only":
		return ir.ReadOnly
	case "write-only", "writeOnce":
		return ir.WriteOnly
	}
	return ir.AnyUse
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
