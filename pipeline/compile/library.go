package compile

import (
	"bytes"
	"context"
	"embed"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// librarySources are functions of the C library in C, for programs that call
// them without defining them. What the engine models itself is not among them
// (verifier/ir, ModelOf); what is too dear to follow calls a function without a
// body, so that the answer is unknown by name. All definitions are weak: those of
// the program win.
//
//go:embed libc/*.c
var librarySources embed.FS

var libraryDef = regexp.MustCompile(`(?m)^(?:LIB [^\n(]*?|SIGNED\(|UNSIGNED\(|FROM_TEXT\(|REAL\(|FORWARD\()(\w+)[(,]`)

// streamVariables are the variables that streams.c defines.
var streamVariables = []string{"_impure_ptr", "_global_impure_ptr", "__iob", "stdin", "stdout", "stderr"}

// readUndefined lists the functions without a body in LLVM text, and the variables of the library that it does not
// define.
func readUndefined(text []byte) []string {
	out := readDeclared(text)
	for _, v := range streamVariables {
		if bytes.Contains(text, []byte("\n@"+v+" = external ")) {
			out = append(out, v)
		}
	}
	return out
}

// libraryIndex returns the file of each function of the library.
func libraryIndex() map[string]string {
	files, err := librarySources.ReadDir("libc")
	if err != nil {
		panic(err) // embedded
	}
	index := map[string]string{}
	for _, f := range files {
		for _, m := range libraryDef.FindAllSubmatch(libraryText(f.Name()), -1) {
			index[string(m[1])] = f.Name()
		}
	}
	return index
}

// LibraryFile returns the text of a file of the library, by the name that positions in it
// have, and the functions that it defines.
func LibraryFile(position string) (text []byte, functions []string, ok bool) {
	name, ok := strings.CutPrefix(position, verdict.LibraryDir+"/")
	if !ok {
		return nil, nil, false
	}
	for f, file := range libraryIndex() {
		if file == name {
			functions = append(functions, f)
		}
	}
	sort.Strings(functions)
	return libraryText(name), functions, len(functions) > 0
}

func libraryText(name string) []byte {
	text, err := librarySources.ReadFile("libc/" + name)
	if err != nil {
		panic(err) // embedded
	}
	return text
}

// operatorsBeside has the operators new and delete that call those which a program replaces.
const operatorsBeside = "cxx_replaced.c"

// operator matches the definition of an operator new or delete; placed its name, if it is one for a given place, which
// no program replaces (C++17 21.6.2.3) and headers define.
var (
	operator = regexp.MustCompile(`(?m)^define [^@\n]*@(_Z(?:nw|na|dl|da)[a-zA-Z]\w*)`)
	placed   = regexp.MustCompile(`^_Z(n[wa][a-z]Pv|d[la]PvS_)$`)
)

// replacesOperator reports whether LLVM text defines an operator new or delete of the library.
func replacesOperator(text []byte) bool {
	if !bytes.Contains(text, []byte("@_Z")) { // in C
		return false
	}
	for _, m := range operator.FindAllSubmatch(text, -1) {
		if !placed.Match(m[1]) {
			return true
		}
	}
	return false
}

// addLibrary links the library's definitions of what the program at path only
// declares, until nothing is missing that the library has. It gives the text.
func (l *linker) addLibrary(ctx context.Context, path string) ([]byte, error) {
	index, linked := libraryIndex(), map[string]bool{}
	for _, v := range streamVariables {
		index[v] = "streams.c"
	}
	for {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, &InfraError{"link", err}
		}
		var files []string
		for _, name := range readUndefined(text) {
			f := index[name]
			if f == "" || linked[f] {
				continue
			}
			linked[f] = true
			if f != operatorsBeside || replacesOperator(text) { // else the engine has all of them
				files = append(files, f)
			}
		}
		if len(files) == 0 {
			return text, nil
		}
		if linked["atexit.c"] {
			l.keep = append(l.keep, "firmproof_run_atexit")
		}
		sort.Strings(files)
		if err := l.linkLibrary(ctx, path, files, typeFlags(text)); err != nil {
			return nil, err
		}
	}
}

var typeSizes = regexp.MustCompile(`!"(min_enum_size|wchar_size)", i32 (\d)`)

// typeFlags returns the flags with which a program's text was compiled, of those that units which are linked together
// have to share.
func typeFlags(text []byte) (flags []string) {
	for _, m := range typeSizes.FindAllSubmatch(text, -1) {
		switch string(m[1]) + string(m[2]) {
		case "min_enum_size1":
			flags = append(flags, "-fshort-enums")
		case "min_enum_size4":
			flags = append(flags, "-fno-short-enums")
		case "wchar_size2":
			flags = append(flags, "-fshort-wchar")
		case "wchar_size4":
			flags = append(flags, "-fno-short-wchar")
		}
	}
	return flags
}

// linkLibrary compiles the files names of the library and links them into the program at path.
func (l *linker) linkLibrary(ctx context.Context, path string, names, flags []string) error {
	argv := []string{tools().Link, "-S", "-only-needed", "-o", filepath.Base(path), filepath.Base(path)}
	for _, f := range names {
		if err := os.MkdirAll(filepath.Join(l.opts.WorkDir, verdict.LibraryDir), 0o755); err != nil {
			return &InfraError{"link", err}
		}
		file := filepath.Join(verdict.LibraryDir, f)
		if err := files.Write(filepath.Join(l.opts.WorkDir, file), libraryText(f), 0o644); err != nil {
			return &InfraError{"link", err}
		}
		r := Request{File: file, Dir: l.opts.WorkDir, Target: l.img.Target, Runner: l.opts.Runner,
			CFlags: flags, WorkDir: l.opts.WorkDir, CacheDir: l.opts.CacheDir, Units: l.opts.Units}
		u, err := Compile(ctx, r)
		if err != nil {
			return err
		}
		argv = append(argv, u.IRPath)
	}
	res, err := l.run(ctx, argv...)
	if err != nil {
		return err
	}
	if res.ExitCode != 0 {
		return l.fault(res)
	}
	return nil
}
