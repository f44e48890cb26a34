package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// program is a question to the engine.
type program struct {
	name string
	args []string // of the engine; check answers in JSON, others in a last line
	want string   // what is known of the answer: TRUE, FALSE, or nothing
}

// specs are the properties of SV-COMP that are asked for, by the names that manifests have for them.
var specs = map[string]string{
	"termination": "F end",
	"memory":      "G valid-free) )\nCHECK( init(main()), LTL(G valid-deref",
	"memsafety":   "G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack",
	"memcleanup":  "G valid-memcleanup",
	"no-overflow": "G ! overflow",
	"reach":       "G ! call(reach_error())",
}

// programs lists what is below the folders.
func (o *options) programs(folders []string) ([]program, error) {
	for name, text := range specs {
		text = "CHECK( init(main()), LTL(" + text + ") )\n"
		if err := os.WriteFile(o.spec(name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	var out []program
	for _, folder := range folders {
		own, listed, err := o.below(filepath.Clean(folder))
		if err != nil {
			return nil, err
		}
		out = append(append(out, thinned(own, o.own)...), thinned(listed, o.every)...)
	}
	return out, nil
}

func (o *options) spec(name string) string { return filepath.Join(o.work, name+".prp") }

func thinned(list []program, every int) []program {
	var out []program
	for i := 0; i < len(list); i += every {
		out = append(out, list[i])
	}
	return out
}

// below lists the programs of a folder: those that a manifest.json lists apart.
func (o *options) below(folder string) (own, listed []program, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var found []program
		name, _ := filepath.Rel(filepath.Dir(folder), path)
		switch {
		case d.IsDir() && isFile(filepath.Join(path, "manifest.json")):
			if found, err = o.listed(name, path); err == nil {
				err = filepath.SkipDir
			}
			listed = append(listed, found...)
			return err
		case d.IsDir() && isFile(filepath.Join(path, ".firmproof.yml")):
			own, err = append(own, o.checked(name, path, nil)), filepath.SkipDir
		case filepath.Ext(path) == ".c":
			var text []byte
			text, err = os.ReadFile(path)
			own = append(own, o.checked(name, path, argsOf(string(text))))
		case filepath.Ext(path) == ".txtar":
			found, err = o.unpack(strings.TrimSuffix(name, ".txtar"), path)
			own = append(own, found...)
		}
		return err
	})
	return o.matching(own), o.matching(listed), err
}

func (o *options) matching(list []program) []program {
	var out []program
	for _, p := range list {
		if o.match.MatchString(p.name) {
			out = append(out, p)
		}
	}
	return out
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// argsOf returns the options that a program states.
func argsOf(text string) []string {
	for i, line := range strings.Split(text, "\n") {
		if args, ok := strings.CutPrefix(line, "// args:"); ok && i < 5 {
			return strings.Fields(args)
		}
	}
	return nil
}

// checked is the question for all claims of a file or a project.
func (o *options) checked(name, path string, args []string) program {
	all := []string{"check", "--format", "json", "--jobs", "1", "--timeout", o.timeout.String(), "--clock",
		(6 * o.timeout).String()}
	return program{name: name, args: append(append(all, args...), path)}
}

// property is the question for one property.
func (o *options) property(name, path, spec, model, integers, want string) program {
	return program{name + " " + spec, []string{"svcomp", "--techniques", "--spec", o.spec(spec), "--data-model", model,
		"--integers", integers, "--timeout", o.timeout.String(), path}, want}
}

// workedHead is the first line of a worked example.
var workedHead = regexp.MustCompile(`^// (memory|reach): (safe|unsafe), termination: (ends|endless|-)`)

// unpack lists the programs of a test, which has flags, or of worked examples.
func (o *options) unpack(name, path string) ([]program, error) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(o.work, strings.ReplaceAll(name, "/", "-"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var out []program
	source := ""
	for _, f := range a.Files {
		file := filepath.Join(dir, f.Name)
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			return nil, err
		}
		if head := workedHead.FindStringSubmatch(string(f.Data)); head != nil {
			words := map[string]string{"safe": "TRUE", "ends": "TRUE", "unsafe": "FALSE", "endless": "FALSE"}
			out = append(out, o.property(name+"/"+f.Name, file, head[1], "LP64", "bitvector", words[head[2]]))
			if head[3] != "-" {
				out = append(out, o.property(name+"/"+f.Name, file, "termination", "LP64", "bitvector", words[head[3]]))
			}
		}
		if strings.HasPrefix(f.Name, "main.") && source == "" || f.Name == ".firmproof.yml" {
			source = file
		}
	}
	if len(out) > 0 || source == "" {
		return out, nil
	}
	if filepath.Base(source) == ".firmproof.yml" {
		source = dir
	}
	var flags []string
	for _, line := range strings.Split(string(a.Comment), "\n") {
		if rest, ok := strings.CutPrefix(line, "flags "); ok {
			flags = strings.Fields(rest)
		}
	}
	return []program{o.checked(name, source, flags)}, nil
}

// listed lists what the manifest.json of a folder does.
func (o *options) listed(name, folder string) ([]program, error) {
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		return nil, err
	}
	var list []struct {
		File      string `json:"file"`
		Property  string `json:"property"`
		Model     string `json:"data_model"`
		Semantics string `json:"semantics"`
		Entry     string `json:"entry"`
		Expected  any    `json:"expected"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	var out []program
	for _, e := range list {
		file, integers, want := filepath.Join(folder, e.File), "bitvector", ""
		if strings.Contains(e.Semantics, "mathematical") || strings.Contains(e.Semantics, "unbounded") {
			integers = "unbounded"
		}
		if holds, ok := e.Expected.(bool); ok {
			want = map[bool]string{true: "TRUE", false: "FALSE"}[holds]
		}
		if e.Model != "ILP32" {
			e.Model = "LP64"
		}
		label := filepath.Join(name, e.File)
		switch {
		case strings.HasPrefix(e.Property, "its"):
			out = append(out, program{label, []string{"its", "--techniques", "--timeout", o.timeout.String(), file}, want})
		case e.Property == "complexity":
			out = append(out, program{label, []string{"bound", "--techniques", "--integers", integers, "--entry",
				e.Entry, "--timeout", o.timeout.String(), file}, want})
		case specs[e.Property] != "":
			out = append(out, o.property(label, file, e.Property, e.Model, integers, want))
		}
	}
	return out, nil
}
