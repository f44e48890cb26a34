package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// jobProject has two modules, a shared helper and a harness for each; `broken` is violated.
var jobProject = map[string]string{
	".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [\"*.c\"]}\nharnesses:\n  - {entry: ring_harness}\n  - {entry: crc_harness, unwind: 9}\n  - {entry: broken}\n" +
		"  - {entry: odd}\nsuppress:\n  - {claim: \"assert@odd#1\", reason: known}\n",
	"ring.c": `#include "firmproof.h"
static unsigned char buf[8];
static const char *name = "ring";
int limit(int n) {
  return n < 0 ? 0 : n > 7 ? 7 : n;
}
void ring_harness(void) {
  buf[limit(firmproof_nondet_int())] = (unsigned char)name[0];
}
void broken(void) {
  int i = firmproof_nondet_int();
  if (i >= 0 && i <= 8) buf[i] = 1;
}
`,
	"crc.c": `#include "firmproof.h"
#include <assert.h>
int limit(int n);
static unsigned crc(unsigned n) {
  unsigned c = 1;
  for (unsigned i = 0; i < n; i++) c = c * 2 ^ i;
  return c;
}
void crc_harness(void) {
  unsigned n = firmproof_nondet_uint();
  firmproof_assume(n < 5);
  assert(crc(n) != 0 || n > 0);
}
void odd(void) { firmproof_assert(limit(3) == 4, "known to fail"); }
`,
}

func putAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		put(t, dir, name, text)
	}
}

// buildIn runs `job build` and gives its jobs by entry.
func buildIn(t *testing.T, dir string, flags ...string) (map[string]*prepare.Job, string) {
	t.Helper()
	out := t.TempDir()
	var errs bytes.Buffer
	args := append([]string{"job", "build", "--target", "cortex-m3", "--engine", "test", "-o", out}, flags...)
	if code := runWith(append(args, dir), &errs, &errs); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var list []prepare.Job
	readJSON(t, filepath.Join(out, prepare.JobsFile), &list)
	jobs := map[string]*prepare.Job{}
	for i := range list {
		jobs[list[i].Name()] = &list[i]
	}
	return jobs, out
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// claimLines returns what a result says, without times.
func claimLines(r *verdict.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %q\n", r.Target, r.Entry, r.Status, r.Warnings)
	for i := range r.Claims {
		c := &r.Claims[i]
		fmt.Fprintf(&b, "%s %s %s %s trace %d suppressed %q\n", c.Pos, c.ID, c.Status, c.Message, len(c.Trace),
			c.Accepted)
	}
	return b.String()
}

// checkTree returns what `check` says of a tree, by entry.
func checkTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := runWith([]string{"check", "--target", "cortex-m3", "--format", "json", dir}, &out,
		&errs); code != exitViolated {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var rep verdict.Report
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for i := range rep.Results {
		said[rep.Results[i].Entry] = claimLines(&rep.Results[i])
	}
	return said
}

// TestBuildEdits: what is verified is what is committed. A build may make files, and
// may change those that the program is not made of.
func TestBuildEdits(t *testing.T) {
	for _, c := range []struct {
		name, command string
		guilty        string // file named by the error; empty: it builds
	}{
		{"nothing", "gcc -c a.c", ""},
		{"makes a file", "echo 'int more;' > b.c; gcc -c a.c b.c", ""},
		{"changes what is not used", "echo > notes.txt; gcc -c a.c", ""},
		{"touches", "touch a.c; gcc -c a.c", ""},
		{"writes the same", "cp a.c x; cp x a.c; gcc -c a.c", ""},
		{"edits a source", "sed -i 's/LIMIT/3/' a.c; gcc -c a.c", "a.c"},
		{"edits a header and hides its time", "touch -r a.h x; sed -i 's/3/4/' a.h; touch -r x a.h; gcc -c a.c", "a.h"},
		{"edits afterwards", "gcc -c a.c; echo 'int x;' >> a.c", "a.c"},
		{"puts a link in its place", "cp a.c b.c; echo 'int x;' >> b.c; ln -sf b.c a.c; gcc -c a.c", "a.c"},
		{"edits the linker script", "echo > fw.ld; gcc -c a.c", "fw.ld"},
	} {
		dir, out := t.TempDir(), t.TempDir()
		putAll(t, dir, map[string]string{"a.c": "#include \"a.h\"\nint limit(void) { return LIMIT; }\n",
			"a.h": "#define LIMIT 3\n",
			"h.c": "#include \"firmproof.h\"\nint limit(void);\nvoid h(void) { firmproof_assert(limit() == 3, \"limit\"); }\n", "notes.txt": "x", "fw.ld": "MEMORY { RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4K }\n",
			".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {command: \"" + c.command +
				"\", linker_script: fw.ld}\nharnesses: [{file: h.c, entry: h}]\n"})
		var errs bytes.Buffer
		code := runWith([]string{"job", "build", "--target", "cortex-m3", "--engine", "test", "-o", out, dir}, &errs,
			&errs)
		said := errs.String()
		if c.guilty == "" && code != exitOK || c.guilty != "" && (code != exitUsage || !strings.Contains(said,
			c.guilty+":1: the build command changes this file")) {
			t.Errorf("%s: exit %d: %s", c.name, code, said)
		}
	}
}

// TestBuildUnits: a build takes the units that are as they were from an earlier one,
// unless a crash left them other than they were written.
func TestBuildUnits(t *testing.T) {
	dir, first := t.TempDir(), t.TempDir()
	putAll(t, dir, jobProject)
	built := func(out string, more ...string) []string {
		var errs bytes.Buffer
		if code := runWith(append([]string{"job", "build", "--target", "cortex-m3", "--engine", "test", "-o", out,
			dir}, more...), &errs, &errs); code != exitOK {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		units, err := filepath.Glob(filepath.Join(out, prepare.UnitsFolder, "*.ll"))
		if err != nil {
			t.Fatal(err)
		}
		return units
	}
	mark := "; from an earlier build\n"
	units := built(first)
	for _, u := range units {
		text, err := os.ReadFile(u)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Dir(u), filepath.Base(u), string(text)+mark)
	}
	taken := func() (old int) {
		list := built(t.TempDir(), "--units", filepath.Join(first, prepare.UnitsFolder))
		if len(list) != len(units) {
			t.Errorf("%d units, and then %d", len(units), len(list))
		}
		for _, u := range list {
			if text, err := os.ReadFile(u); err != nil || strings.HasSuffix(string(text), mark) {
				old++
			}
		}
		return old
	}
	if n := taken(); n != 0 {
		t.Errorf("%d units are taken that are not what their digest says", n)
	}
	for _, u := range units {
		text, err := os.ReadFile(u)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Dir(u), filepath.Base(u)+".json", fmt.Sprintf(`{"digest":"%x"}`, sha256.Sum256(text)))
	}
	if n := taken(); n != len(units) {
		t.Errorf("%d of %d units are taken", n, len(units))
	}
	put(t, dir, "ring.c", jobProject["ring.c"]+"int more;\n")
	if n := taken(); n != len(units)-1 {
		t.Errorf("%d of %d units are taken after a change of one", n, len(units))
	}
}

// TestJobs: built in one process and verified in others, a project gets the
// answers that `check` gives.
func TestJobs(t *testing.T) {
	dir := t.TempDir()
	putAll(t, dir, jobProject)
	want := checkTree(t, dir)
	jobs, out := buildIn(t, dir)
	if len(jobs) != len(want) || len(want) != 4 {
		t.Fatalf("%d jobs for %d entries", len(jobs), len(want))
	}
	for name, j := range jobs {
		if got := verifyIn(t, *j, out); claimLines(got) != want[name] {
			t.Errorf("%s: got\n%swant\n%s", name, claimLines(got), want[name])
		}
	}
}

// TestJobsStart: what runs before and after an entry is in its job.
func TestJobsStart(t *testing.T) {
	dir := t.TempDir()
	putAll(t, dir, map[string]string{
		".firmproof.yml": `version: 1
targets: [cortex-m3]
build: {sources: ["*.c"]}
harnesses: [{entry: constructor}, {entry: handler}, {entry: destructor}]
`,
		"a.c": `#include "firmproof.h"
#include <stdlib.h>
static int started, ended;
__attribute__((constructor)) static void start(void) { started = 1; }
static void last(void) { firmproof_assert(ended != 1, "atexit"); }
__attribute__((destructor)) static void finish(void) { firmproof_assert(ended != 2, "destructor"); }
void constructor(void) { firmproof_assert(started == 0, "constructor"); }
void handler(void) { atexit(last); ended = 1; }
void destructor(void) { ended = 2; }
`})
	want := checkTree(t, dir)
	jobs, out := buildIn(t, dir)
	for _, entry := range []string{"constructor", "handler", "destructor"} {
		if !strings.Contains(want[entry], entry+" violated ") {
			t.Errorf("not violated:\n%s", want[entry])
		}
		if got := claimLines(verifyIn(t, *jobs[entry], out)); got != want[entry] {
			t.Errorf("got\n%swant\n%s", got, want[entry])
		}
	}
}

// verifyIn runs `job verify` in a folder of its own and completes the answer.
func verifyIn(t testing.TB, j prepare.Job, from string) *verdict.Result {
	t.Helper()
	dir := t.TempDir()
	text, err := json.Marshal(&j)
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(from, j.Module))
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, prepare.JobFile), text, 0o644),
		os.WriteFile(filepath.Join(dir, j.Module), module, 0o644)); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if code := runWith([]string{"job", "verify", dir}, &errs, &errs); code != exitOK {
		t.Fatalf("%s: exit %d: %s", j.Name(), code, errs.String())
	}
	res := &verdict.Result{}
	text, err = os.ReadFile(filepath.Join(dir, prepare.ResultFile))
	if err := errors.Join(err, json.Unmarshal(text, res)); err != nil {
		t.Fatal(err)
	}
	j.Complete(res)
	return res
}

// TestKeys: the key of a verification changes with what its entry reaches, and
// with nothing else; lines that move change it only as lines.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	putAll(t, dir, jobProject)
	before, _ := buildIn(t, dir)
	changed := func(file, old, with string) map[string]string {
		t.Helper()
		other := t.TempDir()
		putAll(t, other, jobProject)
		if !strings.Contains(jobProject[file], old) {
			t.Fatalf("%s has no %q", file, old)
		}
		putAll(t, other, map[string]string{file: strings.Replace(jobProject[file], old, with, 1)})
		after, _ := buildIn(t, other)
		out := map[string]string{}
		for name, j := range before {
			switch k := after[name].Key; {
			case k.Exact == j.Key.Exact:
				out[name] = "same"
			case k.Shape == j.Key.Shape:
				out[name] = "moved"
			default:
				out[name] = "new"
			}
		}
		return out
	}
	for _, c := range []struct {
		what, file, old, with string
		want                  map[string]string
	}{
		{"another folder", "ring.c", "limit", "limit", map[string]string{"ring_harness": "same", "crc_harness": "same",
			"broken": "same", "odd": "same"}},
		{"a static function", "crc.c", "c * 2", "c * 4", map[string]string{"ring_harness": "same",
			"crc_harness": "new", "broken": "same", "odd": "same"}},
		{"a shared function", "ring.c", "n > 7 ? 7", "n > 6 ? 6", map[string]string{"ring_harness": "new",
			"crc_harness": "same", "broken": "same", "odd": "new"}},
		{"an initialiser", "ring.c", `"ring"`, `"king"`, map[string]string{"ring_harness": "new",
			"crc_harness": "same", "broken": "same", "odd": "same"}},
		{"a comment above", "ring.c", "int limit", "/* at most\n   seven */\nint limit",
			map[string]string{"ring_harness": "moved", "crc_harness": "same", "broken": "moved", "odd": "moved"}},
		{"a comment above an assertion", "crc.c", "static unsigned crc", "// folds\nstatic unsigned crc",
			map[string]string{"ring_harness": "same", "crc_harness": "moved", "broken": "same", "odd": "moved"}},
		{"an assertion itself", "crc.c", "  assert(", "\n  assert(", map[string]string{"ring_harness": "same",
			"crc_harness": "new", "broken": "same", "odd": "moved"}},
		{"a string before", "crc.c", "static unsigned crc",
			"const char *version = \"1\"; const char *who(void) { return \"me\"; } static unsigned crc",
			map[string]string{"ring_harness": "moved", "crc_harness": "moved", "broken": "same", "odd": "moved"}},
		{"a bound", ".firmproof.yml", "unwind: 9", "unwind: 8", map[string]string{"ring_harness": "same",
			"crc_harness": "new", "broken": "same", "odd": "same"}},
		{"a suppression", ".firmproof.yml", "known", "accepted", map[string]string{"ring_harness": "same",
			"crc_harness": "same", "broken": "same", "odd": "same"}},
	} {
		if got := changed(c.file, c.old, c.with); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.what, got, c.want)
		}
	}
}

// inProcess is the checker of a service whose children are calls of this program's main function.
type inProcess struct {
	t        *testing.T
	mu       sync.Mutex
	verified []string
}

func (c *inProcess) Engine() string { return "test" }

func (c *inProcess) Build(_ context.Context, req pipeline.Request) (*pipeline.Built, error) {
	var errs bytes.Buffer
	text, err := json.Marshal(prepare.Change{Lines: req.Changed, Asked: req.Asked})
	change := filepath.Join(req.Scratch, "change.json")
	if err := errors.Join(err, os.WriteFile(change, text, 0o644)); err != nil {
		return nil, err
	}
	if code := runWith([]string{"job", "build", "--target", req.Target, "--engine", "test", "-o", req.Scratch,
		"--change", change, req.Dir}, &errs, &errs); code != exitOK {
		return nil, errors.New(errs.String())
	}
	b := &pipeline.Built{}
	readJSON(c.t, filepath.Join(req.Scratch, prepare.JobsFile), &b.Jobs)
	readJSON(c.t, filepath.Join(req.Scratch, prepare.OutlineFile), &b.Outlines)
	var v *prepare.Version
	if readJSON(c.t, filepath.Join(req.Scratch, prepare.VersionsFile), &v); v != nil {
		b.Versions = map[string]*prepare.Version{req.Target: v}
	}
	return b, nil
}

func (c *inProcess) Verify(_ context.Context, task pipeline.Task) (*verdict.Result, error) {
	c.mu.Lock()
	c.verified = append(c.verified, task.Job.Name())
	c.mu.Unlock()
	text, err := json.Marshal(&task.Job)
	if err := errors.Join(err, os.WriteFile(filepath.Join(task.Scratch, prepare.JobFile), text, 0o644)); err != nil {
		return nil, err
	}
	var errs bytes.Buffer
	if code := runWith([]string{"job", "verify", task.Scratch}, &errs, &errs); code != exitOK {
		return nil, errors.New(errs.String())
	}
	res := &verdict.Result{}
	readJSON(c.t, filepath.Join(task.Scratch, prepare.ResultFile), res)
	return res, nil
}

type localSource string

func (s localSource) Remote(context.Context, store.Repo) (checkout.Remote, error) {
	return checkout.Remote{URL: string(s)}, nil
}

// localService is a running service for the repository in dir.
func localService(t *testing.T, dsn, dir string, c pipeline.Checker) (*pipeline.Service, *store.Store) {
	t.Helper()
	ctx := context.Background()
	st, err := store.Open(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	ignore := func(context.Context, string, int) error { return nil }
	s, err := pipeline.New(pipeline.Config{Store: st, Data: t.TempDir(), Source: localSource(dir), Checker: c,
		Workers: 2, Log: slog.New(slog.DiscardHandler), Local: true,
		Edge: map[string]queue.Handler{pipeline.PublishJob: ignore, pipeline.EventJob: ignore}})
	if err == nil {
		err = s.Start(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop, cancel := context.WithTimeout(ctx, 20*time.Minute)
		defer cancel()
		if err := errors.Join(s.Stop(stop), st.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := st.Write(ctx, func(tx store.Tx) error {
		return tx.PutRepo(ctx, store.Repo{ID: 1, Installation: 2, FullName: "a/b", CloneURL: dir,
			DefaultBranch: "main", Active: true})
	}); err != nil {
		t.Fatal(err)
	}
	return s, st
}

// TestIncremental: a change verifies only what it can influence; the other answers
// come from the store, name the run that gave them, and stand where `check` would
// put them now.
func TestIncremental(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { incremental(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db")) })
	t.Run("postgres", func(t *testing.T) { incremental(t, pgtest.Start(t)) })
}

func incremental(t *testing.T, dsn string) {
	ctx := context.Background()
	dir := t.TempDir()
	c := &inProcess{t: t}
	s, st := localService(t, dsn, dir, c)
	run := func(trigger string, files map[string]string) (string, *verdict.Report) {
		t.Helper()
		putAll(t, dir, files)
		put(t, dir, "NEWS", fmt.Sprint(trigger, time.Now().UnixNano()))
		commitAll(t, dir, trigger)
		head, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
		if err != nil {
			t.Fatal(err)
		}
		c.verified = nil
		var id string
		if err := st.Write(ctx, func(tx store.Tx) (err error) {
			id, err = s.Begin(ctx, tx, store.Run{Repo: 1, Installation: 2, HeadSHA: strings.TrimSpace(string(head)),
				Ref: "refs/heads/main", Trigger: trigger})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return awaitReport(t, st, id)
	}
	first, rep := run("push", jobProject)
	if len(c.verified) != 4 {
		t.Fatalf("first: %v verified", c.verified)
	}
	same := func(rep *verdict.Report) {
		t.Helper()
		want := checkTree(t, dir)
		for i := range rep.Results {
			if r := &rep.Results[i]; claimLines(r) != want[r.Entry] {
				t.Errorf("%s: got\n%swant\n%s", r.Entry, claimLines(r), want[r.Entry])
			}
		}
	}
	same(rep)
	// a touched function, below two lines more: what was violated is looked at again, proofs move
	text := strings.Replace(jobProject["ring.c"], "int limit", "/* at most\n   seven */\nint limit", 1)
	_, rep = run("push", map[string]string{"ring.c": text, "crc.c": strings.Replace(jobProject["crc.c"], "c * 2",
		"c * 4", 1)})
	if got := fmt.Sprint(slices.Sorted(slices.Values(c.verified))); got != "[broken crc_harness odd]" {
		t.Errorf("verified: %s", got)
	}
	same(rep)
	if u := rep.Results[0].Reused; u != first {
		t.Errorf("%s does not name run %s: %q", rep.Results[0].Entry, first, u)
	}
	if _, rep = run("push", nil); len(c.verified) != 0 || rep.Results[1].Reused == "" ||
		rep.Results[1].Reused == first {
		t.Errorf("nothing changed, but %v verified", c.verified)
	}
	same(rep)
	if _, rep = run("rerun", nil); len(c.verified) != 4 || rep.Results[0].Reused != "" {
		t.Errorf("asked to run again, but only %v verified", c.verified)
	}
	// a proof holds under any bounds
	if _, _ = run("push", map[string]string{".firmproof.yml": strings.Replace(jobProject[".firmproof.yml"],
		"unwind: 9", "unwind: 7", 1)}); len(c.verified) != 0 {
		t.Errorf("verified under another bound, though proved: %v", c.verified)
	}
}

// awaitReport waits for the only target run of an aggregate.
func awaitReport(t *testing.T, st *store.Store, aggregate string) (string, *verdict.Report) {
	t.Helper()
	ctx := context.Background()
	for range 1200 {
		var agg store.Run
		var kids []store.Run
		rep := &verdict.Report{}
		err := st.Read(ctx, func(tx store.Tx) (err error) {
			if agg, err = tx.Run(ctx, aggregate); err != nil || agg.State != store.Done {
				return err
			}
			if kids, err = tx.Children(ctx, aggregate); err != nil || len(kids) != 1 {
				return errors.Join(err, fmt.Errorf("%d targets: %s", len(kids), agg.Detail))
			}
			text, err := tx.Report(ctx, kids[0].ID, nil)
			if err != nil {
				return fmt.Errorf("%w: %s %s", err, kids[0].Conclusion, kids[0].Detail)
			}
			return json.Unmarshal(text, rep)
		})
		if err != nil {
			t.Fatal(err)
		}
		if agg.State == store.Done {
			return kids[0].ID, rep
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the run does not end")
	return "", nil
}

// TestJobOnly: what a bisection asks for is verified as at night, with what takes its findings back; what the commit has
// not got is left out.
func TestJobOnly(t *testing.T) {
	dir, change := t.TempDir(), filepath.Join(t.TempDir(), "change.json")
	putAll(t, dir, map[string]string{
		".firmproof.yml": "version: 1\nbuild: {sources: [\"*.c\"]}\nfunctions: all\n" +
			"harnesses:\n  - {entry: one}\n  - {entry: two}\n",
		"a.c": "int half(int n) { return n / 2; }\nint use(int n) { return half(n); }\nint apart(int n) { return n; }\n" +
			"void one(void) {}\nvoid two(void) {}\n"})
	for _, c := range []struct{ only, want string }{
		{`null`, "any call of apart, any call of half, any call of use, one, two"},
		{`["any call of half", "any call of gone"]`, "any call of half, any call of use"},
		{`["two", "any call of apart"]`, "any call of apart, two"}, {`["any call of gone"]`, ""},
	} {
		put(t, filepath.Dir(change), "change.json", `{"lines": null, "called": null, "only": `+c.only+`}`)
		jobs, _ := buildIn(t, dir, "--change", change)
		if got := strings.Join(slices.Sorted(maps.Keys(jobs)), ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.only, got, c.want)
		}
		if j := jobs["any call of half"]; j != nil && (!slices.Equal(j.Callers, []string{"any call of use"}) ||
			j.Timeout != prepare.EachTimeout) {
			t.Errorf("%s: callers %v, timeout %s", c.only, j.Callers, j.Timeout)
		}
	}
}
