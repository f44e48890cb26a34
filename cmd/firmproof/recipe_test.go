package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/scripts/sources"
)

// recipeEdits are what a person writes for a check of the name complement: the text behind which the other goes in.
var recipeEdits = []struct{ file, behind, text string }{
	{"verifier/verdict/property_table.go", `= "stack"` + "\n", "\tComplement Check = \"complement\"\n"},
	{"verifier/verdict/property_table.go", "var properties = []Property{\n", "\t{Check: Complement, " +
		"Title: \"Complement\", CWE: \"CWE-710\", Severity: 1, Holds: \"no complement\", " +
		"Meaning: \"No value is complemented.\", Bad: \"~x\", Good: \"x\", Past: PastWraps},\n"},
	{"verifier/encode/sites.go", "var sites = []site{\n", "\t{verdict.Complement, ops(ir.OpXor)},\n"},
	{"verifier/encode/inst_binary.go", `"exclusive or", ilr.KBvXor, (*ilr.Store).Xor, `, "[]binaryClaim{{" +
		"verdict.Complement, 0, func(e *encoder, _, y ilr.Term) ilr.Term { return e.eq(y, e.s.Int(e.s.Width(y), -1)) }, " +
		"\"%s with ones\", machineResult}}}, //"},
	{"verifier/interp/inst_binary.go", "p, q := a.bits, b.bits\n", "\tif in.Op == ir.OpXor && q.IsOnes() {\n" +
		"\t\tx.violate(verdict.Complement, \"complement\")\n\t}\n"},
}

// complementProgram is a test of the check: with -1 it fails, with 1 it holds.
const complementProgram = "# a complement\nflags --target x86_64 --checks complement\nexit EXIT\n-- main.c --\n" +
	"#include \"firmproof.h\"\nint main(void) {\n    return (firmproof_nondet_int() ^ NUMBER) == 5;\n}\n-- want --\n"

// TestRecipeForACheck follows the recipe of CONTRIBUTING.md in a copy of the tree: its commands pass, and what differs
// then are the files that it names, as many as it says.
func TestRecipeForACheck(t *testing.T) {
	if os.Getenv("FIRMPROOF_RECIPE") == "" {
		t.Skip("compiles the engine once more: make recipe")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	before := copyTree(t, root, tree)
	for _, e := range recipeEdits {
		file := filepath.Join(tree, filepath.FromSlash(e.file))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(text, []byte(e.behind)) != 1 {
			t.Fatalf("%s: %q is not there once", e.file, e.behind)
		}
		writeFile(t, file, strings.Replace(string(text), e.behind, e.behind+e.text, 1))
	}
	for _, p := range [][3]string{{"bad", "-1", "1"}, {"good", "1", "0"}} {
		writeFile(t, filepath.Join(tree, "cmd/firmproof/testdata/check/complement_"+p[0]+".txtar"),
			strings.NewReplacer("NUMBER", p[1], "EXIT", p[2]).Replace(complementProgram))
	}
	section := regexp.MustCompile(`(?s)### A check \((\d+) files.*?\n(.*?)\n###`)
	recipe := section.FindStringSubmatch(string(before["CONTRIBUTING.md"]))
	if recipe == nil {
		t.Fatal("CONTRIBUTING.md has no recipe for a check")
	}
	commands := regexp.MustCompile("`((?:UPDATE=1 )?go test [^`]+)`").FindAllStringSubmatch(recipe[2], -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, m := range commands {
		command := exec.Command("bash", "-c", strings.ReplaceAll(m[1], "/X", "/complement")+" -vet=off")
		command.Dir = tree
		command.Env = append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false") // what others compiled is used
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", m[1], err, out)
		}
	}
	if err := os.Remove(filepath.Join(tree, "vendor")); err != nil {
		t.Fatal(err)
	}
	var differ []string
	if err := sources.Walk(tree, func(path string) error {
		text, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(path)))
		if old, ok := before[path]; !ok || !bytes.Equal(old, text) {
			differ = append(differ, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if strconv.Itoa(len(differ)) != recipe[1] {
		t.Errorf("the recipe says %s files, these differ: %q", recipe[1], differ)
	}
	for _, path := range differ {
		if name := strings.Replace(filepath.Base(path), "complement", "X", 1); !strings.Contains(recipe[2], name) {
			t.Errorf("the recipe does not name %s", path)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(tree, "docs/manual.md")); !slices.Contains(differ, "docs/manual.md") ||
		!bytes.Contains(text, []byte("| `complement` |")) {
		t.Error("the manual does not name the check")
	}
}

// copyTree copies the repository, with a link to what is vendored, and returns the texts by path.
func copyTree(t *testing.T, root, to string) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	if err := sources.Walk(root, func(path string) error {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		texts[path] = text
		if err != nil {
			return err
		}
		file := filepath.Join(to, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, text, 0o644)
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "vendor"), filepath.Join(to, "vendor")); err != nil {
		t.Fatal(err)
	}
	return texts
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
