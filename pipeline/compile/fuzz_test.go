package compile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzSVD: regions that are read have a name and a size, and stay within the address space.
func FuzzSVD(f *testing.F) {
	f.Add([]byte(deviceSVD))
	f.Add([]byte("<device><peripherals><peripheral><dim>4294967295</dim><dimIncrement>1</dimIncrement><name>A%s</name><baseAddress>#1x1</baseAddress><addressBlock><offset>0xffffffffffffffff</offset><size>1G</size></addressBlock></peripheral></peripherals></device>"))
	f.Add([]byte("<device><peripherals><peripheral><name></name><baseAddress>0</baseAddress><addressBlock><offset>0</offset><size>4</size></addressBlock></peripheral></peripherals></device>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, registers, err := parseSVD(text)
		if err != nil {
			return
		}
		for i, r := range registers {
			if r.Size == 0 || i > 0 && r.At < registers[i-1].At {
				t.Fatalf("register %d: %+v", i, r)
			}
		}
		for _, r := range list {
			if r.Name == "" || r.Size == 0 || r.Base+r.Size-1 < r.Base {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// FuzzResponse: two response files, which may name each other, end, and leave no @file that is there.
func FuzzResponse(f *testing.F) {
	f.Add("-O2 -DX='a b' @b", `"-I\"x" \\ -c`)
	f.Add("@a @a", "@a @b @b @b")
	f.Add("'", "\\")
	f.Fuzz(func(t *testing.T, a, b string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"a": a, "b": b} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		words, err := expandResponse(dir, []string{"cc", "@a", "@b"})
		if err != nil {
			return
		}
		for _, w := range words {
			if w == "@a" || w == "@b" {
				t.Fatalf("%q is left of %q", w, words)
			}
		}
	})
}

// TestResponseBomb: files that name each other over and over are refused, soon, by name.
func TestResponseBomb(t *testing.T) {
	dir := tree(t, map[string]string{"a": strings.Repeat("@b ", 1000), "b": strings.Repeat("@c ", 1000),
		"c": strings.Repeat("@d ", 1000), "d": strings.Repeat("-DX ", 1000)})
	_, err := expandResponse(dir, []string{"@a"})
	if err == nil || !strings.Contains(err.Error(), "response files: more than") {
		t.Error(err)
	}
}
