package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestSetjmpIsNotStubbed: a stub stands for any function without a body but one that a jump comes back to, with what
// memory holds then.
func TestSetjmpIsNotStubbed(t *testing.T) {
	const code = `#include <assert.h>
typedef int jmp_buf[20];
int setjmp(jmp_buf), ready(jmp_buf);
void longjmp(jmp_buf, int) __attribute__((noreturn));
static jmp_buf at;
static int state = 1;
int main(void) {
    if (CALL(at) == 0) {
        state = 2;
        longjmp(at, 1);
    }
    assert(state == 1);
    return 0;
}
`
	for call, want := range map[string]verdict.Status{"ready": verdict.Proved, "setjmp": verdict.Unknown} {
		dir := writeTree(t, map[string]string{"main.c": "#define CALL " + call + "\n" + code})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "main.c"), "--target", "cortex-m3", "--stub", "*=havoc")
		if len(rep.Results) != 1 || rep.Results[0].Status != want {
			t.Errorf("%s: %+v, want %s\n%s", call, rep.Results, want, errs)
		}
	}
}

// TestSetjmpStubRefused: nor does a stub stand for it by its name, and no remedy says to write one.
func TestSetjmpStubRefused(t *testing.T) {
	for _, name := range []string{"getready", "setjmp"} {
		dir := writeTree(t, map[string]string{"main.c": "#include <assert.h>\nint " + name + "(int *);\n" +
			"int main(void) { int at[20], n = 1; if (" + name + "(at)) n = 2; assert(n > 0); return 0; }\n"})
		file := filepath.Join(dir, "main.c")
		_, _, errs := checkJSON(t, file, "--target", "cortex-m3", "--stub", name+"=havoc")
		if refused := strings.Contains(errs, "no stub does"); refused != (name == "setjmp") {
			t.Errorf("%s: refused %t\n%s", name, refused, errs)
		}
		var out, said bytes.Buffer
		runWith([]string{"check", file, "--target", "cortex-m3"}, &out, &said)
		if advised := strings.Contains(out.String()+said.String(), "havoc"); advised == (name == "setjmp") {
			t.Errorf("%s: advised %t\n%s%s", name, advised, &out, &said)
		}
	}
}
