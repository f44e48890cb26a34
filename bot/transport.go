package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limited says that GitHub wants no more calls of an installation until then.
// The job that meets it goes back to the queue; no worker sleeps.
type Limited struct{ Until time.Time }

func (l *Limited) Error() string {
	return "github: rate limit until " + l.Until.UTC().Format(time.RFC3339)
}

// RetryAfter is how long to wait; package pipeline asks for it.
func (l *Limited) RetryAfter() time.Duration { return time.Until(l.Until) }

// transport keeps GitHub's rules for all clients: primary and secondary limits,
// each of which may come as 403 or 429; one writer at a time per installation;
// retries of reads only (a repeated write could append annotations twice: whoever
// publishes compares with what is there instead).
type transport struct {
	next    http.RoundTripper
	metrics *metrics
	now     func() time.Time
	tags    tagCache

	mu      sync.Mutex
	blocked map[int64]time.Time
	strikes map[int64]int
	writers map[int64]chan struct{}
}

func newTransport(m *metrics) *transport {
	return &transport{next: http.DefaultTransport, metrics: m, now: time.Now,
		tags: tagCache{kept: map[string]keptAnswer{}}, blocked: map[int64]time.Time{}, strikes: map[int64]int{},
		writers: map[int64]chan struct{}{}}
}

// authTransport adds authorisation for one installation (0: the App itself).
type authTransport struct {
	*transport
	installation int64
	auth         func(ctx context.Context) (string, error)
}

// RoundTrip implements http.RoundTripper.
func (t *authTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := t.auth(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	return t.send(r, t.installation)
}

// readTries is how often a read is tried.
const readTries = 4

func (t *transport) send(r *http.Request, installation int64) (*http.Response, error) {
	if err := t.open(installation); err != nil {
		return nil, err
	}
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !read {
		leave, err := t.enter(r.Context(), installation)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	key := fmt.Sprintf("%d %s %s", installation, r.URL, r.Header.Get("Accept"))
	if r.Method == http.MethodGet {
		r = t.tags.ask(key, r)
	}
	for try := 1; ; try++ {
		resp, err := t.next.RoundTrip(r)
		t.count(r, resp)
		if err == nil {
			if limit := t.limit(resp, installation); limit != nil {
				return nil, limit
			}
			if r.Method == http.MethodGet {
				err = t.kept(key, resp)
			}
		}
		if err == nil {
			if resp.StatusCode < 500 {
				return resp, nil
			}
		}
		if !read || try == readTries || r.Context().Err() != nil {
			return resp, err
		}
		if resp != nil {
			_ = resp.Body.Close() // it is thrown away
		}
		pause := 250 * time.Millisecond << try
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(pause/2 + time.Duration(rand.Int64N(int64(pause/2)))):
		}
	}
}

// kept keeps an answer or replaces it by what is kept.
func (t *transport) kept(key string, resp *http.Response) error {
	used, err := t.tags.take(key, resp)
	if used {
		t.metrics.unchanged.Inc()
	}
	return err
}

// open refuses calls while the installation is limited.
func (t *transport) open(installation int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if until := t.blocked[installation]; t.now().Before(until) {
		return &Limited{until}
	}
	return nil
}

// enter waits to be the installation's only writer.
func (t *transport) enter(ctx context.Context, installation int64) (func(), error) {
	t.mu.Lock()
	gate := t.writers[installation]
	if gate == nil {
		gate = make(chan struct{}, 1)
		t.writers[installation] = gate
	}
	t.mu.Unlock()
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// limit recognises both limits on both codes, and says until when to keep quiet:
// Retry-After, else the reset when nothing remains, else a minute that doubles.
func (t *transport) limit(resp *http.Response, installation int64) error {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		t.mu.Lock()
		delete(t.strikes, installation)
		t.mu.Unlock()
		return nil
	}
	after, hasAfter := seconds(resp.Header.Get("Retry-After"))
	reset, hasReset := seconds(resp.Header.Get("X-RateLimit-Reset"))
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		body = nil
	}
	text := strings.ToLower(string(body))
	spent := resp.Header.Get("X-RateLimit-Remaining") == "0"
	named := strings.Contains(text, "rate limit") || strings.Contains(text, "abuse")
	if resp.StatusCode == http.StatusForbidden && !hasAfter && !spent && !named {
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(body)) // a plain 403: the caller sees it
		return nil
	}
	_ = resp.Body.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.strikes[installation]++
	until := t.now().Add(time.Minute << min(t.strikes[installation]-1, 6))
	switch {
	case hasAfter:
		until = t.now().Add(after)
	case spent && hasReset:
		until = time.Unix(int64(reset/time.Second), 0).Add(time.Second)
	}
	t.blocked[installation] = until
	t.metrics.limited.Inc()
	return &Limited{until}
}

func seconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return time.Duration(n) * time.Second, err == nil && n >= 0
}

func (t *transport) count(r *http.Request, resp *http.Response) {
	code := "error"
	if resp != nil {
		code = fmt.Sprintf("%dxx", resp.StatusCode/100)
		if n, err := strconv.ParseFloat(resp.Header.Get("X-RateLimit-Remaining"), 64); err == nil {
			t.metrics.remaining.Set(n)
		}
	}
	t.metrics.calls.WithLabelValues(r.Method, code).Inc()
}

// limitedUntil finds a Limited in err.
func limitedUntil(err error) (time.Time, bool) {
	var l *Limited
	if errors.As(err, &l) {
		return l.Until, true
	}
	return time.Time{}, false
}
