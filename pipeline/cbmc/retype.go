package cbmc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
)

// goto-cc accepts a function that is declared with one type and then, in a harness or
// a stub, declared or defined with another, and one that is defined static after a declaration
// that is not; clang does not. From the second declaration on, the function gets another
// name in that file, which is taken back in the unit's IR. The file itself stays as it is:
// the compiler sees a copy in its place.

const retypedPrefix = "firmproof_retyped_"

var conflicting = regexp.MustCompile(
	`^(?:conflicting types for '(\w+)'|static declaration of '(\w+)' follows non-static declaration)$`)

// retyping are the places where functions get another name.
type retyping struct {
	at     map[string]map[string]int // file, function, line
	static map[string]bool           // functions that are static from there on, which goto-cc ignores
}

// learn takes over conflicts that the compiler reported; false if there is none that is new.
func (r *retyping) learn(root string, err error) bool {
	var be *compile.BuildError
	if !errors.As(err, &be) {
		return false
	}
	found := false
	for _, d := range be.Diagnostics {
		m := conflicting.FindStringSubmatch(d.Message)
		if m == nil {
			continue
		}
		file := d.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		said := m[1] + m[2]
		name := strings.TrimPrefix(said, retypedPrefix)
		if _, known := r.at[file][name]; known || name != said {
			continue
		}
		if r.at == nil {
			r.at = map[string]map[string]int{}
		}
		if r.at[file] == nil {
			r.at[file] = map[string]int{}
		}
		r.at[file][name], found = d.Line, true
		if m[2] != "" {
			if r.static == nil {
				r.static = map[string]bool{}
			}
			r.static[name] = true
		}
	}
	return found
}

// overlay writes the copies of the files that were not made, and gives the flags that put them in their places.
func (r *retyping) overlay(work string, made map[string]string) ([]string, error) {
	files := make([]string, 0, len(r.at))
	for f := range r.at {
		if made[f] == "" {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp(work, "retyped-")
	if err != nil {
		return nil, err
	}
	type entry struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Contents string `json:"external-contents"`
	}
	doc := struct {
		Version  int     `json:"version"`
		External bool    `json:"use-external-names"`
		Roots    []entry `json:"roots"`
	}{}
	sort.Strings(files)
	for i, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		copied := filepath.Join(dir, fmt.Sprintf("%d%s", i, filepath.Ext(f)))
		if err := os.WriteFile(copied, renameFrom(data, r.at[f]), 0o644); err != nil {
			return nil, err
		}
		doc.Roots = append(doc.Roots, entry{"file", f, copied})
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "overlay.json")
	return []string{"-ivfsoverlay", path}, os.WriteFile(path, text, 0o644)
}

// renameFrom gives functions another name from their lines on; lines keep their numbers.
func renameFrom(data []byte, at map[string]int) []byte {
	names := make([]string, 0, len(at))
	for n := range at {
		names = append(names, n)
	}
	sort.Strings(names)
	var out bytes.Buffer
	for i, line := range bytes.SplitAfter(data, []byte("\n")) {
		defined := false
		for _, n := range names {
			if at[n] == i+1 {
				fmt.Fprintf(&out, "#define %s %s%s\n", n, retypedPrefix, n)
				defined = true
			}
		}
		if defined {
			fmt.Fprintf(&out, "#line %d\n", i+1)
		}
		out.Write(line)
	}
	return out.Bytes()
}

var retypedName = regexp.MustCompile(`@` + retypedPrefix + `(\w+)`)

var typeNoise = regexp.MustCompile(
	`\b(?:dso_local|internal|weak|noundef|zeroext|signext|nonnull|noalias|local_unnamed_addr)\b|%[\w.]+(?: *[,)])`)

// sameType reports whether a function has the same type under both of its names, in
// LLVM's terms: pointers to const and to what is not are the same.
func sameType(ir []byte, name string) bool {
	heads := map[string]bool{}
	for _, n := range []string{name, retypedPrefix + name} {
		m := regexp.MustCompile(`(?m)^(declare|define) ([^@\n]*)@` + regexp.QuoteMeta(n) + `\(`).FindSubmatchIndex(ir)
		if m == nil {
			return false
		}
		line, _, _ := bytes.Cut(ir[m[1]:], []byte("\n"))
		text := string(ir[m[4]:m[5]]) + "(" + parameters(string(line))
		text = typeNoise.ReplaceAllStringFunc(text, func(s string) string {
			switch {
			case s[0] != '%':
				return ""
			case ir[m[2]+2] == 'f': // a definition's parameters have names
				return s[len(s)-1:]
			}
			return s
		})
		heads[strings.Join(strings.Fields(text), "")] = true
	}
	return len(heads) == 1
}

// takeBack gives the functions of a unit their names again; no function of static is. A unit that uses a function
// by both of its types has no IR: it says so by an error.
func takeBack(ir []byte, static map[string]bool) ([]byte, error) {
	whole := ir
	var names []string
	for _, m := range retypedName.FindAllSubmatch(ir, -1) {
		if n := string(m[1]); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, n := range names {
		use := regexp.MustCompile(`@` + regexp.QuoteMeta(n) + `\b`)
		declared := regexp.MustCompile(`(?m)^declare [^@\n]*@` + regexp.QuoteMeta(n) + `\(.*\n`)
		if d := declared.Find(ir); d != nil {
			ir = declared.ReplaceAll(ir, nil)
		}
		if use.Match(ir) && !sameType(whole, n) {
			return nil, fmt.Errorf("%s is used with two types in one file", n)
		}
	}
	ir = definition.ReplaceAllFunc(ir, func(head []byte) []byte {
		if name, ok := strings.CutPrefix(string(definition.FindSubmatch(head)[2]), retypedPrefix); ok && static[name] {
			return bytes.Replace(head, []byte("internal "), nil, 1)
		}
		return head
	})
	return retypedName.ReplaceAll(ir, []byte("@$1")), nil
}
