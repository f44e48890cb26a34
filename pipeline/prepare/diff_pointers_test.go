package prepare

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestCallsThroughPointers compares versions that call functions of which nothing is known: both have to make the same calls.
func TestCallsThroughPointers(t *testing.T) {
	const set = "typedef void (*cb_t)(int); static cb_t cb; void set(cb_t c) { cb = c; } "
	const elsewhere = "typedef void (*cb_t)(int); extern cb_t cb; "
	const init = "typedef void (*cb_t)(int); static cb_t cb; int last; static void on(int x) { last = x; } void init(void) { cb = on; } "
	const dev = "struct dev { int n; int (*cb)(int); }; "
	const two = "static int a(int x) { return x + 1; } static int b(int x) { return x - 1; } "
	for _, c := range []layoutCase{
		{"set by a call", set + "void f(int x) { if (cb) cb(x); }", set + "void f(int x) { if (cb) cb(x & 255); }", verdict.Differs, ""},
		{"set by a call, the same", set + "void f(int x) { if (cb) cb(x); }",
			set + "void f(int x) { cb_t c = cb; if (!c) return; c(x); }", verdict.SameBounded, "called through pointers"},
		{"set elsewhere", elsewhere + "void f(int x) { if (x > 3) cb(x); }", elsewhere + "void f(int x) { if (x > 3) cb(x + 1); }",
			verdict.Differs, ""},
		{"set by the program", init + "void f(int x) { if (cb) cb(x); }", init + "void f(int x) { if (cb) cb(x ^ 1); }",
			verdict.Differs, ""},
		{"a member", dev + "int f(struct dev *d, int x) { return d->cb(x) + d->n; }",
			dev + "int f(struct dev *d, int x) { int n = d->n; return n + d->cb(x); }", verdict.SameBounded, "called through pointers"},
		{"a member, once more", dev + "int f(struct dev *d, int x) { return d->cb(x); }",
			dev + "int f(struct dev *d, int x) { d->cb(x); return d->cb(x); }", verdict.Differs, ""},
		{"no longer asked for null", dev + "int f(struct dev *d, int x) { return d->cb ? d->cb(x) : 0; }",
			dev + "int f(struct dev *d, int x) { return d->cb(x); }", verdict.Differs, ""},
		{"asked for null now", dev + "int f(struct dev *d, int x) { return d->cb(x); }",
			dev + "int f(struct dev *d, int x) { return d->cb ? d->cb(x) : 0; }", verdict.SameBounded, ""},
		{"an argument", "int f(int (*cb)(int), int x) { return cb(x); }", "int f(int (*cb)(int), int x) { return cb(x) + cb(x); }",
			verdict.Differs, ""},
		{"another one of two", "int f(int (*g)(int), int (*h)(int), int x) { return g(x) - h(x); }",
			"int f(int (*g)(int), int (*h)(int), int x) { return h(x) - g(x); }", verdict.Differs, ""},
		{"beside a volatile access", dev + "extern volatile int R; void f(struct dev *d) { R = 1; d->cb(2); }",
			dev + "extern volatile int R; void f(struct dev *d) { d->cb(2); R = 1; }", verdict.Differs, ""},
		{"another layout", dev + "void f(struct dev *d, int x) { if (d->cb) d->cb(x); d->n = 1; }",
			"struct dev { int k, n; int (*cb)(int); }; void f(struct dev *d, int x) { if (d->cb) d->cb(x); d->n = 1; }",
			verdict.SameBounded, "`k` of `struct dev` is new"},
		{"another layout, another argument", dev + "void f(struct dev *d, int x) { if (d->cb) d->cb(x); d->n = 1; }",
			"struct dev { int k, n; int (*cb)(int); }; void f(struct dev *d, int x) { if (d->cb) d->cb(x + 1u); d->n = 1; }",
			verdict.Differs, ""},
		{"known ones are followed", two + "static int (*const t[2])(int) = {a, b}; int f(int i, int x) { return t[i & 1](x & 255); }",
			two + "int f(int i, int x) { x &= 255; return i & 1 ? x - 1 : x + 1; }", verdict.Same, ""},
		{"known ones, exchanged", two + "static int (*const t[2])(int) = {a, b}; int f(int i, int x) { return t[i & 1](x & 255); }",
			two + "static int (*const t[2])(int) = {b, a}; int f(int i, int x) { return t[i & 1](x & 255); }", verdict.Differs, ""},
	} {
		c.run(t)
	}
}
