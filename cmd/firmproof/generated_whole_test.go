package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestWholeStructures: a structure is one where the function gets at its members alone, so that what goes past the arrays
// in it is a finding; it may be more where the function goes on from it. What is freed is freed whatever its size.
func TestWholeStructures(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": `#include <stdlib.h>
#include <string.h>
struct two { int k; char name[16]; };
struct open { int k; char name[1]; };
struct node { int k; struct node *next; };
void cleared(struct two *c, unsigned n) { if (n <= 16) memset(c->name, 0, n); }
void cleared_over(struct two *c, unsigned n) { if (n <= 17) memset(c->name, 0, n); }
void indexed(struct two *c, unsigned n) { char *p = c->name; if (n < 16) p[n] = 0; }
void indexed_over(struct two *c, unsigned n) { char *p = c->name; if (n <= 16) p[n] = 0; }
void walked(struct two *c) { for (char *p = c->name; p < c->name + 16; p++) *p = 0; }
void walked_over(struct two *c) { for (char *p = c->name; p <= c->name + 16; p++) *p = 0; }
void named(struct two *c, const char *s) { strncpy(c->name, s, sizeof c->name); }
void named_over(struct two *c, const char *s) { strcpy(c->name, s); }
void behind(struct two *c, unsigned k) { char *p = (char *)(c + 1); if (k < 16) p[k] = 0; }
void last(struct open *c, unsigned k) { char *p = c->name; if (k < 16) p[k] = 0; }
void released(struct node *p) { free(p); }
void released_twice(struct node *p) { free(p); free(p); }
int next(struct node *p) { struct node *q = p->next; free(p); return q ? q->k : 0; }
int next_over(struct node *p) { free(p); return p->k; }
`})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--checks", "memory,free")
	expectCalls(t, rep, errs, map[string]anyCall{
		"cleared":        {verdict.Proved, "c leads to one struct two"},
		"cleared_over":   {verdict.Violated, "write of 17 bytes at offset 4"},
		"indexed":        {verdict.Proved, "c leads to one struct two"},
		"indexed_over":   {verdict.Violated, "where `c->name[16]` would be"},
		"walked":         {verdict.Proved, "c leads to one struct two"},
		"walked_over":    {verdict.Violated, "where `c->name[16]` would be"},
		"named":          {verdict.Bounded, "c leads to one struct two"},
		"named_over":     {verdict.Violated, "where `c->name[16]` would be"},
		"behind":         {verdict.Unknown, "how much c leads to is a guess"},
		"last":           {verdict.Unknown, "how much c leads to is a guess"},
		"released":       {verdict.Proved, "p leads to one struct node"},
		"released_twice": {verdict.Violated, "freed again"},
		"next":           {verdict.Proved, "p leads to one struct node"},
		"next_over":      {verdict.Violated, "after free"},
	}, assumptionTexts)
}

// TestStringsEnd: a string ends where its block does, so that what reads on behind its zero is found. Characters that are
// read in any case are there.
func TestStringsEnd(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": `
unsigned length(const char *s) { unsigned n = 0; while (s[n]) n++; return n; }
unsigned length_over(const char *s) { unsigned n = 0; do n++; while (s[n]); return n; }
int value(const char *s) { while (*s && *s != '=') s++; return *s ? s[1] : 0; }
int value_over(const char *s) { while (*s && *s != '=') s++; return s[1]; }
int word(const char *p) { return p[0] << 8 | p[1]; }
`})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--checks", "memory")
	expectCalls(t, rep, errs, map[string]anyCall{
		"length":      {verdict.Bounded, "s leads to a string of at most 15 characters"},
		"length_over": {verdict.Violated, "read of 1 byte at offset 1 of what 's' leads to (1 byte)"},
		"value":       {verdict.Bounded, "s leads to a string of at most 15 characters"},
		"value_over":  {verdict.Violated, "of what 's' leads to"},
		"word":        {verdict.Bounded, "p leads to a string of 1 to 15 characters"},
	}, assumptionTexts)
}
