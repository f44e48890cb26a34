package compile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// svdField is a field of a register (CMSIS-SVD 1.3.9, element field): what is read of it for the use of the register and
// for what may be written.
type svdField struct {
	DerivedFrom  string         `xml:"derivedFrom,attr"`
	Name         string         `xml:"name"`
	Dim          string         `xml:"dim"`
	DimIncrement string         `xml:"dimIncrement"` // bits
	DimIndex     string         `xml:"dimIndex"`
	Offset       string         `xml:"bitOffset"`
	Width        string         `xml:"bitWidth"`
	Lsb          string         `xml:"lsb"`
	Msb          string         `xml:"msb"`
	Range        string         `xml:"bitRange"` // [msb:lsb]
	Access       string         `xml:"access"`
	Modified     string         `xml:"modifiedWriteValues"`
	ReadAction   string         `xml:"readAction"`
	Constraint   *svdConstraint `xml:"writeConstraint"`
	Enums        []svdEnum      `xml:"enumeratedValues"`
}

// svdConstraint says which numbers may be written (element writeConstraint).
type svdConstraint struct {
	Listed string    `xml:"useEnumeratedValues"`
	Range  *svdRange `xml:"range"`
}

type svdRange struct {
	From string `xml:"minimum"`
	To   string `xml:"maximum"`
}

// svdEnum lists numbers with names (element enumeratedValues).
type svdEnum struct {
	DerivedFrom string     `xml:"derivedFrom,attr"`
	Name        string     `xml:"name"`
	Usage       string     `xml:"usage"`
	Values      []svdValue `xml:"enumeratedValue"`
}

type svdValue struct {
	Value   string `xml:"value"`
	Default string `xml:"isDefault"`
}

// fields returns what writes of the register are held to. What is derived from another register is not looked up, and two
// fields that may be written at the same bits are none.
func (r *svdRegister) fields() []ir.Field {
	if r.DerivedFrom != "" {
		return nil
	}
	var all, out []ir.Field
	for i := range r.Fields {
		f := r.derived(&r.Fields[i], len(r.Fields))
		if f == nil {
			return nil
		}
		if strings.TrimSpace(f.Access) == "read-only" {
			continue
		}
		list, ok := r.elementsOf(f)
		if !ok {
			return nil
		}
		all = append(all, list...)
	}
	for i := range all {
		alone := true
		for k := range all {
			alone = alone && (k == i || all[k].Mask()&all[i].Mask() == 0)
		}
		if alone && (len(all[i].Takes) > 0 || all[i].ClearedByOnes) {
			out = append(out, all[i])
		}
	}
	return out
}

// derived is a field with what it leaves out taken over from the one of the register that it is derived from; nil if there is
// none, or the chain of them is longer than depth.
func (r *svdRegister) derived(f *svdField, depth int) *svdField {
	name := strings.TrimSpace(f.DerivedFrom)
	if name == "" {
		return f
	}
	i := slices.IndexFunc(r.Fields, func(g svdField) bool { return strings.TrimSpace(g.Name) == name })
	if i < 0 || depth == 0 {
		return nil
	}
	from := r.derived(&r.Fields[i], depth-1)
	if from == nil {
		return nil
	}
	out := *f
	out.Access, out.Modified = cmp.Or(f.Access, from.Access), cmp.Or(f.Modified, from.Modified)
	out.Constraint = cmp.Or(f.Constraint, from.Constraint)
	if len(f.Enums) == 0 {
		out.Enums = from.Enums
	}
	if f.Width == "" && f.Msb == "" && f.Range == "" {
		low, width, ok := from.place()
		if !ok {
			return nil
		}
		out.Offset = cmp.Or(f.Offset, f.Lsb, strconv.FormatUint(low, 10))
		out.Width = strconv.FormatUint(width, 10)
	}
	return &out
}

// elementsOf returns a field, or each of an array of them; false if it is described in a way that is not read here.
func (r *svdRegister) elementsOf(f *svdField) ([]ir.Field, bool) {
	low, width, ok := f.place()
	count, step := uint64(1), uint64(0)
	if f.Dim != "" {
		var err, second error
		count, err = svdNumber("dim", f.Dim)
		step, second = svdNumber("dimIncrement", f.DimIncrement)
		ok = ok && err == nil && second == nil
	}
	if !ok || count == 0 || count > 64 || step > 64 || width == 0 || low+width+(count-1)*step > 64 {
		return nil, false
	}
	var out []ir.Field
	for k := range count {
		name := (&svdRegister{Name: f.Name, Dim: f.Dim, DimIndex: f.DimIndex}).element(k)
		out = append(out, ir.Field{Name: name, Low: int(low + k*step), Width: int(width), Takes: r.takes(f, width),
			ClearedByOnes: strings.TrimSpace(cmp.Or(f.Modified, r.Modified)) == "oneToClear" && useOf(f.Access) != ir.WriteOnly})
	}
	return out, true
}

// place is the lowest bit of a field and how many it has.
func (f *svdField) place() (low, width uint64, ok bool) {
	from, to := f.Lsb, f.Msb
	if f.Range != "" {
		text := strings.Trim(strings.TrimSpace(f.Range), "[]")
		to, from, _ = strings.Cut(text, ":")
	}
	if f.Offset != "" {
		low, err := svdNumber("bitOffset", f.Offset)
		width := uint64(1)
		if err == nil && f.Width != "" {
			width, err = svdNumber("bitWidth", f.Width)
		}
		return low, width, err == nil && low < 64 && width <= 64
	}
	low, err := svdNumber("lsb", from)
	high, second := svdNumber("msb", to)
	return low, high - low + 1, err == nil && second == nil && low <= high && high < 64
}

// takes lists the numbers that may be written to a field of some bits, where the file says that no others may; nil if it does not.
func (r *svdRegister) takes(f *svdField, width uint64) []ir.Span {
	c := cmp.Or(f.Constraint, r.Constraint)
	switch {
	case c == nil:
		return nil
	case c.Range != nil && f.Constraint != nil:
		from, err := svdNumber("minimum", c.Range.From)
		to, second := svdNumber("maximum", c.Range.To)
		if err != nil || second != nil {
			return nil
		}
		return spansOf([]ir.Span{{From: from, To: to}}, width)
	case !isTrue(c.Listed):
		return nil
	}
	var spans []ir.Span
	for _, e := range f.Enums {
		if strings.TrimSpace(e.Usage) == "read" {
			continue
		}
		if e.DerivedFrom != "" {
			return nil
		}
		for _, v := range e.Values {
			list, ok := valuesOf(v.Value)
			if !ok || isTrue(v.Default) {
				return nil
			}
			spans = append(spans, list...)
		}
	}
	return spansOf(spans, width)
}

// isTrue reads a truth value (XML Schema, boolean).
func isTrue(text string) bool {
	text = strings.TrimSpace(text)
	return text == "true" || text == "1"
}

// spansOf sorts and joins spans of numbers of some bits; nil if there are none, or all numbers are in them.
func spansOf(list []ir.Span, width uint64) []ir.Span {
	slices.SortFunc(list, func(a, b ir.Span) int { return cmp.Compare(a.From, b.From) })
	var out []ir.Span
	for _, s := range list {
		if last := len(out) - 1; last >= 0 && s.From <= out[last].To+1 {
			out[last].To = max(out[last].To, s.To)
		} else {
			out = append(out, s)
		}
	}
	if len(out) == 1 && out[0].From == 0 && width < 64 && out[0].To >= 1<<width-1 {
		return nil
	}
	return out
}

// valuesOf lists the numbers that an enumerated value stands for: bits that are x may be either.
func valuesOf(text string) ([]ir.Span, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	digits, binary := strings.CutPrefix(text, "#")
	if !binary {
		digits, binary = strings.CutPrefix(text, "0b")
	}
	if !binary {
		n, err := svdNumber("value", text)
		return []ir.Span{{From: n, To: n}}, err == nil
	}
	if strings.Count(digits, "x") > 8 {
		return nil, false
	}
	list := []string{digits}
	for i := strings.IndexByte(digits, 'x'); i >= 0; i = strings.IndexByte(list[0], 'x') {
		var next []string
		for _, d := range list {
			next = append(next, d[:i]+"0"+d[i+1:], d[:i]+"1"+d[i+1:])
		}
		list = next
	}
	var out []ir.Span
	for _, d := range list {
		n, err := strconv.ParseUint(d, 2, 63)
		if err != nil {
			return nil, false
		}
		out = append(out, ir.Span{From: n, To: n})
	}
	return out, true
}
