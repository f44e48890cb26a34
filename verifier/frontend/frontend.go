// Package frontend translates LLVM's text IR, as clang 14 to 22 write it, into
// verifier/ir. It is the only importer of llir; package dialect brings newer text to what llir reads.
//
// What it decides (the points listed in package ir): opaque pointers, byte
// arithmetic for getelementptr, constant expressions as instructions, traps of
// the sanitizers as checks, debug intrinsics as variables. What it cannot
// express becomes an instruction Unsupported with the construct's name and
// position; only text that is not LLVM IR is an error.
//
// Steps: parse (with a fallback for a few lines that llir's grammar lacks),
// declare every symbol and block, translate initialisers, translate bodies,
// check the invariants of package ir.
package frontend

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/llir/llvm/asm"
	llir "github.com/llir/llvm/ir"

	"github.com/firmproof/firmproof/verifier/frontend/dialect"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Options say how positions are shown. The zero value is good for programs
// compiled from the folder that the user thinks in.
type Options struct {
	// Root is the folder that file names are relative to. Empty: the folder in
	// which the compiler ran, if it was one folder for the whole module.
	Root string
}

// Read reads and translates a file of LLVM IR text.
func Read(path string) (*ir.Module, error) { return Options{}.Read(path) }

// Parse translates LLVM IR text; name is used in errors and as the module's name.
func Parse(name string, text []byte) (*ir.Module, error) { return Options{}.Parse(name, text) }

// Read is the function Read with options.
func (o Options) Read(path string) (*ir.Module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return o.Parse(path, text)
}

// Parse is the function Parse with options. The result satisfies ir.Check.
func (o Options) Parse(name string, text []byte) (*ir.Module, error) {
	if err := plausible(name, text); err != nil {
		return nil, err
	}
	plain, err := dialect.Normalise(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	src, err := parse(name, string(text), plain)
	if err != nil {
		return nil, err
	}
	m, err := translate(name, o.Root, src)
	if err != nil {
		return nil, err
	}
	if err := ir.Check(m); err != nil {
		return nil, fmt.Errorf("%s: translation broke an invariant: %w", name, err)
	}
	return m, nil
}

// plausible rejects what is clearly not LLVM text before a parser sees it.
func plausible(name string, text []byte) error {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return fmt.Errorf("%s: empty file, LLVM IR text expected", name)
	case bytes.HasPrefix(text, []byte("BC\xc0\xde")) || bytes.HasPrefix(text, []byte{0xde, 0xc0, 0x17, 0x0b}):
		return fmt.Errorf("%s: LLVM bitcode, LLVM IR text expected (llvm-dis converts it)", name)
	case bytes.HasPrefix(text, []byte("\x7fELF")):
		return fmt.Errorf("%s: object file, LLVM IR text expected (compile with -S -emit-llvm)", name)
	case bytes.IndexByte(text, 0) >= 0:
		return fmt.Errorf("%s:%d: binary data, LLVM IR text expected", name,
			1+bytes.Count(text[:bytes.IndexByte(text, 0)], []byte("\n")))
	}
	return nil
}

// parse calls llir on plain, which is text in the dialect of LLVM 14, and once more if that fails, mended.
func parse(name, text, plain string) (*llir.Module, error) {
	m, err := parseOnce(name, plain)
	if err == nil {
		return m, nil
	}
	if mended := mend(plain); mended != plain {
		if m, again := parseOnce(name, mended); again == nil {
			return m, nil
		}
	}
	return nil, explain(name, text, err)
}

// parseOnce turns llir's panics on unknown constructs into errors.
func parseOnce(name, text string) (m *llir.Module, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("parser: %v", p)
		}
	}()
	return asm.ParseString(name, text)
}

var errLine = regexp.MustCompile(`at line (\d+)`)

// explain makes an error with file, line and the line's text from llir's error.
func explain(name, text string, err error) error {
	for e := err; e != nil; e = errors.Unwrap(e) {
		err = e
	}
	msg := strings.SplitN(err.Error(), "\n", 2)[0]
	sub := errLine.FindStringSubmatch(err.Error())
	if sub == nil {
		return fmt.Errorf("%s: not text of LLVM 14 to 22: %s", name, msg)
	}
	n, _ := strconv.Atoi(sub[1])
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if n >= len(lines) && unclosed(lines) {
		return fmt.Errorf("%s:%d: truncated: the last function is not closed: %s", name, len(lines),
			excerpt(lines[len(lines)-1]))
	}
	if n < 1 || n > len(lines) {
		return fmt.Errorf("%s:%d: not text of LLVM 14 to 22: %s", name, n, msg)
	}
	return fmt.Errorf("%s:%d: not text of LLVM 14 to 22: %s", name, n, excerpt(lines[n-1]))
}

func unclosed(lines []string) bool {
	for i := len(lines) - 1; i >= 0; i-- {
		switch {
		case lines[i] == "}":
			return false
		case strings.HasPrefix(lines[i], "define "):
			return true
		}
	}
	return false
}

func excerpt(line string) string {
	line = strings.TrimSpace(line)
	if len(line) > 120 {
		line = line[:120] + "..."
	}
	return strconv.Quote(line)
}
