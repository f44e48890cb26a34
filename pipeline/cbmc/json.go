package cbmc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/files"
)

// Names of the files of the JSON layout: the FreeRTOS kernel's and FreeRTOS-Plus-TCP's.
const (
	proofJSON   = "Makefile.json"
	configsJSON = "Configurations.json"
	commonJSON  = "MakefileCommon.json"
	systemJSON  = "MakefileLinux.json"
)

// field is one key of a JSON file with its values; the order of keys counts, for a
// value may name keys before it.
type field struct {
	key    string
	list   bool // a list, even if it holds one value
	values []json.RawMessage
}

// readJSON reads a file of the layout: lines that begin with # are comments.
func readJSON(path string) ([]field, error) {
	data, err := files.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, l := range lines {
		if bytes.HasPrefix(bytes.TrimSpace(l), []byte("#")) {
			lines[i] = []byte("\n")
		}
	}
	fields, err := decodeFields(bytes.Join(lines, nil))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return fields, nil
}

func decodeFields(data []byte) ([]field, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("not a JSON object"), err)
	}
	var out []field
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		f := field{key: strings.TrimSpace(fmt.Sprint(key)), values: []json.RawMessage{raw}}
		if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
			f.list = true
			if err := json.Unmarshal(raw, &f.values); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON object")
	}
	return out, nil
}

// text returns a value as Python's str prints it.
func text(raw json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	switch t := strings.TrimSpace(string(raw)); {
	case t == "true":
		return "True", nil
	case t == "false":
		return "False", nil
	case t != "" && t != "null" && !strings.ContainsAny(t, "{["):
		return t, nil
	}
	return "", fmt.Errorf("%s: want a text or a number", raw)
}

// readConfigurations reads the proofs of a folder of the JSON layout: one, or one for
// each set of macros of a Configurations.json.
func readConfigurations(dir string) ([]*Proof, error) {
	path := filepath.Join(dir, configsJSON)
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(dir, proofJSON)
		fields, err := readJSON(path)
		if err != nil {
			return nil, err
		}
		p, err := jsonProof(path, filepath.Base(dir), fields)
		return []*Proof{p}, err
	}
	fields, err := readJSON(path)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(fields, func(f field) bool { return f.key == "DEF" })
	if at < 0 {
		return nil, fmt.Errorf("%s: no DEF", path)
	}
	var out []*Proof
	for _, raw := range fields[at].values {
		config, err := decodeFields(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: DEF: %w", path, err)
		}
		own := slices.Clone(fields)
		name := ""
		for _, c := range config {
			if c.key == "EXPECTED" {
				own = append(own, c)
			} else if name == "" {
				name = c.key
				own[at] = field{key: "DEF", list: true, values: c.values}
			}
		}
		p, err := jsonProof(path, filepath.Base(dir)+"/"+name, own)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// evaluate gives each key its words, with names of earlier keys in braces replaced
// and arithmetic after __eval done. Two slashes stand for one.
func evaluate(path string, fields []field) (map[string][]string, error) {
	vars := map[string][]string{}
	for _, f := range fields {
		for _, raw := range f.values {
			s, err := text(raw)
			if err == nil {
				s, err = substitute(s, vars)
			}
			if rest, ok := strings.CutPrefix(s, "__eval"); err == nil && ok {
				s, err = evaluateText(rest)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, f.key, err)
			}
			if f.list {
				vars[f.key] = append(vars[f.key], strings.ReplaceAll(s, "//", "/"))
			} else {
				vars[f.key] = []string{strings.ReplaceAll(s, "//", "/")}
			}
		}
	}
	return vars, nil
}

// maxValue bounds the characters of one value: values may hold earlier ones, again and again.
const maxValue = 1 << 20

var braced = regexp.MustCompile(`\{(\w+)\}`)

func substitute(s string, vars map[string][]string) (string, error) {
	var err error
	left := maxValue
	out := braced.ReplaceAllStringFunc(s, func(m string) string {
		v, ok := vars[m[1:len(m)-1]]
		if !ok {
			err = fmt.Errorf("%s is not set before it", m)
		}
		word := strings.Join(v, " ")
		if left -= len(word); left < 0 {
			err = fmt.Errorf("with %s it has more than %d characters", m, maxValue)
			return ""
		}
		return word
	})
	return out, err
}

var makeVariable = regexp.MustCompile(`\$\((\w+)\)`)

// layout holds what the common files of a tree of proofs say.
type layout struct {
	dir    string // of the common file
	common map[string][]string
	system map[string][]string
}

// findLayout looks for the common files in dir and above it.
func findLayout(dir string) (*layout, error) {
	for d := dir; ; d = filepath.Dir(d) {
		path := filepath.Join(d, commonJSON)
		if _, err := os.Stat(path); err != nil {
			if d == filepath.Dir(d) {
				return nil, fmt.Errorf("%s: no %s in it or above it", dir, commonJSON)
			}
			continue
		}
		l := &layout{dir: d}
		for _, file := range []struct {
			name string
			to   *map[string][]string
		}{{commonJSON, &l.common}, {systemJSON, &l.system}} {
			fields, err := readJSON(filepath.Join(d, file.name))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err == nil {
				*file.to, err = evaluate(filepath.Join(d, file.name), fields)
			}
			if err != nil {
				return nil, err
			}
		}
		return l, nil
	}
}

// expander replaces what make would: names of the proof, and of the common files,
// where a folder is relative to the common file's own.
func (l *layout) expander(entry string) func(string) (string, error) {
	return func(s string) (string, error) {
		var err error
		out := makeVariable.ReplaceAllStringFunc(s, func(m string) string {
			name := m[2 : len(m)-1]
			if name == "ENTRY" {
				return entry
			}
			v := l.common[name]
			if len(v) != 1 {
				err = fmt.Errorf("%s: no such variable in %s", m, filepath.Join(l.dir, commonJSON))
				return m
			}
			return filepath.Join(l.dir, strings.TrimSpace(v[0]))
		})
		return out, err
	}
}

// jsonProof makes a proof of the fields of a file.
func jsonProof(path, name string, fields []field) (*Proof, error) {
	dir := filepath.Dir(path)
	vars, err := evaluate(path, fields)
	if err != nil {
		return nil, err
	}
	l, err := findLayout(dir)
	if err != nil {
		return nil, err
	}
	if len(vars["ENTRY"]) == 0 || len(vars["OBJS"]) == 0 {
		return nil, fmt.Errorf("%s: ENTRY and OBJS must be there", path)
	}
	entry := vars["ENTRY"][0]
	p := &Proof{Name: name, Dir: dir, Root: l.root(dir), Entry: "harness", BodylessFails: l.bodylessFails(),
		Expect: vars["EXPECTED"] == nil || vars["EXPECTED"][0] != "False"}
	expand := l.expander(entry)
	words := func(prefix string, lists ...[]string) ([]string, error) {
		var out []string
		for _, list := range lists {
			for _, s := range list {
				s, err := expand(s)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
				w, err := compile.SplitCommand(prefix + strings.TrimSpace(s))
				if err != nil {
					return nil, fmt.Errorf("%s: %q: %w", path, s, err)
				}
				out = append(out, w...)
			}
		}
		return out, nil
	}
	objs, err := words("", vars["OBJS"])
	if err != nil {
		return nil, err
	}
	if !slices.Contains(objs, entry+"_harness.goto") {
		objs = append([]string{entry + "_harness.goto"}, objs...)
	}
	for _, o := range objs {
		file := absolute(dir, []string{strings.TrimSuffix(o, ".goto") + ".c"})[0]
		if strings.HasSuffix(o, "_harness.goto") {
			p.Sources = append(p.Sources, file)
		} else {
			p.Project = append(p.Project, file)
		}
	}
	var flags [4][]string
	for i, f := range []struct{ prefix, key string }{{"-I", "INC"}, {"-D", "DEF"}, {"", "OPT"}, {"", "CBMCFLAGS"}} {
		if flags[i], err = words(f.prefix, l.common[f.key], l.system[f.key], vars[f.key]); err != nil {
			return nil, err
		}
	}
	inst, err := words("", vars["INSTFLAGS"])
	if err != nil {
		return nil, err
	}
	p.Flags = append(p.Flags, compilerFlags(append(append(flags[0], flags[1]...), flags[2]...))...)
	return p, p.jsonOptions(l, append(flags[3], inst...), vars["GENERATE_HEADER"], expand)
}

// jsonOptions takes over the flags of cbmc and goto-instrument, and the headers that
// are made of types of a source.
func (p *Proof) jsonOptions(l *layout, flags, headers []string, expand func(string) (string, error)) error {
	var bounds []string
	for i := 0; i+1 < len(flags); i++ {
		switch flags[i] {
		case "--unwindset":
			bounds = append(bounds, flags[i+1])
		case "--remove-function-body":
			p.RemoveBody = append(p.RemoveBody, flags[i+1])
		}
	}
	var err error
	if p.Loops, err = loops(p.Dir, bounds); err != nil {
		return err
	}
	p.Bits32 = true // the rules of the layout compile with -m32
	p.options(flags)
	p.onlyNamed(flags)
	for _, h := range headers {
		from := ""
		for _, f := range l.common["TYPE_HEADERS"] {
			file, err := expand(f)
			if err != nil {
				return err
			}
			if base := filepath.Base(file); strings.TrimSuffix(base, ".c")+"_datastructure.h" == h {
				from = file
			}
		}
		if from == "" {
			return fmt.Errorf("%s: header %s: no source of TYPE_HEADERS makes it", p.Dir, h)
		}
		p.TypeHeaders = append(p.TypeHeaders, TypeHeader{Name: h, From: from})
	}
	return nil
}

// bodylessFails reports whether the rules give functions without a body one that
// fails (goto-instrument --generate-function-body-options assert-false).
func (l *layout) bodylessFails() bool {
	data, err := files.Read(filepath.Join(l.dir, "Makefile.template"), maxFile)
	return err == nil && strings.Contains(string(data), "--generate-function-body-options assert-false")
}

// root returns the folder that file names are shown relative to: the one that the common
// file names, which holds the proof.
func (l *layout) root(dir string) string {
	best := l.dir
	for name, v := range l.common {
		if name == "PROOFS" || len(v) != 1 || !strings.HasPrefix(strings.TrimSpace(v[0]), ".") {
			continue
		}
		d := filepath.Join(l.dir, strings.TrimSpace(v[0]))
		if rel, err := filepath.Rel(d, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") &&
			len(d) < len(best) {
			best = d
		}
	}
	return best
}
