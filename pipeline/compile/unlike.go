package compile

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// unlike is a part of C's source that GCC lays out, or measures, otherwise than clang, with no flag for it.
type unlike struct {
	part string // of each line that word matches
	word *regexp.Regexp
	arch []string // of triples; a leading "-" stands for all others; none: any
	with *regexp.Regexp
	why  string
}

const wideText = "wchar_t has 32 bits with GCC, 16 with clang: use another type"

// What is listed here was measured with gcc 12 -m32 and -m64, arm-none-eabi-gcc 12 and avr-gcc 5.4; what is about the
// MSP430 is in gcc/config/msp430/msp430.h (WCHAR_TYPE).
var unlikes = []unlike{
	{part: "ms_struct", word: regexp.MustCompile(`^\s*#\s*pragma\s+ms_struct\s+on\b`),
		why: "GCC ignores #pragma ms_struct, which clang follows: take it away, or give the structure the attribute"},
	{part: "ms_struct", word: attribute("ms_struct"), arch: []string{"-", "x86_64", "i386"},
		why: "GCC ignores the attribute ms_struct on this machine, which clang follows: take it away"},
	{part: "ms_struct", word: attribute("ms_struct"), arch: []string{"x86_64", "i386"},
		with: regexp.MustCompile(`\b(__packed__|packed)\b|#\s*pragma\s+pack\b`),
		why:  "clang and GCC lay out structures with ms_struct and packing in different ways: take one of them away"},
	{part: "max_align_t", word: regexp.MustCompile(`\bmax_align_t\b`), arch: []string{"i386"},
		why: "max_align_t has 48 bytes and is aligned to 16 with GCC, 24 and 8 with clang: use another type"},
	{part: "lign", word: regexp.MustCompile(`\b(_Alignof|__alignof__|__alignof|alignof|max_align_t)\b`), arch: []string{"avr"},
		why: "types are aligned to 1 with GCC, some to more with clang: write 1"},
	{part: "wchar_t", word: regexp.MustCompile(`\bwchar_t\b`), arch: []string{"msp430"}, why: wideText},
	{part: "L", word: regexp.MustCompile(`\bL["']`), arch: []string{"msp430"}, why: wideText},
}

// attribute matches an attribute of that name.
func attribute(name string) *regexp.Regexp {
	return regexp.MustCompile(`__attribute(?:__)?\s*\(\(.*\b(?:` + name + `|__` + name + `__)\b`)
}

// floatingL is a floating constant with the suffix L.
const floatingL = `(?:\b[0-9]+\.[0-9]*|\.[0-9]+|\b[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+|\b0[xX][0-9a-fA-F.]+[pP][-+]?[0-9]+)(?:[eE][-+]?[0-9]+)?[lL]\b`

// ofCompilers are types that some compilers lay out in a way that no flag brings clang to, and that few programs have
// anything of: long double has 8 bytes with avr-gcc from 10 on, and 4 with clang. facts are those of the ABI which are about
// that type alone.
var ofCompilers = []struct {
	facts *regexp.Regexp
	unlike
}{
	{regexp.MustCompile(`long double|^__LDBL_|1\.5L`), unlike{word: regexp.MustCompile(`\blong\s+double\b|\bdouble\s+long\b|` + floatingL +
		`|\b(?:strtold|wcstold|nexttoward[fl]?|max_align_t|` +
		`(?:a?(?:sin|cos|tan)h?|atan2|cbrt|ceil|copysign|erfc?|exp|exp2|expm1|fabs|fdim|floor|fma|fmax|fmin|fmod|frexp|hypot|` +
		`ilogb|ldexp|lgamma|l?lrint|l?lround|log|log10|log1p|log2|logb|modf|nan|nearbyint|nextafter|pow|remainder|remquo|rint|` +
		`round|scalbl?n|sqrt|tgamma|trunc)l)\b`)}},
}

// onlyUnlike returns what texts must have nothing of where compilers differ in these facts alone; nil: they differ in more.
func onlyUnlike(facts []string, describe func([]string) string) []unlike {
	var out []unlike
	about := 0
	for _, c := range ofCompilers {
		of := slices.DeleteFunc(slices.Clone(facts), func(f string) bool { return !c.facts.MatchString(f) })
		if about += len(of); len(of) > 0 {
			u := c.unlike
			u.why = "the build's compiler lays it out in a way of its own: " + describe(of)
			out = append(out, u)
		}
	}
	if about < len(facts) {
		return nil
	}
	return out
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
// Most texts have none of the words, and are not read line by line.
func (r *Request) checkUnlike(text []byte) error {
	var looked []*unlike
	for i := range r.unlike {
		looked = append(looked, &r.unlike[i])
	}
	for i := range unlikes {
		u := &unlikes[i]
		if u.applies(r.Target.Triple) && bytes.Contains(text, []byte(u.part)) && (u.with == nil || u.with.Match(text)) {
			looked = append(looked, u)
		}
	}
	if len(looked) == 0 {
		return nil
	}
	file, line, system := r.File, 0, false
	for l := range bytes.Lines(text) {
		if m := marker.FindSubmatch(l); m != nil {
			line, _ = strconv.Atoi(string(m[1]))
			file, system = string(m[2]), bytes.Contains(m[3], []byte(" 3"))
			continue
		}
		for _, u := range looked {
			if system || !bytes.Contains(l, []byte(u.part)) {
				continue
			}
			if found := u.word.Find(literal.ReplaceAllFunc(l, emptied)); found != nil {
				return &BuildError{Stage: "compile", Target: r.Target.Name, Diagnostics: []Diagnostic{{File: r.shown(file),
					Line: line, Message: fmt.Sprintf("%s: %s", bytes.TrimSpace(found), u.why)}}}
			}
		}
		line++
	}
	return nil
}

// emptied returns a literal without its insides.
func emptied(q []byte) []byte { return []byte{q[0], q[0]} }
