package compile

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// linker makes one module of units and slices it to the entries.
type linker struct {
	opts    Options
	img     *Image
	entries []string
	keep    []string // handlers and whatever else must stay, without being an entry
	whole   bool     // nothing is dropped: handlers that no entry reaches store in the volatile variables that it reads
}

func (l *linker) run(ctx context.Context, argv ...string) (Result, error) {
	runner := l.opts.Runner
	if runner == nil {
		runner = Direct{}
	}
	res, err := runner.Run(ctx, Cmd{Argv: argv, Dir: l.opts.WorkDir, Write: []string{l.opts.WorkDir},
		Read: []string{l.opts.CacheDir}})
	if err == nil && crashed(res) {
		err = fmt.Errorf("%s crashed: %s", argv[0], tail(res.Stderr, 5))
	}
	if err != nil {
		return res, &InfraError{"link", err}
	}
	return res, nil
}

// link fills in the image's IRPath, Functions, Entries and Missing.
func (l *linker) link(ctx context.Context) error {
	start := time.Now()
	whole := filepath.Join(l.opts.WorkDir, "linked.ll")
	texts, err := l.unitTexts()
	if err != nil {
		return err
	}
	for _, text := range texts {
		for _, name := range handlersIn(text) {
			if !slices.Contains(l.keep, name) {
				l.keep = append(l.keep, name)
			}
		}
	}
	var declared []string
	isCut := false
	l.whole = l.opts.KeepAll || len(l.entries) == 0 || slices.ContainsFunc(texts, volatileRE.Match)
	if !l.whole {
		var cut [][]byte
		if cut, l.img.Functions, declared, isCut = cutUnits(texts, l.wanted()); isCut {
			texts = cut
		}
	}
	single := len(texts) == 1
	if single && !isCut {
		var used []byte
		if used, single = usedText(texts[0]); single {
			texts[0] = used
		}
	}
	paths, err := l.exposeStatics(texts, isCut || single || l.opts.Prepare != nil)
	if err != nil {
		return err
	}
	text, err := l.join(ctx, paths, single, whole)
	if err != nil {
		return err
	}
	linked := readFunctions(text)
	if !isCut {
		l.img.Functions = linked
	}
	if text, err = l.addLibrary(ctx, whole); err != nil {
		return err
	}
	l.img.Declared = readDeclared(text)
	if isCut {
		l.img.Declared = undefined(declared, text)
	}
	l.img.stage("link", start)
	start = time.Now()
	defer func() { l.img.stage("slice", start) }()
	l.findEntries(linked)
	if len(l.entries) > 0 && len(l.img.Entries) == 0 {
		return &EntryError{Missing: l.img.Missing, Functions: l.img.Functions}
	}
	return l.slice(ctx, whole, text)
}

// volatileRE matches a load of a volatile number that is not at a constant address.
var volatileRE = regexp.MustCompile(`(?m)= load volatile i\d+, (?:i\d+\*|ptr) (?:@|%|getelementptr inbounds \(%)`)

var multiply = regexp.MustCompile(`Linking globals named '([^']+)': symbol multiply defined`)

// fault turns what llvm-link says into a message that names both definitions.
func (l *linker) fault(res Result) error {
	m := multiply.FindSubmatch(res.Stderr)
	if m == nil {
		return &BuildError{Stage: "link", Target: l.img.Target.Name, Diagnostics: l.linkerSays(res.Stderr)}
	}
	name := string(m[1])
	var at []Diagnostic
	for _, u := range l.img.Units {
		text, err := os.ReadFile(u.IRPath)
		if err != nil {
			return &InfraError{"link", err}
		}
		if d, ok := definition(text, name); ok {
			if d.File == "" {
				d.File = u.File
			}
			at = append(at, d)
		}
	}
	for i := range at {
		other := at[(i+1)%len(at)]
		at[i].Message = fmt.Sprintf("symbol `%s` is defined more than once, also in %s", name, other.File)
		if other.Line > 0 {
			at[i].Message += fmt.Sprintf(":%d", other.Line)
		}
	}
	if len(at) == 0 {
		at = []Diagnostic{{Message: fmt.Sprintf("symbol `%s` is defined more than once", name)}}
	}
	return &BuildError{Stage: "link", Target: l.img.Target.Name, Diagnostics: at}
}

// linkerSays returns the linker's messages, at the place in the unit's file if they name one.
func (l *linker) linkerSays(stderr []byte) []Diagnostic {
	m := linkPlace.FindSubmatch(stderr)
	if m == nil {
		return []Diagnostic{{Message: tail(stderr, 3)}}
	}
	d := Diagnostic{File: string(m[1]), Message: string(m[3])}
	d.Line, _ = strconv.Atoi(string(m[2]))
	for i, u := range l.img.Units {
		if base := filepath.Base(d.File); base == filepath.Base(u.IRPath) || base == exposed(i) {
			d.File = u.File
		}
	}
	return []Diagnostic{d}
}

var linkPlace = regexp.MustCompile(`(?m)(\S+\.ll):(\d+):\d+: error: (.*)$`)

func definition(text []byte, name string) (Diagnostic, bool) {
	for _, f := range readFunctions(text) {
		if f.Name == name && !f.Static {
			return Diagnostic{File: f.File, Line: f.Line}, true
		}
	}
	re := regexp.MustCompile(`(?m)^@(?:` + regexp.QuoteMeta(name) + `|` + regexp.QuoteMeta(llvm.Quote(name)) + `) = (.*)$`)
	m := re.FindSubmatch(text)
	if m == nil || bytes.HasPrefix(m[1], []byte("external ")) || bytes.HasPrefix(m[1], []byte("internal ")) {
		return Diagnostic{}, false
	}
	return Diagnostic{}, true
}

// findEntries sorts the entries into those that exist and those that do not.
func (l *linker) findEntries(linked []Function) {
	defined := map[string]bool{}
	for _, f := range linked {
		defined[f.Name] = true
	}
	var names []string
	for _, f := range l.img.Functions {
		names = append(names, f.Name)
	}
	for _, e := range l.entries {
		if defined[e] {
			l.img.Entries = append(l.img.Entries, e)
		} else {
			l.img.Missing = append(l.img.Missing, MissingEntry{Entry: e, Nearest: verdict.Nearest(e, names)})
		}
	}
}

var (
	dbgRE     = regexp.MustCompile(`!dbg !(\d+) \{$`)
	subprogRE = regexp.MustCompile(`^!(\d+) = distinct !DISubprogram\(`)
	fileRE    = regexp.MustCompile(`^!(\d+) = !DIFile\(filename: "([^"]*)", directory: "([^"]*)"`)
	fieldFile = regexp.MustCompile(`[(, ]file: !(\d+)`)
	fieldLine = regexp.MustCompile(`[(, ]line: (\d+)`)
)

// readFunctions lists the definitions in LLVM text with their place in the source.
func readFunctions(text []byte) []Function {
	type place struct {
		file, line string
		local      bool
	}
	var out []Function
	var dbg []string
	subs, files := map[string]place{}, map[string]string{}
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(make([]byte, 1<<20), 64<<20)
	for sc.Scan() {
		line := sc.Bytes()
		switch {
		case bytes.HasPrefix(line, []byte("define ")):
			m := headRE.FindSubmatch(line)
			if m == nil {
				continue
			}
			f := Function{Name: llvm.Name(m[3]), Static: bytes.Contains(m[2], internalWord)}
			id := ""
			if d := dbgRE.FindSubmatch(line); d != nil {
				id = string(d[1])
			}
			out, dbg = append(out, f), append(dbg, id)
		case len(line) > 0 && line[0] == '!':
			if m := fileRE.FindSubmatch(line); m != nil {
				files[string(m[1])] = joinDebugPath(llvm.Unescape(string(m[3])), llvm.Unescape(string(m[2])))
			} else if m := subprogRE.FindSubmatch(line); m != nil {
				var p place
				if x := fieldFile.FindSubmatch(line); x != nil {
					p.file = string(x[1])
				}
				if x := fieldLine.FindSubmatch(line); x != nil {
					p.line = string(x[1])
				}
				p.local = bytes.Contains(line, []byte("DISPFlagLocalToUnit"))
				subs[string(m[1])] = p
			}
		}
	}
	for i := range out {
		p := subs[dbg[i]]
		out[i].File = files[p.file]
		out[i].Static = out[i].Static || p.local
		fmt.Sscanf(p.line, "%d", &out[i].Line)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// readDeclared lists the functions without a body in LLVM text, intrinsics left out.
func readDeclared(text []byte) []string {
	var out []string
	for _, m := range headsOf(text) {
		if name := llvm.Name(m[3]); string(m[1]) == "declare" && !strings.HasPrefix(name, "llvm.") {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

func joinDebugPath(dir, file string) string {
	if filepath.IsAbs(file) || dir == "." || dir == "" {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, file)
}

var asmCall = regexp.MustCompile(`^\s.*\bcall [^@]*\basm [^"]*"([^"]*)"`)

// inlineAssembly notes which functions of the slice hold inline assembly, which
// is not verified. An empty template is a compiler barrier and is not noted.
func inlineAssembly(text []byte) []string {
	var notes, in []string
	fn := ""
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(make([]byte, 1<<20), 64<<20)
	for sc.Scan() {
		line := sc.Bytes()
		switch {
		case bytes.HasPrefix(line, []byte("define ")):
			if m := headRE.FindSubmatch(line); m != nil {
				fn = llvm.Name(m[3])
			}
		case !bytes.Contains(line, []byte("asm ")):
		case bytes.HasPrefix(line, []byte("module asm ")) && len(notes) == 0:
			notes = append(notes, "assembly at file level is not verified")
		default:
			m := asmCall.FindSubmatch(line)
			if m != nil && len(m[1]) > 0 && (len(in) == 0 || in[len(in)-1] != fn) {
				in = append(in, fn)
			}
		}
	}
	if len(in) > 0 {
		sort.Strings(in)
		notes = append(notes, "inline assembly is not verified, in "+strings.Join(in, ", "))
	}
	return notes
}
