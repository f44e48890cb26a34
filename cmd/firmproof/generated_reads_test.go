package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestGeneratedReads: a pointer to a function of the form of fgets leads to any function that reads a text: it ends, and
// within what it was asked for, and its result is its first argument or null. One of another form changes any bytes.
func TestGeneratedReads(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": `#include <string.h>
typedef char *(*reader)(char *, int, void *);
typedef int (*other)(char *, int, void *);
typedef char *(*finder)(char *, int);
int ends(reader read, void *from) { char line[16]; return read(line, 16, from) ? (int)strlen(line) + line[0] : 0; }
int runs_on(other read, void *from) { char line[16]; return read(line, 16, from) ? (int)strlen(line) + line[0] : 0; }
int finds(finder find, int c) { char line[16]; return find(line, c) ? (int)strlen(line) : 0; }
int asks_for_more(reader read, void *from) { char line[16]; return read(line, 17, from) ? (int)strlen(line) + line[0] : 0; }
int may_be_null(reader read, void *from) { char line[16]; return *read(line, 16, from); }
int is_as_long(reader read, void *from) { char line[16]; return read(line, 16, from) ? "0123456789abcd"[strlen(line)] : 0; }
int is_no_longer(reader read, void *from) { char line[16]; return read(line, 15, from) ? "0123456789abcd"[strlen(line)] : 0; }
int is_its_argument(reader read, void *from) { char line[16]; char *at = read(line + 4, 4, from); return at ? at[11] : 0; }
int is_no_more(reader read, void *from) { char line[16]; char *at = read(line + 4, 4, from); return at ? at[12] : 0; }
`})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--checks", "memory")
	const reads = "read leads to any function that reads a text as fgets does"
	expectCalls(t, rep, errs, map[string]anyCall{
		"ends":            {verdict.Conditional, reads},
		"runs_on":         {verdict.Violated, "of 'line'"},
		"finds":           {verdict.Violated, "of 'line'"},
		"asks_for_more":   {verdict.Violated, "of 'line'"},
		"may_be_null":     {verdict.Violated, "null"},
		"is_as_long":      {verdict.Violated, "15"},
		"is_no_longer":    {verdict.Conditional, reads},
		"is_its_argument": {verdict.Conditional, reads},
		"is_no_more":      {verdict.Violated, "of 'line'"},
	}, assumptionTexts)
}
