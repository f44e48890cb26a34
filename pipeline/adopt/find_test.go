package adopt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestSlowBuild: what did not end in its time is not begun again with errors aside; the C files are what is left.
func TestSlowBuild(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.c": "int twice(int x) { return 2 * (x % 9); }\n",
		"Makefile": "all:\n\techo begun >>begun\n\tsleep 600\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Find(context.Background(), dir, Options{Time: time.Second, Build: 2 * time.Second,
		Run: func(context.Context, *prepare.Job) *verdict.Result {
			return &verdict.Result{Status: verdict.Proved}
		}, Progress: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	begun, err := os.ReadFile(filepath.Join(dir, "begun"))
	if err != nil || string(begun) != "begun\n" {
		t.Errorf("the build was begun as %q (%v)", begun, err)
	}
	if !slices.ContainsFunc(found.failed, func(s string) bool {
		return strings.Contains(s, "make -k") && strings.HasSuffix(s, "not tried for want of time")
	}) || len(found.attempt.build.Sources) != 1 {
		t.Errorf("failed %q, sources %q", found.failed, found.attempt.build.Sources)
	}
}

// TestNotAnswered: functions that the trial check did not answer are named, with how to ask for them.
func TestNotAnswered(t *testing.T) {
	dir := t.TempDir()
	text := "int quick(int x) { return x % 9; }\nint slow(int x) { return x % 8; }\nint later(int x) { return x % 7; }\n"
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := Find(context.Background(), dir, Options{Time: time.Second, Build: time.Second,
		Run: func(_ context.Context, j *prepare.Job) *verdict.Result {
			switch strings.TrimPrefix(j.Name(), prepare.AnyCall) {
			case "slow":
				return &verdict.Result{Status: verdict.Unknown, Reason: &verdict.Reason{Kind: verdict.TimedOut}}
			case "later":
				return nil
			}
			return &verdict.Result{Status: verdict.Proved}
		}, Progress: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	found.Tell(&said, filepath.Join(dir, ".firmproof.yml"))
	for _, want := range []string{"not answered  slow, later", "ask for one by `firmproof check --function slow"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("not said: %s\n%s", want, said.String())
		}
	}
	manifest := string(found.Manifest())
	today := found.trial.began.Format(time.DateOnly)
	for _, want := range []string{"Not settled on " + today + " within 5s each, and tried again by each check: slow; ",
		"`firmproof check --function slow ", "Not tried on " + today + " for want of time, but by each check: later; ", "functions: all"} {
		if !strings.Contains(manifest, want) {
			t.Errorf("not in the manifest: %s\n%s", want, manifest)
		}
	}
}

// TestUnconfirmed: what more time may take back, since a caller is not known to bring it about, is no finding of init.
func TestUnconfirmed(t *testing.T) {
	const text = "int part(int a, int b) { return a / b; }\nint all(int a, int b) { return part(a, b); }\n"
	for _, c := range []struct {
		caller verdict.Status
		says   string
	}{
		{verdict.Violated, "finding       a.c:1:36: div-by-zero: by zero (any call of part)\n"},
		{verdict.Bounded, "finding       none within 0 s\nunconfirmed   arguments that violate part; "},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		found, err := Find(context.Background(), dir, Options{Time: time.Second, Build: time.Second,
			Run: func(_ context.Context, j *prepare.Job) *verdict.Result {
				status := verdict.Violated
				if j.Name() == prepare.AnyCall+"all" {
					status = c.caller
				}
				return &verdict.Result{Target: j.Plan.Target, Entry: j.Name(), Status: status, Claims: []verdict.Claim{
					{ID: "div-by-zero@part#1", Check: verdict.DivByZero, Status: status, Message: "by zero",
						Pos: verdict.Pos{File: "a.c", Line: 1, Column: 36}}}}
			}, Progress: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		found.Tell(&said, filepath.Join(dir, ".firmproof.yml"))
		if !strings.Contains(said.String(), c.says) {
			t.Errorf("%s in the caller: want %q\n%s", c.caller, c.says, said.String())
		}
	}
}

// TestLimit: builds have the less time the shorter the trial is, down to a third, and never more.
func TestLimit(t *testing.T) {
	for trial, want := range map[time.Duration]time.Duration{TrialTime: buildTime, 10 * time.Minute: buildTime,
		20 * time.Second: 40 * time.Second, time.Second: 30 * time.Second, 0: 30 * time.Second} {
		if got := limit(buildTime, trial); got.Round(time.Second) != want {
			t.Errorf("trial %v: %v, want %v", trial, got, want)
		}
	}
}
