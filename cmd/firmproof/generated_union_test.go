package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

const unionC = `#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
struct value { uint8_t type; union { bool flag; uint8_t byte; uint32_t word; struct { uint8_t kind; bool on; } in; } as; };
int flag_of(const struct value *v) { return v->type == 1 && v->as.flag; }
int inner_of(const struct value *v) { return v->type == 2 && v->as.in.on; }
int set_then(struct value *v, uint8_t x) { v->as.byte = x; return v->as.flag; }
int two_then(struct value *v) { v->as.word = 2; return v->as.flag; }
int copied(const struct value *v) { struct value w = *v; return w.as.flag; }
int local(uint32_t x) { struct value w; w.as.word = x; return w.as.flag; }
struct source { bool (*read)(void *, void *, size_t); bool (*fetch)(void *, void *, int); };
struct frame { uint8_t type, size; uint8_t body[4]; uint8_t end; };
static const int eight[8];
int before(struct source *s) {
  struct frame f = {.type = 3};
  s->read(s, &f.size, 1);
  return eight[f.type];
}
int exactly(struct source *s) {
  struct frame f = {.end = 3};
  s->read(s, f.body, sizeof f.body);
  return eight[f.end];
}
int last(struct source *s) {
  struct frame f = {.end = 3};
  s->read(s, f.body, sizeof f.body);
  return eight[f.body[3]];
}
int longer(struct source *s) {
  struct frame f = {.end = 3};
  s->read(s, f.body, 5);
  return eight[f.end];
}
int unsized(struct source *s) {
  struct frame f = {.end = 3};
  s->fetch(s, f.body, 4);
  return eight[f.end];
}
int somewhere(struct source *s, unsigned at, size_t n) {
  struct frame f = {.type = 3, .end = 7};
  if (at >= 4 || n > 4 - at) return 0;
  s->read(s, f.body + at, n);
  return eight[f.type] + eight[f.end] + eight[f.size];
}
int anywhere(struct source *s, unsigned at, size_t n) {
  struct frame f = {.type = 3, .end = 7};
  if (at >= 4) return 0;
  s->read(s, f.body + at, n);
  return eight[f.end];
}
`

// TestUnions: a truth value in a union that the harness made is one where it or a copy of it is read, unless the program
// stored another byte there. Any function changes what it is passed from the address on, and as many bytes as a size_t
// behind it says.
func TestUnions(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": unionC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	want := map[string]anyCall{
		"flag_of":   {verdict.Proved, "v.as.flag is 0 or 1 where it or a copy of it is read"},
		"inner_of":  {verdict.Proved, "v.as.in.on is 0 or 1 where it or a copy of it is read"},
		"set_then":  {verdict.Violated, "value is not valid for its type"},
		"two_then":  {verdict.Violated, "value is not valid for its type"},
		"copied":    {verdict.Proved, ""},
		"local":     {verdict.Violated, "value is not valid for its type"},
		"before":    {verdict.Proved, "s.read leads to any function"},
		"exactly":   {verdict.Proved, ""},
		"last":      {verdict.Violated, "array index"},
		"longer":    {verdict.Violated, "array index"},
		"unsized":   {verdict.Violated, "array index"},
		"somewhere": {verdict.Proved, ""},
		"anywhere":  {verdict.Violated, "array index"},
	}
	expectCalls(t, rep, errs, want, assumptionTexts)
}
