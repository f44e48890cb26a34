package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// child makes a checker whose program is a shell script; $2 is build or verify, and
// the folder of the answer is $DIR.
func child(t *testing.T, script string) (*ChildChecker, string) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	head := "#!/bin/sh\nfor DIR; do :; done\n[ \"$2\" = build ] && while [ $# -gt 0 ]; do [ \"$1\" = -o ] && DIR=$2; shift; done\n"
	if err := os.WriteFile(program, []byte(head+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	box, err := sandbox.New(ctx, sandbox.Off, program, dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChildChecker(program, box, sandbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(dir, "scratch")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	return c, scratch
}

const goodResult = `{"target":"liar","entry":"main","status":"proved","bounds":{},"claims":[]}`

// TestHostileAnalysis: whatever the process of a verification does, it is an answer
// about its entry, mostly an unknown, and this process is not harmed.
func TestHostileAnalysis(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		kind   verdict.ReasonKind // empty: an answer
		detail string
	}{
		"answer":    {"echo '" + goodResult + "' > $DIR/result.json", "", ""},
		"crash":     {"kill -SEGV $$", verdict.Internal, "status 139"},
		"killed":    {"kill -KILL $$", verdict.Internal, "status 137"},
		"no answer": {":", verdict.Internal, "no answer"},
		"no JSON":   {"echo '{' > $DIR/result.json", verdict.Internal, "unreadable"},
		"symbolic link": {"echo '" + goodResult + "' > $DIR/x; ln -s x $DIR/result.json", verdict.Internal,
			"no answer"},
		"a pipe":           {"mkfifo $DIR/result.json", verdict.Internal, "no usable answer"},
		"a folder":         {"mkdir $DIR/result.json", verdict.Internal, "no usable answer"},
		"larger than life": {"truncate -s 300M $DIR/result.json", verdict.Internal, "no usable answer"},
		"a flood":          {"head -c 30000000 /dev/zero | tr '\\0' x; exit 9", verdict.Internal, "status 9"},
		"endless":          {"exec sleep 1000", verdict.TimedOut, "no answer within"},
	} {
		t.Run(name, func(t *testing.T) {
			checker, scratch := child(t, c.script)
			limit := time.Minute
			if name == "endless" {
				limit = 300 * time.Millisecond
			}
			res, err := checker.Verify(context.Background(),
				Task{Job: prepare.Job{Plan: verifier.Plan{Target: "i386", Entry: "main"}}, Scratch: scratch,
					Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			if res.Target != "i386" || res.Entry != "main" {
				t.Errorf("of %s on %s", res.Entry, res.Target)
			}
			switch {
			case c.kind == "" && (res.Reason != nil || res.Status != verdict.Proved):
				t.Errorf("%+v", res)
			case c.kind != "" && (res.Reason == nil || res.Reason.Kind != c.kind ||
				!strings.Contains(res.Reason.Detail, c.detail) || len(res.Reason.Detail) > 2*maxNoise):
				t.Errorf("reason %.300v, want %s: %s", res.Reason, c.kind, c.detail)
			}
		})
	}
}

// TestHostileBuild: a build's process cannot name files outside of its folder, nor another target.
func TestHostileBuild(t *testing.T) {
	build := func(script string) (*Built, error) {
		checker, scratch := child(t, script)
		return checker.Build(context.Background(), Request{Dir: scratch, Scratch: scratch, Target: "i386",
			Limit: time.Minute})
	}
	if b, err := build(`echo '[{"plan":{"Target":"avr","Entry":"main"},"module":"module-0"}]' > $DIR/jobs.json; echo '{}' > $DIR/outline.json; echo null > $DIR/version.json`); err != nil || b.Jobs[0].Plan.Target != "i386" {
		t.Errorf("%+v %v", b, err)
	}
	for _, name := range []string{"../../etc/shadow", "/etc/shadow", ".", "..", "a/b"} {
		if _, err := build(`echo '[{"plan":{"Entry":"main"},"module":"` + name + `"}]' > $DIR/jobs.json`); err == nil {
			t.Errorf("module %s is accepted", name)
		}
	}
	var theirs *BuildError
	if _, err := build(`echo '{"message":"a.c:1:1: error: x"}' > $DIR/fault.json; exit 2`); !errors.As(err, &theirs) ||
		theirs.Conclusion != "failure" || theirs.Error() != "a.c:1:1: error: x" {
		t.Errorf("a build error: %v", err)
	}
	var limit *LimitError
	if _, err := build("echo 'fatal error: runtime: out of memory' >&2; exit 2"); !errors.As(err, &limit) ||
		conclusionOf(err) != "action_required" || !isFinal(err) || !strings.Contains(err.Error(), "limit on memory") {
		t.Errorf("out of memory: %v", err)
	}
	// Go's own abort has the status of a usage error: the author is not to blame for it
	for _, script := range []string{"kill -SEGV $$", "echo nonsense > $DIR/jobs.json",
		"echo 'fatal error: stack overflow' >&2; exit 2"} {
		if b, err := build(script); err != nil || len(b.Jobs) != 1 || b.Jobs[0].Settled == nil ||
			b.Jobs[0].Settled.Reason.Kind != verdict.Internal {
			t.Errorf("%s: %+v %v", script, b, err)
		}
	}
	// a limit within, and a machine without processes, are no faults of the tree
	if _, err := build(`echo '{"message":"clang: killed","limit":"memory"}' > $DIR/fault.json; exit 2`); !errors.As(err,
		&limit) || limit.Limit != "memory" || conclusionOf(err) != "action_required" || !isFinal(err) {
		t.Errorf("a limit within: %v", err)
	}
	for _, script := range []string{`echo '{"message":"vfork: no","ours":true}' > $DIR/fault.json; exit 2`,
		"echo 'runtime: failed to create new OS thread (have 9 already; errno=11)' >&2; exit 2",
		"echo 'fork/exec /usr/bin/make: resource temporarily unavailable' >&2; exit 1"} {
		if _, err := build(script); err == nil || isFinal(err) {
			t.Errorf("%s: %v", script, err)
		}
	}
	dir := t.TempDir()
	secret, link := filepath.Join(dir, "secret"), filepath.Join(dir, "module-0")
	if err := errors.Join(os.WriteFile(secret, []byte("s"), 0o600), os.Symlink(secret, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := readModule(link); err == nil {
		t.Error("a symbolic link is followed")
	}
}

// TestCancelReachesTheSolver: when its run is cancelled, the process of a verification
// is gone, with its children, after a heartbeat.
func TestCancelReachesTheSolver(t *testing.T) {
	checker, scratch := child(t, "sleep 1000 & echo $! > $DIR/pid.new; mv $DIR/pid.new $DIR/pid; wait")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := checker.Verify(ctx, Task{Job: prepare.Job{Plan: verifier.Plan{Entry: "main"}}, Scratch: scratch,
			Limit: time.Hour})
		done <- err
	}()
	var pid []byte
	for len(pid) == 0 {
		pid, _ = os.ReadFile(filepath.Join(scratch, "pid")) // until it is there
		time.Sleep(5 * time.Millisecond)
	}
	cancel(errUnwanted)
	if err := <-done; !errors.Is(err, errUnwanted) {
		t.Errorf("ended with %v", err)
	}
	for alive := true; alive; time.Sleep(5 * time.Millisecond) { // a zombie for a moment
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		alive = err == nil && !strings.Contains(string(stat), ") Z ")
	}
	if heartbeat > time.Second {
		t.Errorf("a cancellation is noticed after %s only", heartbeat)
	}
}

// TestFoldersStayInside: what is shown to the author of a change names files as the repository has them, and no folder
// of this machine: neither those that a process was given, nor those of another build, nor our program.
func TestFoldersStayInside(t *testing.T) {
	result := `{"target":"i386","entry":"main","status":"unknown","bounds":{},"claims":[],"warnings":["$DIR/b.c"],` +
		`"reason":{"kind":"internal","detail":"$WORK/r1-1/2/src/inc/a.h and $WORK/r1-1/2/src, $0"}}`
	shown := `inc/a.h and ., firmproof`
	write := func(file, text string) string {
		return "WORK=${DIR%/*}\ncat > $DIR/" + file + " <<E\n" + text + "\nE\n"
	}
	checker, scratch := child(t, write(prepare.ResultFile, result))
	work := filepath.Dir(scratch)
	res, err := checker.Verify(context.Background(), Task{Job: prepare.Job{Plan: verifier.Plan{Entry: "main"}},
		Scratch: scratch, Work: work, Limit: time.Minute})
	if err != nil || res.Reason == nil || res.Reason.Detail != shown || len(res.Warnings) != 1 || res.Warnings[0] != "b.c" {
		t.Errorf("a verification: %+v %+v %v", res, res.Reason, err)
	}
	build := func(script string) (*Built, error) {
		checker, scratch := child(t, script)
		return checker.Build(context.Background(), Request{Dir: scratch, Scratch: scratch, Work: filepath.Dir(scratch),
			Target: "i386", Limit: time.Minute})
	}
	b, err := build(write(prepare.JobsFile, `[{"settled":`+result+`}]`) + "echo '{}' > $DIR/" + prepare.OutlineFile +
		"; echo null > $DIR/" + prepare.VersionsFile)
	if err != nil || len(b.Jobs) != 1 || b.Jobs[0].Settled.Reason.Detail != shown {
		t.Errorf("what a build settled: %+v %v", b, err)
	}
	_, err = build(write(prepare.FaultFile, `{"message":"$DIR/a.c:1:1: error: in $WORK/x-1/1/out/t.h"}`) + "exit 2")
	if err == nil || err.Error() != "a.c:1:1: error: in t.h" {
		t.Errorf("a build error: %v", err)
	}
}
