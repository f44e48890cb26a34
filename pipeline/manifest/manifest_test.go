package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// whole uses every key.
const whole = `version: 1
targets: [cortex-m3, i386, x86_64, {name: board, extends: cortex-m4f, stack_size: 2K, defines: [BOARD]}]
build:
  sources: ["src/**/*.c", "!src/test/**"]
  include: [include]
  defines: [CONFIG_X=1]
  undefines: [DEBUG]
  cflags: [-fshort-enums]
  linker_script: ld/app.ld
harnesses:
  - entry: ring_push_harness
    file: proofs/ring_push.c
    unwind: 8
    unwindset: {ring_copy.0: 17, crc: 9}
    depth: 12
    checks: [default, termination, -shift]
    timeout: 2m
functions: changed
memory_map:
  - {name: uart0, base: 0x40001000, size: 0x100, access: volatile}
interrupts:
  - {handler: UART0_IRQHandler, max: 2}
assume: {put.data: 16 elements, "put.r.size": "1..16", put.buf: "8 bytes, aligned to 4 bytes", put.r: "64 bytes, may be null", "put.r, put.data": may alias, put.m: in pool, pool: one block}
stubs: {hal_read: nondet, hal_fill: havoc}
suppress:
  - {claim: "memory@ring_push#2", reason: "index is masked by hardware", until: 2027-01-01}
nightly: {at: "02:00", timeout: 30m, unwind: 64}
report: {annotate: changed-lines, fail_on: violation}
`

func TestWhole(t *testing.T) {
	m, err := Parse(".firmproof.yml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	h := m.Harnesses[0]
	if h.Unwind != 8 || h.Timeout != 2*time.Minute || len(h.Unwindset) != 2 ||
		h.Unwindset[0] != (LoopBound{"crc", -1, 9}) || h.Unwindset[1] != (LoopBound{"ring_copy", 0, 17}) ||
		h.Depth != 12 {
		t.Errorf("harness %+v", h)
	}
	if b, ok := m.Target("board"); !ok || b.StackSize != 2048 || b.CPU != "cortex-m4" || len(m.Targets) != 4 {
		t.Errorf("targets %+v", m.Targets)
	}
	if m.Functions != FunctionsChanged || m.MemoryMap[0].Base != 0x40001000 || m.Interrupts[0].Max != 2 ||
		m.Stubs[0].Func != "hal_fill" || m.Nightly.Hour != 2 || m.Report.FailOn != "violation" {
		t.Errorf("%+v", m)
	}
	if s := m.Suppress[0]; s.Until.Year() != 2027 || s.Claim != "memory@ring_push#2" {
		t.Errorf("%+v", s)
	}
	if len(m.Build.Sources) != 2 || m.Build.LinkerScript != "ld/app.ld" {
		t.Errorf("%+v", m.Build)
	}
}

func TestDefaults(t *testing.T) {
	m, err := Parse("f", []byte("version: 1\nbuild: {command: make}\n"))
	if err != nil || m.Targets[0].Name != "host" || m.Functions != FunctionsNone || m.Report.FailOn != "unknown" ||
		m.Nightly != nil {
		t.Errorf("%+v %v", m, err)
	}
}

// problems: the lines are added to a manifest that is right.
var problems = []struct{ lines, want string }{
	{"targest: [avr]\n", "f:4:1: unknown key `targest`, did you mean `targets`?"},
	{"include: [src]\n", "f:4:1: unknown key `include`, it belongs under `build`"},
	{"nightly: {at: \"02:00\", fail_on: unknown}\n", "unknown key `fail_on` in `nightly`, it belongs under `report`"},
	{"targets: [cortex_m3]\n", "f:4:11: unknown target `cortex_m3`, did you mean `cortex-m3`?"},
	{"targets: cortex-m3\n", "f:4:10: `targets` must be a list, not `cortex-m3`"},
	{"targets: []\n", "`targets` is empty"},
	{"targets: [avr, avr]\n", "target `avr` is given twice"},
	{"targets: [{name: b, extends: avr, stack_sise: 3}]\n",
		"f:4:35: unknown key `stack_sise` in `targets[0]`, did you mean `stack_size`?"},
	{"unchanged: [\"[\"]\n", "`[` is no name of a C function"},
	{"unchanged: {functions: [f]}\n", "f:4:12: `unchanged` needs the key `since`"},
	{"unchanged: {since: v1.0}\n", "f:4:12: `unchanged` needs the key `functions`"},
	{"unchanged: {since: -x, functions: [f]}\n", "f:4:20: `-x` is no name of a tag"},
	{"unchanged: {since: a..b, functions: [f]}\n", "`a..b` is no name of a tag"},
	{"unchanged: {tag: v1, functions: [f]}\n", "unknown key `tag` in `unchanged`"},
	{"functions: some\n", "`functions` cannot be `some`"},
	{"functions: [f, f]\n", "function `f` is given twice"},
	{"functions: [f()]\n", "`f()` is no name of a C function, write its name alone"},
	{"functions: [\"f (int)\"]\n", "`f (int)` is no name of a C function"},
	{"assume: {put: 16 elements}\n", "`put` names no argument of a function"},
	{"assume: {put.data: plenty}\n", "`plenty` says nothing about an argument"},
	{"assume: {put.data: may alias}\n", "`may alias` is said of two pointers or more, and nothing else is"},
	{"assume: {\"put.data, put.r\": 8 bytes}\n", "`may alias` is said of two pointers or more, and nothing else is"},
	{"assume: {put.data: one block}\n", "`put.data` names no argument of a function"},
	{"assume: {put.data: aligned to 3 bytes}\n", "`aligned to 3 bytes` says nothing about an argument"},
	{"assume: {put.data: 0 bytes}\n", "`0 bytes` says nothing about an argument"},
	{"stubs: {\"f*\": havoc}\n", "`f*` is no name of a C function"},
	{"functions: [all]\n", "`functions` must be one of none, changed, all, not a list"},
	{"memory_map: [{name: a, base: 0, size: 4, access: volatil}]\n", "did you mean `volatile`?"},
	{"volatile: keep\n", "did you mean `kept`?"},
	{"interrupts: [{handler: f, max: every}]\n", "`interrupts[0].max`"},
	{"interrupts: [{handler: f, max: 0}]\n", "`interrupts[0].max` is 0: it must be from 1 to 1000"},
	{"interrupts: [{handler: tick}, {handler: uart, preempts: [tock]}]\n",
		"`tock` is no handler of `interrupts`, did you mean `tick`?"},
	{"interrupts: [{handler: tick, preempts: uart}, {handler: uart, preempts: [tick]}]\n",
		"`tick` and `uart` would interrupt each other"},
	{"interrupts: [{handler: tick, preempts: [tick]}]\n", "`tick` and `tick` would interrupt each other"},
	{"interrupts: [{max: 1}]\n", "`interrupts[0]` needs the key `handler`"},
	{"stubs: {f: random}\n", "`stubs.f` cannot be `random`"},
	{"suppress: [{claim: x, reason: y}]\n", "`x` is no id of a claim"},
	{"suppress: [{claim: memory@f#1, reason: y, until: soon}]\n", "is no date"},
	{"suppress: [{claim: memory@f#1}]\n", "needs the key `reason`"},
	{"nightly: {at: 26:00}\n", "`nightly.at` "},
	{"nightly: {at: \"02:00\", timeout: 2}\n", "must be text, not the number 2, write it in quotes"},
	{"nightly: {at: \"02:00\", timeout: 2 days}\n", "`nightly.timeout` is no duration: `2 days`, write 90s"},
	{"nightly: {at: \"02:00\", timeout: 48h}\n", "at most 24h"},
	{"report: {fail_on: never}\n", "`report.fail_on` cannot be `never`"},
	{"report: {fail_on: [violation, vacuos]}\n", "did you mean `vacuous`?"},
	{"report: {failon: violation}\n", "unknown key `failon` in `report`, did you mean `fail_on`?"},
	{"build: {command: make}\n", "key `build` is given twice, first on line 2"},
}

func TestProblems(t *testing.T) {
	base := "version: 1\nbuild: {sources: [a.c]}\nharnesses: [{entry: main}]\n"
	for _, c := range problems {
		expectProblem(t, base+c.lines, c.want)
	}
	for _, c := range []struct{ text, want string }{
		{"build: {sources: [a.c]}\nfunctions: all\n", "needs the key `version`"},
		{"version: 2\nbuild: {sources: [a.c]}\nfunctions: all\n", "f:1:10: version 2 of the manifest is not known"},
		{"version: \"1\"\nbuild: {sources: [a.c]}\nfunctions: all\n", "`version` must be a whole number"},
		{"version: 1\nfunctions: all\n", "nothing to build"},
		{"version: 1\nfunctions: all\nbuild: {sources: [a.c], command: make}\n",
			"`build` has both `command` and `sources`"},
		{"version: 1\nfunctions: all\nbuild: {sources: [../a.c]}\n", "leaves the repository"},
		{"version: 1\nfunctions: all\nbuild: {sources: [/etc/passwd]}\n", "is absolute"},
		{"version: 1\nfunctions: all\nbuild: {sources: [\"a[\"]}\n", "is no pattern"},
		{"version: 1\nfunctions: all\nbuild: {sources: [a.c], defines: [1X]}\n", "`1X` is no macro definition"},
		{"version: 1\nfunctions: all\nbuild: {compile_commands: ../x.json}\n", "leaves the repository"},
		{"version: 1\nharnesses: [{entry: f, file: a.c, unwind: 0}]\n", "`harnesses[0].unwind` is 0"},
		{"version: 1\nharnesses: [{entry: f(), file: a.c}]\n", "no name of a C function"},
		{"version: 1\nharnesses: [{entry: f, file: a.c, checks: [memroy]}]\n",
			"unknown check `memroy`, did you mean `memory`?"},
		{"version: 1\nharnesses: [{entry: f, file: a.c, unwindset: {f.x: 3}}]\n", "`f.x` names no loop"},
		{"version: 1\nharnesses: [{entry: f, file: a.c, unwindset: {f.0: -3}}]\n", "it must be from 1"},
		{"version: 1\nharnesses: [{entry: f, file: a.c}, {entry: f}]\n", "entry `f` is given twice, first on line 2"},
		{"", "f: the file is empty"},
		{"version: 1\n\tbuild: x\n", "this is no YAML"},
	} {
		expectProblem(t, c.text, c.want)
	}
}

func expectProblem(t *testing.T, text, want string) {
	t.Helper()
	_, err := Parse("f", []byte(text))
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
		t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
	}
}

// TestAllAtOnce: one run shows every mistake, in order.
func TestAllAtOnce(t *testing.T) {
	_, err := Parse("f", []byte(
		"version: 1\ntargets: [arv]\nbuild: {sorces: [a.c]}\nharnesses: [{entri: f}]\nreport: 3\n"))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "f:2:") || !strings.HasPrefix(lines[4], "f:5:") {
		t.Errorf("got %d problems:\n%v", len(lines), err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	var nf *NotFoundError
	if _, err := Read(dir); !errors.As(err, &nf) || !strings.Contains(err.Error(), "firmproof init") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "firmproof.yaml"), []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "rename it to .firmproof.yml") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, Name), []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	if m, err := Read(dir); err != nil || m.Path != filepath.Join(dir, Name) {
		t.Error(m, err)
	}
}

// TestPulls: which changes are verified: later patterns win, and the first one, where it leaves out, leaves out of all.
func TestPulls(t *testing.T) {
	for _, c := range []struct {
		paths, changed string
		want           bool
	}{{"", "docs/a.md", true}, {"src/**", "docs/a.md", false}, {"src/**", "docs/a.md src/deep/a.c", true},
		{"src/** !src/**/*.md", "src/deep/a.md", false}, {"!docs/**", "docs/a.md", false}, {"!docs/**", "docs/a.md main.c", true},
		{"src/**", ".firmproof.yml", true}} {
		p := Pulls{Paths: strings.Fields(c.paths)}
		if got := p.Concern(strings.Fields(c.changed)); got != c.want {
			t.Errorf("%s of %s: %v", c.changed, c.paths, got)
		}
	}
}
