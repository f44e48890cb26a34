package linkerscript

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets"
)

// stmScript is a script as chip vendors ship them.
func stmScript(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/stm.ld")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestScript(t *testing.T) {
	s, _, err := parse(stmScript(t), noInclude)
	if err != nil {
		t.Fatal(err)
	}
	want := []targets.Region{
		{Name: "FLASH", Base: 0x8001000, Size: 60 << 10, Access: targets.ROM},
		{Name: "CCM", Base: 0x10000000, Size: 0x1000, Access: targets.RAM},
		{Name: "RAM", Base: 0x20000000, Size: 20 << 10, Access: targets.RAM},
	}
	if len(s.Memory) != 3 || s.Memory[0] != want[0] || s.Memory[1] != want[1] || s.Memory[2] != want[2] {
		t.Errorf("%+v", s.Memory)
	}
	values := map[string]uint64{}
	var placed []string
	for _, y := range s.Symbols {
		if y.Placed {
			placed = append(placed, y.Name)
		} else {
			values[y.Name] = y.Addr
		}
	}
	if len(values) != 3 || values["_estack"] != 0x20005000 || values["_stack_limit"] != 0x20004c00 {
		t.Errorf("%x", values)
	}
	if got := strings.Join(placed, " "); got != "__bss_start__ __bss_end__ _sdata" {
		t.Errorf("placed: %s", got)
	}
}

func TestScriptErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		line       int
	}{
		{"/* x", "comment that is not closed", 1},
		{"MEMORY {\n RAM : ORIGIN = foo, LENGTH = 1\n}", "ORIGIN is not a number", 2},
		{"MEMORY {\n RAM ORIGIN = 0", "expected `:`", 2},
		{"MEMORY { RAM (rw", "not closed", 1},
		{"MEMORY { RAM : ORIGIN = 1/0, LENGTH = 1 }", "ORIGIN", 1},
		{"MEMORY {", "MEMORY is not closed", 1},
	} {
		_, line, err := parse(c.text, noInclude)
		if err == nil || !strings.Contains(err.Error(), c.want) || line != c.line {
			t.Errorf("%q: line %d: %v, want %s", c.text, line, err, c.want)
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add(stmScript(f))
	f.Add("MEMORY{a(rx!w):o=0,l=~0}b=((((1))))<<70;")
	f.Fuzz(func(t *testing.T, s string) {
		sc, line, err := parse(s, noInclude)
		if err != nil && line < 1 {
			t.Fatalf("line %d for %v", line, err)
		}
		for _, r := range sc.Memory {
			if r.Size == 0 || r.Access == targets.InvalidAccess {
				t.Fatalf("%+v", r)
			}
		}
	})
}

func noInclude(name string) (string, error) { return "", errors.New("no such file") }

// TestScriptInclude: INCLUDE is followed where it stands, quoted words are no command,
// and a script that includes itself is an error on its line.
func TestScriptInclude(t *testing.T) {
	files := map[string]string{"boards/memory.ld": "FLASH (rx) : ORIGIN = 0x1000, LENGTH = 1K\n",
		"sizes.ld": "_heap = 0x40;\n/* INCLUDE x */\n", "self.ld": "INCLUDE self.ld\n"}
	include := func(name string) (string, error) {
		if text, ok := files[name]; ok {
			return text, nil
		}
		return "", errors.New("INCLUDE " + name + ": no such file")
	}
	s, _, err := parse(
		"MEMORY {\n INCLUDE boards/memory.ld\n RAM (rw) : ORIGIN = 0x8000, LENGTH = 2K }\nINCLUDE \"sizes.ld\";\n_end = _heap + ORIGIN(FLASH);\n", include)
	if err != nil || len(s.Memory) != 2 || s.Memory[0].Name != "FLASH" || s.Memory[0].Access != targets.ROM ||
		len(s.Symbols) != 2 || s.Symbols[1].Addr != 0x1040 {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{"\nINCLUDE none.ld\n": "none.ld: no such file",
		"\nINCLUDE self.ld\n": "include itself"} {
		if _, line, err := parse(text, include); err == nil || line != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: line %d, %v", text, line, err)
		}
	}
}
