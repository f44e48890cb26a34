package weave

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// compile links units into a module.
func link(t *testing.T, units ...string) *ir.Module {
	t.Helper()
	dir := t.TempDir()
	run := func(argv ...string) {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", argv[0], err, out)
		}
	}
	whole := filepath.Join(dir, "whole.ll")
	tools := llvmtest.Tools(t)
	argv := []string{tools.Link, "-S", "-o", whole}
	for i, src := range units {
		c := filepath.Join(dir, fmt.Sprintf("t%d.c", i))
		if err := os.WriteFile(c, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		run(tools.Clang, "-O0", "-g", "-w", "--target=x86_64-linux-gnu", "-S", "-emit-llvm", "-o", c+".ll", c)
		argv = append(argv, c+".ll")
	}
	run(argv...)
	m, err := frontend.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const stubbed = `
struct view { char *p; int n; };
_Noreturn void die(int);
int hal_read(int *to);
int known(int *p) { return *p; }
void by_value(struct view v) {}
void big(struct { long a, b; char *c; } v) {}
int main(void) { int x; if (hal_read(&x)) die(1); return known(&x); }
`

func TestStubs(t *testing.T) {
	m := link(t, stubbed)
	notes, absent, err := Stubs(m, map[string]string{"known": StubNondet, "hal_read": StubHavoc, "die": StubNondet,
		"sliced_away": StubHavoc, "hal_reed": StubNondet},
		[]string{"sliced_away"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"die is stubbed: ends the program",
		"hal_read is stubbed: any result, and any value in what its pointer arguments lead to",
		"known is stubbed: any result, no effect"}
	if strings.Join(verdict.TextsOf(notes), "\n") != strings.Join(want, "\n") {
		t.Errorf("notes %q", notes)
	}
	if len(absent) != 1 || absent[0] != `stub "hal_reed": there is no such function, did you mean "hal_read"?` {
		t.Errorf("absent %q", absent)
	}
	if err := ir.Check(m); err != nil {
		t.Error(err)
	}
	got := map[string]ir.Model{}
	for _, b := range m.Func("main").Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall {
				got[in.Callee.(*ir.Const).Func.Name] = in.Model
			}
		}
	}
	for f, model := range map[string]ir.Model{"known": ir.ModelNondet, "hal_read": ir.ModelStubHavoc,
		"die": ir.ModelTrapI} {
		if got[f] != model || m.Func(f).Model != model || !m.Func(f).IsDecl() {
			t.Errorf("%s: call has model %q, function %q", f, got[f], m.Func(f).Model)
		}
	}
}

func TestStubsErrors(t *testing.T) {
	for _, c := range []struct{ name, kind, want string }{
		{"known", "any", `stub "known": "any" is no kind of stub`},
		{"by_value", StubHavoc, "havoc cannot reach what the structure in parameter v points to"},
		{"big", StubHavoc, "havoc cannot reach what the structure in parameter 1 points to"},
	} {
		_, _, err := Stubs(link(t, stubbed), map[string]string{c.name: c.kind}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestStubRest: functions without a body get the stub; models, defined functions, and one whose
// argument hides pointers, do not.
func TestStubRest(t *testing.T) {
	m := link(t, "struct v { char *p; long n[4]; };\nint hal(int *); _Noreturn void end(int); void hides(struct v);\n"+
		"unsigned long strlen(const char *);\nint own(int x) { return x; }\n"+
		"int main(void) { int x; struct v v = {0}; hides(v); if (hal(&x)) end(1); return own(strlen(\"a\")); }\n")
	got, err := StubRest(m, StubHavoc)
	if err != nil || len(got) != 2 || got[0].Name != "end" || got[1].Name != "hal" {
		t.Fatalf("%v, %v", got, err)
	}
	if m.Func("end").Model != ir.ModelTrapI || m.Func("hal").Model != ir.ModelStubHavoc {
		t.Errorf("models %q and %q", m.Func("end").Model, m.Func("hal").Model)
	}
	if rest := Bodiless(m); len(rest) != 1 || rest[0].Name != "hides" {
		t.Errorf("left %v", rest)
	}
	if r := places.Reached(m, m.Func("own")); r.Funcs[m.Func("hal")] || len(r.Funcs) != 1 {
		t.Errorf("own reaches %v", r.Funcs)
	}
}
