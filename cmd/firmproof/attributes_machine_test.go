package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// machineInputs are the values of machine_in(), 0 to 3.
const machineInputs = 4

// abiText writes a structure with random members and statements on it, and what of it depends on the ABI.
func (g *cGenerator) abiText() (declarations, statements string, values []string) {
	types := strings.Fields(
		"char schar uchar short ushort int unsigned long ulong llong ullong float double pointer bool")
	names := map[string]string{"schar": "signed char", "uchar": "unsigned char", "ushort": "unsigned short",
		"ulong": "unsigned long", "llong": "long long", "ullong": "unsigned long long", "pointer": "char *",
		"bool": "_Bool"}
	var b, st strings.Builder
	fmt.Fprintf(&b, "enum e { E0, E1 = %s };\nstruct in { %s p; %s q; };\n", g.pick("5", "300", "70000", "-3"),
		g.pick("char", "short", "long long", "double"), g.pick("char", "short", "int"))
	fmt.Fprintf(&b, "%sstruct%s s {\n", g.pick("", "", "", "#pragma pack(push, 2)\n"), g.pick("", "", "",
		" __attribute__((packed))", " __attribute__((aligned(16)))"))
	for i := range 2 + g.r.Intn(6) {
		ty := g.pick(types...)
		if n := names[ty]; n != "" {
			ty = n
		}
		field := fmt.Sprintf("f%d", i)
		switch g.r.Intn(8) {
		case 0, 1, 2:
			ty = g.pick("unsigned", "int", "unsigned char", "unsigned short", "unsigned long long", "signed char")
			most := map[string]int{"unsigned char": 8, "signed char": 8, "unsigned short": 16}[ty]
			if most == 0 {
				most = 32
			}
			width := 1 + g.r.Intn(most)
			if g.one(6) {
				fmt.Fprintf(&b, " %s : 0;\n", ty)
			}
			fmt.Fprintf(&b, " %s %s : %d;\n", ty, field, width)
			fmt.Fprintf(&st, " s.%s = %s; s.%s %s (n + 1);\n", field, g.pick("n", "-1", "n * 77", "5"), field,
				g.pick("+=", "-=", "^=", ">>=", "|="))
			values = append(values, "s."+field, "s."+field+" < -1", fmt.Sprintf("(s.%s - 5) < 0", field))
		case 3:
			fmt.Fprintf(&b, " %s %s[%d];\n", ty, field, 1+g.r.Intn(3))
			values = append(values, "__builtin_offsetof(struct s, "+field+")")
		case 4:
			fmt.Fprintf(&b, " %s %s;\n", g.pick("struct in", "enum e", "union { short h; long l; char c[3]; }"), field)
			values = append(values, "__builtin_offsetof(struct s, "+field+")", "sizeof(((struct s *)0)->"+field+")")
		default:
			fmt.Fprintf(&b, " %s %s %s;\n", ty, field, g.pick("", "", "", "__attribute__((aligned(8)))"))
			values = append(values, "__builtin_offsetof(struct s, "+field+")")
			if ty != "char *" {
				fmt.Fprintf(&st, " s.%s = n + %d;\n", field, g.r.Intn(100))
				values = append(values, "(long)s."+field)
			}
		}
	}
	b.WriteString("};\n")
	if strings.Contains(b.String(), "#pragma") {
		b.WriteString("#pragma pack(pop)\n")
	}
	b.WriteString(`static struct s give(struct s v, char c) { ((char *)&v)[0] ^= c; return v; }
static unsigned long image(const void *p, unsigned long n) { unsigned r = 1; for (unsigned long i = 0; i < n; i++) r = (r << 5 | r >> 27) ^ ((const unsigned char *)p)[i]; return r; }
static unsigned long many(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); unsigned long r = __builtin_va_arg(ap, int);
 r = r * 3 + __builtin_va_arg(ap, long long); r = r * 3 + (long)__builtin_va_arg(ap, double); __builtin_va_end(ap); return r; }
`)
	values = append(values, "sizeof(struct s)", "_Alignof(struct s)", "sizeof(enum e)", "image(&s, sizeof s)",
		"(unsigned char)((char *)&s)[0] ^ ((char *)&back)[0]", "sizeof(struct in[3])",
		"many(1, n, 5ll << n, n * 1.5)", "(enum e)-1 < 0", "(char)200 < 0", "sizeof(n ? 1 : 2l)",
		"0x80000000 > 0 ? 1 : 2", "-1 < (long)1u", "sizeof(L'a')")
	return b.String(), " struct in in = {n, 2}; struct s s; memset(&s, 0, sizeof s);\n" + st.String() +
		" struct s back = give(s, 1);\n", values
}

// basics are values of C's arithmetic and of the library.
func (g *cGenerator) basicValues() []string {
	num := g.pick("(int)n - 2", "n * 1000", "7", "-7", "n + 250")
	u := g.pick("n * 0x1234567u", "0x80000000u + n", "~n", "3u - n")
	str := g.pick(`"abc"`, `"b"`, `""`, `"abcabd"`, `"  12x"`, `"-45"`, `"0x1f"`, "(n & 1 ? \"ab\" : \"abc\")",
		"(n & 2 ? \"7\" : \"+8 \")")
	str2 := g.pick(`"abd"`, `"b"`, `""`, `"bc"`, `"c"`, "(n & 1 ? \"b\" : \"\")")
	real := g.pick("n * 0.5", "n - 1.5", "-0.5 * n", "n + 2.75", "1e3 * n", "n / 3.0", "(float)n / 3")
	format := g.pick(`"%d"`, `"%5d|"`, `"%-5d|"`, `"%05d"`, `"%+d"`, `"% d"`, `"%x"`, `"%#x"`, `"%o"`, `"%u"`, `"%c"`,
		`"%.3d"`,
		`"%8.3d|"`, `"%hhd"`, `"%hd"`, `"%X%%"`, `"%-08d|"`, `"%i,"`, `"%*d"`)
	args := "(" + num + ")"
	switch {
	case strings.Contains(format, "%c"):
		args = "'a' + (n & 3)"
	case strings.Contains(format, "*"):
		args = "(int)n + 2, " + args
	}
	print := func(form, args string) string {
		return fmt.Sprintf("(memset(buf, 7, sizeof buf), snprintf(buf, %s, %s, %s) * 65536 + image(buf, sizeof buf) %% 65536)",
			g.pick("sizeof buf", "4", "1", "0"), form, args)
	}
	return []string{
		fmt.Sprintf("(%s) / %s", num, g.pick("3", "-3", "7")), fmt.Sprintf("(%s) %% %s", num, g.pick("3", "-3", "7")),
		fmt.Sprintf("(%s) >> %d", num, g.r.Intn(8)), fmt.Sprintf("(%s) >> %d", u, g.r.Intn(31)),
		fmt.Sprintf("(%s)(%s)", g.cast(), num), fmt.Sprintf("(%s)(%s) > (%s)(%s)", g.cast(), num, g.cast(), u),
		fmt.Sprintf("(%s)(%s) + (%s)%s > 100", g.cast(), u, g.pick("short", "unsigned char", "long long"), num),
		fmt.Sprintf("(unsigned char)~(unsigned char)(%s) >> 1", num), fmt.Sprintf("sizeof((%s)1 + (%s)1)", g.cast(),
			g.cast()),
		fmt.Sprintf("strlen(%s)", str), fmt.Sprintf("sign(strcmp(%s, %s))", str, str2),
		fmt.Sprintf("sign(strncmp(%s, %s, n))", str, str2), fmt.Sprintf("sign(memcmp(%s, \"abx\", n %% 4))", `"abcd"`),
		fmt.Sprintf("at(strchr(buf0, %s), buf0)", g.pick("'a'", "'b' + n", "0", "'z'")),
		"at(strrchr(buf0, 'a' + (n & 1)), buf0)",
		fmt.Sprintf("at(strstr(buf0, %s), buf0)", str2), fmt.Sprintf("strspn(%s, \"ab\")", str),
		fmt.Sprintf("strcspn(%s, %s)", str, str2),
		"at(memchr(buf0, 'a' + n, 4), buf0)", fmt.Sprintf("at(strpbrk(buf0, %s), buf0)", str2),
		fmt.Sprintf("atoi(%s)", str), fmt.Sprintf("strtol(%s, &end, %s) * 16 + *end", str, g.pick("10", "0", "16",
			"8")),
		fmt.Sprintf("strtoul(%s, 0, %s)", str, g.pick("10", "0", "16")), fmt.Sprintf("abs(%s)", num),
		fmt.Sprintf("labs(%s)", num),
		fmt.Sprintf("div(%s, 3).rem * 100 + div(%s, 3).quot", num, num),
		"(memmove(buf + 1, buf, n + 2), image(buf, 12))",
		fmt.Sprintf("(strncpy(buf, %s, n + 2), image(buf, 12))", str),
		fmt.Sprintf("(strcpy(buf, \"xy\"), strncat(buf, %s, n), image(buf, 5))", str),
		"!!isalpha('Z' - 1 + n)", "!!isdigit('8' + n)", "!!isspace(8 + n)", "!!ispunct('/' - n)", "toupper('y' + n)",
		"tolower('@' + n)", "!!isxdigit('F' + n)", "!!iscntrl(30 + n)",
		print(format, args), print(format, args),
		print(g.pick(`"%s"`, `"%5s|"`, `"%-5s|"`, `"%.2s"`, `"[%6.1s]"`), str), print(g.pick(`"%ld"`, `"%lx"`),
			"(long)("+num+")"), print(g.pick(`"%lld"`, `"%llu"`), "("+num+") * 0x200000000ll"),
		fmt.Sprintf("(e = i0 = 0, sscanf(%s, %s, &e, &i0)) * 1000 + e * 7 + i0", str, g.pick(`"%d%d"`, `"%x%d"`,
			`"%i%d"`, `"%1d%d"`, `" %d x%d"`)),
		fmt.Sprintf("(long)floor(%s) * 9 + (long)ceil(%s)", real, real),
		fmt.Sprintf("(long)trunc(%s) * 9 + (long)round(%s)", real, real),
		fmt.Sprintf("(int)(fabs(%s) * 1024)", real), fmt.Sprintf("(int)(sqrt(fabs(%s)) * 65536)", real),
		fmt.Sprintf("(int)(fmod(%s, 0.75) * 65536)", real),
		fmt.Sprintf("(float)(%s) == (%s)", real, real), fmt.Sprintf("(int)(%s)", real),
		fmt.Sprintf("(unsigned char)(int)(%s)", real), fmt.Sprintf("(int)((float)16777217 + (%s))", num),
		fmt.Sprintf("(int)fmin(%s, 1.25) * 5 + (int)fmax(%s, n)", real, real), fmt.Sprintf("(int)lrint(%s)", real),
		fmt.Sprintf("isnan(%s / n) ? 1 : 0", g.pick("0.0", "1.0")),
		fmt.Sprintf("__builtin_popcount(%s)", u), fmt.Sprintf("__builtin_clz((%s) | 1)", u),
		fmt.Sprintf("__builtin_ctz((%s) | 256)", u), fmt.Sprintf("__builtin_ffs(%s)", num),
		fmt.Sprintf("__builtin_bswap16(%s)", u), fmt.Sprintf("__builtin_parity(%s)", u),
		fmt.Sprintf("__builtin_add_overflow(%s, %s, &e) * 1000 + e", num, u),
		fmt.Sprintf("__builtin_mul_overflow((%s)(%s), 100, &c8) * 1000 + c8", g.cast(), num),
		fmt.Sprintf("__builtin_sub_overflow(%s, 3u, &e)", u),
	}
}

const machineHead = `#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <math.h>
#ifdef WANT
extern unsigned char __VERIFIER_nondet_uchar(void); extern void __VERIFIER_assert(int);
static const unsigned want[][4] = WANT;
#define PUT(i, v) __VERIFIER_assert((unsigned)(v) == want[i][n])
#define machine_in() (__VERIFIER_nondet_uchar() & 3)
#define program main
#else
extern unsigned long machine_in(void); extern void machine_put(unsigned long);
#define PUT(i, v) machine_put((unsigned)(v))
#endif
static int sign(int v) { return (v > 0) - (v < 0); }
static int at(const char *p, const char *base) { return p ? (int)(p - base) : -1; }
static char buf0[8] = "abcab";
`

// machineProgram is a program of a seed, of n values, each on a line of its own behind the mark.
func machineProgram(seed int64, n int) string {
	g := newCGenerator(seed)
	declarations, statements, values := g.abiText()
	all := append(values, g.basicValues()...)
	g.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var b strings.Builder
	b.WriteString(machineHead + declarations + "int program(void) {\n unsigned n = machine_in();\n" +
		" char buf[24] = \"hello world\", *end; int e = 0, i0 = 0; signed char c8 = 0;\n" + statements)
	for i, v := range all[:min(n, len(all))] {
		fmt.Fprintf(&b, " PUT(%d, %s);\n", i, v)
	}
	b.WriteString(" return 0;\n}\n")
	return b.String()
}

// machineValues asks all machines of each target for the values; those that compilers disagree on are empty.
func machineValues(t *testing.T, file string) (map[string][][]string, error) {
	t.Helper()
	out := map[string][][]string{}
	for _, m := range machines {
		if m.missing() != "" {
			continue
		}
		list, err := m.run(t, file, 0, machineInputs-1)
		if err != nil {
			return nil, err
		}
		n := len(list) / machineInputs
		if out[m.target] == nil {
			for row := range slices.Chunk(list, n) {
				out[m.target] = append(out[m.target], row)
			}
			continue
		}
		for i, v := range list {
			if out[m.target][i/n][i%n] != v {
				out[m.target][i/n][i%n] = ""
			}
		}
	}
	return out, nil
}

// onMachines holds the engine to what machines compute: each value is proved, and another one refuted.
func (a *attributes) onMachines(t *testing.T, seed int64) {
	t.Helper()
	file, text := filepath.Join(t.TempDir(), "p.c"), machineProgram(seed, 12)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	values, err := machineValues(t, file)
	if errors.Is(err, errNoAnswer) {
		return
	}
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return
	}
	lines := strings.Split(text, "\n")
	for _, target := range []string{"x86_64", "i386", "cortex-m3"} {
		table := values[target]
		if table == nil {
			continue
		}
		wrong, input := a.r.Intn(len(table[0])), a.r.Intn(machineInputs)
		for _, change := range []bool{false, true} {
			claims := askTable(t, file, target, table, change, wrong, input)
			for i := range table[0] {
				if slices.ContainsFunc(table, func(list []string) bool { return list[i] == "" }) {
					continue // compilers disagree
				}
				at := slices.IndexFunc(lines, func(s string) bool {
					return strings.HasPrefix(s, fmt.Sprintf(" PUT(%d,",
						i))
				}) + 1
				want := verdict.Proved
				if change && i == wrong {
					want = verdict.Violated
				} else if change {
					continue
				}
				a.answer(t, fmt.Sprintf("machine seed %d %s line %d:%s", seed, target, at, lines[at-1]), want,
					claims[at])
			}
		}
	}
}

// askTable has the engine decide that values are those of the table, one of them changed or not. It returns the
// status of the assertion on each line, and of violations of other checks there.
func askTable(t *testing.T, file, target string, table [][]string, change bool, wrong,
	input int) map[int]verdict.Status {
	t.Helper()
	rows := make([]string, len(table[0]))
	for i := range rows {
		var row []string
		for in := range table {
			v := "0x0" + table[in][i] + "u"
			if change && i == wrong && in == input {
				v += " ^ 1"
			}
			row = append(row, v)
		}
		rows[i] = "{" + strings.Join(row, ",") + "}"
	}
	flags := []string{"-DWANT={" + strings.Join(rows, ",") + "}"}
	if target == "cortex-m3" {
		flags = append(flags, "-fshort-enums") // as Arm's compiler has it
	}
	_, res := asked(t, file, target, 60*time.Second, 64, flags...)
	out := map[int]verdict.Status{}
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Check == verdict.Assert {
			out[c.Pos.Line] = c.Status
		} else if c.Status == verdict.Violated {
			t.Errorf("%s: false alarm: %s %s: %s", target, c.Pos, c.ID, c.Message)
		}
	}
	return out
}
