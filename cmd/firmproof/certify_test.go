package main

import (
	"bytes"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/testprogram"
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

// TestCertifySeveralTurns: a proof by induction over four turns is certified, and none over another number.
func TestCertifySeveralTurns(t *testing.T) {
	tree := writeTree(t, map[string]string{"a.c": `#include <assert.h>
unsigned nondet_uint(void);
void delay(void) {
	unsigned t = 0, a = 0, b = 0, c = 0;
	for (;;) {
		assert(t < 3 || c + 3 == t);
		c = b; b = a; a = t++;
		if (t > 100000 || nondet_uint()) t = 0;
	}
}
`})
	dir := filepath.Join(tree, "certificates")
	var out, errs bytes.Buffer
	if code := runWith([]string{"check", "-q", "--checks", "assert", "--entry", "delay", "--certify", dir, "--timeout",
		timeNet, filepath.Join(tree, "a.c")}, &out, &errs); code != exitOK {
		t.Fatalf("exit status %d\n%s", code, errs.String())
	}
	file := filepath.Join(dir, "host-delay/certificate.json")
	right, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(right, []byte(`"turns": 4`)) {
		t.Fatalf("no proof over four turns: %v\n%s", err, right)
	}
	for turns, want := range map[string]int{"4": exitOK, "2": exitViolated, "3": exitViolated, "99": exitViolated,
		"-1": exitViolated} {
		text := bytes.Replace(right, []byte(`"turns": 4`), []byte(`"turns": `+turns), 1)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if code := runWith([]string{"verify-certificate", dir}, &out, &errs); code != want {
			t.Errorf("over %s turns: exit status %d, want %d\n%s%s", turns, code, want, out.String(), errs.String())
		}
	}
}

// TestCertifyGuesses: runs of a generated harness end, whatever guess or limit the claims on their way rest on: what is
// conditional or bounded for these is proved of the harness.
func TestCertifyGuesses(t *testing.T) {
	tree := writeTree(t, map[string]string{"a.c": `
void fill(unsigned char *b, unsigned k) { for (unsigned i = 0; i < 8; i++) b[i] = (unsigned char)k; }
int sum(const signed char *b, int n) {
	int s = 0;
	if (n > 3) return -1;
	for (int i = 0; i < n; i++) s += b[i];
	return s;
}
unsigned length(const char *s) { unsigned n = 0; while (s[n]) n++; return n; }
`})
	var answers, with atomic.Int64
	certifyAndVerify(t, []string{filepath.Join(tree, "a.c")}, &answers, &with)
	if answers.Load() < 50 || with.Load() != answers.Load() {
		t.Errorf("%d of %d answers certified", with.Load(), answers.Load())
	}
}

// TestCertifyCorpus certifies a twentieth of testdata/check (a tenth: `make long`) and the small examples: no
// certificate is refused, and 19 of 20 answers have one.
func TestCertifyCorpus(t *testing.T) {
	cases, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(cases) < 100 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	examples, err := filepath.Glob("../../examples/small/*.c")
	if err != nil || len(examples) < 5 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	var answers, with atomic.Int64
	t.Run("case", func(t *testing.T) {
		for _, file := range cases {
			name := filepath.Base(file)
			// of a name: another case takes no place of these
			if crc32.ChecksumIEEE([]byte(name))%testprogram.Sample[uint32](10, 20) != 3 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				flags, what := unpacked(t, file)
				certifyAndVerify(t, append(flags, what), &answers, &with)
			})
		}
		for _, file := range examples {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				certifyAndVerify(t, []string{file}, &answers, &with)
			})
		}
	})
	if answers.Load() < 1000 || with.Load()*20 < answers.Load()*19 {
		t.Errorf("%d of %d answers certified", with.Load(), answers.Load())
	}
}

// unpacked writes a case into a folder, and returns its flags and what is to be checked.
func unpacked(t *testing.T, path string) (flags []string, what string) {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	what = filepath.Join(dir, "main.c")
	for _, f := range a.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Name, "main.") {
			what = filepath.Join(dir, f.Name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, manifest.Name)); err == nil {
		what = dir
	}
	flags, _ = header(t, string(a.Comment))
	return flags, what
}

var certifiedLine = regexp.MustCompile(`: ([0-9]+) of ([0-9]+) answers certified. Trusted`)

// certifyAndVerify checks with certificates, verifies these, and counts the answers and those with a certificate.
func certifyAndVerify(t *testing.T, args []string, answers, with *atomic.Int64) {
	t.Helper()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := runWith(append([]string{"check", "-q", "--timeout", timeNet, "--certify", dir}, args...), &out, &errs)
	if code == exitUsage || code == exitInternal {
		t.Fatalf("exit status %d\n%s", code, errs.String())
	}
	out.Reset()
	if code := runWith([]string{"verify-certificate", dir}, &out, &errs); code != exitOK {
		t.Fatalf("exit status %d\n%s%s", code, out.String(), errs.String())
	}
	n := certifiedLine.FindStringSubmatch(out.String())
	if n == nil {
		t.Fatalf("no count in\n%s", out.String())
	}
	for i, sum := range []*atomic.Int64{with, answers} {
		k, err := strconv.Atoi(n[i+1])
		if err != nil {
			t.Fatal(err)
		}
		sum.Add(int64(k))
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.Contains(line, "not certified") {
			t.Logf("%.200s", line)
		}
	}
}
