package cbmc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets"
)

// prefix starts the names that goto-cc --export-file-local-symbols gives to static functions.
const prefix = "__CPROVER_file_local_"

// Mangled returns the name of static function fn of a file (goto-cc: file-local name mangling).
func Mangled(file, fn string) string {
	base := []byte(filepath.Base(file))
	for i, c := range base {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			base[i] = '_'
		}
	}
	return prefix + string(base) + "_" + fn
}

var fileLocal = regexp.MustCompile(prefix + `\w+`)

// Build compiles and links the proof for a target.
func (p *Proof) Build(ctx context.Context, t targets.Target, opts compile.Options) (*compile.Image, error) {
	named := p.fileLocals()
	remove := map[string]bool{}
	for _, n := range p.RemoveBody {
		remove[n] = true
	}
	project := map[string]bool{}
	for _, f := range p.Project {
		project[f] = true
	}
	own := map[string]bool{}
	var retyped retyping
	opts.Entries = []string{p.Entry}
	opts.Contracts, opts.Silent = p.Contracts, true
	made, err := p.writeGenerated(opts.WorkDir, retyped)
	if err != nil {
		return nil, err
	}
	given := map[string]string{}
	for f, at := range made {
		given[at] = f
	}
	opts.Checks = compile.Checks{UnsignedOverflow: p.Unsigned, Conversion: p.Conversion}
	var torn error
	opts.Prepare = func(file string, ir []byte) []byte {
		if f := given[file]; f != "" {
			file = f
		}
		back, err := takeBack(ir, retyped.static)
		if err != nil {
			torn = &compile.BuildError{Stage: "compile", Target: t.Name, Diagnostics: []compile.Diagnostic{{File: file,
				Message: err.Error()}}}
			return nil
		}
		ir = back
		if project[file] {
			ir = removeBodies(exportLocals(file, ir, named), func(fn string) bool { return remove[fn] || own[fn] })
		} else {
			ir = removeBodies(ir, func(fn string) bool { return own[fn] })
		}
		for _, m := range definition.FindAllSubmatch(ir, -1) {
			if !strings.Contains(string(m[1]), "internal ") && !strings.Contains(string(m[1]), "weak ") {
				own[string(m[2])] = true
			}
		}
		return redirect(ir, p.Contracts)
	}
	if err := p.writeHeaders(opts.WorkDir); err != nil {
		return nil, err
	}
	macros := map[string][]string{}
	plain := p.Flags
	for {
		units := p.units(project, macros, len(named) > 0, len(retyped.static) > 0, made)
		img, err := compile.Sources(ctx, p.Root, units, t, opts)
		if err == nil {
			if missing := withoutContract(img); len(missing) > 0 {
				err = &compile.BuildError{Stage: "link", Target: t.Name,
					Diagnostics: []compile.Diagnostic{{Message: "no source has a contract of " + strings.Join(missing,
						", ")}}}
			}
		}
		if torn != nil {
			return nil, torn
		}
		renamed, learned := p.renameBuiltins(err, macros), retyped.learn(p.Root, err)
		if compared := compareStructures(err, &opts); err == nil || !renamed && !learned && !compared {
			return img, err
		}
		if _, err := p.writeGenerated(opts.WorkDir, retyped); err != nil {
			return nil, err
		}
		extra, err := retyped.overlay(opts.WorkDir, made)
		if err != nil {
			return nil, err
		}
		p.Flags = append(slices.Clone(plain), extra...)
	}
}

// writeHeaders makes the headers of types, in a folder that the compiler looks in.
func (p *Proof) writeHeaders(work string) error {
	dir := filepath.Join(work, "types")
	for _, h := range p.TypeHeaders {
		if err := h.write(dir); err != nil {
			return err
		}
	}
	if len(p.TypeHeaders) > 0 {
		p.Flags = append(p.Flags, "-I"+dir)
	}
	return nil
}

// units lists the sources, the proof's own first: of two definitions of a function
// the first one counts, as for goto-cc.
// Static functions that nothing calls stay in the project's sources, or in all.
func (p *Proof) units(project map[string]bool, macros map[string][]string, static, all bool,
	made map[string]string) []compile.Source {
	var out []compile.Source
	for _, f := range p.Sources {
		if !project[f] {
			s := p.unit(f, macros[f], made[f])
			s.Static = all
			out = append(out, s)
		}
	}
	for _, f := range p.Project {
		s := p.unit(f, macros[f], made[f])
		s.Static = static || all
		out = append(out, s)
	}
	return out
}

// unit returns the unit of one source; at is its place if the makefile made it.
func (p *Proof) unit(f string, macros []string, at string) compile.Source {
	s := compile.Source{File: f, Dir: p.Dir, CFlags: p.flags(macros)}
	if at != "" {
		s.File = at
		s.CFlags = append(s.CFlags, "-iquote", filepath.Dir(f))
	}
	return s
}

// flags returns the compiler flags of a source. As for goto-cc, a variable without a value may be
// defined in several sources.
func (p *Proof) flags(macros []string) []string {
	return append(append(slices.Clone(p.Flags), "-fcommon"), macros...)
}

// fileLocals lists the mangled names that the proof uses.
func (p *Proof) fileLocals() map[string]bool {
	named := map[string]bool{}
	for _, f := range p.Sources {
		text, err := files.Read(f, maxFile)
		if err != nil {
			continue // the compiler says it better
		}
		for _, m := range fileLocal.FindAll(text, -1) {
			named[string(m)] = true
		}
	}
	for _, n := range p.RemoveBody {
		if strings.HasPrefix(n, prefix) {
			named[n] = true
		}
	}
	return named
}

var builtinDefined = regexp.MustCompile(`^definition of builtin function '(\w+)'$`)

// renameBuiltins finds sources that define a function which clang has built in,
// and adds the macro that gives it another name there; false if there is none.
func (p *Proof) renameBuiltins(err error, macros map[string][]string) bool {
	var be *compile.BuildError
	if !errors.As(err, &be) {
		return false
	}
	found := false
	for _, d := range be.Diagnostics {
		m := builtinDefined.FindStringSubmatch(d.Message)
		if m == nil {
			continue
		}
		for _, f := range append(slices.Clone(p.Project), p.Sources...) {
			flag := "-D" + m[1] + "=firmproof_" + m[1]
			if (f == d.File || f == filepath.Join(p.Root, d.File)) && !slices.Contains(macros[f], flag) {
				macros[f] = append(macros[f], flag)
				found = true
			}
		}
	}
	return found
}

var (
	definition = regexp.MustCompile(`(?m)^define ([^@\n]*)@("[^"\n]*"|[\w.$-]+)\(`)
	symbol     = regexp.MustCompile(`@[\w.$-]+`)
)

// exportLocals gives the static functions of a unit that the proof names their
// mangled names.
func exportLocals(file string, ir []byte, named map[string]bool) []byte {
	renamed := map[string]string{}
	for _, m := range definition.FindAllSubmatch(ir, -1) {
		fn := string(m[2])
		if name := Mangled(file, fn); strings.Contains(string(m[1]), "internal ") && named[name] {
			renamed["@"+fn] = "@" + name
		}
	}
	if len(renamed) == 0 {
		return ir
	}
	ir = definition.ReplaceAllFunc(ir, func(head []byte) []byte {
		if m := definition.FindSubmatch(head); renamed["@"+string(m[2])] != "" {
			return bytes.Replace(head, []byte("internal "), nil, 1)
		}
		return head
	})
	return symbol.ReplaceAllFunc(ir, func(s []byte) []byte {
		if to := renamed[string(s)]; to != "" {
			return []byte(to)
		}
		return s
	})
}

var linkage = regexp.MustCompile(
	`\b(private|internal|available_externally|linkonce|weak|common|appending|linkonce_odr|weak_odr|external) `)

// removeBodies makes declarations of the functions that remove names (goto-instrument --remove-function-body).
func removeBodies(ir []byte, remove func(fn string) bool) []byte {
	var out bytes.Buffer
	skipping := false
	for _, line := range bytes.SplitAfter(ir, []byte("\n")) {
		text := strings.TrimRight(string(line), "\n")
		if skipping {
			skipping = text != "}"
			continue
		}
		m := definition.FindStringSubmatch(text)
		if m == nil || !remove(strings.Trim(m[2], `"`)) || strings.Contains(m[1], "internal ") {
			out.Write(line)
			continue
		}
		skipping = true
		out.WriteString("declare " + linkage.ReplaceAllString(m[1], "") + "@" + m[2] + "(" +
			parameters(text[len(m[0]):]) + "\n")
	}
	return out.Bytes()
}

// parameters returns the rest of a definition's head up to the parenthesis that closes
// the parameter list.
func parameters(rest string) string {
	depth := 1
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return rest[:i+1]
		}
	}
	return rest
}

// Title names the proof in reports.
func (p *Proof) Title() string { return fmt.Sprintf("%s/%s", p.Name, p.Entry) }
