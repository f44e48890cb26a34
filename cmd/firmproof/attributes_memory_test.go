package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// mapRegion is a line of the memory map of the manifests here.
type mapRegion struct {
	name, access string
	base, size   uint64
}

// mapRegions lie where the target has nothing.
var mapRegions = []mapRegion{
	{"flash", "rom", 0x90000000, 0x100},
	{"ram", "ram", 0xa0000000, 0x400},
	{"registers", "volatile", 0xb0000000, 0x40},
	{"status", "rom", 0xb0000040, 0x10},
}

// allowed reports whether n bytes at an address may be read, or written, as the map says.
func allowed(at, n uint64, write bool) bool {
	for _, m := range mapRegions {
		if at >= m.base && at+n <= m.base+m.size {
			return !write || m.access != "rom"
		}
	}
	return false
}

// memoryMap asks whether single accesses by address are allowed, and what reads give: memory keeps what was written,
// byte by byte, and a register gives any value each time.
func (a *attributes) memoryMap(t *testing.T, seed int64) {
	t.Helper()
	r := a.r
	var b strings.Builder
	b.WriteString("#include \"firmproof.h\"\n#include <stdint.h>\nvoid check(void) {\n")
	want := map[int]verdict.Status{} // by line, of memory or of assert
	line := 4
	put := func(status verdict.Status, format string, args ...any) {
		fmt.Fprintf(&b, " "+format+"\n", args...)
		want[line] = status
		line++
	}
	memory := map[uint64]byte{}
	for i := range 6 {
		bits := []int{8, 16, 32, 64}[r.Intn(4)]
		n := uint64(bits / 8)
		m := mapRegions[r.Intn(len(mapRegions))]
		ty := fmt.Sprintf("%suint%d_t", []string{"", "volatile "}[r.Intn(2)], bits)
		switch r.Intn(3) {
		case 0: // an access near an end of a region, under a condition that some runs do not meet
			at := m.base + uint64(r.Intn(3)-1)*n
			if r.Intn(2) == 0 {
				at = m.base + m.size + uint64(r.Intn(3)-2)*n
			}
			write := r.Intn(2) == 0
			status := verdict.Proved
			if !allowed(at, n, write) {
				status = verdict.Violated
			}
			if write {
				put(status, "if (firmproof_nondet_bool()) { *(%s *)0x%xu = %d; return; }", ty, at, i)
			} else {
				put(status, "if (firmproof_nondet_bool()) { %s x = *(%s *)0x%xu; return; }", ty, ty, at)
			}
		case 1: // a word of memory, and a part of it
			at := mapRegions[1].base + uint64(r.Intn(8))*n
			v := r.Uint64() >> (64 - bits)
			for k := range n {
				memory[at+k] = byte(v >> (8 * k))
			}
			put(verdict.Proved, "*(uint%d_t *)0x%xu = 0x%xull;", bits, at, v)
			at += uint64(r.Intn(int(n)))
			v = uint64(memory[at])
			if r.Intn(2) == 0 {
				put(verdict.Proved, "firmproof_assert(*(uint8_t *)0x%xu == %d, \"\");", at, v)
			} else {
				put(verdict.Violated,
					"if (firmproof_nondet_bool()) { firmproof_assert(*(uint8_t *)0x%xu != %d, \"\"); return; }", at, v)
			}
		default: // a register that is read twice, and bytes that were written before
			at := mapRegions[2].base + uint64(r.Intn(8))*n
			put(verdict.Proved, "uint%d_t r%d = *(volatile uint%d_t *)0x%xu;", bits, i, bits, at)
			put(verdict.Violated,
				"if (firmproof_nondet_bool()) { firmproof_assert(*(volatile uint%d_t *)0x%xu == r%d, \"\"); return; }",
				bits, at, i)
			if old := slices.Sorted(maps.Keys(memory)); len(old) > 0 {
				at := old[r.Intn(len(old))]
				put(verdict.Proved, "firmproof_assert(*(uint8_t *)0x%xu == %d, \"\");", at, memory[at])
			}
		}
	}
	b.WriteString("}\n")
	manifest := "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [main.c]}\nmemory_map:\n"
	for _, m := range mapRegions {
		manifest += fmt.Sprintf("  - {name: %s, base: 0x%x, size: 0x%x, access: %s}\n", m.name, m.base, m.size,
			m.access)
	}
	manifest += "harnesses: [{entry: check, checks: [assert, memory]}]\n"
	_, rep, errs := checkJSON(t, writeTree(t, map[string]string{".firmproof.yml": manifest, "main.c": b.String()}))
	got := map[int]verdict.Status{}
	for i := range rep.Results {
		for _, c := range rep.Results[i].Claims {
			if got[c.Pos.Line] != verdict.Violated { // a line is as bad as its worst claim
				if got[c.Pos.Line] == 0 || c.Status != verdict.Proved {
					got[c.Pos.Line] = c.Status
				}
			}
		}
	}
	for l, status := range want {
		a.answer(t, fmt.Sprintf("memory seed %d line %d\n%s%s", seed, l, b.String(), errs), status, got[l])
	}
}
