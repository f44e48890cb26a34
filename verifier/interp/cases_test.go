package interp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// update: UPDATE=1 rewrites the expectations in testdata.
var update = os.Getenv("UPDATE") != ""

// caseLine is `//! entry(inputs) OPTIONS => outcome`. Inputs are decimal and go
// to parameters, nondet calls and volatile reads in the order of execution.
// Options: `off:CHECK`, `on:CHECK`, `mfail` (allocations fail), `target:NAME`.
var caseLine = regexp.MustCompile(`^//! (\w+)\(([-\d ,]*)\)((?: \S+:\S+| mfail)*) => ?(.*)$`)

// TestCases runs every case line of every program in testdata.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.c")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		modules := map[string]*ir.Module{}
		ran := 0
		for i, line := range lines {
			sub := caseLine.FindStringSubmatch(line)
			if sub == nil {
				if strings.HasPrefix(line, "//!") {
					t.Errorf("%s:%d: malformed case %q", path, i+1, line)
				}
				continue
			}
			ran++
			got := runCase(t, path, modules, sub)
			if update {
				lines[i] = strings.TrimRight(line[:strings.Index(line, "=>")+2]+" "+got, " ")
			} else if got != sub[4] {
				t.Errorf("%s:%d: %s(%s):\n got  %s\n want %s", path, i+1, sub[1], sub[2], got, sub[4])
			}
		}
		if ran == 0 {
			t.Errorf("%s: no cases", path)
		}
		if update {
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func runCase(t *testing.T, path string, modules map[string]*ir.Module, sub []string) string {
	t.Helper()
	target := "x86_64"
	checks := verdict.DefaultChecks()
	src := &testprogram.Inputs{Mallocs: true}
	for _, opt := range strings.Fields(sub[3]) {
		key, val, _ := strings.Cut(opt, ":")
		switch key {
		case "target":
			target = val
		case "off":
			delete(checks, verdict.Check(val))
		case "on":
			checks[verdict.Check(val)] = true
		case "mfail":
			src.Mallocs = false
		}
	}
	for _, w := range strings.FieldsFunc(sub[2], func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		src.List = append(src.List, n)
	}
	if modules[target] == nil {
		modules[target] = testprogram.File(t, path, target)
	}
	m := modules[target]
	out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func(sub[1]), Checks: checks,
		MaxSteps: 1_000_000}, src)
	if err != nil {
		t.Fatal(err)
	}
	s := out.String()
	if out.Ret.Width() > 0 {
		s += " " + out.Ret.Signed().String()
	}
	return s
}

func TestRecordedDisagrees(t *testing.T) {
	m := testprogram.File(t, "testdata/harness.c", "x86_64")
	r := input.NewRecorded([]input.Input{{Kind: input.VolatileRead, Value: bits.New(32, 1)}})
	out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func("two_inputs")}, r)
	if err != nil {
		t.Fatal(err)
	}
	if out.Kind != interp.InputMismatch || r.Err() == nil || !strings.Contains(out.Message, "nondet") {
		t.Errorf("got %v (%v), want an input mismatch that names nondet", out, r.Err())
	}
	call := out.Instr
	r = input.NewRecorded([]input.Input{{Kind: input.Nondet, Instr: call, Value: bits.New(8, 1)}})
	if out, _ = interp.Run(context.Background(), m, interp.Options{Entry: m.Func("two_inputs")},
		r); out.Kind != interp.InputMismatch {
		t.Errorf("got %v for an input of the wrong width", out)
	}
	if s := fmt.Sprint(r.Err()); !strings.Contains(s, "8 bits, not 32") {
		t.Errorf("got %q, want the widths", s)
	}
}

// TestRecorder: what one run was given makes another one like it.
func TestRecorder(t *testing.T) {
	m := testprogram.File(t, "testdata/control.c", "x86_64")
	opts := interp.Options{Entry: m.Func("volatiles")}
	rec := &input.Recorder{Source: &testprogram.Inputs{List: []int64{4, 5}}}
	first, err := interp.Run(context.Background(), m, opts, rec)
	if err != nil {
		t.Fatal(err)
	}
	again := input.NewRecorded(rec.Inputs)
	second, err := interp.Run(context.Background(), m, opts, again)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Inputs) != 2 || again.Rest() != 0 || again.Err() != nil || first.Ret != second.Ret ||
		first.Ret != bits.New(32, 453) {
		t.Errorf("%d inputs, %v then %v (%v)", len(rec.Inputs), first, second, again.Err())
	}
}

// TestRecorderOfMemory: what a run read of memory that nobody wrote makes another one like it, and only that is kept.
func TestRecorderOfMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "unwritten.c")
	src := `int f(void) { char a[2000], b[2000]; a[7] = 1; __builtin_memcpy(b + 600, a, 9);
		return a[900] + b[604] + b[607]; }`
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	m := testprogram.File(t, path, "x86_64")
	opts := interp.Options{Entry: m.Func("f"), Checks: verdict.CheckSet{verdict.Memory: true}}
	rec := &input.Recorder{Source: &testprogram.Inputs{}}
	first, err := interp.Run(context.Background(), m, opts, rec)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, in := range rec.Inputs {
		kept += len(in.Bytes)
	}
	if kept != 9 { // a[900], and eight of the nine that were copied
		t.Errorf("%d bytes are kept: %+v", kept, rec.Inputs)
	}
	again, err := interp.Run(context.Background(), m, opts, input.NewRecorded(rec.Inputs))
	if err != nil {
		t.Fatal(err)
	}
	without, err := interp.Run(context.Background(), m, opts, input.NewRecorded(nil))
	if err != nil {
		t.Fatal(err)
	}
	if first.Ret != bits.NewInt(32, 2*-91+1) || again.Ret != first.Ret || without.Ret != bits.New(32, 1) {
		t.Errorf("%v, then %v, and %v without what was kept", first.Ret, again.Ret, without.Ret)
	}
}
