package change

import (
	"maps"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/weave"
)

// TestRenamed: functions with another name are paired with what is like them, of their type, and with nothing else.
func TestRenamed(t *testing.T) {
	const (
		head  = "#include <stdint.h>\n"
		sum   = "(const uint8_t *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s & 0xff; } "
		more  = "(const uint8_t *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s & 0xfff; } "
		other = "(const uint8_t *p, int n) { if (n < 4) return -1; uint32_t w = p[0] | p[1] << 8; return p[3] ? (int)(w * 77 / 5) : p[2] * p[2]; } "
	)
	for _, c := range []struct {
		name, old, now string
		want           map[string]string
	}{
		{"another name and another mask", "static int sum" + sum + "int f(const uint8_t *p) { return sum(p, 4); }",
			"static int total" + more + "int f(const uint8_t *p) { return total(p, 4); }", map[string]string{"total": "sum"}},
		{"nothing like it", "static int sum" + sum + "int f(const uint8_t *p) { return sum(p, 4); }",
			"static int parse" + other + "int g(const uint8_t *p) { return parse(p, 4); }", map[string]string{}},
		{"another type", "static int sum" + sum + "int f(const uint8_t *p) { return sum(p, 4); }",
			"static int64_t total" + sum + "int f(const uint8_t *p) { return (int)total(p, 4); }", map[string]string{}},
		{"two are as like", "static int sum" + sum + "int f(const uint8_t *p) { return sum(p, 4); }",
			"static int a" + more + "static int b" + more + "int f(const uint8_t *p) { return a(p, 4) + b(p, 4); }", map[string]string{}},
		{"each with its own", "static int sum" + sum + "static int parse" + other + "int f(const uint8_t *p) { return sum(p, 4) + parse(p, 4); }",
			"static int read" + other + "static int total" + more + "int f(const uint8_t *p) { return total(p, 4) + read(p, 4); }",
			map[string]string{"total": "sum", "read": "parse"}},
		{"that others can name", "int sum" + sum, "int total" + more, map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			was, is := staticIn(testprogram.Hosted(t, head+c.old)), staticIn(testprogram.Hosted(t, head+c.now))
			if got := Renamed(was, is); !maps.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func staticIn(m *ir.Module) map[string]Likeness {
	out, callers := map[string]Likeness{}, weave.Callers(m)
	for _, f := range m.Funcs {
		if !f.IsDecl() && !f.Public {
			out[f.Name] = LikenessOf(f, callers[f])
		}
	}
	return out
}
