package main

import (
	"strings"
	"testing"
)

// TestWhyTargetsDiffer: a claim that targets disagree about is said with what of the
// machine makes the difference, in JSON and in text.
func TestWhyTargetsDiffer(t *testing.T) {
	src := `#include "firmproof.h"
void wide(void) { long l = firmproof_nondet_long(); firmproof_assume(l >= 0); firmproof_assert(l <= 0x7fffffffL, "fits"); }
void sign(void) { char c = (char)200; firmproof_assert(c > 0, "positive"); }
void order(void) { unsigned v = 1; firmproof_assert(*(unsigned char *)&v == 1, "first byte"); }
`
	dir := writeTree(t, map[string]string{"main.c": src,
		".firmproof.yml": "version: 1\ntargets: [cortex-m3, i386, x86_64, mips32-be]\nbuild: {sources: [main.c]}\nharnesses: [{entry: wide}, {entry: sign}, {entry: order}]\n"})
	code, rep, errs := checkJSON(t, dir)
	want := []string{
		"assert@wide#564024 (wide, main.c:2:79): violated on x86_64; proved on cortex-m3, i386, mips32-be; because of the width of long (8 bytes, not 4 bytes)",
		"assert@sign#2c23d5 (sign, main.c:3:39): violated on i386, x86_64, mips32-be; proved on cortex-m3; because of the sign of char (signed, not unsigned)",
		"assert@order#a5f840 (order, main.c:4:36): violated on mips32-be; proved on cortex-m3, i386, x86_64; the targets differ in byte order (big endian, not little endian)",
	}
	if code != 1 || strings.Join(rep.Differences, "\n") != strings.Join(want, "\n") {
		t.Errorf("exit %d, %s\n%s", code, strings.Join(rep.Differences, "\n"), errs)
	}
	if m := rep.Results[0].Machine; m == nil || m.Long != 4 || m.Char != "unsigned" || m.Endian != "little" {
		t.Errorf("machine %+v", m)
	}
}
