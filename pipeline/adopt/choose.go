package adopt

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/headers"
)

// choose keeps the units that compile and that one program can hold: the project's own before what
// is aside, and of several that define the same the first.
func (a *attempt) choose(units []compile.Attempt) {
	a.kept, a.left = nil, nil
	units = slices.Clone(units)
	slices.SortStableFunc(units, func(x, y compile.Attempt) int { return rank(x.File) - rank(y.File) })
	own := slices.ContainsFunc(units, func(u compile.Attempt) bool { return u.Err == nil && !isAside(u.File) })
	defined := map[string]string{}
	for _, u := range units {
		why := ""
		switch {
		case errors.Is(u.Err, context.DeadlineExceeded):
			why = fmt.Sprintf("not compiled within the %s that all files have", compileTime)
		case u.Err != nil:
			why, _, _ = strings.Cut(u.Err.Error(), "\n")
		case own && isAside(u.File):
			why = "a test, an example or the like"
		default:
			for _, d := range u.Defines {
				if other, twice := defined[d]; twice {
					why = fmt.Sprintf("defines %s, as %s does", d, other)
					break
				}
			}
		}
		if why != "" {
			a.left = append(a.left, leftOut{u.File, why, true})
			continue
		}
		a.kept = append(a.kept, u)
		for _, d := range u.Defines {
			defined[d] = u.File
		}
	}
}

// leftByReason joins files that are left out for the same reason.
func (a *attempt) leftByReason() []leftOut {
	var out []leftOut
	files := map[string][]string{}
	for _, l := range a.left {
		why := diagnosticPlace.ReplaceAllString(l.why, "")
		if files[why] == nil {
			out = append(out, leftOut{l.file, why, l.build})
		}
		files[why] = append(files[why], l.file)
	}
	for i, l := range out {
		if list := files[l.why]; len(list) > 1 {
			out[i].file = fmt.Sprintf("%d files (%s)", len(list), first(list, 3))
		} else {
			out[i].why = a.left[slices.IndexFunc(a.left, func(o leftOut) bool { return o.file == l.file })].why
		}
	}
	return out
}

// diagnosticPlace matches where a compiler found something, in front of what.
var diagnosticPlace = regexp.MustCompile(`^[^\s:]+:\d+:\d+: `)

// has returns the file that defines a function among the kept units, one that gives way to no other before others.
func (a *attempt) has(function string) (string, bool) {
	weak := ""
	for _, u := range a.kept {
		if slices.Contains(u.Public, function) {
			return u.File, true
		}
		if weak == "" && slices.Contains(u.Weak, function) {
			weak = u.File
		}
	}
	return weak, weak != ""
}

// hasOwn reports whether a file that is no test, example or the like is kept.
func (a *attempt) hasOwn() bool {
	return slices.ContainsFunc(a.kept, func(u compile.Attempt) bool { return !isAside(u.File) })
}

// isPackaged reports whether a function is of a package that others made, beside code of the project's own.
func (a *attempt) isPackaged(function string) bool {
	file, ok := a.has(function)
	return ok && headers.Packaged(file) && slices.ContainsFunc(a.kept, func(u compile.Attempt) bool {
		return len(u.Public) > 0 && !headers.Packaged(u.File)
	})
}

// functions counts the functions of the kept units that others may call.
func (a *attempt) functions() int {
	n := 0
	for _, u := range a.kept {
		n += len(u.Public)
	}
	return n
}

// drop leaves a file out after all.
func (a *attempt) drop(file, why string) bool {
	i := slices.IndexFunc(a.kept, func(u compile.Attempt) bool { return u.File == file })
	if i < 0 {
		return false
	}
	a.kept = slices.Delete(a.kept, i, i+1)
	a.left = append(a.left, leftOut{file, why, true})
	if len(a.build.Sources) > 0 {
		a.build.Sources = slices.DeleteFunc(a.build.Sources, func(s string) bool { return s == escape(file) })
	} else {
		a.build.Exclude = append(a.build.Exclude, escape(file))
	}
	return true
}
