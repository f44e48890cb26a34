package bot_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// loadSize is the number of webhooks of a load.
const loadSize = 2000

// TestLoad: a burst of 2,000 webhooks is acknowledged and handled, each once. How
// long an acknowledgement takes is for BenchmarkWebhooks to say.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short leaves out what takes minutes on a busy machine")
		return
	}
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.push("fix", "int main\nbug\n")
	w.pull("fix", false)
	s := w.await("three completed check runs", finished(3))
	took := w.load(0)
	slices.Sort(took)
	t.Logf("acknowledged: p50 %s, p99 %s, longest %s", took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
	w.awaitHandled()
	if n := len(w.state().CheckRuns); n != len(s.CheckRuns) {
		t.Errorf("%d check runs, want %d: webhooks that mean nothing had an effect", n, len(s.CheckRuns))
	}
}

// BenchmarkWebhooks sends 2,000 webhooks in the time of FIRMPROOF_LOAD (a minute by
// default), beside a run, and reports the acknowledgement times: `make load`.
func BenchmarkWebhooks(b *testing.B) {
	over := time.Minute
	if text := os.Getenv("FIRMPROOF_LOAD"); text != "" {
		var err error
		if over, err = time.ParseDuration(text); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		w := newWorldTB(b, &reader{})
		w.repo("int main\n")
		w.push("fix", "int main\nbug\n")
		w.pull("fix", false)
		took := w.load(over)
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		start := time.Now()
		w.awaitHandled()
		b.ReportMetric(time.Since(start).Seconds(), "s-after-last")
		w.stop()
	}
}

// load sends webhooks as they come in an organisation: most mean nothing to us,
// some are comments, pushes to branches and check runs of our own. It answers
// how long each acknowledgement took.
func (w *world) load(over time.Duration) []time.Duration {
	w.t.Helper()
	secret, err := os.ReadFile(w.cfg.SecretFiles[0])
	if err != nil {
		w.t.Fatal(err)
	}
	secret = bytes.TrimSpace(secret)
	took := make([]time.Duration, loadSize)
	start := time.Now()
	var wg sync.WaitGroup
	turn := make(chan int)
	for range 16 {
		wg.Go(func() {
			for i := range turn {
				begin := time.Now()
				if code, err := w.send(secret, i); err != nil || code != http.StatusAccepted {
					w.t.Errorf("webhook %d: %d %v", i, code, err)
				}
				took[i] = time.Since(begin)
			}
		})
	}
	for i := range loadSize {
		time.Sleep(time.Until(start.Add(over * time.Duration(i) / loadSize)))
		turn <- i
	}
	close(turn)
	wg.Wait()
	return took
}

// send delivers the i-th webhook of a load.
func (w *world) send(secret []byte, i int) (int, error) {
	event := []string{"push", "check_run", "issue_comment", "pull_request", "check_suite"}[i%5]
	body, err := json.Marshal(obj{"action": "labeled", "installation": obj{"id": 50_007}, "repository": obj{"id": 77,
		"full_name": "acme/other", "default_branch": "main"},
		"sender": obj{"login": "ann"}, "ref": "refs/heads/topic", "after": fmt.Sprintf("%040d", i),
		"check_run": obj{"id": i}, "issue": obj{"number": 1}, "comment": obj{"id": i, "body": "fine"},
		"pull_request": obj{"number": i, "state": "open", "updated_at": time.Now().UTC().Format(time.RFC3339),
			"head": obj{"sha": "a"}, "base": obj{"sha": "b"}},
		"padding": string(bytes.Repeat([]byte("x"), 8000))}) // events of GitHub have some 10 KB
	if err != nil {
		return 0, err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	req, err := http.NewRequest("POST", w.proxy.URL+"/webhook", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-GitHub-Event", event)
	req.Header.Set("X-GitHub-Delivery", "load-"+strconv.Itoa(i))
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// awaitHandled waits until every webhook of a load is handled, and wants each to be so.
func (w *world) awaitHandled() {
	w.t.Helper()
	ctx := context.Background()
	st := w.database()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		left := 0
		err := st.Read(ctx, func(tx store.Tx) error {
			for i := range loadSize {
				d, err := tx.Delivery(ctx, "load-"+strconv.Itoa(i))
				if err != nil {
					return err
				}
				if d.State != store.DeliveryDone {
					left++
				}
			}
			return nil
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("%d webhooks are not handled", left)
		}
	}
}
