package prepare

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestMemoryAtCalls compares versions that call functions without a body, which see more than their arguments.
func TestMemoryAtCalls(t *testing.T) {
	const send, buf = "void send(const uint8_t *p, int n); ", "uint8_t buf[4]; "
	const frame = "struct frame { uint8_t id, crc; } frame; void emit(const struct frame *f); "
	const state = "int ext(int); static int st; int get(void) { return st; } "
	const dev = send + "struct dev { int st; uint8_t tx[4]; } D; "
	const packet = "struct packet { const uint8_t *p; int n; }; void post(const struct packet *m); "
	for _, c := range []layoutCase{
		{"a variable", send + buf + "void f(uint8_t c) { buf[0] = c; send(buf, 1); }",
			send + buf + "void f(uint8_t c) { send(buf, 1); buf[0] = c; }", verdict.Differs, ""},
		{"the same", send + buf + "void f(uint8_t c) { buf[0] = c; buf[1] = 0; send(buf, 1); }",
			send + buf + "void f(uint8_t c) { buf[1] = 0; *buf = c; send(&buf[0], 1); }", verdict.SameBounded, "change no variable"},
		{"a structure", frame + "void f(uint8_t c) { frame.crc = c; emit(&frame); }",
			frame + "void f(uint8_t c) { emit(&frame); frame.crc = c; }", verdict.Differs, ""},
		{"an argument", send + "void f(uint8_t *p, uint8_t c) { p[0] = c; send(p, 1); }",
			send + "void f(uint8_t *p, uint8_t c) { send(p, 1); p[0] = c; }", verdict.Differs, ""},
		{"another argument", send + "void f(const uint8_t *p, const uint8_t *q) { send(p, 1); send(q, 1); }",
			send + "void f(const uint8_t *p, const uint8_t *q) { send(q, 1); send(p, 1); }", verdict.Differs, ""},
		{"what an argument leads to, moved", send + "void f(const uint8_t *p) { p++; send(p, 1); }",
			send + "void f(const uint8_t *p) { send(p + 1, 1); }", verdict.SameBounded, ""},
		{"a member", dev + "void f(uint8_t c) { D.tx[0] = c; send(D.tx, 1); }",
			dev + "void f(uint8_t c) { send(D.tx, 1); D.tx[0] = c; }", verdict.Differs, ""},
		{"beside a member", dev + "void f(uint8_t c) { D.st = c; send(&D.tx[0], 1); }",
			dev + "void f(uint8_t c) { send(D.tx, 1); D.st = c; }", verdict.SameBounded, "may read of D"},
		{"not passed", state + "int f(int x) { st = 1; int r = ext(x); st = 2; return r; }",
			state + "int f(int x) { int r = ext(x); st = 2; return r; }", verdict.SameBounded, "may read of st"},
		{"pointers in a variable", packet + "void f(uint8_t c) { uint8_t b[2] = {c, 1}; struct packet m = {b, 2}; post(&m); }",
			packet + "void f(uint8_t c) { struct packet m; uint8_t b[2]; b[0] = c; b[1] = 1; m.p = b; m.n = 2; post(&m); }",
			verdict.SameOpen, "a pointer leads to what only one version has"},
		{"a number beside pointers", packet + "void f(const uint8_t *p, int n) { struct packet m = {p, n}; post(&m); }",
			packet + "void f(const uint8_t *p, int n) { struct packet m = {p, n + 1u}; post(&m); }", verdict.Differs, ""},
		{"no memory", "void put(int); int get(void); int f(int x) { put(x & 7); put(x >> 3 & 7); return get(); }",
			"void put(int); int get(void); int f(int x) { for (int i = 0; i < 2; i++) put(x >> 3 * i & 7); return get(); }",
			verdict.Same, ""},
		{"memory", "int get(void); int v; int f(void) { int x = v; get(); return x; }",
			"int get(void); int v; int f(void) { get(); return v; }", verdict.SameBounded, "change no variable"},
	} {
		c.run(t)
	}
}
