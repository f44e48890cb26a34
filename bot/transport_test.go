package bot

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// trip is a GitHub of one function.
type trip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(code int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body))}
}

func request(t *testing.T, method, path string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://github.test"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLimits: both limits come with both codes; what GitHub says about the time is
// kept, and nothing is sent until then. A plain 403 is the caller's.
func TestLimits(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		name   string
		answer *http.Response
		wait   time.Duration // 0: no limit
	}{
		{"secondary, 403", answer(403, `{"message":"You have exceeded a secondary rate limit."}`, "Retry-After", "30"),
			30 * time.Second},
		{"secondary, 429", answer(429, `{"message":"slow"}`, "Retry-After", "7"), 7 * time.Second},
		{"secondary without a time", answer(403, `{"message":"You have exceeded a secondary rate limit."}`),
			time.Minute},
		{"primary, 403", answer(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset",
			strconv.FormatInt(now.Unix()+600, 10)), 601 * time.Second},
		{"primary, 429", answer(429, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset",
			strconv.FormatInt(now.Unix()+600, 10)), 601 * time.Second},
		{"no right", answer(403, `{"message":"Resource not accessible by integration"}`, "X-RateLimit-Remaining",
			"4999"), 0},
	} {
		calls := 0
		tr := newTransport(newMetrics())
		tr.now = func() time.Time { return now }
		tr.next = trip(func(*http.Request) (*http.Response, error) { calls++; return c.answer, nil })
		resp, err := tr.send(request(t, "POST", "/x"), 1)
		until, limited := limitedUntil(err)
		if limited != (c.wait > 0) || limited && until.Sub(now) != c.wait {
			t.Errorf("%s: %v until %s, want %s", c.name, err, until.Sub(now), c.wait)
		}
		if !limited {
			if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), "not accessible") {
				t.Errorf("%s: the caller sees %q (%v)", c.name, body, err)
			}
			continue
		}
		if _, err := tr.send(request(t, "GET", "/y"), 1); err == nil || calls != 1 {
			t.Errorf("%s: %d calls, the second with %v", c.name, calls, err)
		}
		tr.next = trip(func(*http.Request) (*http.Response, error) { return answer(200, "{}"), nil })
		if _, err := tr.send(request(t, "GET", "/y"), 2); err != nil {
			t.Errorf("%s: another installation has to wait, too: %v", c.name, err)
		}
		tr.now = func() time.Time { return now.Add(c.wait) }
		if _, err := tr.send(request(t, "GET", "/y"), 1); err != nil {
			t.Errorf("%s: still limited after its time: %v", c.name, err)
		}
	}
}

// TestRetries: reads are tried again, writes never are.
func TestRetries(t *testing.T) {
	for method, want := range map[string]int{"GET": readTries, "POST": 1, "PATCH": 1} {
		for name, fail := range map[string]trip{
			"500":   func(*http.Request) (*http.Response, error) { return answer(500, ""), nil },
			"reset": func(*http.Request) (*http.Response, error) { return nil, errors.New("reset") },
		} {
			calls := 0
			tr := newTransport(newMetrics())
			tr.next = trip(func(r *http.Request) (*http.Response, error) { calls++; return fail(r) })
			if resp, err := tr.send(request(t, method, "/x"), 1); err == nil && resp.StatusCode != 500 ||
				calls != want {
				t.Errorf("%s %s: %d calls, %v", method, name, calls, err)
			}
		}
	}
}

// TestOneWriter: writes of one installation never overlap; those of another, and reads, do.
func TestOneWriter(t *testing.T) {
	var mu sync.Mutex
	writing := map[string]int{}
	hold := make(chan struct{})
	inside := make(chan string, 10)
	tr := newTransport(newMetrics())
	tr.next = trip(func(r *http.Request) (*http.Response, error) {
		who := r.Method + r.URL.Path
		mu.Lock()
		writing[who]++
		if r.Method == "POST" && writing[who] > 1 {
			t.Errorf("two writers of %s", r.URL.Path)
		}
		mu.Unlock()
		inside <- who
		<-hold
		mu.Lock()
		writing[who]--
		mu.Unlock()
		return answer(200, "{}"), nil
	})
	var wg sync.WaitGroup
	send := func(method string, installation int64) {
		wg.Go(func() {
			if _, err := tr.send(request(t, method, "/"+strconv.FormatInt(installation, 10)),
				installation); err != nil {
				t.Error(err)
			}
		})
	}
	for range 3 {
		send("POST", 1)
	}
	send("POST", 2)
	send("GET", 1)
	seen := map[string]int{}
	for range 3 { // the second and third writer of 1 wait
		seen[<-inside]++
	}
	if seen["POST/1"] != 1 || seen["POST/2"] != 1 || seen["GET/1"] != 1 {
		t.Errorf("at work together: %v", seen)
	}
	close(hold)
	wg.Wait()
}

// TestConditional: a read is sent with the tag of what is kept, and a 304 becomes that; a
// changed answer replaces it, and what one installation got is not another's.
func TestConditional(t *testing.T) {
	version := "1"
	tr := newTransport(newMetrics())
	full := 0
	tr.next = trip(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("If-None-Match") == `"`+version+`"` {
			return answer(304, "", "X-RateLimit-Remaining", "9"), nil
		}
		full++
		return answer(200, "body "+version, "ETag", `"`+version+`"`, "Link", "next"), nil
	})
	get := func(installation int64, path string) string {
		resp, err := tr.send(request(t, "GET", path), installation)
		if err != nil || resp.StatusCode != 200 || resp.Header.Get("Link") != "next" {
			t.Fatalf("%v %v", resp, err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for i, c := range []struct {
		installation  int64
		path, version string
		full          int
	}{{1, "/a", "1", 1}, {1, "/a", "1", 1}, {2, "/a", "1", 2}, {1, "/b", "1", 3}, {1, "/a", "2", 4},
		{1, "/a", "2", 4}} {
		version = c.version
		if got := get(c.installation, c.path); got != "body "+c.version || full != c.full {
			t.Errorf("step %d: %q after %d full answers, want %d", i, got, full, c.full)
		}
	}
	for i := range 2 * maxKept {
		get(1, "/"+strconv.Itoa(i))
	}
	if n := len(tr.tags.kept); n > maxKept {
		t.Errorf("%d answers are kept", n)
	}
}
