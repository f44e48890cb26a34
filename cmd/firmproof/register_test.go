package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestRegisterInCode: a write where the target has its code is often one to a register of another chip, which is said.
func TestRegisterInCode(t *testing.T) {
	for address, said := range map[string]bool{"0x01c20000": true, "0x20000000": false} {
		dir := writeTree(t, map[string]string{"src.c": "void set(void) { *(volatile unsigned *)" + address + " = 1; }\n"})
		var out bytes.Buffer
		runWith([]string{"check", filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--function", "set"}, &out, &out)
		if got := bytes.Contains(out.Bytes(), []byte("target cortex-m3 has read-only memory there")); got != said {
			t.Errorf("%s: %v\n%s", address, got, out.String())
		}
	}
}

// TestUndeclaredRegisters: what volatile code accesses at a constant address where the memory map has nothing may be a
// register: a condition, with the line that says so, and no finding. What is no volatile access, or near null, is one.
func TestUndeclaredRegisters(t *testing.T) {
	const code = `#include <stdint.h>
typedef struct { volatile uint32_t status, data; } uart;
#define UART ((uart *)0xd0013000u)
static uint8_t table[8];
void put(uint8_t c) { while (!(UART->status & 1)) ; UART->data = c; }
uint8_t get(void) { return table[UART->data & 7]; }
uint8_t past(void) { return table[UART->data & 15]; }
uint32_t plain(void) { return *(uint32_t *)0xd0020000u; }
uint32_t null(void) { return ((uart *)0)->data; }
void computed(uint32_t n) { *(volatile uint8_t *)(uintptr_t)(0xd0013000u + n) = 1; }
`
	dir := writeTree(t, map[string]string{"src.c": code})
	const condition = "a device has registers in 0xd0013000..0xd0013fff, where the memory map has nothing"
	for _, target := range []string{"cortex-m3", "riscv32", "mips32-be", "x86_64"} {
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", target, "--checks", "memory")
		want := map[string]anyCall{"put": {verdict.Conditional, condition}, "get": {verdict.Conditional, condition},
			"past": {verdict.Violated, ""}, "plain": {verdict.Violated, ""}, "null": {verdict.Violated, ""},
			"computed": {verdict.Violated, ""}}
		if target == "riscv32" { // its devices are anywhere
			for _, f := range []string{"put", "get"} {
				want[f] = anyCall{verdict.Proved, ""}
			}
			delete(want, "plain")
			delete(want, "computed")
		}
		rep.Results = slices.DeleteFunc(rep.Results, func(r verdict.Result) bool {
			_, asked := want[strings.TrimPrefix(r.Entry, "any call of ")]
			return !asked
		})
		expectCalls(t, rep, errs, want, assumptionTexts)
	}
	put(t, dir, ".firmproof.yml", "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [src.c]}\nfunctions: [put, get]\n"+
		"memory_map: [{name: regs, base: 0xd0013000, size: 0x1000, access: volatile}]\n")
	_, rep, errs := checkJSON(t, dir, "--checks", "memory")
	for i := range rep.Results {
		if r := &rep.Results[i]; r.Status != verdict.Proved {
			t.Errorf("%s, where the map has it, is %s\n%s", r.Entry, r.Status, errs)
		}
	}
	var out bytes.Buffer
	runWith([]string{"check", filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--function", "put"}, &out, &out)
	wantAll(t, out.String(), "memory_map: [{name: regs, base: 0xd0013000, size: 0x1000, access: volatile}]")
}
