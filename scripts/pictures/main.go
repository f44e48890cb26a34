// Command pictures makes the pictures of README and manual from the real product: the pull request of `make demo`, the
// page of a finding, the night after the change was merged, the repository's page, and the panel of an editor.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/firmproof/firmproof/reports/browser"
)

const repo = "acme/sensor-node"

func main() {
	program := flag.String("program", "bin/firmproof", "firmproof, whose demo is looked at")
	out := flag.String("o", "docs/img", "folder for the pictures")
	running := flag.String("running", "", "file with the output of a demo that runs already (make demo KEEP=1)")
	only := flag.Bool("panel", false, "the panel of an editor alone, which needs no demo")
	flag.Parse()
	do := func() error { return run(*program, *out, *running) }
	if *only {
		do = func() error { return shootPanel(*program, *out) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(program, out, running string) error {
	d, stop, err := start(program, running)
	defer stop()
	if err != nil {
		return err
	}
	if err := d.tell("visibility", map[string]any{"repo": repo, "public": true}); err != nil {
		return err
	}
	finding, err := d.link(d.run, `href="(/runs/[^"]+/findings/[^"]+)">write of`)
	if err != nil {
		return err
	}
	if err := shoot(out, []picture{
		{"checks", d.github + "/" + repo + "/pull/1", 1000, 660, `document.querySelector('form').hidden = true`},
		{"report", d.run + "/report/html", 1280, 760, ""},
		{"trace", d.server + finding, 1280, 1120,
			`document.querySelector('.steps').focus(); document.querySelector('[data-tab=bytes]').click()`},
	}); err != nil {
		return err
	}
	if err := d.tell("push", map[string]any{"repo": repo, "branch": "main", "files": map[string]string{
		"NOTES": "what is to be done\n"}}); err != nil {
		return err
	}
	if err := d.settled(); err != nil {
		return err
	}
	if err := d.tell("merge", map[string]any{"repo": repo, "number": 1}); err != nil {
		return err
	}
	if err := d.settled(); err != nil {
		return err
	}
	if err := shootPanel(program, out); err != nil {
		return err
	}
	return shoot(out, []picture{
		{"night", d.server + "/repos/" + repo + "/night", 1100, 640, ""},
		{"repository", d.server + "/repos/" + repo, 1100, 860, ""},
	})
}

// demo is a running `firmproof demo`.
type demo struct{ github, server, run string }

// start runs the demo until stop, or finds one that runs already by what it said.
func start(program, running string) (d *demo, stop func(), err error) {
	stop = func() {}
	var said io.Reader
	if running != "" {
		text, err := os.ReadFile(running)
		if err != nil {
			return nil, stop, err
		}
		said = bytes.NewReader(text)
	} else {
		cmd := exec.Command(program, "demo")
		cmd.Env = append(os.Environ(), "KEEP=1")
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			return nil, stop, err
		}
		if err := cmd.Start(); err != nil {
			return nil, stop, err
		}
		said, stop = pipe, func() {
			_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
			_ = cmd.Wait()
		}
	}
	d = &demo{}
	address := regexp.MustCompile(`http://[^ ]+`)
	failed := false
	for lines := bufio.NewScanner(said); lines.Scan(); {
		text := lines.Text()
		fmt.Println(text)
		at := address.FindString(text)
		failed = failed || strings.HasPrefix(text, "✗ firmproof / ")
		switch {
		case strings.HasPrefix(text, "Starting the stand-in"):
			d.github = at
		case strings.HasPrefix(text, "Starting the bot"):
			d.server = at
		case strings.Contains(text, "trace: ") && failed:
			d.run, failed = at, false
		case strings.HasPrefix(text, "Left running"):
			return d, stop, nil
		}
	}
	return nil, stop, errors.New("the demo ended early")
}

// tell makes the stand-in for GitHub do something.
func (d *demo) tell(what string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = get(http.Post(d.github+"/_fake/"+what, "application/json", bytes.NewReader(text)))
	return err
}

func get(r *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", r.Status, text)
	}
	return string(text), err
}

// link finds a link on a page, by a pattern with one group.
func (d *demo) link(page, pattern string) (string, error) {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Second) {
		text, err := get(http.Get(page))
		if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
			return m[1], nil
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("%s has no link %s (%v)", page, pattern, err)
		}
	}
}

// settled waits until nothing runs: for ten seconds every check run was over.
func (d *demo) settled() error {
	quiet := 0
	for end := time.Now().Add(20 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		text, err := get(http.Get(d.github + "/_fake/state"))
		if err != nil {
			return err
		}
		if quiet++; strings.Contains(text, `"status":"queued"`) || strings.Contains(text, `"status":"in_progress"`) {
			quiet = 0
		}
		if quiet == 10 {
			return nil
		}
	}
	return errors.New("the runs do not end")
}

// picture is a page and the window that it is looked at through.
type picture struct {
	name, address string
	width, height int
	script        string // what is done before
}

func shoot(out string, list []picture) error {
	tools, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tools)
	if err := browser.Install(tools); err != nil {
		return err
	}
	b, err := browser.Start(browser.Fonts(tools))
	if err != nil {
		return err
	}
	defer b.Close()
	for _, p := range list {
		t := &script{}
		page := b.NewPage(t, p.width, p.height, false)
		page.Open(p.address)
		page.Eval(p.script + ";1")
		text, err := small(page.Picture())
		if err == nil {
			err = os.WriteFile(filepath.Join(out, p.name+".png"), text, 0o644)
		}
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes\n", p.name, len(text))
	}
	return nil
}

// script stands for a test where a page is driven by this program: a failure ends it.
type script struct{}

func (*script) Helper()        {}
func (*script) Cleanup(func()) {}
func (*script) Errorf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "pictures: "+format+"\n", args...)
	os.Exit(1)
}
func (s *script) Fatalf(format string, args ...any) { s.Errorf(format, args...) }
