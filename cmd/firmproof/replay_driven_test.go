package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
)

const drivenC = `#include <stdint.h>
#include <string.h>
static uint8_t buf[8]; static unsigned head;
void r_set(unsigned n) { head = n; }
int r_get(void) { return buf[head]; }
struct cursor { const uint8_t *pos, *end; };
int get16(struct cursor *c, uint16_t *v) { if (c->end == c->pos) return -1; *v = c->pos[0] | c->pos[1] << 8; return 0; }
int third(const uint8_t **pp, const uint8_t *end) { if (end - *pp < 2) return -1; *pp += 2; return **pp; }
double sum(const float *v, unsigned n, float scale) { double s = 0; for (unsigned i = 0; i <= n; i++) s += v[i] * scale; return s; }
static int part(int a, int b) { return a / b; }
int parts(int a) { return part(a, a - 3); }
static char name[40];
void rename_to(const char *s) { strcpy(name, s); }
struct ops { int (*next)(int); int k; };
int run(struct ops *o) { return 10 / o->next(o->k); }
int empty(const uint8_t *msg, size_t len) { return msg[0] + (len ? 1 : 0); }
`

// TestReplayGenerated: what a generated harness made is made in C, also for calls in an order, and the failure happens
// there; what --emit writes is a program that fails likewise. What C cannot have is said.
func TestReplayGenerated(t *testing.T) {
	tools, err := llvm.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := writeTree(t, map[string]string{"src.c": drivenC})
	src, report, test := filepath.Join(dir, "src.c"), filepath.Join(dir, "r.json"), filepath.Join(dir, "test.c")
	for f, want := range map[string]string{"r_get": "", "get16": "", "third": "", "sum": "", "parts": "", "rename_to": "",
		"empty": "", "run": "o.next is any function"} {
		var out strings.Builder
		if code := runWith([]string{"check", src, "--target", "x86_64", "--function", f, "--format", "json", "-o", report}, &out,
			&out); code != 1 {
			t.Errorf("%s: check ends with %d: %s", f, code, out.String())
			continue
		}
		out.Reset()
		code := runWith([]string{"replay", report, src, "--emit", test}, &out, &out)
		if want != "" {
			if code != exitCannot || !strings.Contains(out.String(), want) {
				t.Errorf("%s: replay ends with %d: %s", f, code, out.String())
			}
			continue
		}
		if code != exitReproduced {
			t.Errorf("%s: replay ends with %d: %s", f, code, out.String())
			continue
		}
		image := filepath.Join(dir, f)
		if said, err := exec.Command(tools.Clang, "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", test, "-o",
			image).CombinedOutput(); err != nil {
			text, _ := os.ReadFile(test)
			t.Errorf("%s: %v: %s\n%s", f, err, said, text)
			continue
		}
		if said, err := exec.Command(image).CombinedOutput(); err == nil || !strings.Contains(string(said), "src.c:") {
			t.Errorf("%s: what was written ends with %v: %s", f, err, said)
		}
	}
}
