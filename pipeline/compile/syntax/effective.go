package syntax

import "strings"

// ctypes knows the types that a unit names, as far as the rule on effective types asks (C17 6.5p7).
type ctypes struct {
	names    map[string]string  // what a typedef stands for
	any      map[string]bool    // typedefs and structures that may be of any memory (may_alias)
	records  map[string]*record // structures and unions, by tag or typedef
	nameless *record            // the last one without a tag
}

// record is a structure or union.
type record struct {
	union   bool
	members []string // types of the members, those of nested ones among them
}

func (r *record) keyword() string {
	if r.union {
		return "union "
	}
	return "struct "
}

func newTypes() *ctypes {
	return &ctypes{names: map[string]string{}, any: map[string]bool{}, records: map[string]*record{}}
}

// declaration notes what a declaration at file scope names.
func (t *ctypes) declaration(n *node) {
	may := false
	for _, in := range n.Inner {
		may = may || in.Kind == "MayAliasAttr"
	}
	switch n.Kind {
	case "TypedefDecl":
		t.any[n.Name] = may
		tag, isRecord := tagOf(n.Type.Qual)
		if isRecord && t.records[tag] == nil && tag == n.Name && t.nameless != nil {
			t.records[tag] = t.nameless
		}
		t.names[n.Name] = n.Type.Qual
	case "RecordDecl":
		r := &record{union: n.Tag == "union"}
		n.each(func(in *node) {
			if in.Kind == "FieldDecl" {
				r.members = append(r.members, in.Type.Qual)
			}
		})
		switch {
		case n.Name == "":
			t.nameless = r
		case len(r.members) > 0:
			t.records[n.Name], t.any[n.Name] = r, may
		}
	}
}

// tagOf returns the tag of a structure or union.
func tagOf(name string) (tag string, ok bool) {
	if tag, ok = strings.CutPrefix(name, "struct "); !ok {
		tag, ok = strings.CutPrefix(name, "union ")
	}
	return tag, ok
}

var unqualified = strings.NewReplacer("const ", "", "volatile ", "", "unsigned ", "", "signed ", "", "_Atomic ", "",
	"*const", "*", "*volatile", "*", "*restrict", "*", " const", "", " volatile", "", " restrict", "")

// scalars are the types that a name may end at.
var scalars = map[string]bool{"short": true, "int": true, "long": true, "long long": true, "float": true,
	"double": true, "long double": true, "_Bool": true, "__int128": true}

// base returns what decides which lvalues may be of an object of a type: a scalar without its sign, the tag of a
// structure, or of a pointer that and an asterisk; empty where any may, or where it is not known.
func (t *ctypes) base(name string) string {
	for range 20 {
		name = strings.TrimSpace(unqualified.Replace(name))
		if i := strings.IndexByte(name, '['); i > 0 && !strings.Contains(name, "(") {
			name = strings.TrimSpace(name[:i])
			continue
		}
		tag, tagged := tagOf(name)
		named := !tagged && t.names[name] != "" && t.names[name] != name
		switch {
		case t.any[tag] || t.any[name]:
			return ""
		case strings.HasSuffix(name, "*"):
			return t.base(pointee(name)) + "*"
		case scalars[name]:
			return name
		case !named && t.records[tag] != nil: // in C++ without the keyword
			return t.records[tag].keyword() + tag
		case strings.HasPrefix(name, "enum "), name == "unsigned":
			return "int"
		case !named:
			return ""
		}
		name = t.names[name]
	}
	return ""
}

// pointee returns what a pointer leads to; empty for what is no pointer to an object.
func pointee(name string) string {
	name = strings.TrimSpace(unqualified.Replace(name))
	if elem, _, ok := strings.Cut(name, " (*)["); ok {
		return elem
	}
	if to, ok := strings.CutSuffix(name, "*"); ok && !strings.Contains(name, "(") {
		return strings.TrimSpace(to)
	}
	return ""
}

// holds reports whether an a has a b in it.
func (t *ctypes) holds(a, b string, depth int) bool {
	tag, ok := tagOf(a)
	r := t.records[tag]
	if !ok || r == nil || depth > 8 {
		return false
	}
	for _, m := range r.members {
		if m := t.base(m); m == "" || m == b || t.holds(m, b, depth+1) {
			return true
		}
	}
	return false
}

// differ reports whether an lvalue of one of two types may not be of an object of the other.
func (t *ctypes) differ(a, b string) bool {
	a, b = t.base(a), t.base(b)
	for strings.HasSuffix(a, "*") && strings.HasSuffix(b, "*") {
		a, b = strings.TrimSuffix(a, "*"), strings.TrimSuffix(b, "*")
	}
	return a != "" && b != "" && a != b && !t.holds(a, b, 0) && !t.holds(b, a, 0)
}
