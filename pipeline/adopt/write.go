package adopt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// schemaLine lets editors complete and check the manifest.
const schemaLine = "# yaml-language-server: $schema=" +
	"https://raw.githubusercontent.com/firmproof/firmproof/main/docs/manifest.schema.json"

// maxListed bounds how many files or functions a comment lists.
const maxListed = 12

// maxFunctions bounds how many functions are listed that were not answered.
const maxFunctions = 100

// writer writes the manifest of an attempt.
type writer struct {
	a    *attempt
	tr   *trial
	root string
	all  bool // for the trial: every function, and any call of what has no body
	b    bytes.Buffer
}

// Manifest returns the text of the manifest that was seen to work.
func (f *Found) Manifest() []byte {
	w := &writer{a: f.attempt, tr: f.trial, root: f.Survey.root}
	if w.tr == nil {
		w.tr = &trial{}
	}
	return w.text(f)
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// comment writes text as a comment, in one line.
func (w *writer) comment(format string, args ...any) {
	w.line("# %s", strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

func (w *writer) text(f *Found) []byte {
	w.line("%s", schemaLine)
	w.comment("What firmproof verifies; every key is in the manual. Written by `firmproof init`.")
	if !w.all {
		w.coverage(f)
		for _, q := range f.open(w.a, w.tr) {
			w.comment("Question: %s", q)
		}
	}
	w.line("version: 1")
	w.line("targets: [%s]   # %s; `firmproof targets` lists all", w.a.target, w.a.why)
	w.build(f)
	w.entries()
	if list := w.handlers(); len(list) > 0 {
		each := make([]string, len(list))
		for i, name := range list {
			each[i] = fmt.Sprintf("{handler: %s, max: any}", name)
		}
		w.comment("Handlers of interrupts that change what functions read: %s. They run between the steps of others with the "+
			"line `interrupts: [%s]`. It is left to you: which of them preempt others is not known, "+
			"termination is open with handlers that may run for ever, and proofs take several times as long.", some(list), strings.Join(each, ", "))
	}
	if w.all || w.assumesBodies() {
		w.comment("Functions without a body: a call gives any result and any value in what its pointers lead to. " +
			"Without this line, what comes after such a call is unknown.")
		w.line("stubs: {\"*\": havoc}")
	}
	w.line("report: {annotate: changed-lines, fail_on: [violation, vacuous], comment: true, coverage: true, behaviour: true}")
	return w.b.Bytes()
}

// coverage says how much of the repository is verified, and what is left out.
func (w *writer) coverage(f *Found) {
	w.comment("Coverage: %d files with %d functions that others may call; %d functions were answered within %s.",
		len(w.a.kept), w.a.functions(), len(w.tr.decided), w.tr.each.Round(time.Second))
	if len(w.a.images) > 1 && w.a.build.Image != "" {
		w.comment("The build links several programs (%s); `image` names the one that is verified.", some(w.a.images))
	}
	if w.a.library {
		w.comment("The build links tests, examples and the like only (%s): what is verified is the library that they use.",
			some(w.a.images))
	}
	left := w.a.leftByReason()
	for i, l := range left {
		if i == maxListed {
			w.comment("  and %d more reasons", len(left)-i)
			break
		}
		w.comment("Left out: %s: %s", l.file, l.why)
	}
	if n := len(f.Survey.cxx); n > 0 && w.a.build.Command == "" && w.a.build.CompileCommands == "" {
		w.comment("Left out: %d files in C++ (%s): `build.sources` may list those that are no sketches (.ino).", n,
			first(f.Survey.cxx, 3))
	}
	if n := len(w.tr.slow); n > 0 {
		w.comment("Not settled on %s within %s each, and tried again by each check: %s; `%s` asks for one.",
			w.tr.began.Format(time.DateOnly), w.tr.each.Round(time.Second), first(w.tr.slow, maxFunctions),
			w.tr.askFor(w.tr.slow[0]))
	}
	if n := len(w.tr.packaged); n > 0 {
		w.comment("Not called by themselves: %d functions of packages that others made (%s);"+
			" `functions: all` calls these, too.", n, strings.Join(w.tr.packaged[:min(n, 3)], ", "))
	}
	if n := len(w.tr.untried); n > 0 {
		w.comment("Not tried on %s for want of time, but by each check: %s; `%s` asks for one.",
			w.tr.began.Format(time.DateOnly), first(w.tr.untried, maxFunctions), w.tr.askFor(w.tr.untried[0]))
	}
}

// open lists the questions that could not be settled.
func (f *Found) open(a *attempt, tr *trial) []string {
	questions := slices.Clone(a.questions)
	if advice := a.absent.advice(); advice != "" {
		questions = append(questions, advice)
	}
	if a.build.Command == "" && a.build.CompileCommands == "" { // no way to build worked
		questions = append(questions, f.questions...)
		for _, why := range f.failed {
			questions = append(questions, "this way to build did not work: "+why)
		}
	}
	for _, b := range tr.broken {
		questions = append(questions, "this harness does not build: "+b)
	}
	if len(f.Survey.scripts) > 1 && a.build.LinkerScript == "" && !hosted(a.target) {
		questions = append(questions, "which linker script is the right one for `build.linker_script`? "+
			some(f.Survey.scripts))
	}
	if len(f.Survey.scripts) == 0 && len(f.Survey.unread) > 0 && a.build.LinkerScript == "" && !hosted(a.target) {
		questions = append(questions, fmt.Sprintf(
			"the linker script is not read, and the memory map is that of target %s: %v", a.target, f.Survey.unread[0]))
	}
	if tr.results == nil && a.functions() == 0 && len(a.absent.files) == 0 {
		questions = append(questions,
			"nothing could be compiled: which command builds the project, and with which headers?")
	}
	return questions
}

func (w *writer) build(f *Found) {
	b := w.a.build
	w.line("build:")
	switch {
	case b.CompileCommands != "":
		w.line("  compile_commands: %s", scalar(b.CompileCommands))
	case b.Command != "":
		w.line("  command: %s   # compiler calls are recorded", scalar(b.Command))
		if b.Image != "" {
			w.line("  image: %s", scalar(b.Image))
		}
	case w.all:
		w.line("  sources: %s", list(b.Sources))
	case len(b.Sources) > 0:
		w.line("  sources: %s", list(folders(w.root, b.Sources)))
	default:
		w.line("  sources: %s", list(escaped(f.Survey.sources[:min(1, len(f.Survey.sources))])))
	}
	if len(b.Exclude) > 0 {
		w.line("  exclude: %s", list(b.Exclude))
	}
	if len(b.Include) > 0 {
		w.line("  include: %s", list(b.Include))
	}
	if len(b.Defines) > 0 {
		w.line("  defines: %s", list(b.Defines))
	}
	switch {
	case hosted(w.a.target):
	case b.LinkerScript != "":
		w.line("  linker_script: %s", scalar(b.LinkerScript))
	case len(f.Survey.scripts) == 1:
		w.line("  linker_script: %s", scalar(f.Survey.scripts[0]))
	}
}

func (w *writer) entries() {
	if len(w.tr.harnesses) > 0 {
		w.line("harnesses:")
	}
	for _, e := range w.tr.harnesses {
		if e.file == "" {
			w.line("  - {entry: %s}", e.name)
		} else {
			w.line("  - {entry: %s, file: %q}", e.name, e.file)
		}
	}
	switch {
	case !w.own():
	case w.all || len(w.tr.packaged) == 0 || len(w.tr.called) == 0:
		w.line("functions: all   # each is called with any arguments")
	default:
		w.comment("Each is called with any arguments. `all` means every function, `changed` those of a change.")
		w.line("functions: %s", list(w.tr.called))
	}
}

// own reports whether functions get generated harnesses: where nobody wrote any.
func (w *writer) own() bool {
	return !slices.ContainsFunc(w.tr.harnesses, func(e entry) bool { return e.file != "" })
}

// handlers lists the handlers of interrupts that the trial took not to run meanwhile.
func (w *writer) handlers() []string {
	out := slices.Clone(w.tr.quiet)
	for i := range w.tr.results {
		for _, a := range w.tr.results[i].Assumptions {
			if a.Relation == verdict.Quiet && a.Other != "" && !slices.Contains(out, a.Other) {
				out = append(out, a.Other)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// assumesBodies reports whether the trial met functions without a body.
func (w *writer) assumesBodies() bool {
	for i := range w.tr.results {
		if slices.ContainsFunc(w.tr.results[i].Assumptions, func(a verdict.Assumption) bool {
			return a.Relation == verdict.Calls && !a.MayBeReplaced()
		}) {
			return true
		}
	}
	return false
}

// scalar writes a text as a YAML scalar.
func scalar(s string) string {
	b, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSpace(string(b))
}

// list writes texts as a YAML list, wrapped.
func list(l []string) string {
	var b strings.Builder
	width := 0
	b.WriteString("[")
	for i, s := range l {
		word := s
		if !plainWord(s) {
			word = fmt.Sprintf("%q", s)
		}
		if i > 0 {
			b.WriteString(",")
			if width += len(word) + 2; width > 100 {
				b.WriteString("\n   ")
				width = len(word)
			}
			b.WriteString(" ")
		}
		b.WriteString(word)
	}
	return b.String() + "]"
}

// plainWord reports a name that YAML takes for text without quotes.
func plainWord(s string) bool {
	for _, c := range s {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	var v any
	_, text := v, false
	if yaml.Unmarshal([]byte(s), &v) == nil {
		_, text = v.(string)
	}
	return text
}

// some lists the first of many names.
func some(names []string) string { return first(names, maxListed) }

// askFor returns the command that verifies one entry, with more time than the trial check has.
func (t *trial) askFor(name string) string {
	flag := "--function"
	if slices.ContainsFunc(t.harnesses, func(e entry) bool { return e.name == name }) {
		flag = "--entry"
	}
	if !plainWord(name) { // one of C++
		name = "'" + name + "'"
	}
	return "firmproof check " + flag + " " + name + " --timeout 5m"
}

// first lists the first n names, and says how many there are beside them.
func first(names []string, n int) string {
	if len(names) > n {
		return strings.Join(names[:n], ", ") + fmt.Sprintf(", and %d more", len(names)-n)
	}
	return strings.Join(names, ", ")
}
