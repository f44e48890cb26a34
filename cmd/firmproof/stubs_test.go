package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// writeTree writes files below a new folder.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// checkJSON runs `firmproof check --format json` with args.
func checkJSON(t *testing.T, args ...string) (int, *verdict.Report, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := runWith(append([]string{"check", "--format", "json", "--timeout", timeNet}, args...), &out, &errs)
	rep := &verdict.Report{}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), rep); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
	}
	return code, rep, errs.String()
}

const stubbed = `
struct frame { int len; unsigned char data[4]; };
int hal_read(struct frame *to);
int checked(int x) { return x == 7; }
void entry(void) {
	struct frame f = {1, {0}};
	int r = hal_read(&f);
	__CPROVER_assert(f.len == 1, "length");
	__CPROVER_assert(r == 0, "result");
	__CPROVER_assert(checked(3) == 0, "checked");
}
`

// TestStubs: what a stub leaves alone is proved, what it may change is violated
// with a confirmed replay, and the report says what was assumed.
func TestStubs(t *testing.T) {
	manifest := func(stubs string) string {
		return "version: 1\ntargets: [x86_64]\nbuild: {sources: [main.c]}\nharnesses: [{entry: entry}]\nstubs: " +
			stubs + "\n"
	}
	for _, c := range []struct {
		stubs, violated string
		code            int
		assumed         string
	}{
		{"{hal_read: nondet}", "result", 1, "hal_read is stubbed: any result, no effect"},
		{"{hal_read: havoc}", "length, result", 1, "hal_read is stubbed: any result, and any value in"},
		{"{hal_read: nondet, checked: nondet}", "result, checked", 1, "checked is stubbed"},
	} {
		dir := writeTree(t, map[string]string{"main.c": stubbed, ".firmproof.yml": manifest(c.stubs)})
		code, rep, errs := checkJSON(t, dir)
		var got []string
		for _, cl := range rep.Results[0].Claims {
			if cl.Status == verdict.Violated && cl.Replay == verdict.Confirmed {
				_, what, _ := strings.Cut(cl.Message, ": ")
				got = append(got, what)
			} else if cl.Status == verdict.Violated || cl.Status == verdict.Unknown && !cl.IsShadowed() {
				t.Errorf("%s: %s is %s: %v", c.stubs, cl.Message, cl.Status, cl.Reason)
			}
		}
		if strings.Join(got, ", ") != c.violated || code != c.code {
			t.Errorf("%s: violated %q, exit %d, want %q\n%s", c.stubs, got, code, c.violated, errs)
		}
		if a := strings.Join(verdict.TextsOf(rep.Results[0].Assumptions), "\n"); !strings.Contains(a, c.assumed) {
			t.Errorf("%s: assumptions %q", c.stubs, a)
		}
	}
	dir := writeTree(t, map[string]string{"main.c": stubbed, ".firmproof.yml": manifest("{hal_raed: nondet}")})
	code, rep, errs := checkJSON(t, dir)
	if w := strings.Join(rep.Results[0].Warnings, "\n"); code != 3 || !strings.Contains(w, `did you mean "hal_read"?`) {
		t.Errorf("unknown stub: exit %d, %s\n%s", code, errs, w)
	}
}

// TestMissingBodies: functions without a body are one line with what to write; what is pasted from
// it decides the rest under an assumption that every format shows. Variables without a definition are named.
func TestMissingBodies(t *testing.T) {
	const program = `
struct frame { int len; };
extern int level;
int hal_read(struct frame *to);
int hal_write(const struct frame *from);
int elsewhere(void);
int unrelated(void) { return elsewhere(); }
void entry(void) {
	struct frame f = {1};
	int kept = 3;
	if (hal_read(&f) == 0 && level) hal_write(&f);
	__CPROVER_assert(kept == 3, "kept");
}
`
	dir := writeTree(t, map[string]string{"main.c": program, ".firmproof.yml": "version: 1\ntargets: [x86_64]\n" +
		"build: {sources: [main.c]}\nharnesses: [{entry: entry}]\n"})
	code, rep, _ := checkJSON(t, dir)
	w := strings.Join(rep.Results[0].Warnings, "\n")
	if code != exitUnknown || strings.Contains(w, "elsewhere") {
		t.Errorf("exit %d: %s", code, w)
	}
	wantAll(t, w, "2 functions have no body: hal_read, hal_write", "`stubs: {hal_read: havoc, hal_write: havoc}`",
		"1 variable has no definition in the program, and so any value: level")
	for _, args := range [][]string{{"--stub", "*"}, {"--stub", "hal_read", "--stub", "hal_write=nondet"}} {
		if code, rep, errs := checkJSON(t, append([]string{dir}, args...)...); code != exitOK {
			t.Errorf("%v: exit %d: %s %v", args, code, errs, rep.Results[0].Warnings)
		}
	}
	for _, format := range []string{"text", "json", "html", "md", "sarif", "junit"} {
		var out bytes.Buffer
		runWith([]string{"check", dir, "--stub", "*=havoc", "--format", format}, &out, &out)
		if !strings.Contains(out.String(), "2 functions have no body: a call gives any result") {
			t.Errorf("%s does not say what was assumed:\n%s", format, out.String())
		}
	}
	if code, _, errs := checkJSON(t, dir, "--stub", "hal_read=any"); code != exitUsage ||
		!strings.Contains(errs, "FUNC=havoc") {
		t.Errorf("wrong kind: exit %d, %s", code, errs)
	}
}

// TestStubsThatDoNotReturn: behind a call of a function that is declared not to return no run goes on, and
// that it is reached is no violation.
func TestStubsThatDoNotReturn(t *testing.T) {
	dir := writeTree(t, map[string]string{"main.c": `
_Noreturn void panic(const char *why);
int read_adc(int channel);
int main(void) { int x = read_adc(3); if (x > 1000) panic("too large"); __CPROVER_assert(x <= 1000, "small"); return 0; }
`})
	file := filepath.Join(dir, "main.c")
	for _, c := range []struct {
		stubs []string
		want  string
	}{
		{[]string{"--stub", "*=havoc"},
			"1 function has no body, declared not to return: a call ends the program: panic"},
		{[]string{"--stub", "panic", "--stub", "read_adc"}, "panic is stubbed: ends the program"},
	} {
		code, rep, errs := checkJSON(t, append(c.stubs, file)...)
		if code != 0 {
			t.Fatalf("%v: exit %d\n%s", c.stubs, code, errs)
		}
		if said := strings.Join(verdict.TextsOf(rep.Results[0].Assumptions), "\n"); !strings.Contains(said, c.want) {
			t.Errorf("%v: assumed %q, want %q", c.stubs, said, c.want)
		}
	}
}
