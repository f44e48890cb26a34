package fakegithub

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// step is one line of testdata/probot/app.mjs.
type step struct {
	Step     string
	Name     string
	Message  string
	Status   any
	Count    int
	Text     string
	Names    []string
	Verified bool
	Tampered bool
}

// TestProbot runs a different, real App framework against the stand-in, so
// that it is not merely shaped to our own client: JWT, token, check runs,
// pagination, the limit of annotations and webhook signatures. It needs npm
// and its registry, so a -short run leaves it out.
func TestProbot(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short runs without network")
		return
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	w := newWorld(t, func(o *Options) { o.DeliverTo = fmt.Sprintf("http://127.0.0.1:%d/", port) })
	steps := startProbot(t, filepath.Join(w.s.opts.Dir, "app.json"), port)
	next := nextStep(t, steps)
	next("ready")
	w.repository()
	if s := next("created"); s.Status != 201.0 || s.Count != 50 {
		t.Errorf("created %+v", s)
	}
	if s := next("updated"); s.Status != "completed" || s.Count != 53 {
		t.Errorf("updated %+v", s)
	}
	if s := next("listed"); s.Count != 53 {
		t.Errorf("listed %+v", s)
	}
	if s := next("51"); s.Status != 422.0 {
		t.Errorf("51 annotations %+v, want 422", s)
	}
	if s := next("files"); strings.Join(s.Names, " ") != "lib/new file.c main.c" {
		t.Errorf("files %+v", s)
	}
	if s := next("content"); s.Text != "int x;\n" {
		t.Errorf("content %+v", s)
	}
	w.wantViolations(1)
	w.control("POST", "comments", obj{"repo": "acme/fw", "number": 1, "user": "ann", "body": "hello"})
	if s := next("replied"); s.Status != 201.0 {
		t.Errorf("replied %+v", s)
	}
	if len(w.state("reactions")) != 1 || len(w.state("comments")) != 2 {
		t.Errorf("state has %v and %v", w.state("reactions"), w.state("comments"))
	}
	w.wantViolations(1)
}

// startProbot installs and runs the App and answers its lines.
func startProbot(t *testing.T, appJSON string, port int) <-chan step {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "app.mjs"} {
		text, err := os.ReadFile(filepath.Join("testdata", "probot", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, string(text))
	}
	install := exec.Command("npm", "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund",
		"--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	node := exec.Command("node", "app.mjs", appJSON, fmt.Sprint(port))
	node.Dir, node.Stderr = dir, os.Stderr
	pipe, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Process.Kill(); _ = node.Wait() })
	steps := make(chan step, 100)
	go func() {
		defer close(steps)
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			var s step
			if json.Unmarshal(lines.Bytes(), &s) == nil {
				steps <- s
			}
		}
	}()
	return steps
}

// nextStep waits for a step by name. Webhooks in between must verify; an error
// of the App ends the test.
func nextStep(t *testing.T, steps <-chan step) func(string) step {
	return func(name string) step {
		t.Helper()
		for {
			select {
			case s, open := <-steps:
				if !open {
					t.Fatalf("the App ended before %q", name)
				}
				if s.Step == "webhook" && (!s.Verified || s.Tampered) {
					t.Errorf("signature: %+v", s)
				}
				if s.Step == "error" {
					t.Fatalf("the App: %+v", s)
				}
				if s.Step == name {
					return s
				}
			case <-time.After(20 * time.Minute):
				t.Fatalf("no %q from the App", name)
			}
		}
	}
}
