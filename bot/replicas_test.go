package bot_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/firmproof/firmproof/bot"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// bucket is an S3 server's, empty, and where it is.
func bucket(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("firm"); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(web.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return "s3://" + strings.TrimPrefix(web.URL, "http://") + "/firm?region=eu-central-1&insecure=1"
}

// TestReplicas: one process takes webhooks, two others work, as on machines of their own: they share
// PostgreSQL and a bucket, and no folder. One of those that work ends in the middle of its runs, and the one that joins
// does them.
func TestReplicas(t *testing.T) {
	w := &world{t: t, logs: &syncBuffer{}}
	dsn := pgtest.Start(t)
	w.connectProxy(t.TempDir())
	w.cfg.DB, w.cfg.Workers, w.cfg.Artifacts = dsn, 0, bucket(t)
	w.start()
	stuck := &reader{hold: make(chan struct{})}
	quick := &reader{}
	one, two := w.worker(stuck), (*bot.Server)(nil)
	t.Cleanup(func() {
		if two != nil {
			if err := two.Stop(); err != nil {
				t.Error(err)
			}
		}
		w.stop()
		w.judge()
	})
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	w.await("runs in progress", func(s state) bool { return stuck.count() == 2 && len(s.CheckRuns) == 3 })
	two = w.worker(quick)
	if err := one.Stop(); err != nil {
		t.Error(err)
	}
	s := w.await("three completed check runs", finished(3))
	if quick.count() != 2 || conclusions(s)["firmproof"] != "failure" {
		t.Errorf("%d verifications by the second worker, %v", quick.count(), conclusions(s))
	}
	rec := httptest.NewRecorder()
	w.server.Metrics().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if rec.Code != http.StatusOK {
		t.Errorf("metrics: %d", rec.Code)
	}
}

// connectProxy is connect with our server behind w.proxy.
func (w *world) connectProxy(dir string) {
	w.proxyServer()
	w.connect(dir, nil, w.proxy.URL)
}

// worker starts a process-like worker on the same database.
func (w *world) worker(c *reader) *bot.Server {
	w.t.Helper()
	cfg := w.cfg
	cfg.Data = filepath.Join(w.t.TempDir(), "worker")
	cfg.SecretFiles, cfg.Workers, cfg.Checker = nil, 2, c
	cfg.Log = slog.New(slog.NewJSONHandler(w.logs, nil))
	s, err := bot.New(context.Background(), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// TestSecretsStayInside: whatever is logged goes through the redactor.
func TestSecretsStayInside(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	// the token is refused: its request is logged as an error
	w.call("POST", "/_fake/faults", []obj{{"match": "POST .*check-runs$", "times": 1, "status": 500}})
	w.push("fix", "int main\nbug ghs_abcdefghijklmnopqrstuvwxyz0123456789\n")
	w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	for _, c := range s.CheckRuns {
		if strings.Contains(c.Output.Summary+c.Output.Text, "ghs_abcdef") {
			t.Errorf("a token from the sources is in %s", c.Name)
		}
	}
}
