package main

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// originC: use trusts an index that set keeps in a range; ORIGIN says what else leads there.
const originC = `#include <stdint.h>
#include <stdlib.h>
struct conf { uint8_t at, x; };
struct other { uint8_t a, b; };
static int table[8];
static struct other other;
static uint8_t rx[4];
static struct conf kept __attribute__((section(".noinit")));
extern struct conf outside;
struct conf *elsewhere(void);
void set(struct conf *c, uint8_t n) { c->at = n & 7; }
void got(uint8_t i, uint8_t c) { if (i < 4) rx[i] = c; other.a = c; }
int use(const struct conf *c) { return table[c->at]; }
static uint8_t *back(uint8_t *p) { return (uint8_t *)((uintptr_t)p - 1); }
ORIGIN
`

// TestOriginsOfRanges: a number has a range only where what leads to it is defined by the program, as what it is.
func TestOriginsOfRanges(t *testing.T) {
	expectUse(t, originC, "ORIGIN", map[string]verdict.Status{
		"static struct conf own; int go(void) { return use(&own); }":                                 verdict.Proved,
		"int go(void) { return use((const struct conf *)0x0800f000); }":                              verdict.Violated,
		"int go(uintptr_t a) { return use((const struct conf *)a); }":                                verdict.Violated,
		"int go(void) { return use(&kept); }":                                                        verdict.Violated,
		"int go(void) { return use(&outside); }":                                                     verdict.Violated,
		"int go(void) { return use(elsewhere()); }":                                                  verdict.Violated,
		"int go(void) { return use((struct conf *)&other); }":                                        verdict.Violated,
		"static void *const in[1] = { rx }; int go(void) { struct conf *c = in[0]; return use(c); }": verdict.Violated,
		"void go(struct conf *c) { c->at = kept.at; }":                                               verdict.Violated,
		"void go(struct conf *c) { c->at = kept.at & 7; }":                                           verdict.Proved,
		"void go(struct conf *c) { volatile struct conf *r = elsewhere(); c->at = r->at; }":          verdict.Violated,
		"void go(struct conf *c) { volatile struct conf *r = elsewhere(); c->at = r->at & 7; }":      verdict.Proved,
		"void go(struct conf *c) { struct conf *n = malloc(2); if (n) c->at = n->at; }":              verdict.Violated,
		"struct conf *go(void) { struct conf *n = malloc(2); if (n) n->x = 1; return n; }":           verdict.Violated,
		"struct conf *go(void) { struct conf *n = malloc(2); if (n) n->at = n->x = 1; return n; }":   verdict.Proved,
		"void go(struct conf *c, uint8_t v) { *back(&c->x) = v; }":                                   verdict.Violated,
	})
}

// deviceC: rx trusts what tx writes to a register, which is at REGISTERS.
const deviceC = `#include <stdint.h>
struct usart { volatile uint32_t SR, DR; };
struct handle { struct usart *instance; int state; };
static uint8_t map[128];
REGISTERS
`

// TestRangesOfRegisters: what is written to a register is not what it is read as.
func TestRangesOfRegisters(t *testing.T) {
	const through = "void tx(struct usart *u, uint8_t c) { u->DR = c & 0x7f; } " +
		"int use(struct usart *u) { return map[u->DR]; }"
	expectUse(t, deviceC, "REGISTERS", map[string]verdict.Status{
		through:                              verdict.Violated,
		"struct usart simulated; " + through: verdict.Proved,
		"static struct usart *const all[2] = { (void *)0x40000000, (void *)0x40000400 }; " + through: verdict.Violated,
		"void tx(uint8_t c) { struct usart *u = (void *)0x40000000; u->DR = c & 0x7f; } " +
			"int use(void) { struct usart *u = (void *)0x40000000; return map[u->DR]; }": verdict.Violated,
		"void tx(struct handle *h, uint8_t c) { h->instance->DR = c & 0x7f; } " +
			"int use(struct handle *h) { return map[h->instance->DR]; }": verdict.Violated,
	})
}
