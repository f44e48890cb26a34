package prepare

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/reports"
)

// TestSamples: texts, lists of bytes and small files of tests are read, those on changed lines first; nothing else is.
func TestSamples(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"src/a.c":          "const char *own = \"program\";\n",
		"tests/b.c":        "#define T \"macro\"\nf(\"one\" /**/\n  \"two\"); // \"three\"\ng(\"\\x41\\102\\n\\\"\\0end\");\n",
		"tests/c.cpp":      "char a[] = {1, 0x7f, 'z', 0377u}, b[] = {256, 1}, c[] = {x, 1}; h(\"changed\", \"x\");\n",
		"fuzz/corpus/id1":  "\x00\x01\xff",
		"tests/readme.txt": "text of people",
		"tests/.git/data":  "hidden",
	} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	strs := func(changed map[string][]reports.LineRange) (out []string) {
		for _, s := range samplesIn(root, changed) {
			out = append(out, string(s))
		}
		return out
	}
	bytes := "\x01\x7fz\xff"
	want := []string{"\x00\x01\xff", "onetwo", bytes, "AB\n\"\x00end", "changed"}
	if got := strs(nil); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	want = []string{bytes, "changed", "\x00\x01\xff", "onetwo", "AB\n\"\x00end"}
	if got := strs(map[string][]reports.LineRange{"tests/c.cpp": {{From: 1, To: 1}}}); !slices.Equal(got, want) {
		t.Errorf("changed: got %q, want %q", got, want)
	}
}

// TestChosenSamples: there is an end to them, and each file has its turn.
func TestChosenSamples(t *testing.T) {
	var many, few [][]byte
	for i := range 2 * maxSamples {
		many = append(many, fmt.Appendf(nil, "text %d", i))
	}
	few = append(few, []byte("another"), make([]byte, maxSample+1))
	got := chosenSamples(nil, [][][]byte{many, few})
	if len(got) != maxSamples || string(got[1]) != "another" {
		t.Errorf("%d, the second is %q", len(got), got[1])
	}
	for i := range many {
		many[i] = append(make([]byte, maxSample-10), many[i]...)
	}
	if n := len(chosenSamples(many, nil)); n > maxSampleBytes/(maxSample-10) {
		t.Errorf("%d long ones", n)
	}
}
