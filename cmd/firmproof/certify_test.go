package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCertify: certificates of a project hold and say what is certified; what was changed in them is refused, and
// files that are missing, cut or of others are named.
func TestCertify(t *testing.T) {
	tree := writeTree(t, map[string]string{"a.c": `#include <assert.h>
unsigned nondet_uint(void);
void good(void) {
	unsigned n = nondet_uint() % 4, s = 0;
	for (unsigned i = 0; i < n; i++) s += 3;
	assert(s * s == 9 * n * n);
}
void bad(void) { unsigned n = nondet_uint(); assert(n * n != 1369); }
`})
	dir := filepath.Join(tree, "certificates")
	check := func(code int) (string, string) {
		var out, errs bytes.Buffer
		if got := runWith([]string{"verify-certificate", dir}, &out, &errs); got != code {
			t.Errorf("exit status %d, want %d\n%s%s", got, code, out.String(), errs.String())
		}
		return out.String(), errs.String()
	}
	var out, errs bytes.Buffer
	if code := runWith([]string{"check", "-q", "--checks", "assert", "--entry", "good", "--entry", "bad", "--certify",
		dir, "--timeout", timeNet, filepath.Join(tree, "a.c")}, &out, &errs); code != exitViolated {
		t.Fatalf("exit status %d\n%s", code, errs.String())
	}
	if !strings.Contains(errs.String(), "certificate of good on host: 1 of 1 answers certified") {
		t.Errorf("%s", errs.String())
	}
	text, _ := check(exitOK)
	for _, want := range []string{"good on host: program ", "  proved: assert@good#", "trusted: encoder, bit-blaster",
		"  violated: assert@bad#", "the interpreter executed", "2 entries: 2 of 2 answers certified"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		file string
		make func(text []byte) []byte
		code int
		want string
	}{
		{"host-bad/certificate.json", func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"kind": "nondet"`), []byte(`"kind": "volatile"`), 1)
		}, exitViolated, "bad on host: refused: assert@bad#"},
		{"host-good/proof-1", func([]byte) []byte { return nil }, exitUsage, "host-good/proof-1: the file is cut"},
		{"host-good/certificate.json", func(text []byte) []byte { return text[:len(text)/2] }, exitUsage,
			"certificate.json: the file is cut"},
		{"host-good/program", func(text []byte) []byte { return text[:len(text)/2] }, exitUsage,
			"host-good/program: ir:"},
		{"host-good/program", func([]byte) []byte {
			other, err := os.ReadFile(at("host-bad/program"))
			if err != nil {
				t.Fatal(err)
			}
			return other
		}, exitViolated, "good on host: refused: the program is not the one that the certificate names"},
		{"certificates.json", func([]byte) []byte { return []byte("{}") }, exitUsage, "format 0"},
		{"certificates.json", nil, exitUsage, "certificates.json: no such file"},
	} {
		before, err := os.ReadFile(at(c.file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(at(c.file)); err != nil {
			t.Fatal(err)
		}
		if c.make != nil {
			if err := os.WriteFile(at(c.file), c.make(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		text, message := check(c.code)
		if !strings.Contains(text+message, c.want) {
			t.Errorf("%s: no %q in\n%s%s", c.file, c.want, text, message)
		}
		if err := os.WriteFile(at(c.file), before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check(exitOK)
}
