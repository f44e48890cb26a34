package compile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/targets/llvm"
)

// Compile makes LLVM text of one file. C goes through clang; .ll and .bc are
// checked and brought into text form. The error is a *BuildError for what is wrong
// with the file and an *InfraError for the rest.
func Compile(ctx context.Context, r Request) (*Unit, error) {
	start := time.Now()
	if err := r.prepare(); err != nil {
		return nil, err
	}
	path := r.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		msg := "no such file"
		if err == nil {
			msg = "not a file"
		} else if !errors.Is(err, os.ErrNotExist) {
			msg = err.Error()
		}
		return nil, &BuildError{Stage: "read", Target: r.Target.Name, Diagnostics: []Diagnostic{{File: r.shown(r.File),
			Message: msg}}}
	}
	if strings.ContainsAny(r.File, "\n\\") {
		return nil, &BuildError{Stage: "read", Target: r.Target.Name, Diagnostics: []Diagnostic{{
			Message: fmt.Sprintf("%q: a name with a line break or a backslash cannot be followed", r.File)}}}
	}
	if strings.HasPrefix(r.File, "-") {
		r.File = "./" + r.File
	}
	var u *Unit
	var err error
	switch ext := filepath.Ext(r.File); {
	case ext == ".ll":
		u, err = r.readText(ctx, path)
	case ext == ".bc":
		u, err = r.readBitcode(ctx, path)
	case isC(r.File), IsCXX(r.File):
		u, err = r.compileC(ctx)
	default:
		why := "not C (.c, .i), C++ (.cc, .cpp, .cxx) or LLVM IR (.ll, .bc)"
		switch strings.ToLower(ext) {
		case ".h", ".hh", ".hpp":
			why = "a header: name a C file that includes it"
		case ".s", ".asm":
			why = "assembly is not verified: name the C files that call it"
		}
		err = &BuildError{Stage: "read", Target: r.Target.Name, Diagnostics: []Diagnostic{{File: r.File, Message: why}}}
	}
	if err != nil {
		return nil, err
	}
	u.Sources = append(u.Sources, path)
	u.File, u.Given, u.Seconds = r.shown(r.File), r.File, time.Since(start).Seconds()
	return u, nil
}

// prepare makes directories absolute and writes the headers.
func (r *Request) prepare() error {
	if err := Installed(); err != nil {
		return &InfraError{"compile", err}
	}
	for _, d := range []*string{&r.Dir, &r.WorkDir} {
		abs, err := filepath.Abs(*d)
		if err != nil {
			return &InfraError{"compile", err}
		}
		*d = abs
	}
	if r.CacheDir == "" {
		r.CacheDir = filepath.Join(r.WorkDir, "cache")
	}
	abs, err := filepath.Abs(r.CacheDir)
	if err == nil {
		r.CacheDir = abs
		_, missing := os.Stat(abs)
		r.fresh = missing != nil && r.Units == ""
		err = os.MkdirAll(r.CacheDir, 0o755)
	}
	if err == nil {
		err = WriteHeaders(r.includeDir())
	}
	if err != nil {
		return &InfraError{"compile", err}
	}
	return nil
}

func (r *Request) run(ctx context.Context, argv ...string) (Result, error) {
	return r.runTo(ctx, nil, argv...)
}

// compileLimit is how long a single call of a compiler may take. The limits that users set are those of verifications.
var compileLimit = 5 * time.Minute

// runTo runs a program whose output goes to w, if that is not nil.
func (r *Request) runTo(ctx context.Context, w io.Writer, argv ...string) (Result, error) {
	if r.files != nil && r.files.flags != nil && argv[0] == tools().Clang {
		argv = slices.Insert(slices.Clone(argv), 1, r.files.flags...)
	}
	if r.overlay != nil && argv[0] == tools().Clang && !slices.Contains(argv, r.overlay[1]) {
		argv = slices.Insert(slices.Clone(argv), 1, r.overlay...)
	}
	ctx, end := endAtPipes(ctx, r.File)
	defer end()
	bounded, stop := context.WithTimeout(ctx, compileLimit)
	defer stop()
	res, err := r.runner().Run(bounded, Cmd{Argv: argv, Dir: r.Dir, Write: []string{r.WorkDir}, Read: []string{r.CacheDir,
		r.root()}, Stdout: w})
	if pipe, waited := pipeOf(ctx); waited {
		return res, &BuildError{Stage: "compile", Target: r.Target.Name,
			Diagnostics: []Diagnostic{{File: r.shown(r.File),
				Message: fmt.Sprintf("includes %s, which is a pipe and no file: nothing writes to it any more",
					r.shown(pipe.path))}}}
	}
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return res, &BuildError{Stage: "compile", Target: r.Target.Name,
			Diagnostics: []Diagnostic{{File: r.shown(r.File), Message: fmt.Sprintf(
				"%s did not end within %s, which is all that one file has: `exclude` under `build` of the manifest leaves it out",
				filepath.Base(argv[0]), compileLimit)}}}
	}
	if err != nil {
		return res, &InfraError{"compile " + r.File, err}
	}
	if crashed(res) {
		return res, &InfraError{"compile " + r.File, fmt.Errorf("%s crashed: %s", argv[0], tail(res.Stderr, 5))}
	}
	return res, nil
}

func (r *Request) fault(res Result, tool string) error {
	diags, _ := parseDiagnostics(res.Stderr)
	if len(diags) == 0 {
		diags = []Diagnostic{{File: r.File, Message: fmt.Sprintf("%s: exit status %d: %s", tool, res.ExitCode,
			tail(res.Stderr, 3))}}
	}
	for i := range diags {
		if diags[i].File != "" {
			if isLFSPointer(absolute(r.Dir, diags[i].File)) {
				return &BuildError{Stage: "compile", Target: r.Target.Name, Diagnostics: []Diagnostic{{
					File: r.shown(diags[i].File), Message: "a pointer of Git LFS, no source: git lfs pull"}}}
			}
			diags[i].File = r.shown(diags[i].File)
		}
	}
	if _, installed := r.Target.HeaderDirs(); !installed && r.Target.Package != "" {
		for i, d := range diags {
			if strings.HasSuffix(d.Message, "file not found") {
				diags[i].Message += fmt.Sprintf(" (the C library of target %s is not installed: apt-get install %s)",
					r.Target.Name, r.Target.Package)
			}
		}
	}
	if _, installed := r.Target.CXXHeaderDirs(); !installed && IsCXX(r.File) {
		r.lacksCXX(diags)
	}
	switch {
	case !isC(r.File):
	case slices.ContainsFunc(r.CFlags, asksC23):
		diags = lacksC23(diags, tools().Version)
	default:
		maybeCXX(diags)
	}
	return &BuildError{Stage: "compile", Target: r.Target.Name, Diagnostics: diags}
}

// asksC23 reports a flag for C23, under its name or the one before it had one.
func asksC23(flag string) bool {
	return isStandard(flag) && (strings.HasSuffix(flag, "2x") || strings.HasSuffix(flag, "23"))
}

// newestC is the first version of clang that reads all of C23 but little.
const newestC = 19

// lacksC23 adds to what an older clang says of a file in C23 which one reads more of it.
func lacksC23(diags []Diagnostic, version int) []Diagnostic {
	if version == 0 || version >= newestC {
		return diags
	}
	return append(diags, Diagnostic{Message: fmt.Sprintf("clang %d reads a part of C23 alone; clang %d reads constexpr, nullptr, "+
		"typeof and #embed: %s=clang-%[2]d takes it, where that and llvm-%[2]d are installed", version, newestC, llvm.Variable)})
}

// isCXXName matches what clang says of the words that begin a line of C++, in a file that is taken for C.
var isCXXName = regexp.MustCompile(`^unknown type name '(class|namespace|template|using|constexpr)'`)

// maybeCXX says of a file named as C that it looks like C++.
func maybeCXX(diags []Diagnostic) {
	for i, d := range diags {
		word := isCXXName.FindStringSubmatch(d.Message)
		if word == nil && !cxxHeader.MatchString(d.Message) {
			continue
		}
		diags[i].Message += " (is this C++? its files are named .cpp, .cc or .cxx)"
		if word != nil && word[1] == "constexpr" {
			diags[i].Message += " (or C23? --cflags=-std=c23 says so)"
		}
		return
	}
}

// cxxHeader matches the end of what clang says of headers that C++ alone has: their names have no ending.
var cxxHeader = regexp.MustCompile(`^'[a-z_]+' file not found$`)

// lacksCXX says of headers of the C++ library that are not found how to get them.
func (r *Request) lacksCXX(diags []Diagnostic) {
	remedy := "firmproof knows of no C++ library for target " + r.Target.Name + ": give its folder with -I"
	if r.Target.CXXPackage != "" {
		remedy = fmt.Sprintf("the C++ library of target %s is not installed: apt-get install %s", r.Target.Name,
			r.Target.CXXPackage)
	}
	for i, d := range diags {
		if cxxHeader.MatchString(d.Message) {
			diags[i].Message += " (" + remedy + ")"
		}
	}
}

func (r *Request) compileC(ctx context.Context) (*Unit, error) {
	scratch, err := os.MkdirTemp(r.WorkDir, "unit-")
	if err != nil {
		return nil, &InfraError{"compile " + r.File, err}
	}
	defer os.RemoveAll(scratch)
	c := compilation{Request: r, flags: r.flags(), scratch: scratch, out: filepath.Join(scratch, "unit.ll")}
	defer c.end()
	flags := c.flags
	if u, ok := r.recall(flags); ok {
		return u, nil
	}
	if r.Alone && r.fresh {
		c.begin(ctx)
	}
	text, deps, err := r.preprocess(ctx, c.flags, scratch)
	if err != nil {
		return nil, err
	}
	if c.overlay = overlayFlags(scratch); c.overlay != nil {
		c.end() // what was begun without it finds no headers
	}
	named := slices.Clone(deps)
	for i, d := range deps {
		deps[i] = absolute(r.Dir, d)
	}
	pragmas := checkPragmas(text, r.File, r.shown)
	if wide := r.wideConstants(text); len(wide) > 0 {
		return nil, &BuildError{Stage: "compile", Target: r.Target.Name, Diagnostics: wide}
	}
	key, err := c.key(c.flags, text, deps)
	if err != nil {
		return nil, err
	}
	u, err := c.unit(ctx, key, text, deps)
	if err != nil {
		return nil, err
	}
	u.Sources, u.Pragmas, u.Spellings = deps, pragmas, r.spellings(scratch)
	u.Refused = r.refusedClauses(text)
	if c.overlay != nil { // sources do not say which names the inclusions have
		return u, nil
	}
	return u, r.remember(flags, key, text, named)
}
