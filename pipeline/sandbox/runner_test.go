package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// TestNested: a build inside the sandbox of an analysis works, but reaches
// neither the answer nor the process of the analysis, and leaves nothing behind.
func TestNested(t *testing.T) {
	s, work := box(t, Required)
	answer := filepath.Join(filepath.Dir(work), "out")
	if err := os.Mkdir(answer, 0o755); err != nil {
		t.Fatal(err)
	}
	build := `
echo "int main(void) { return 0; }" >a.c && cc -o a a.c && ./a && echo built
echo forged 2>/dev/null >` + answer + `/report.json && echo bad: report
cat ` + answer + `/report.json 2>/dev/null && echo bad: read
kill -9 $PPID $(cat ` + work + `/pid) 2>/dev/null && echo bad: kill
head -c 1 /proc/$(cat ` + work + `/pid)/mem 2>&1 >/dev/null | grep -q denied || echo bad: mem
setsid sh -c 'while :; do date >>` + work + `/mark; sleep 0.02; done' >/dev/null 2>&1 &
sleep 0.2; exit 5`
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	exit, err := s.Run(ctx, Spec{Argv: []string{s.Program(), "nested-test", work, answer, build}, Dir: work,
		Write: []string{work, answer}, Limits: DefaultLimits(),
		Env: []string{"PATH=/usr/bin:/bin", "HOME=" + answer, "TMPDIR=" + answer, Inside(answer)}, Stdout: &out,
		Stderr: &out})
	if err != nil || exit.Code != 0 {
		t.Fatalf("%+v %v\n%s", exit, err, out.String())
	}
	if !strings.Contains(out.String(), "built") || !strings.Contains(out.String(), "status 5") ||
		strings.Contains(out.String(), "bad") || !strings.Contains(out.String(), "quiet") {
		t.Errorf("%s", out.String())
	}
	if text, err := os.ReadFile(filepath.Join(answer, "report.json")); err != nil || string(text) != "true answer" {
		t.Errorf("report: %q %v", text, err)
	}
}

// nestedTest returns the analysis of TestNested: this binary, called inside.
func nestedTest(work, answer, script string) error {
	if err := os.WriteFile(filepath.Join(work, "pid"), []byte(fmt.Sprint(os.Getpid())), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(answer, "report.json"), []byte("true answer"), 0o644); err != nil {
		return err
	}
	ctx := context.Background()
	r, err := BuildRunner(ctx, Required, "", "")
	if err != nil {
		return err
	}
	res, err := r.Run(ctx, compile.Cmd{Argv: []string{"/bin/sh", "-c", script}, Dir: work, Write: []string{work}})
	if err != nil {
		return err
	}
	fmt.Printf("%s%sstatus %d\n", res.Stdout, res.Stderr, res.ExitCode)
	a, err := os.ReadFile(filepath.Join(work, "mark"))
	if err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond)
	b, err := os.ReadFile(filepath.Join(work, "mark"))
	if err == nil && len(a) == len(b) {
		fmt.Println("quiet")
	}
	return err
}

// TestBuildRunner: the runner of a terminal keeps to the folders that it is given.
func TestBuildRunner(t *testing.T) {
	_, work := box(t, Off)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := BuildRunner(context.Background(), BestEffort, self, filepath.Join(filepath.Dir(work), "bin"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(context.Background(),
		compile.Cmd{Argv: []string{"/bin/sh", "-c", "echo out; echo err >&2; touch here; touch " + filepath.Dir(work) +
			"/there; ls /root && echo bad; exit 3"}, Dir: work, Write: []string{work}})
	if err != nil || res.ExitCode != 3 || string(res.Stdout) != "out\n" || !strings.HasPrefix(string(res.Stderr),
		"err\n") {
		t.Errorf("%+v %v", res, err)
	}
	if _, err := os.Stat(filepath.Join(work, "here")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(work), "there")); err == nil {
		t.Error("wrote outside")
	}
	if r, err := BuildRunner(context.Background(), Off, "", ""); err != nil || r != (compile.Direct{}) {
		t.Errorf("off: %v %v", r, err)
	}
}

// TestCompilerOutOfMemory: a compiler that its source drives out of memory has reached a
// limit, however it dies; that is no compile error, nor a fault of ours.
func TestCompilerOutOfMemory(t *testing.T) {
	const source = "int a[1 << 27] = {[0 ... (1 << 27) - 1] = 1};\nint main(void) { return a[0]; }\n"
	for _, c := range []struct {
		name          string
		bwrap, groups bool
	}{{"as it is", true, true}, {"watched", true, false}, {"bare", false, false}} {
		t.Run(c.name, func(t *testing.T) {
			s, work := bare(t, c.bwrap, c.groups)
			if err := os.WriteFile(filepath.Join(work, "a.c"), []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			limits := DefaultLimits()
			limits.Memory = 300 << 20
			r := &Runner{Box: s, Limits: limits}
			target, err := targets.Load("x86_64")
			if err != nil {
				t.Fatal(err)
			}
			scratch := filepath.Join(work, "scratch")
			if err := os.Mkdir(scratch, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err = compile.Compile(context.Background(), compile.Request{File: "a.c", Dir: work, Target: target,
				Runner:  r,
				WorkDir: scratch})
			var limit *compile.LimitError
			if !errors.As(err, &limit) || limit.Limit != "memory" {
				t.Errorf("%v", err)
			}
			if _, err := r.Run(context.Background(), compile.Cmd{Argv: []string{"/bin/sh", "-c",
				llvmtest.Tools(t).Clang + " -c -o a.o a.c || exit 2"}, Dir: work, Write: []string{work}}); !errors.As(err, &limit) ||
				limit.Limit != "memory" {
				t.Errorf("a build command: %v", err)
			}
		})
	}
}

// TestBlame: what failed by itself, by a limit, and for want of a process.
func TestBlame(t *testing.T) {
	var limit *compile.LimitError
	for said, want := range map[string]string{
		"a.c:1:2: error: use of undeclared identifier":                            "",
		"a.c:1:2: error: #error out of memory handler missing":                    "",
		"LLVM ERROR: out of memory\nAllocation failed":                            "memory",
		"cc1: out of memory allocating 65536 bytes after a total of 135168 bytes": "memory",
		"terminate called after throwing an instance of 'std::bad_alloc'":         "memory",
		"/tmp/x.s: No space left on device":                                       "disk",
		"make: vfork: Resource temporarily unavailable":                           "ours",
		"sh: 1: Cannot fork": "ours",
		"clang: error: unable to execute command: posix_spawn failed: Resource temporarily unavailable": "ours",
	} {
		err := blame("make", Exit{Code: 2, Threads: 40}, DefaultLimits(), said)
		switch got := errors.Is(err, compile.ErrShortage); {
		case want == "" && err != nil, want == "ours" && !got, want != "" && want != "ours" &&
			(!errors.As(err, &limit) ||
				limit.Limit != want):
			t.Errorf("%q: %v", said, err)
		}
		if err := blame("make", Exit{}, DefaultLimits(), said); err != nil {
			t.Errorf("%q of a command that succeeded: %v", said, err)
		}
	}
	// who uses up what it may have itself is not let down by the machine
	err := blame("make", Exit{Code: 2, Threads: 500}, DefaultLimits(), "make: fork: Resource temporarily unavailable")
	if !errors.As(err, &limit) || limit.Limit != "processes" {
		t.Errorf("%v", err)
	}
}
