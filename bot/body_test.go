package bot_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// slowBody says that it is being read, and gives nothing until it is let go.
type slowBody struct {
	reads *atomic.Int64
	hold  chan struct{}
}

func (b *slowBody) Read([]byte) (int, error) {
	b.reads.Add(1)
	if b.hold != nil {
		<-b.hold
	}
	return 0, io.EOF
}

// forged looks like a signature.
var forged = "sha256=" + strings.Repeat("ab", 32)

// deliver hands a delivery to our server without a network.
func (w *world) deliver(body io.Reader, length int64, signature string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/webhook", body)
	r.ContentLength = length
	r.Header.Set("X-GitHub-Event", "ping")
	r.Header.Set("X-GitHub-Delivery", fmt.Sprintf("d-%d-%s", length, time.Now()))
	if signature != "" {
		r.Header.Set("X-Hub-Signature-256", signature)
	}
	rec := httptest.NewRecorder()
	w.server.Handler().ServeHTTP(rec, r)
	return rec
}

// sign is the signature that GitHub gives a body.
func (w *world) sign(body []byte) string {
	w.t.Helper()
	secret, err := os.ReadFile(w.cfg.SecretFiles[0])
	if err != nil {
		w.t.Fatal(err)
	}
	m := hmac.New(sha256.New, bytes.TrimSpace(secret))
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// TestRefusedUnread: a stranger makes the server read nothing without something that looks
// like a signature, nothing over GitHub's size, and only a few large bodies at a time;
// meanwhile GitHub's own deliveries are taken.
func TestRefusedUnread(t *testing.T) {
	w := newWorld(t, &reader{})
	var reads atomic.Int64
	for _, c := range []struct {
		name, signature string
		length          int64
		want            int
	}{
		{"no signature", "", 100, 401},
		{"SHA-1", "sha1=" + strings.Repeat("ab", 20), 100, 401},
		{"short", "sha256=abcd", 100, 401},
		{"no digits", "sha256=" + strings.Repeat("zz", 32), 100, 401},
		{"too large", forged, 27 << 20, 413},
	} {
		if rec := w.deliver(&slowBody{reads: &reads}, c.length, c.signature); rec.Code != c.want {
			t.Errorf("%s: %d, want %d", c.name, rec.Code, c.want)
		}
	}
	if n := reads.Load(); n != 0 {
		t.Errorf("%d bodies were read", n)
	}
	hold := make(chan struct{})
	codes := make(chan int, 20)
	for i := range 20 {
		length := int64(25 << 20)
		if i%2 == 1 {
			length = -1 // not announced
		}
		go func() {
			codes <- w.deliver(&slowBody{&reads, hold}, length, forged).Code
		}()
	}
	for range 18 {
		if code := <-codes; code != http.StatusServiceUnavailable {
			t.Errorf("one of too many large bodies: %d", code)
		}
	}
	if n := reads.Load(); n != 2 {
		t.Errorf("%d large bodies were read at a time, want 2", n)
	}
	good := []byte(`{"zen":"keep it small"}`)
	if rec := w.deliver(bytes.NewReader(good), int64(len(good)), w.sign(good)); rec.Code != http.StatusAccepted {
		t.Errorf("GitHub's delivery meanwhile: %d %s", rec.Code, rec.Body)
	}
	close(hold)
	for range 2 {
		if code := <-codes; code != http.StatusUnauthorized {
			t.Errorf("a forged body: %d", code)
		}
	}
}

// TestSiegeBodies: 60 connections send 25 MB each, without a signature and with forged ones.
// The heap grows by what two bodies need, not by what is sent.
func TestSiegeBodies(t *testing.T) {
	if os.Getenv("SIEGE") == "" {
		t.Log("not run: make siege does")
		return
	}
	w := newWorldTB(t, &reader{})
	for _, signature := range []string{"", forged} {
		runtime.GC()
		before, peak := heap(), uint64(0)
		var stop atomic.Bool
		var watch, all sync.WaitGroup
		watch.Go(func() {
			for !stop.Load() {
				peak = max(peak, heap())
				time.Sleep(10 * time.Millisecond)
			}
		})
		for range 60 {
			all.Go(func() {
				body := io.LimitReader(zeros{}, 25<<20)
				req, err := http.NewRequest("POST", w.proxy.URL+"/webhook", body)
				if err != nil {
					t.Error(err)
					return
				}
				req.ContentLength = 25 << 20
				req.Header.Set("X-GitHub-Event", "ping")
				req.Header.Set("X-GitHub-Delivery", "siege")
				if signature != "" {
					req.Header.Set("X-Hub-Signature-256", signature)
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					return // closed while we were sending: refused, too
				}
				_ = resp.Body.Close()
				if resp.StatusCode/100 == 2 {
					t.Errorf("a stranger's delivery: %s", resp.Status)
				}
			})
		}
		all.Wait()
		stop.Store(true)
		watch.Wait()
		grown := int64(peak-before) >> 20
		t.Logf("signature %q: the heap grew by %d MB", signature, grown)
		if grown > 300 {
			t.Errorf("signature %q: the heap grew by %d MB", signature, grown)
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
