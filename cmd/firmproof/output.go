package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// outputs are pairs of --format and -o: formats[i] goes to files[i]; without a
// file, to standard output.
type outputs struct {
	formats []string
	files   []string
	quiet   bool
	verbose bool
	trace   string // of violations in text: all, relevant or short

	tree  *sourceTree // of what the report is about; nil: not known
	paths []string    // that were checked
	args  []string    // of the command, to be repeated
}

// check says what is wrong with the flags.
func (o *outputs) check() error {
	if len(o.formats) == 0 {
		o.formats = reports.FormatNames()[:1]
	}
	if err := o.split(); err != nil {
		return err
	}
	for _, f := range o.formats {
		if _, known := reports.FormatNamed(f); !known {
			names := reports.FormatNames()
			return fmt.Errorf("unknown --format %q%s (known: %s)", f, verdict.Meant(f, names),
				strings.Join(names, ", "))
		}
	}
	return o.pairs()
}

// split takes files from formats that are given as FORMAT:FILE.
func (o *outputs) split() error {
	var files []string
	with := false
	for i, f := range o.formats {
		format, file, ok := strings.Cut(f, ":")
		if ok && file == "" {
			return fmt.Errorf("--format %q names no file", f)
		}
		with = with || ok
		o.formats[i], files = format, append(files, file)
	}
	if with && len(o.files) > 0 {
		return errors.New("--format FORMAT:FILE and -o: give all files in one of the two ways")
	}
	if with {
		o.files = files
	}
	return nil
}

// pairs says which formats and files do not go together.
func (o *outputs) pairs() error {
	if len(o.files) > len(o.formats) {
		return fmt.Errorf("%d output files for %d formats: give --format and -o in pairs, or --format FORMAT:FILE",
			len(o.files), len(o.formats))
	}
	stdout := ""
	for i, f := range o.formats {
		file := ""
		if i < len(o.files) && o.files[i] != "-" {
			file = o.files[i]
		}
		if file == "" {
			if stdout != "" {
				return fmt.Errorf("%s and %s both go to standard output: write --format %s:FILE for one of them",
					stdout, f, f)
			}
			stdout = f
			continue
		}
		if slices.Contains(o.files[:i], file) {
			return fmt.Errorf("%s is given twice", file)
		}
		ext := strings.TrimPrefix(filepath.Ext(file), ".")
		if own := slices.Index(o.formats, ext); ext != f && own >= 0 && (own >= len(o.files) ||
			filepath.Ext(o.files[own]) != "."+ext) {
			return fmt.Errorf("%s would get the format %s: write --format %s:%s", file, f, ext, file)
		}
	}
	return nil
}

// write renders the report in every format asked for.
func (o *outputs) write(stdout io.Writer, r *verdict.Report) error {
	for i, f := range o.formats {
		if i >= len(o.files) || o.files[i] == "-" || o.files[i] == "" {
			if err := o.render(stdout, f, r, isTerminal(stdout)); err != nil {
				return err
			}
			continue
		}
		var buf bytes.Buffer
		if err := o.render(&buf, f, r, false); err != nil {
			return err
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(o.files[i]), 0o755),
			os.WriteFile(o.files[i], buf.Bytes(), 0o644)); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

func (o *outputs) render(w io.Writer, format string, r *verdict.Report, color bool) error {
	f, known := reports.FormatNamed(format)
	if !known {
		return fmt.Errorf("unknown --format %q", format)
	}
	opts := reports.TextOptions{Color: color && os.Getenv("NO_COLOR") == "", Verbose: o.verbose, Quiet: o.quiet,
		Trace: o.trace}
	if o.tree != nil {
		if prefix := o.tree.place(f.Names); prefix != "" && prefix != "." {
			r = reports.Rebase(r, prefix, o.tree.has)
			tree := o.tree
			opts.Source = func(file string) []byte {
				if rel, inside := strings.CutPrefix(file, prefix+"/"); inside {
					return tree.read(rel)
				}
				return tree.read(file)
			}
		} else {
			opts.Source = o.tree.read
		}
	}
	o.commands(&opts)
	if o.tree != nil && format == "html" { // the others do not name them
		opts.Date, opts.Commit = time.Now().Format("2006-01-02 15:04 MST"), o.tree.commit()
	}
	return f.Write(w, r, opts)
}

// about notes what was checked, and how.
func (o *outputs) about(fl *checkFlags, paths []string) {
	o.trace, o.tree, o.paths = fl.trace, treeOf(paths), slices.Clone(paths)
	if len(os.Args) > 1 && os.Args[1] == "check" {
		o.args = withoutFormats(os.Args[2:])
	}
	for _, f := range []struct {
		name string
		list []string
	}{{"-I", fl.req.Include}, {"-D", fl.req.Defines}, {"--cflags", fl.req.CFlags}, {"--assume", fl.assume}, {"--stub", fl.stubs}} {
		for _, v := range f.list {
			o.paths = append(o.paths, f.name, v)
		}
	}
}

// commands fills in how to make the report again and how to replay it.
func (o *outputs) commands(opts *reports.TextOptions) {
	if o.args == nil {
		return
	}
	opts.Check = reports.ShellWords(append([]string{"firmproof", "check"}, o.args...))
	opts.Replay = reports.ShellWords(append([]string{"firmproof", "replay"}, o.paths...))
	for i, f := range o.formats {
		if f == "json" && i < len(o.files) && o.files[i] != "-" {
			opts.JSONFile = o.files[i]
		}
	}
}

// withoutFormats returns the words of a command without those that say what to write where.
func withoutFormats(words []string) []string {
	out := []string{}
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--format" || w == "-o" || w == "--output" || w == "--trace":
			i++
		case strings.HasPrefix(w, "--format=") || strings.HasPrefix(w, "--output=") ||
			strings.HasPrefix(w, "--trace=") ||
			strings.HasPrefix(w, "-o"), w == "-v", w == "--verbose", w == "-q", w == "--quiet":
		default:
			out = append(out, w)
		}
	}
	return out
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// exitCode is the contract of `check`: violated 1, unknown 3 unless only violations count, conditional 3 where that is
// asked for.
func exitCode(s verdict.Status, failOn string) int {
	switch s {
	case verdict.Violated:
		return exitViolated
	case verdict.Conditional:
		if reports.FailsOn(failOn, "conditional") {
			return exitUnknown
		}
	case verdict.Unknown:
		if onlyViolations(failOn) {
			return exitOK
		}
		return exitUnknown
	}
	return exitOK
}

// anyVacuous reports whether an answer says nothing about its program.
func anyVacuous(r *verdict.Report) bool {
	return slices.ContainsFunc(r.Results, func(res verdict.Result) bool { return res.Vacuous != nil })
}
