package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// walkC: use trusts an index that set keeps in a range; WALK writes the member beside it, or this one alone.
const walkC = `#include <stdint.h>
struct ring { uint8_t a, at, b; };
struct port { struct ring in; uint8_t at; };
static struct port port;
static uint8_t table[16];
void set(struct ring *r, uint8_t n) { r->at = n % 16; }
int use(struct ring *r) { return table[r->at]; }
static void one(uint8_t *p) { *p = 200; }
static void two(uint8_t *p) { p[0] = p[1] = 200; }
static void either(uint8_t *p, int n) { if (n) two(p); else one(p); }
static uint8_t *first(struct ring *r) { return &r->a; }
void walk(struct ring *r, int i, uint8_t c) { WALK; }
`

// TestWalkedRanges: a number has no range where the program may come to it from the address of one beside it.
func TestWalkedRanges(t *testing.T) {
	expectUse(t, walkC, "WALK", map[string]verdict.Status{
		"uint8_t *p = &r->a; p[0] = c":                         verdict.Proved,
		"uint8_t *p = &r->a; p[1] = c":                         verdict.Violated,
		"uint8_t *p = &r->b; *p = c":                           verdict.Proved,
		"uint8_t *p = &r->b; *(p - 1) = c":                     verdict.Violated,
		"uint8_t *p = &r->a; for (i = 0; i < 1; i++) *p = c":   verdict.Proved,
		"uint8_t *p = &r->a; for (i = 0; i < 3; i++) *p++ = c": verdict.Violated,
		"(&r->a)[i] = c":                                       verdict.Violated,
		"(&port.in.a)[i] = c":                                  verdict.Violated,
		"one(&r->a)":                                           verdict.Proved,
		"two(&r->a)":                                           verdict.Violated,
		"one(&port.in.a)":                                      verdict.Violated, // of constant addresses less is known
		"either(&r->a, i)":                                     verdict.Violated,
		"*first(r) = c":                                        verdict.Proved,
		"first(r)[1] = c":                                      verdict.Violated,
		"uint8_t *p = &r->a, **q = &p; **q = c":                verdict.Violated,
		"uint8_t *p = &r->a, **q = &p; (*q)[1] = c":            verdict.Violated,
		"void (*f)(uint8_t *) = two; f(&r->a)":                 verdict.Violated,
	})
}

// bytesC: use trusts two numbers of a variable that WALK writes bytes of.
const bytesC = `#include <stdint.h>
struct conf { uint8_t head, buf[8]; uint32_t at; };
static struct conf conf;
static int table[300];
void next(void) { conf.head = (conf.head + 1) & 7; }
void set(struct conf *c, uint32_t v) { c->at = v % 300; }
int use(struct conf *c) { return table[c->head] + table[c->at]; }
void walk(uint8_t v) { WALK; }
`

// TestBytesOfVariables: bytes at an index that varies, and single bytes of a number, are written through a cast of the
// address of a variable.
func TestBytesOfVariables(t *testing.T) {
	expectUse(t, bytesC, "WALK", map[string]verdict.Status{
		"conf.buf[v & 7] = v":                         verdict.Proved,
		"((uint8_t *)&conf)[v % sizeof conf] = v":     verdict.Violated,
		"((uint8_t *)conf.buf)[v % 16] = v":           verdict.Violated,
		"((uint8_t *)&conf.at)[1] = v":                verdict.Violated,
		"*(double *)&conf = v * 77.3":                 verdict.Violated,
		"struct conf *p = &conf; p->buf[v & 7] = v":   verdict.Proved,
		"struct conf *p = &conf; ((char *)p)[13] = v": verdict.Violated,
	})
}

// expectUse checks function use of the program src with each text put in place of hole.
func expectUse(t *testing.T, src, hole string, want map[string]verdict.Status) {
	t.Helper()
	for text, status := range want {
		dir := writeTree(t, map[string]string{"src.c": strings.Replace(src, hole, text, 1)})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--function", "use",
			withoutCalls)
		if len(rep.Results) != 1 || !meetsRange(rep.Results[0].Status, status) {
			t.Errorf("%s: want %s: %+v\n%s", text, status, rep.Results, errs)
		}
	}
}
