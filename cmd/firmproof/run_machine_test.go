package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestSimulationOfMachine: what lies at which address, and what may be done with it, is a part of the program: functions that
// make pointers of numbers change with it, others do not.
func TestSimulationOfMachine(t *testing.T) {
	const text = "#define AT ((volatile unsigned *)%s)\nstatic void put(volatile unsigned *p, unsigned v) {\n  p[1] = v;\n}\n" +
		"void go(unsigned v) {\n  put(AT, v);\n}\nint other(int x) {\n  return x;\n}\n"
	const table = "struct dev {\n  unsigned cr, sr;\n};\nstatic struct dev *const devs[] = {(struct dev *)%s};\n" +
		"void go(unsigned v) {\n  devs[0]->sr = v;\n}\nint other(int x) {\n  return x;\n}\n"
	const svd = "<device><name>X</name><addressUnitBits>8</addressUnitBits><width>32</width><size>32</size><access>read-write</access>" +
		"<peripherals><peripheral><name>DEV</name><baseAddress>0x40000000</baseAddress><addressBlock><offset>0</offset><size>256</size>" +
		"<usage>registers</usage></addressBlock><registers><register><name>CR</name><addressOffset>0</addressOffset></register>" +
		"<register><name>SR</name><addressOffset>4</addressOffset><access>read-%s</access></register></registers></peripheral></peripherals></device>"
	const script = "MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K\n RAM (rwx) : ORIGIN = 0x20000000, LENGTH = %s }\n" +
		"SECTIONS { .text : { *(.text*) } > FLASH\n .bss : { *(.bss*) } > RAM }\n"
	const project = "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [a.c]%s}\nfunctions: changed\n"
	plain := strings.ReplaceAll(text, "volatile ", "")
	for what, c := range map[string]struct{ file, good, bad, text, manifest, says string }{
		"registers": {"x.svd", fmt.Sprintf(svd, "write"), fmt.Sprintf(svd, "only"), fmt.Sprintf(text, "0x40000000"),
			fmt.Sprintf(project, ", svd: x.svd"), "which is read-only"},
		"memory by a table": {"a.ld", fmt.Sprintf(script, "8K"), fmt.Sprintf(script, "4K"), fmt.Sprintf(table, "0x20001000"),
			fmt.Sprintf(project, ", linker_script: a.ld"), "which is in no object"},
		"memory of a linker script": {"a.ld", fmt.Sprintf(script, "8K"), fmt.Sprintf(script, "4K"), fmt.Sprintf(plain, "0x20001000"),
			fmt.Sprintf(project, ", linker_script: a.ld"), "which is in no object"},
		"memory of the manifest": {"memory.yml", "", "", fmt.Sprintf(plain, "0x90000000"), fmt.Sprintf(project, "") +
			"memory_map: [{name: ext, base: 0x90000000, size: %s, access: ram}]\n", "which is in no object"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			good := map[string]string{"a.c": c.text, c.file: c.good, ".firmproof.yml": c.manifest}
			bad := map[string]string{c.file: c.bad}
			if c.good == "" {
				good[".firmproof.yml"], bad[".firmproof.yml"] = fmt.Sprintf(c.manifest, "64"), fmt.Sprintf(c.manifest, "4")
			}
			dir := changesFolder(t, good, bad, good)
			code, out := simulate(dir, "main~2..main~1")
			if wantAll(t, out, "1 new, 0 fixed, 0 known", c.says); code != exitViolated || strings.Contains(out, "other") {
				t.Errorf("exit %d: %s", code, out)
			}
			if code, out = simulate(dir, "main~1..main"); code != exitOK || !strings.Contains(out, "0 new, 1 fixed, 0 known") {
				t.Errorf("back: exit %d: %s", code, out)
			}
		})
	}
}

// TestSimulationOfNewTarget: on a target that the base does not have, every function changed.
func TestSimulationOfNewTarget(t *testing.T) {
	t.Parallel()
	const text = "int area(int a, int b) {\n  if (a < 0 || b < 0 || a > 255 || b > 255) return 0;\n  return a * b;\n}\n"
	const project = "version: 1\ntargets: [%s]\nbuild: {sources: [a.c]}\nfunctions: changed\n"
	dir := changesFolder(t, map[string]string{"a.c": text, ".firmproof.yml": fmt.Sprintf(project, "cortex-m3")},
		map[string]string{".firmproof.yml": fmt.Sprintf(project, "cortex-m3, avr")})
	code, out := simulate(dir, "main~1..main")
	if wantAll(t, out, "firmproof / cortex-m3: neutral", "nothing to check", "firmproof / avr: failure",
		"1 new, 0 fixed, 0 known", "signed multiplication overflows"); code != exitViolated {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestSimulationOfHandlers: how often handlers run changes what they interrupt. What has them run is none of the program's
// functions: it is neither looked at nor compared.
func TestSimulationOfHandlers(t *testing.T) {
	t.Parallel()
	const text = "volatile unsigned at;\nstatic int buf[2];\nint put(int v) {\n  at = 0;\n  buf[at] = v;\n  return 0;\n}\n" +
		"void tick(void) {\n  at++;\n}\n"
	const project = "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [a.c]}\nfunctions: changed\nreport: {behaviour: true}\n" +
		"interrupts: [{handler: tick, max: %d}]\n"
	dir := changesFolder(t, map[string]string{"a.c": text, ".firmproof.yml": fmt.Sprintf(project, 1)},
		map[string]string{".firmproof.yml": fmt.Sprintf(project, 3)})
	code, out := simulate(dir, "main~1..main")
	wantAll(t, out, "1 new, 0 fixed, 0 known", "array index 2 out of bounds")
	if code != exitViolated || strings.Contains(out, "firmproof_irq_") || strings.Contains(out, "Not looked at") {
		t.Errorf("exit %d: %s", code, out)
	}
}
