package manifest

import (
	"errors"
	"testing"
)

// FuzzParse: a manifest is read or refused with a place for each mistake; what was read, merged with
// nothing, reads the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("version: 1\ntargets: [{name: x, extends: i386}]\nbuild: {compile_commands: a.json, image: b}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("a: &a {b: 1}\nversion: 1\n<<: *a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("m.yml", text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Error() == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if len(m.Targets) == 0 {
			t.Fatal("a manifest without targets")
		}
		if _, _, err := Merge(text, "defaults", []byte("version: 1\n")); err != nil {
			t.Fatalf("with defaults that say nothing: %v", err)
		}
	})
}
