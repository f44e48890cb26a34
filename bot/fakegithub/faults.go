package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// fault makes requests fail. Kind is "status" (default: answer Status and do
// nothing), "reset" (cut the connection), "delay" (wait, then work), "after-effect"
// (work, then answer Status or, without one, cut the connection), "primary" or
// "secondary" (GitHub's rate limits, Status 403 or 429), "hang" (work, then never
// answer).
type fault struct {
	// Match is a regular expression over "METHOD path".
	Match string `json:"match"`
	// Body is text that the request has to have in its body, too.
	Body string `json:"body"`
	// Times is how often it strikes; default 1, negative: always.
	Times *int `json:"times"`
	// Skip lets that many matching requests pass first.
	Skip   int    `json:"skip"`
	Kind   string `json:"kind"`
	Status int    `json:"status"`
	// Delay is milliseconds or a Go duration.
	Delay json.RawMessage `json:"delay"`
	// RetryAfter is the Retry-After of a limit in seconds; for a primary limit
	// the time to its reset. Default 1.
	RetryAfter *int `json:"retry_after"`

	pattern *regexp.Regexp
	left    int
	struck  int // how often it did
	delay   time.Duration
}

// prepare checks a fault and fills in defaults.
func (f *fault) prepare() error {
	pattern, err := regexp.Compile(f.Match)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	f.pattern, f.left = pattern, 1
	if f.Times != nil {
		f.left = *f.Times
	}
	if f.RetryAfter == nil {
		one := 1
		f.RetryAfter = &one
	}
	if len(f.Delay) > 0 {
		if f.delay, err = parseDelay(f.Delay); err != nil {
			return fmt.Errorf("delay: %w", err)
		}
	}
	switch f.Kind {
	case "", "status":
		f.Kind = "status"
		if f.Status == 0 && f.delay > 0 {
			f.Kind = "delay"
		} else if f.Status == 0 {
			f.Status = http.StatusBadGateway
		}
	case "primary", "secondary":
		if f.Status == 0 {
			f.Status = http.StatusForbidden
		}
	case "reset", "delay", "after-effect", "hang":
	default:
		return fmt.Errorf("kind %q: want status, reset, delay, after-effect, hang, primary or secondary", f.Kind)
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("status %d is none", f.Status)
	}
	return nil
}

func parseDelay(raw json.RawMessage) (time.Duration, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return time.ParseDuration(text)
	}
	ms, err := strconv.ParseFloat(string(raw), 64)
	return time.Duration(ms * float64(time.Millisecond)), err
}

// takeFault answers the first fault that strikes a request, or nil.
func (s *Server) takeFault(r *http.Request) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.left == 0 || !f.pattern.MatchString(r.Method+" "+r.URL.Path) || f.Body != "" && !hasText(r, f.Body) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		f.left--
		f.struck++
		// The status fault of a rate limit's code carries GitHub's headers.
		strike := *f
		if f.Kind == "status" && f.Status == http.StatusTooManyRequests {
			strike.Kind = "secondary"
		}
		return &strike
	}
	return nil
}

// hasText reports whether the body of a request has a text, and leaves it to be read.
func hasText(r *http.Request, text string) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && bytes.Contains(body, []byte(text))
}

// before does what happens instead of the request, or ahead of it. It answers
// the writer to go on with, nil to stop. A nil fault changes nothing.
func (f *fault) before(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if f == nil {
		return w
	}
	if f.delay > 0 {
		// the end of a caller is only noticed once its body is read
		body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
		if err != nil {
			return nil
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case <-time.After(f.delay):
		case <-r.Context().Done():
			return nil // it died before its request had an effect
		}
	}
	switch f.Kind {
	case "reset":
		panic(http.ErrAbortHandler)
	case "status", "primary", "secondary":
		f.answer(w)
		return nil
	case "after-effect", "hang":
		return &discarded{real: w, header: http.Header{}, gone: r.Context().Done()}
	}
	return w
}

// after answers in place of an answer that was thrown away.
func (f *fault) after(w http.ResponseWriter) {
	d, thrown := w.(*discarded)
	if !thrown {
		return
	}
	if f.Kind == "hang" {
		<-d.gone
		return
	}
	if f.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	f.answer(d.real)
}

func (f *fault) answer(w http.ResponseWriter) {
	message := http.StatusText(f.Status)
	switch f.Kind {
	case "primary":
		message = "API rate limit exceeded for installation."
		rateHeaders(w.Header(), 5000, 5000, time.Now().Add(time.Duration(*f.RetryAfter)*time.Second))
	case "secondary":
		message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
		w.Header().Set("Retry-After", strconv.Itoa(*f.RetryAfter))
	}
	rep := failure(f.Status, message)
	if f.Kind == "secondary" {
		rep.body.(obj)["documentation_url"] =
			"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
	}
	writeReply(w, rep)
}

// discarded swallows an answer.
type discarded struct {
	real   http.ResponseWriter
	header http.Header
	gone   <-chan struct{} // when the caller is
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) Write(b []byte) (int, error) { return len(b), nil }
func (d *discarded) WriteHeader(int)             {}
