package syntax

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// TestScan: places follow from what was printed before, also where it is not decoded, and half a dump is no dump.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	text := "#include <stdio.h>\n#include <stdlib.h>\n#include \"b.h\"\nint f(int);\nint x = 1 ? 2147483647 + 1 : 0;\n"
	for name, s := range map[string]string{"a.c": text, "b.h": "\n\nint g(int);\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	target, err := targets.Load("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	s := NewReader(Options{Target: target, Constants: true}, nil)
	var dump bytes.Buffer
	cmd := llvmtest.Clang(t, "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", "a.c")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, io.MultiWriter(s, &dump), os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if len(s.found) != 1 || s.found[0].file != "a.c" || s.found[0].line != 5 || s.found[0].owner.line != 5 ||
		s.found[0].owner.name != "x" {
		t.Errorf("%+v", s.found)
	}
	half := NewReader(Options{Target: target}, nil)
	if _, err := half.Write(dump.Bytes()[:dump.Len()/2]); err == nil && half.Finish() == nil {
		t.Error("half a dump is read as a whole")
	}
}
