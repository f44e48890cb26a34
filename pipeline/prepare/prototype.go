package prepare

import (
	"bytes"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/ctoken"
	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/verifier/ir"
)

// noteConst notes of functions without a body which parameters are pointers to const: what they lead to stays as it is,
// as far as all declarations in the files of the units say so. The compiler does not hand on what declarations say.
func noteConst(units []compile.Unit, list []*ir.Func) {
	var names []string
	for _, f := range list {
		if slices.ContainsFunc(f.Params, func(p *ir.Param) bool { return p.T.IsPtr() }) {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	found, seen := map[string][][]bool{}, map[string]bool{}
	for _, u := range units {
		for _, file := range u.Sources {
			if seen[file] {
				continue
			}
			seen[file] = true
			text, err := files.Read(file, maxSearchedFile)
			if err != nil {
				continue
			}
			for _, n := range names {
				if bytes.Contains(text, []byte(n)) {
					found[n] = append(found[n], prototypes(text, n)...)
				}
			}
		}
	}
	for _, f := range list {
		for i, p := range f.Params {
			p.Keeps = p.T.IsPtr() && len(found[f.Name]) > 0 && !slices.ContainsFunc(found[f.Name],
				func(c []bool) bool { return len(c) != len(f.Params) || !c[i] })
		}
	}
}

// prototypes lists the declarations of a function in a text in C: of each its parameters, those that are pointers to
// const. What is not read well is none.
func prototypes(text []byte, name string) [][]bool {
	var out [][]bool
	var params [][]string // of the declaration at hand
	braces, depth, last := 0, 0, ""
	eachToken(text, func(_ ctoken.Kind, t string, _ int) {
		before := last
		last = t
		switch {
		case depth > 0:
			switch t {
			case "(":
				depth++
			case ")":
				depth--
			}
			if n := len(params) - 1; depth == 1 && t == "," {
				params = append(params, nil)
			} else {
				params[n] = append(params[n], t)
			}
			if depth == 0 {
				var list []bool
				for _, p := range params {
					list = append(list, pointsToConst(p))
				}
				out = append(out, list)
			}
		case t == "{" && before != `"C"`:
			braces++
		case t == "}":
			braces = max(braces-1, 0)
		case t == "(" && before == name && braces == 0:
			depth, params = 1, [][]string{nil}
		}
	})
	return out
}

// pointsToConst reports whether a parameter is declared as a pointer to const, and no other kind of pointer.
func pointsToConst(tokens []string) bool {
	tokens = slices.DeleteFunc(slices.Clone(tokens), func(t string) bool { return t == ")" })
	text := strings.Join(tokens, " ")
	at := slices.Index(tokens, "*")
	if at < 0 {
		at = slices.Index(tokens, "[")
	}
	return at > 0 && slices.Contains(tokens[:at], "const") && strings.Count(text, "*")+strings.Count(text, "[") == 1 &&
		!strings.Contains(text, "(")
}
