package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// update: UPDATE=1 rewrites the expectations in testdata.
var update = os.Getenv("UPDATE") != ""

// targetFlags are the compiler flags of the targets that the golden files name.
var targetFlags = map[string][]string{
	"cortex-m3": {"--target=thumbv7m-none-eabi", "-mcpu=cortex-m3"},
	"armeb":     {"--target=armebv7r-none-eabi"},
	"i386":      {"--target=i386-none-elf"},
	"x86_64":    {"--target=x86_64-unknown-linux-gnu"},
	"avr":       {"--target=avr", "-mmcu=atmega328p"},
}

// forms are the LLVM whose text has forms of its own: casts and columns differ. `want.TARGET` is that of the first one,
// `want.TARGET.N` that of a later one, where it is another.
var forms = []int{llvm.Preferred, 19}

// TestGolden compiles main.c of each archive for each target that has a `want.TARGET`
// and compares the printed module.
func TestGolden(t *testing.T) {
	version := llvmtest.Tools(t).Version
	if !slices.Contains(forms, version) {
		t.Skipf("no module was written down for LLVM %d", version)
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range files {
		ar := readArchive(t, path)
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for i, f := range ar {
			target, ok := strings.CutPrefix(f.name, "want.")
			if !ok || strings.Contains(target, ".") {
				continue
			}
			own := f.name + "." + strconv.Itoa(version)
			if k := slices.IndexFunc(ar, func(f archived) bool { return f.name == own }); k >= 0 {
				i, f = k, ar[k]
			}
			t.Run(name+"/"+target, func(t *testing.T) {
				// the order of `none` and `unknown` in triples is another one with 19
				got := strings.Replace(printed(t, ar, target), "-unknown-none-", "-none-unknown-", 1)
				switch {
				case update && got != f.text && version != llvm.Preferred && f.name != own:
					ar = append(ar, archived{own, got})
				case update:
					ar[i].text = got
				case got != f.text:
					t.Errorf("%s: %s", path, firstDifference(got, f.text))
				}
			})
		}
		if update {
			writeArchive(t, path, ar)
		}
	}
}

// printed is the module of the archive's program: main.ll as it is, or main.c through clang.
func printed(t *testing.T, ar []archived, target string) string {
	t.Helper()
	for _, f := range ar {
		if f.name == "main.ll" {
			m, err := Parse("main.ll", []byte(f.text))
			if err != nil {
				return "error: " + err.Error() + "\n"
			}
			return m.String()
		}
	}
	dir := t.TempDir()
	flags := ""
	for _, f := range ar {
		switch f.name {
		case "main.c":
			if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o600); err != nil {
				t.Fatal(err)
			}
		case "flags":
			flags = f.text
		}
	}
	m, err := Parse("main.c", compile(t, dir, target, strings.Fields(flags)))
	if err != nil {
		t.Fatal(err)
	}
	return m.String()
}

func compile(t *testing.T, dir, target string, flags []string) []byte {
	t.Helper()
	args := append([]string{"-std=gnu11", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names",
		"-ffreestanding",
		"-S", "-emit-llvm", "-o", "-", "main.c"}, targetFlags[target]...)
	cmd := llvmtest.Clang(t, append(args, flags...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return out
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			other := "(end)"
			if i < len(w) {
				other = w[i]
			}
			return "line " + strings.TrimSpace(strings.Join([]string{strconv.Itoa(i + 1), "\n got  ", g[i], "\n want ",
				other}, ""))
		}
	}
	return "output is shorter than expected"
}

// archived is one file of a txtar archive.
type archived struct{ name, text string }

// readArchive reads the txtar format: a comment, then files after `-- name --` lines.
func readArchive(t *testing.T, path string) []archived {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := []archived{{name: ""}}
	for _, line := range strings.SplitAfter(string(data), "\n") {
		trimmed := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(trimmed, "-- ") && strings.HasSuffix(trimmed, " --") {
			out = append(out, archived{name: trimmed[3 : len(trimmed)-3]})
			continue
		}
		out[len(out)-1].text += line
	}
	return out
}

func writeArchive(t *testing.T, path string, ar []archived) {
	t.Helper()
	var b strings.Builder
	for _, f := range ar {
		if f.name != "" {
			b.WriteString("-- " + f.name + " --\n")
		}
		b.WriteString(f.text)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
