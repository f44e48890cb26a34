package compile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// probe is a question: a constant expression, or with bytes the representation of an initialised object.
type probe struct {
	fact        string
	declaration string // in front
	value       string // the constant, or the object's type
	bytes       string // its initialiser
	minor       bool
}

// alignedMember differs where structures are packed by a flag: GCC keeps the alignment that a member asks for.
const (
	alignedMember  = "the place of an aligned member"
	plainStructure = "the size of a structure of char, int and short"
)

// probes lists what is asked. What a call of a function looks like is not asked: both ends of each call
// that is verified are ours.
func probes() []probe {
	var list []probe
	for _, t := range [][2]string{{"char", "char"}, {"short", "short"}, {"int", "int"}, {"long", "long"},
		{"long long", "long long"}, {"a pointer", "void *"}, {"a pointer to a function", "abi_function"},
		{"size_t", "__SIZE_TYPE__"}, {"wchar_t", "__WCHAR_TYPE__"}, {"float", "float"}, {"double", "double"},
		{"long double", "long double"}, {"_Bool", "_Bool"}, {"va_list", "__builtin_va_list"},
		{"enum {0..1}", "abi_enum"}} {
		list = append(list, probe{fact: "the size of " + t[0], value: "sizeof(" + t[1] + ")"},
			probe{fact: "the alignment of " + t[0] + " in a structure",
				value: "__builtin_offsetof(struct { char c; " + t[1] + " v; }, v)"},
			probe{fact: "the alignment of " + t[0], value: "__alignof__(" + t[1] + ")", minor: true})
	}
	value := func(fact, declaration, v string) {
		list = append(list, probe{fact: fact, declaration: declaration, value: v})
	}
	value("a negative plain char", "", "(char)-1 < 0")
	value("a negative wchar_t", "", "(__WCHAR_TYPE__)-1 < 0")
	value("a negative size_t", "", "(__SIZE_TYPE__)-1 < 0")
	value("the size of L'a'", "", "sizeof(L'a')")
	value("the sign of an enum without negative constants", "", "(abi_enum)-1 < 0")
	value("the size of an enum with -1", "enum abi_minus { ABI_A = -1, ABI_B = 1 };", "sizeof(enum abi_minus)")
	value("the size of an enum with 300", "enum abi_300 { ABI_C = 300 };", "sizeof(enum abi_300)")
	value("the size of an enum with 32767", "enum abi_16 { ABI_D = 32767, ABI_E = -1 };", "sizeof(enum abi_16)")
	value("the size of a packed enum", "enum __attribute__((packed)) abi_packed { ABI_F };", "sizeof(enum abi_packed)")
	value("the size of an empty structure", "struct abi_empty {};", "sizeof(struct abi_empty)")
	value("the size of a structure of one char", "", "sizeof(struct { char c; })")
	value("the size of a structure of three chars", "", "sizeof(struct { char c[3]; })")
	value("the size of a union of one char", "", "sizeof(union { char c; })")
	value("the size of a structure of double and char", "", "sizeof(struct { double d; char c; })")
	value("the size of a structure of long long and char", "", "sizeof(struct { long long d; char c; })")
	value("the size under #pragma pack(2)",
		"#pragma pack(push, 2)\nstruct abi_pragma { char c; long long l; char d; };\n#pragma pack(pop)",
		"sizeof(struct abi_pragma)")
	value("the size of a packed structure", "struct __attribute__((packed)) abi_pack { char c; int i; short s; };",
		"sizeof(struct abi_pack)")
	value(plainStructure, "struct abi_plain { char c; int i; short s; };", "sizeof(struct abi_plain)")
	value(alignedMember, "struct abi_aligned { char c; char d __attribute__((aligned(4))); };",
		"__builtin_offsetof(struct abi_aligned, d)")
	list = append(list, probe{fact: "the greatest alignment", minor: true,
		declaration: "struct abi_most { char c; char d __attribute__((aligned)); };", value: "sizeof(struct abi_most)"})
	for _, f := range []struct{ name, members, value string }{
		{"int", "unsigned a : 3; unsigned b : 7; unsigned c : 5; unsigned char d;", "5, 0x55, 0x12, 0xab"},
		{"char and int", "char c; unsigned a : 5; unsigned b : 12; char d;", "1, 0x15, 0xabc, 2"},
		{"short", "unsigned short a : 9; unsigned short b : 9; char c;", "0x155, 0x0aa, 3"},
		{"width 0", "unsigned char a : 3; unsigned : 0; unsigned char b : 3; char c;", "5, 6, 7"},
		{"long long", "unsigned long long a : 33; unsigned b : 7; char c;", "0x123456789LL & 0x1ffffffffLL, 0x55, 4"},
		{"mixed types", "unsigned char a : 4; unsigned short b : 4; unsigned c : 4; unsigned long d : 4;",
			"1, 2, 3, 4"},
	} {
		list = append(list, probe{fact: "the layout of bit-fields (" + f.name + ")", value: "struct { " + f.members +
			" }",
			bytes: f.value}, probe{fact: "the layout of packed bit-fields (" + f.name + ")",
			value: "struct __attribute__((packed)) { " + f.members + " }", bytes: f.value})
	}
	return append(list, probe{fact: "the bytes of 1.5", value: "double", bytes: "1.5"},
		probe{fact: "the bytes of 0x1020304", value: "long", bytes: "0x1020304"},
		probe{fact: "the bytes of 1.5L", value: "struct { long double d; }", bytes: "1.5L", minor: true})
}

const (
	markValue = "FirmAbi=" // then three digits of the number of the probe, five of the value
	markBytes = "FirmAbi#" // then three digits, five dots, the bytes
)

// probeText is the C of all probes. Answers are read out of the object file: a value as digits behind a
// mark, which is found whatever the format of objects is.
func probeText() string {
	var s strings.Builder
	s.WriteString("typedef void (*abi_function)(void);\ntypedef enum { ABI_ZERO, ABI_ONE } abi_enum;\n")
	digits := func(v string) string {
		var out []string
		for _, p := range []string{"10000", "1000", "100", "10", "1"} {
			out = append(out, "'0' + (int)("+v+") / "+p+" % 10")
		}
		return strings.Join(out, ", ")
	}
	chars := func(v string) string {
		var out []string
		for _, c := range v {
			out = append(out, "'"+string(c)+"'")
		}
		return strings.Join(out, ", ")
	}
	for i, p := range probes() {
		if p.declaration != "" {
			fmt.Fprintln(&s, p.declaration)
		}
		v := p.value
		if p.bytes != "" {
			fmt.Fprintf(&s, "typedef %s abi_t%d;\n", p.value, i)
			v = fmt.Sprintf("sizeof(abi_t%d)", i)
			mark := fmt.Sprintf("%s%03d.....", markBytes, i)
			fmt.Fprintf(&s, "const struct { char mark[16]; abi_t%d v; } abi_b%d = { { %s }, { %s } };\n", i, i,
				chars(mark), p.bytes)
		}
		fmt.Fprintf(&s, "const char abi_v%d[] = { %s, %s };\n", i, chars(fmt.Sprintf("%s%03d", markValue, i)),
			digits("("+v+")"))
	}
	return s.String()
}

// readProbes reads the answers out of an object file.
func readProbes(object []byte) (layout, minor facts, err error) {
	layout, minor = facts{}, facts{}
	for i, p := range probes() {
		at := bytes.Index(object, fmt.Appendf(nil, "%s%03d", markValue, i))
		if at < 0 || at+len(markValue)+8 > len(object) {
			return nil, nil, fmt.Errorf("no answer about %s", p.fact)
		}
		n, err := strconv.Atoi(string(object[at+len(markValue)+3 : at+len(markValue)+8]))
		if err != nil {
			return nil, nil, fmt.Errorf("the answer about %s is no number", p.fact)
		}
		answer := strconv.Itoa(n)
		if p.bytes != "" {
			from := bytes.Index(object, fmt.Appendf(nil, "%s%03d.....", markBytes, i)) + 16
			if from < 16 || from+n > len(object) {
				return nil, nil, fmt.Errorf("no answer about %s", p.fact)
			}
			answer = fmt.Sprintf("% x", object[from:from+n])
		}
		if p.minor {
			minor[p.fact] = answer
		} else {
			layout[p.fact] = answer
		}
	}
	return layout, minor, nil
}
