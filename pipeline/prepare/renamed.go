package prepare

import (
	"slices"
	"strings"
)

// renames has, by target, functions that have another name in the head and are otherwise as they were, by their names
// in the base.
type renames map[string]map[string]string

// renamings finds functions of a base that its head does not have, and that it has under another name. Where several
// are alike, nobody knows which is which.
func renamings(head, base map[string]*Outline) renames {
	out := renames{}
	for target, h := range head {
		b := base[target]
		if b == nil {
			continue
		}
		came := formsBut(h, b)
		for form, was := range formsBut(b, h) {
			if is := came[form]; len(was) == 1 && len(is) == 1 {
				if out[target] == nil {
					out[target] = map[string]string{}
				}
				out[target][was[0]] = is[0]
			}
		}
	}
	return out
}

// formsBut lists, by their digests without a name, the functions of o that other has none of that name, as C names them.
func formsBut(o, other *Outline) map[string][]string {
	out := map[string][]string{}
	for name, form := range o.Forms {
		if _, is := other.Forms[name]; !is {
			if shown := o.Shown[name]; shown != "" {
				name = shown
			}
			out[form] = append(out[form], name)
		}
	}
	return out
}

// of lists the names that functions of the head have in the base, where they are others; on any target.
func (r renames) of(head []string) []string {
	var out []string
	for _, names := range r {
		for was, is := range names {
			if slices.Contains(head, is) && !slices.Contains(out, was) {
				out = append(out, was)
			}
		}
	}
	slices.Sort(out)
	return out
}

// RenamedEntry returns the name of an entry of the base in the head. renamed has functions by their names in the base.
func RenamedEntry(entry string, renamed map[string]string) string {
	f, called := strings.CutPrefix(entry, AnyCall)
	is, known := renamed[f]
	switch {
	case !known:
		return entry
	case called:
		return AnyCall + is
	}
	return is
}
