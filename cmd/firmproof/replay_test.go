package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func replayRun(args ...string) (int, string) {
	var out bytes.Buffer
	code := runWith(append([]string{"replay"}, args...), &out, &out)
	return code, out.String()
}

// checked gives the JSON report of a check.
func checked(t *testing.T, args ...string) string {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	var out bytes.Buffer
	if code := runWith(append([]string{"check", "--format", "json", "-o", report}, args...), &out,
		&out); code != exitViolated {
		t.Fatalf("check %v: exit %d: %s", args, code, out.String())
	}
	return report
}

// TestReplay: counterexamples happen for real, natively and on an emulated core.
func TestReplay(t *testing.T) {
	cases := []struct {
		file, target string
		code         int
		want         string
	}{
		{"shift", "x86_64", exitReproduced, "runtime error: shift exponent 32"},
		{"shift", "cortex-m3", exitReproduced, "fault at"},
		{"signed_overflow", "i386", exitReproduced, "runtime error: negation of -2147483648"},
		{"use_after_free", "x86_64", exitReproduced, "heap-use-after-free"},
		{"use_after_free", "cortex-m3", exitNotReproduced, "no sanitizer for memory"},
		{"double_free", "i386", exitReproduced, "attempting double-free"},
		{"assert", "x86_64", exitReproduced, "twice the mean is the sum"},
		{"assert", "cortex-m3", exitReproduced, "twice the mean is the sum"},
		{"assert", "avr", exitCannot, "cannot be run here"},
	}
	for _, c := range cases {
		t.Run(c.file+" "+c.target, func(t *testing.T) {
			t.Parallel()
			file := "../../examples/small/" + c.file + ".c"
			code, out := replayRun(checked(t, "--target", c.target, file), file)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			wantAll(t, out, c.want)
		})
	}
}

// TestReplayCXX: a counterexample of C++ happens for real, with the library that the machine has.
func TestReplayCXX(t *testing.T) {
	file := filepath.Join(t.TempDir(), "owner.cpp")
	text := "#include <vector>\nint main() {\n\tstd::vector<int> v(3);\n\tint *p = new int[v.size()];\n\tdelete p;\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out := replayRun(checked(t, "--target", "x86_64", file), file)
	if code != exitReproduced {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "alloc-dealloc-mismatch (operator new [] vs operator delete)")
	text = "int main() {\n\tint *p = new int[2];\n\tdelete p;\n}\n" // no cross library is needed
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out = replayRun(checked(t, "--target", "cortex-m3", file), file); code != exitCannot {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestReplayOther: with other inputs there is no failure, with missing ones neither.
func TestReplayOther(t *testing.T) {
	file := "../../examples/small/shift.c"
	report := checked(t, "--target", "x86_64", file)
	for name, spoil := range map[string]func(*verdict.Claim){
		"ends without a failure": func(c *verdict.Claim) { c.Inputs[0].Value = "00000001" },
		"but not at shift.c:7":   func(c *verdict.Claim) { c.Pos.Line = 7 },
	} {
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		var r verdict.Report
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		for i := range r.Results[0].Claims {
			if c := &r.Results[0].Claims[i]; c.Status == verdict.Violated {
				spoil(c)
			}
		}
		if text, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		spoilt := filepath.Join(t.TempDir(), "spoilt.json")
		if err := os.WriteFile(spoilt, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := replayRun(spoilt, file); code != exitNotReproduced || !strings.Contains(out, name) {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
	}
	if code, out := replayRun(report, file, "--claim", "memory@main#9"); code != exitCannot || !strings.Contains(out,
		"shift@main#d401a0") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestReplayMemory: bytes of havoc, failing and successful allocations.
func TestReplayMemory(t *testing.T) {
	for name, text := range map[string]string{
		"havoc":  "struct s { int a; char b[3]; };\nint main(void) {\n  struct s x;\n  firmproof_havoc(&x, sizeof x);\n  firmproof_assume(x.a == 70000);\n  firmproof_assert(x.b[1] != 9, \"not nine\");\n  return 0;\n}\n",
		"malloc": "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(4);\n  char *q = malloc(4);\n  if (p == 0) { free(q); return 0; }\n  q[0] = 1;\n  free(p);\n  free(q);\n  return 0;\n}\n",
	} {
		file := filepath.Join(t.TempDir(), name+".c")
		if err := os.WriteFile(file, []byte("#include \"firmproof.h\"\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		emit := filepath.Join(t.TempDir(), "harness.c")
		code, out := replayRun(checked(t, "--target", "x86_64", file), file, "--emit", emit)
		if code != exitReproduced {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
		if said, err := llvmtest.Clang(t, "-fsyntax-only", "-Wno-everything",
			emit).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, said)
		}
	}
}

// TestReplayPullRequest: the bug of the demo happens in the real program.
func TestReplayPullRequest(t *testing.T) {
	dir := patchedExample(t, "pr/native-word-history.patch")
	report := checked(t, dir, "--target", "x86_64", "--entry", "report_harness")
	code, out := replayRun(report, dir)
	if code != exitReproduced {
		t.Errorf("exit %d: %s", code, out)
	}
}

// patchedExample is a copy of the example firmware with patches applied.
func patchedExample(t *testing.T, patches ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/sensor-node")); err != nil {
		t.Fatal(err)
	}
	for _, p := range patches {
		path, err := filepath.Abs("../../examples/" + p)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "apply", path)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", p, err, out)
		}
	}
	return dir
}
