package compile

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// unlike is a part of C's source that GCC lays out, or measures, otherwise than clang, with no flag for it.
type unlike struct {
	word *regexp.Regexp
	arch []string // of triples; a leading "-" stands for all others; none: any
	with *regexp.Regexp
	why  string
}

// What is listed here was measured with gcc 12 -m32 and -m64, arm-none-eabi-gcc 12 and avr-gcc 5.4; what is about the
// MSP430 is in gcc/config/msp430/msp430.h (WCHAR_TYPE).
var unlikes = []unlike{
	{word: regexp.MustCompile(`^\s*#\s*pragma\s+ms_struct\s+on\b`),
		why: "GCC ignores #pragma ms_struct, which clang follows: take it away, or give the structure the attribute"},
	{word: attribute("ms_struct"), arch: []string{"-", "x86_64", "i386"},
		why: "GCC ignores the attribute ms_struct on this machine, which clang follows: take it away"},
	{word: attribute("ms_struct"), arch: []string{"x86_64", "i386"},
		with: regexp.MustCompile(`\b(__packed__|packed)\b|#\s*pragma\s+pack\b`),
		why:  "clang and GCC lay out structures with ms_struct and packing in different ways: take one of them away"},
	{word: regexp.MustCompile(`\bmax_align_t\b`), arch: []string{"i386"},
		why: "max_align_t has 48 bytes and is aligned to 16 with GCC, 24 and 8 with clang: use another type"},
	{word: regexp.MustCompile(`\b(_Alignof|__alignof__|__alignof|alignof|max_align_t)\b`), arch: []string{"avr"},
		why: "types are aligned to 1 with GCC, some to more with clang: write 1"},
	{word: regexp.MustCompile(`\bwchar_t\b|\bL["']`), arch: []string{"msp430"},
		why: "wchar_t has 32 bits with GCC, 16 with clang: use another type"},
}

// attribute matches an attribute of that name.
func attribute(name string) *regexp.Regexp {
	return regexp.MustCompile(`__attribute(?:__)?\s*\(\(.*\b(?:` + name + `|__` + name + `__)\b`)
}

// applies reports whether a triple is one of those that u is about.
func (u *unlike) applies(triple string) bool {
	arch, _, _ := strings.Cut(triple, "-")
	all, named := len(u.arch) == 0 || u.arch[0] == "-", false
	for _, a := range u.arch {
		named = named || a == arch
	}
	return all != named
}

// literal is a text or a character, whose insides are no source.
var literal = regexp.MustCompile(`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`)

// marker is a line of preprocessed text that says where the next one is from.
var marker = regexp.MustCompile(`^# (\d+) "([^"]*)"(.*)`)

// checkUnlike refuses preprocessed text with what clang does otherwise than GCC. What system headers have does not count.
func (r *Request) checkUnlike(text []byte) error {
	for i := range unlikes {
		u := &unlikes[i]
		if !u.applies(r.Target.Triple) || u.with != nil && !u.with.Match(text) {
			continue
		}
		file, line, system := r.File, 0, false
		for l := range bytes.Lines(text) {
			if m := marker.FindSubmatch(l); m != nil {
				line, _ = strconv.Atoi(string(m[1]))
				file, system = string(m[2]), bytes.Contains(m[3], []byte(" 3"))
				continue
			}
			if !system {
				l = literal.ReplaceAllFunc(l, func(q []byte) []byte { return append(q[:1:1], q[0]) })
			}
			if !system && u.word.Match(l) {
				return &BuildError{Stage: "compile", Target: r.Target.Name, Diagnostics: []Diagnostic{{File: r.shown(file),
					Line: line, Message: fmt.Sprintf("%s: %s", bytes.TrimSpace(u.word.Find(l)), u.why)}}}
			}
			line++
		}
	}
	return nil
}
