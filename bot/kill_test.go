package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/firmproof/firmproof/bot"
	"github.com/firmproof/firmproof/pipeline/store"
)

// TestMain lets the test binary be a server of its own, to be killed.
func TestMain(m *testing.M) {
	if text := os.Getenv("BOT_TEST_SERVER"); text != "" {
		var cfg bot.Config
		if err := json.Unmarshal([]byte(text), &cfg); err != nil {
			panic(err)
		}
		cfg.Log = slog.New(slog.NewJSONHandler(os.Stderr, nil))
		cfg.Checker = &reader{}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := bot.Serve(ctx, cfg); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

// process runs a server in a process of its own.
func (w *world) process(t testing.TB) *exec.Cmd {
	t.Helper()
	cfg := w.cfg
	cfg.Log, cfg.Checker = nil, nil
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BOT_TEST_SERVER="+string(text))
	cmd.Stderr = w.logs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestKill: the server is killed again and again, at any moment, while pull
// requests come in. In the end every commit has each of its check runs once,
// completed, with each annotation once; webhooks that met a dead server are asked for again.
func TestKill(t *testing.T) {
	t.Parallel()
	w := &world{t: t, logs: &syncBuffer{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w.connect(t.TempDir(), nil, "http://"+addr)
	w.cfg.Listen, w.cfg.RedeliverEvery = addr, time.Second
	cmd := w.process(t)
	kill := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // its status is that it was killed
	}
	t.Cleanup(func() { kill(); w.judge() })
	up := func() {
		for range 200 {
			if resp, err := http.Get("http://" + addr + "/readyz"); err == nil {
				_ = resp.Body.Close()
				if resp.StatusCode == 200 {
					return
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatal("the server does not come up")
	}
	up()
	w.repo("int main\n")
	const pulls, bugs = 4, 70
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range pulls {
		w.push(fmt.Sprintf("fix%d", i), "int main\n"+strings.Repeat(fmt.Sprintf("bug %d\n", i), bugs))
		w.pull(fmt.Sprintf("fix%d", i), false)
		for range 3 {
			time.Sleep(time.Duration(r.IntN(250)) * time.Millisecond)
			kill()
			cmd = w.process(t)
			if r.IntN(2) == 0 {
				up()
			}
		}
	}
	up()
	s := w.await("three check runs of each pull request", finished(3*pulls))
	seen := map[string]bool{}
	for _, c := range s.CheckRuns {
		if k := c.Name + c.HeadSHA; seen[k] {
			t.Errorf("twice: %s %s", c.Name, c.HeadSHA)
		} else {
			seen[k] = true
		}
		if want := map[bool]int{true: 0, false: bugs}[c.Name == "firmproof"]; len(c.Annotations) != want ||
			c.Conclusion != "failure" {
			t.Errorf("%s: %s with %d annotations, want %d", c.Name, c.Conclusion, len(c.Annotations), want)
		}
	}
}

// TestOneServer: a second server on the same folder is refused; SIGTERM ends the first in good order.
func TestOneServer(t *testing.T) {
	w := newWorld(t, &reader{})
	second := w.cfg
	if s, err := bot.New(context.Background(), second); err == nil {
		t.Error("two servers on one folder", s.Stop())
	}
	w.stop()
	other := w.process(t)
	for range 200 {
		if _, err := os.Stat(filepath.Join(w.cfg.Data, "firmproof.db-wal")); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := other.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
}

// TestMissed: a webhook that nobody took is asked for again, once, also where a process that was killed was about to.
func TestMissed(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.stop()
	if err := w.database().Write(context.Background(), func(tx store.Tx) error { // as one that was killed left it
		_, err := tx.TryLock(context.Background(), "redeliver", "dead", 10*time.Minute)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.pull("fix", false)
	time.Sleep(200 * time.Millisecond)
	w.start()
	w.await("three completed check runs", finished(3))
	time.Sleep(2500 * time.Millisecond)
	opened := 0
	for _, d := range w.state().Deliveries {
		if d.Event == "pull_request" {
			opened++
		}
	}
	if opened != 2 || c.count() != 2 {
		t.Errorf("%d attempts to deliver, %d verifications", opened, c.count())
	}
}
