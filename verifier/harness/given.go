package harness

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Given holds what somebody says about an argument of a generated harness, or about a member of what one leads to, in
// place of what Harness would make up.
type Given struct {
	Elements, Bytes int64  // that a pointer leads to; 0: not said
	Front           int64  // bytes in front of that; 0: not said
	Align           int64  // bytes that its address is a multiple of; 0: not said
	Null            *bool  // whether a pointer may be null; nil: not said
	In              string // the variable that a pointer leads into; empty: not said
	String          bool   // a zero ends what a pointer leads to
	UpTo            string // the parameter that leads to the end of that; empty: not said
	Count           Count  // the parameter that counts it, or the number behind that; empty: not said
	Apart           bool   // nothing else leads to what a pointer leads to
	Low, High       *int64 // of a number; nil: not said
	// by another version: a pointer may be null, a number of an enumeration none of its enumerators, a member beside what
	// the program stores there
	Doubted bool
	text    string
}

var givenForm = regexp.MustCompile(`^(?:(\d{1,7}) (element|byte)s?( in front)?|(-?\d{1,18})\.\.(-?\d{1,18}))$`)

var givenAlignment = regexp.MustCompile(`^aligned to (1|2|4|8|16|32|64|128|256|512|1024|2048|4096) bytes?$`)

var givenByName = regexp.MustCompile(`^(?:up to ([A-Za-z_]\w*)|in ([A-Za-z_]\w*)|\*?([A-Za-z_]\w*) (element|byte)s)$`)

// ParseGiven reads `16 elements`, `64 bytes`, `len bytes`, `*count elements`, `up to end`, `string`, `8 bytes in front`,
// `aligned to 4 bytes`, `in pool`, `0..64`, `not null`, `may be null` or `apart`, or several of these with commas, each of another kind.
func ParseGiven(text string) (*Given, error) {
	g, said := &Given{text: text}, map[string]string{} // said: by kind
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		m, by := givenForm.FindStringSubmatch(part), givenByName.FindStringSubmatch(part)
		to := givenAlignment.FindStringSubmatch(part)
		kind := "size"
		switch {
		case part == "not null", part == "may be null":
			kind = "null"
			null := part == "may be null"
			g.Null = &null
		case part == "apart":
			kind, g.Apart = part, true
		case part == "string":
			kind, g.String = part, true
		case to != nil:
			kind = "alignment"
			g.Align, _ = strconv.ParseInt(to[1], 10, 64)
		case by != nil && by[2] != "":
			kind, g.In = "variable", by[2]
		case by != nil:
			g.UpTo, g.Count = by[1], Count{Parameter: by[3], Bytes: by[4] == "byte"}
		case m != nil && m[1] != "":
			n, _ := strconv.ParseInt(m[1], 10, 64)
			if n == 0 {
				return nil, fmt.Errorf("`%s`: a pointer leads to one %s at least", part, m[2])
			}
			switch {
			case m[3] != "" && m[2] == "element":
				return nil, fmt.Errorf("`%s`: what stands in front is a number of bytes", part)
			case m[3] != "":
				kind, g.Front = "front", n
			case m[2] == "byte":
				g.Bytes = n
			default:
				g.Elements = n
			}
		case m != nil:
			low, _ := strconv.ParseInt(m[4], 10, 64)
			high, _ := strconv.ParseInt(m[5], 10, 64)
			kind = "range"
			if g.Low, g.High = &low, &high; low > high {
				return nil, fmt.Errorf("`%s`: no number is in there", part)
			}
		default:
			return nil, fmt.Errorf(
				"`%s` is none of `16 elements`, `64 bytes`, `len bytes`, `*count elements`, `up to end`, `string`, `8 bytes in front`, "+
					"`aligned to 4 bytes`, `in pool`, `0..64`, `not null`, `may be null` and `apart`", part)
		}
		if before, twice := said[kind]; twice {
			return nil, fmt.Errorf("`%s` and `%s` cannot both be said of one place", before, part)
		}
		said[kind] = part
	}
	return g, nil
}

// Give has harnesses of the program follow what is said about the place FUNCTION.NAME.
func (p *Program) Give(place string, g *Given) {
	p.given[place] = g
}

// MayAlias has pointers at places FUNCTION.NAME lead into what others of these lead to, or to their own.
func (p *Program) MayAlias(places []string) { p.alias = append(p.alias, places) }

// aliased returns the first list that says so of all these pointers of the harness; -1: none does.
func (h *harness) aliased(names ...string) int {
	return slices.IndexFunc(h.p.alias, func(list []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(list, h.of.CName+"."+name) })
	})
}

// Given reports whether something is said about the place FUNCTION.NAME.
func (p *Program) Given(place string) bool { return p.given[place] != nil }

// Misnamed returns an error where something that is said about an argument of f names a parameter that f does not have, or
// one that cannot count or end what the argument leads to.
func (p *Program) Misnamed(f *ir.Func) error {
	h := &harness{p: p, of: f, vars: ir.ParamVars(f)}
	for _, place := range slices.Sorted(maps.Keys(p.given)) {
		g := p.given[place]
		name, ours := strings.CutPrefix(place, f.CName+".")
		if ours && g.In != "" {
			switch k := h.parameter(name); {
			case k < 0 || !f.Params[k].T.IsPtr():
				return fmt.Errorf("`%s: %s`: only a parameter that is a pointer leads into a variable", place, g.text)
			case p.variable(g.In) == nil:
				return fmt.Errorf("`%s: %s`: the program defines no variable %s", place, g.text, g.In)
			}
		}
		if by := g.UpTo + g.Count.Parameter; ours && by != "" {
			switch k, n := h.parameter(strings.TrimPrefix(name, "*")), h.parameter(by); {
			case k < 0 || !f.Params[k].T.IsPtr():
				return fmt.Errorf("`%s: %s`: only what a parameter leads to is counted or ended by another", place, g.text)
			case n < 0:
				return fmt.Errorf("`%s: %s`: %s has no parameter %s", place, g.text, f.CName, by)
			case g.UpTo != "" && !f.Params[n].T.IsPtr():
				return fmt.Errorf("`%s: %s`: %s is no pointer", place, g.text, by)
			case g.UpTo == "" && !f.Params[n].T.IsInt() && !ir.IsNumber(h.numberOf(n)):
				return fmt.Errorf("`%s: %s`: %s is no number, and leads to none", place, g.text, by)
			}
		}
	}
	return nil
}

// parameter returns the parameter of that name; -1: there is none.
func (h *harness) parameter(name string) int {
	return slices.IndexFunc(h.vars, func(v *ir.Var) bool { return v != nil && v.Name == name })
}

// MayBeNull ends the assumption that a pointer may be null.
const MayBeNull = " may be null"

// given returns what was said about a place of the harness; a Given that says nothing if nothing was.
func (h *harness) given(name string) *Given {
	if h.out.Places != nil {
		h.out.Places[name] = true
	}
	if g := h.p.given[h.of.CName+"."+name]; g != nil {
		return g
	}
	return &Given{}
}

// size returns how many bytes a pointer to elements of one bytes leads to; 0: not said.
func (g *Given) size(one int64) int64 {
	switch {
	case g.Elements > 0:
		return g.Elements * max(one, 1)
	case g.String && g.Bytes == 0:
		return policy.WiderFirst
	}
	return g.Bytes
}

// sized makes what a pointer leads to, of which g says the size: one element after the other.
func (h *harness) sized(g *Given, name string, elem *ir.DType, depth int, left *int) ir.Value {
	one := ir.SizeInC(elem)
	size := g.size(one)
	if g.String && g.Bytes == 0 {
		p := h.stringOf(name, h.asGiven(name, g), 1, size)
		h.standsAs(p, elem)
		return p
	}
	p := h.anyBlock(name, h.Int(h.Word(), size))
	h.standsAs(p, elem)
	for k := int64(0); one > 0 && needsFill(elem, 0) && k < min(size/one, policy.HarnessElements); k++ {
		at := name
		if size >= 2*one {
			at = fmt.Sprintf("%s[%d]", name, k)
		}
		h.fill(at, elem, p, places.Place{}, k*one, depth, left)
	}
	if g.String {
		h.Store(h.Int(ir.Int(8), 0), h.Gep(p, size-1, nil, 0), 1)
	}
	h.asGiven(name, g)
	return p
}

// asGiven notes what was said about a place, and returns the assumption's ID.
func (h *harness) asGiven(name string, g *Given) string {
	relation := verdict.Interval
	if g.size(1) > 0 {
		relation = verdict.Extent
	}
	return h.note(name, relation, verdict.Declared, "%s: %s (as given)", name, g.text)
}

// within assumes that number v is in the range that is said for it, if there is one.
func (h *harness) within(name string, v ir.Value, signed bool) {
	g := h.given(name)
	if g.Low == nil {
		return
	}
	least, most := h.Bounds(v, *g.Low, *g.High, signed)
	h.Assume(least)
	h.Assume(most)
	h.asGiven(name, g)
}

// numberAt assumes what is said for the number of type t at p+off in a structure.
func (h *harness) numberAt(name string, t *ir.DType, p ir.Value, off int64) {
	if (ir.IsNumber(t) || t.Kind == ir.DEnum) && h.given(name).Low != nil {
		h.within(name, h.Load(ir.Int(t.Bits), h.Gep(p, off, nil, 0)), t.Signed)
	}
}
