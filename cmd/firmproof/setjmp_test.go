package main

import (
	"path/filepath"
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
