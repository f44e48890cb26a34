package targets

import (
	"slices"
	"strings"
)

// vendor says what the compiler that is usual for some machines does otherwise than clang. Files that are
// verified by themselves, and builds whose compiler is not installed, are taken to be compiled by it.
type vendor struct {
	compiler string
	matches  func(triple string) bool
	flags    []string // for clang
}

var vendors = []vendor{
	{"arm-none-eabi-gcc", func(t string) bool {
		return strings.HasSuffix(t, "-none-eabi") ||
			strings.HasSuffix(t, "-none-eabihf")
	},
		append(append([]string{"-fshort-enums"}, intTypes("long int", "int", "int", "int")...),
			macro("__WINT_TYPE__", "unsigned int", "__WINT_MAX__", "0xffffffffU", "__WINT_MIN__", "0U")...)},
	{"riscv32-unknown-elf-gcc", func(t string) bool { return strings.HasPrefix(t, "riscv32-") },
		intTypes("long int", "int", "int", "int")},
	{"riscv64-unknown-elf-gcc", func(t string) bool { return strings.HasPrefix(t, "riscv64-") },
		intTypes("", "int", "int", "int")},
	// gcc/config/msp430/msp430.h: DEFAULT_SIGNED_CHAR is 0
	{"msp430-elf-gcc", func(t string) bool { return strings.HasPrefix(t, "msp430") }, []string{"-funsigned-char"}},
	// clang 14 aligns short to 2; GCC aligns nothing
	{"avr-gcc", func(t string) bool { return strings.HasPrefix(t, "avr") }, append([]string{"-fpack-struct=1"},
		macro("__SIG_ATOMIC_TYPE__", "char", "__SIG_ATOMIC_MAX__", "0x7f", "__SIG_ATOMIC_MIN__",
			"(-__SIG_ATOMIC_MAX__ - 1)")...)},
}

// Compiler names the compiler whose ABI the target has; empty: clang's own.
func (t Target) Compiler() string {
	if v := t.vendor(); v != nil {
		return v.compiler
	}
	return ""
}

func (t Target) vendor() *vendor {
	i := slices.IndexFunc(vendors, func(v vendor) bool { return v.matches(t.Triple) })
	if i < 0 {
		return nil
	}
	return &vendors[i]
}

// macro returns the flags that define macros anew: names and values in turn.
func macro(pairs ...string) []string {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, "-U"+pairs[i], "-D"+pairs[i]+"="+pairs[i+1])
	}
	return out
}

// intTypes returns the flags for the macros behind <stdint.h>: the type of 32 bits (empty: as clang has it),
// and the fast ones of 8, 16 and 32, which are int.
func intTypes(exact32 string, fast ...string) []string {
	var out []string
	type32 := func(name, t, max, width string) {
		unsigned := strings.Replace(t, "int", "unsigned int", 1)
		suffix := ""
		if strings.HasPrefix(t, "long") {
			suffix = "L"
		}
		out = append(out, macro("__INT"+name+"_TYPE__", t, "__INT"+name+"_MAX__", max+suffix,
			"__UINT"+name+"_TYPE__", unsigned, "__UINT"+name+"_MAX__", "0xffffffffU"+suffix)...)
		if width != "" {
			out = append(out, macro("__INT"+name+"_WIDTH__", width)...)
		}
	}
	if exact32 != "" {
		type32("32", exact32, "0x7fffffff", "")
		type32("_LEAST32", exact32, "0x7fffffff", "")
		out = append(out, macro("__CHAR32_TYPE__", "long unsigned int")...)
	}
	for i, t := range fast {
		type32("_FAST"+[]string{"8", "16", "32"}[i], t, "0x7fffffff", "32")
	}
	return out
}
