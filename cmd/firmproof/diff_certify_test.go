package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiffCertify: what shows that functions are the same is certified, that of callees too, and holds without the engines;
// the certificate of one program is none of another one. What differs has no certificate.
func TestDiffCertify(t *testing.T) {
	dir := t.TempDir()
	const old = "unsigned scale(unsigned x) { return x * 8; }\n" +
		"unsigned sum(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += scale(i); return s; }\n" +
		"struct s { unsigned n; unsigned char b[4]; };\nvoid put(struct s *s) { if (s->n < 4) s->b[s->n++ & 3] = 1; }\n" +
		"unsigned short crc(unsigned short c) {\n  for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xa001 : c >> 1;\n  return c;\n}\n" +
		"int part(int a, int b) { return a / b; }\nint limit(int a) { return a > 9 ? 9 : a; }\n"
	put(t, dir, "old.c", old)
	put(t, dir, "new.c", strings.NewReplacer("x * 8", "x << 3", "s += scale", "s = s + scale", "& 3", "% 4", "return a / b;",
		"int q = a / b; return q;", "a > 9", "a > 8 + 2", "c & 1 ?", "c % 2 ?").Replace(old))
	certs := filepath.Join(dir, "certs")
	run := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if got := runWith(args, &out, &out); got != want {
			t.Fatalf("%v: exit %d: %s", args, got, out.String())
		}
		return out.String()
	}
	run(exitViolated, "diff", filepath.Join(dir, "old.c"), filepath.Join(dir, "new.c"), "--target", "cortex-m3", "--certify", certs)
	out := run(exitOK, "verify-certificate", certs)
	wantAll(t, out, "put on cortex-m3", "firmproof.call.part on cortex-m3", "firmproof.call.crc on cortex-m3", "scale on cortex-m3", "sum on cortex-m3",
		"inductive invariants")
	if strings.Contains(out, "limit") || strings.Contains(out, "not certified") {
		t.Error(out)
	}
	folders, err := filepath.Glob(filepath.Join(certs, "*both_versions", "program"))
	if err != nil || len(folders) < 3 {
		t.Fatalf("%v, %v", folders, err)
	}
	other, err := os.ReadFile(folders[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folders[0], other, 0o644); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if got := runWith([]string{"verify-certificate", certs}, &said, &said); got == exitOK {
		t.Errorf("a program that is another one is accepted: %s", said.String())
	}
}

// TestDiffCertifyTargets: likewise on two targets.
func TestDiffCertifyTargets(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.c", "unsigned char low(unsigned short x) { return x & 255; }\n")
	var out bytes.Buffer
	if got := runWith([]string{"diff", "--targets", "cortex-m3,avr", filepath.Join(dir, "a.c"), "--certify", dir}, &out, &out); got != exitOK {
		t.Fatalf("exit %d: %s", got, out.String())
	}
	out.Reset()
	if got := runWith([]string{"verify-certificate", dir}, &out, &out); got != exitOK || !strings.Contains(out.String(), "1 entries: ") {
		t.Errorf("exit %d: %s", got, out.String())
	}
}
