package bot_test

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestKillAtEachStage: the server is killed in the middle of each kind of call to
// GitHub, before the call has its effect and after, and comes back. Each commit
// has each check run once, each finding one annotation, the pull request one
// summary, a command one answer.
func TestKillAtEachStage(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short leaves out what takes minutes on a busy machine")
		return
	}
	t.Parallel()
	for _, group := range killStages() {
		t.Run(group[0].call, func(t *testing.T) {
			t.Parallel()
			killAt(t, group)
		})
	}
}

// stage is a call to GitHub in the middle of which the server is killed.
type stage struct {
	call string
	skip int
	ask  bool // by a command instead of a push
}

// killStages are the calls in groups, of which each has a GitHub of its own.
func killStages() [][]stage {
	return [][]stage{
		{{"POST .*access_tokens", 0, false}, {"GET .*info/refs", 0, false}, {"GET .*/contents/", 0, false}},
		{{"POST .*/check-runs$", 0, false}, {"POST .*/check-runs$", 2, false}, {"GET .*/pulls/", 0, false}},
		{{"PATCH .*/check-runs/", 0, false}, {"PATCH .*/check-runs/", 5, false}, {"PATCH .*/check-runs/", 7, false}},
		{{"GET .*/check-runs/", 0, false}, {"POST .*/sarifs", 0, false}, {"PATCH .*/issues/comments/", 0, false}},
		{{"POST .*/reactions", 0, true}, {"GET .*/permission", 0, true}, {"POST .*/comments", 0, true},
			{"POST .*/reactions", 1, true}},
	}
}

// killAt kills a server in each of the stages, before and after the effect of the call.
func killAt(t *testing.T, stages []stage) {
	k := newKilled(t)
	const bugs = 120
	main := func(i int) string { return fmt.Sprintf("int main\n// %d\n", i) + strings.Repeat("bug\n", bugs) }
	k.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "fix",
		"files": obj{".firmproof.yml": testManifest, "main.c": main(0)}})
	pull := k.pull("fix", false)
	k.await("the first run", finished(3))
	asks := 0
	for i, stage := range stages {
		for _, kind := range []string{"delay", "hang"} {
			k.call("DELETE", "/_fake/faults", nil)
			k.call("POST", "/_fake/faults", []obj{{"match": stage.call, "skip": stage.skip, "kind": kind,
				"delay": map[string]string{"delay": "1m", "hang": "0s"}[kind]}})
			if stage.ask {
				asks++
				k.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": pull, "user": "ann",
					"body": "/firmproof explain memory"})
			} else {
				k.push("fix", main(1000*(i+1)+len(kind)))
			}
			if stage.call == "POST .*access_tokens" { // it has one that is good for an hour
				k.kill()
				k.start()
			}
			what := fmt.Sprintf("%s (skip %d, %s)", stage.call, stage.skip, kind)
			k.await("the call "+what, func(s state) bool { return s.Faults[0].Struck > 0 })
			k.kill()
			k.start()
			k.quiet(what, asks)
			k.once(what, bugs)
		}
	}
}

// killed is a world whose server is a process of its own.
type killed struct {
	*world
	addr string
	cmd  *exec.Cmd
}

func newKilled(t *testing.T) *killed {
	k := &killed{world: &world{t: t, logs: &syncBuffer{}, rate: 1_000_000}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k.addr = l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	k.connect(t.TempDir(), nil, "http://"+k.addr)
	k.cfg.Listen, k.cfg.RedeliverEvery = k.addr, time.Second
	k.start()
	t.Cleanup(func() { k.kill(); k.judge() })
	k.repo("int main\n")
	return k
}

func (k *killed) kill() {
	_ = k.cmd.Process.Kill()
	_ = k.cmd.Wait() // its status is that it was killed
}

// start runs the server and waits until it takes work.
func (k *killed) start() {
	k.cmd = k.process(k.t)
	for range 1500 {
		if resp, err := http.Get("http://" + k.addr + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == 200 {
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	k.t.Fatal("the server does not come up")
}

// quiet waits until every commit of the pull request that has check runs has all three,
// completed, every command is answered, and the summary is that of the newest commit.
func (k *killed) quiet(what string, asks int) {
	k.t.Helper()
	k.await("the end after "+what, func(s state) bool {
		head := s.Pulls[0].Head.SHA
		now := ofHead(s, head)
		if len(now) != 3 || !finished(len(s.CheckRuns))(s) || len(k.answers(s)) != asks {
			return false
		}
		rockets := 0
		for _, r := range s.Reactions {
			if r.Content == "rocket" {
				rockets++
			}
		}
		all := s.Summaries
		return rockets == asks && len(all) > 0 && strings.Contains(all[0], head)
	})
}

func (k *killed) answers(s state) []string {
	var out []string
	for _, c := range s.Comments {
		if strings.HasPrefix(c.Body, "<!-- firmproof reply") {
			out = append(out, c.Body)
		}
	}
	return out
}

// once wants nothing twice.
func (k *killed) once(what string, bugs int) {
	k.t.Helper()
	s := k.state()
	if n := len(s.Summaries); n != 1 {
		k.t.Errorf("after %s: %d summaries", what, n)
	}
	seen := map[string]bool{}
	for _, c := range s.CheckRuns {
		if id := c.Name + c.HeadSHA; seen[id] {
			k.t.Errorf("after %s: twice: %s %s", what, c.Name, c.HeadSHA)
		} else {
			seen[id] = true
		}
		lines := map[int]bool{}
		for _, a := range c.Annotations {
			lines[a.Line] = true
		}
		want := bugs
		if c.Name == "firmproof" || c.Conclusion == "cancelled" {
			want = 0
		}
		if len(c.Annotations) != want || len(lines) != want {
			k.t.Errorf("after %s: %s (%s): %d annotations on %d lines, want %d", what, c.Name, c.Conclusion,
				len(c.Annotations), len(lines), want)
		}
	}
}
