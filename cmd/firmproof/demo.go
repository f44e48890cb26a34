package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// demoCommand shows the main job on one machine: the bot on its embedded
// defaults against the stand-in for GitHub, with a pull request on the example.
func demoCommand() *cobra.Command {
	d := &demo{}
	cmd := &cobra.Command{
		Use:    "demo",
		Short:  "Open a pull request with a bug on the example firmware and show what the bot answers",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.out = cmd.OutOrStdout()
			return d.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&d.project, "project", "examples/sensor-node", "firmware project with a .firmproof.yml")
	f.StringVar(&d.patch, "patch", "examples/pr/native-word-history.patch",
		"the pull request, as a diff against the project")
	f.StringVar(&d.title, "title", "history: keep readings in the native word", "title of the pull request")
	f.BoolVar(&d.keep, "keep", os.Getenv("KEEP") == "1", "leave everything running until interrupted")
	secondsVar(f, &d.limit, "limit", 8*time.Minute, "give up after this long")
	return cmd
}

type demo struct {
	out                   io.Writer
	project, patch, title string
	keep                  bool
	limit                 time.Duration
	dir                   string
	github, server        string // base URLs
}

func (d *demo) say(format string, a ...any) { fmt.Fprintf(d.out, format+"\n", a...) }

func (d *demo) run(ctx context.Context) (err error) {
	start := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if d.dir, err = os.MkdirTemp("", "firmproof-demo-"); err != nil {
		return err
	}
	if !d.keep {
		defer os.RemoveAll(d.dir)
	}
	if err := os.Chmod(d.dir, 0o711); err != nil { // builds run as other users, who pass through
		return err
	}
	stop, err := d.start(ctx)
	defer stop()
	if err != nil {
		return err
	}
	const repo = "acme/sensor-node"
	if d.project, err = exampleFile(d.project); err != nil {
		return err
	}
	if d.patch, err = exampleFile(d.patch); err != nil {
		return err
	}
	if err := d.post("/_fake/repos", map[string]any{"name": repo, "path": d.project}, nil); err != nil {
		return err
	}
	files, err := d.patched()
	if err != nil {
		return err
	}
	if err := d.post("/_fake/push", map[string]any{"repo": repo, "branch": "change", "files": files}, nil); err != nil {
		return err
	}
	var pull struct{ Number int }
	if err := d.post("/_fake/pulls", map[string]any{"repo": repo, "head": "change", "base": "main", "title": d.title},
		&pull); err != nil {
		return err
	}
	d.say("\nPull request #%d %q changes %s.", pull.Number, d.title, strings.Join(keys(files), ", "))
	runs, err := d.wait(ctx)
	if err != nil {
		return err
	}
	d.show(runs)
	d.say("\nThe pull request as a person sees it:  %s/%s/pull/%d", d.github, repo, pull.Number)
	d.say("From the pull request to the answer: %.1f s in all.", time.Since(start).Seconds())
	if d.keep {
		d.say("Left running; interrupt to stop.")
		<-ctx.Done()
		return nil
	}
	d.say("Run `make demo KEEP=1` to leave the pages running.")
	return nil
}

// exampleFile returns the path of an example: in this folder, or as an installation has it.
func exampleFile(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(abs); err == nil {
		return abs, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	installed := filepath.Join(filepath.Dir(self), "../share/firmproof", name)
	if _, err := os.Stat(installed); err != nil {
		return "", fmt.Errorf("%s: no such file or folder here, nor in %s", name, filepath.Dir(installed))
	}
	return installed, nil
}

// start runs the stand-in and the server as child processes until stop.
func (d *demo) start(ctx context.Context) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return func() {}, err
	}
	var procs []*exec.Cmd
	stop = func() {
		for _, p := range procs {
			_ = p.Process.Signal(syscall.SIGTERM)
		}
		for _, p := range procs {
			_ = p.Wait()
		}
	}
	child := func(args ...string) error {
		log, err := os.Create(filepath.Join(d.dir, args[0]+".log"))
		if err != nil {
			return err
		}
		defer log.Close()
		c := exec.CommandContext(ctx, self, args...)
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		c.WaitDelay = 10 * time.Second
		c.Stdout, c.Stderr = log, log
		if err := c.Start(); err != nil {
			return err
		}
		procs = append(procs, c)
		return nil
	}
	gh, sv := freeAddr(), freeAddr()
	d.github, d.server = "http://"+gh, "http://"+sv
	d.say("Starting the stand-in for GitHub at %s", d.github)
	if err := child("fakegithub", "--listen", gh, "--data", filepath.Join(d.dir, "github"), "--deliver-to",
		d.server+"/webhook"); err != nil {
		return stop, err
	}
	var app struct {
		AppID      int64  `json:"app_id"`
		PrivateKey string `json:"private_key"`
		Secret     string `json:"webhook_secret_file"`
		ClientID   string `json:"client_id"`
		Client     string `json:"client_secret_file"`
	}
	if err := d.until(ctx, 30*time.Second, "the stand-in", func() bool {
		b, err := os.ReadFile(filepath.Join(d.dir, "github", "app.json"))
		return err == nil && json.Unmarshal(b, &app) == nil
	}); err != nil {
		return stop, err
	}
	d.say("Starting the bot at %s (SQLite, local workers)", d.server)
	if err := child("serve", "--listen", sv, "--data", filepath.Join(d.dir, "bot"), "--github-url", d.github,
		"--app-id", fmt.Sprint(app.AppID),
		"--private-key", app.PrivateKey, "--webhook-secret-file", app.Secret, "--sandbox", "best-effort",
		"--public-url", d.server, "--client-id", app.ClientID, "--client-secret-file", app.Client); err != nil {
		return stop, err
	}
	return stop, d.until(ctx, 60*time.Second, "the bot", func() bool {
		r, err := http.Get(d.server + "/readyz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
}

func freeAddr() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:8080"
	}
	defer l.Close()
	return l.Addr().String()
}

func (d *demo) until(ctx context.Context, limit time.Duration, what string, ok func() bool) error {
	for end := time.Now().Add(limit); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if ok() {
			return nil
		}
	}
	return fmt.Errorf("%s did not get ready; its log is in %s:\n%s", what, d.dir, d.tails())
}

// tails are the last lines of the children's logs.
func (d *demo) tails() string {
	var b strings.Builder
	logs, _ := filepath.Glob(filepath.Join(d.dir, "*.log"))
	for _, l := range logs {
		text, _ := os.ReadFile(l)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&b, "%s:\n%s\n", filepath.Base(l), strings.Join(lines[max(0, len(lines)-8):], "\n"))
	}
	return b.String()
}

func (d *demo) post(path string, body, answer any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.Post(d.github+path, "application/json", bytes.NewReader(b))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if r.StatusCode >= 300 {
		return fmt.Errorf("stand-in: POST %s: %s: %s", path, r.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// patched applies the patch to a copy of the project and answers what it changes.
func (d *demo) patched() (map[string]string, error) {
	work := filepath.Join(d.dir, "work")
	if err := os.CopyFS(work, os.DirFS(d.project)); err != nil {
		return nil, err
	}
	patch, err := filepath.Abs(d.patch)
	if err != nil {
		return nil, err
	}
	apply := exec.Command("git", "apply", "--unsafe-paths", "--directory", work, patch)
	apply.Dir = work
	if out, err := apply.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("apply %s: %v: %s", d.patch, err, out)
	}
	changed := map[string]string{}
	err = filepath.WalkDir(work, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(work, path)
		now, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if old, err := os.ReadFile(filepath.Join(d.project, rel)); err != nil || !bytes.Equal(old, now) {
			changed[rel] = string(now)
		}
		return nil
	})
	if err == nil && len(changed) == 0 {
		err = fmt.Errorf("%s changes nothing in %s", d.patch, d.project)
	}
	return changed, err
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

type checkRun struct {
	Name       string
	Status     string
	Conclusion string
	DetailsURL string `json:"details_url"`
	Output     struct {
		Title   string
		Summary string
	}
	Annotations []struct {
		Path       string
		StartLine  int    `json:"start_line"`
		Level      string `json:"annotation_level"`
		Title      string
		Message    string
		RawDetails string `json:"raw_details"`
	}
}

// wait polls the stand-in until every check run is completed, saying what changes.
func (d *demo) wait(ctx context.Context) ([]checkRun, error) {
	last := ""
	for end := time.Now().Add(d.limit); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(300 * time.Millisecond) {
		r, err := http.Get(d.github + "/_fake/state")
		if err != nil {
			return nil, err
		}
		var state struct {
			CheckRuns  []checkRun `json:"check_runs"`
			Violations []any
		}
		err = json.NewDecoder(r.Body).Decode(&state)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		runs := state.CheckRuns
		sort.Slice(runs, func(i, j int) bool { return runs[i].Name < runs[j].Name })
		var parts []string
		done := len(runs) > 1
		for _, c := range runs {
			parts = append(parts, c.Name+": "+c.Status)
			done = done && c.Status == "completed"
		}
		if now := strings.Join(parts, ", "); now != last && now != "" {
			last = now
			d.say("  %s", now)
		}
		if done {
			if len(state.Violations) > 0 {
				return nil, fmt.Errorf("calls broke GitHub's contract: %v", state.Violations)
			}
			return runs, nil
		}
	}
	return nil, fmt.Errorf("the check runs did not complete; logs:\n%s", d.tails())
}

// show prints the check runs as GitHub's page lists them.
func (d *demo) show(runs []checkRun) {
	mark := map[string]string{"success": "✓", "failure": "✗", "neutral": "■", "action_required": "!",
		"cancelled": "⊘", "timed_out": "⧖"}
	for _, c := range runs {
		d.say("\n%s %s — %s: %s", mark[c.Conclusion], c.Name, c.Conclusion, c.Output.Title)
		for _, a := range c.Annotations {
			d.say("    %s line %d  [%s]", a.Path, a.StartLine, a.Title)
			for _, l := range strings.Split(a.Message, "\n") {
				d.say("      %s", l)
			}
			for _, l := range strings.Split(a.RawDetails, "\n") {
				if l != "" {
					d.say("        %s", l)
				}
			}
		}
		if c.DetailsURL != "" {
			d.say("    trace: %s", c.DetailsURL)
		}
	}
}
