package fakegithub

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the legacy header
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// delivery is one attempt to hand over an event.
type delivery struct {
	id         int
	guid       string
	event      string
	action     string
	repoID     int
	payload    []byte
	redelivery bool
	// done tells whether the attempt has ended; the fields below are its end.
	done       bool
	at         time.Time
	duration   time.Duration
	code       int
	status     string
	sent, got  http.Header
	answer     string
	failureMsg string
}

// sender delivers events one after the other, in the order in which they
// happened, and keeps the log.
type sender struct {
	s      *Server
	client *http.Client
	ctx    context.Context
	stop   context.CancelFunc
	ended  chan struct{}

	mu    sync.Mutex
	wake  *sync.Cond
	log   []*delivery
	queue []*delivery
}

func newSender(s *Server) *sender {
	ctx, stop := context.WithCancel(context.Background())
	d := &sender{s: s, ctx: ctx, stop: stop, ended: make(chan struct{}), client: &http.Client{
		Timeout:       s.opts.DeliveryTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	d.wake = sync.NewCond(&d.mu)
	go d.loop()
	return d
}

func (d *sender) close() {
	d.stop()
	d.mu.Lock()
	d.wake.Broadcast()
	d.mu.Unlock()
	<-d.ended
}

func (d *sender) loop() {
	defer close(d.ended)
	for {
		d.mu.Lock()
		for len(d.queue) == 0 && d.ctx.Err() == nil {
			d.wake.Wait()
		}
		if d.ctx.Err() != nil {
			d.mu.Unlock()
			return
		}
		next := d.queue[0]
		d.mu.Unlock()
		d.attempt(next)
		d.mu.Lock()
		d.queue = d.queue[1:]
		d.wake.Broadcast()
		d.mu.Unlock()
	}
}

// add puts an event or a redelivery in the queue.
func (d *sender) add(v *delivery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v.at = d.s.opts.Now().UTC()
	d.log = append(d.log, v)
	d.queue = append(d.queue, v)
	d.wake.Broadcast()
}

// Flush waits until all webhooks so far have been delivered, or ctx ends.
func (s *Server) Flush(ctx context.Context) error {
	d := s.sender
	stop := context.AfterFunc(ctx, func() {
		d.mu.Lock()
		d.wake.Broadcast()
		d.mu.Unlock()
	})
	defer stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) > 0 && ctx.Err() == nil {
		d.wake.Wait()
	}
	return ctx.Err()
}

func sign(newHash func() hash.Hash, secret string, body []byte) string {
	mac := hmac.New(newHash, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// headers are those of GitHub's webhooks (docs: webhook events and payloads).
func (s *Server) headers(v *delivery) http.Header {
	h := http.Header{}
	h.Set("Accept", "*/*")
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "GitHub-Hookshot/fake")
	h.Set("X-GitHub-Delivery", v.guid)
	h.Set("X-GitHub-Event", v.event)
	h.Set("X-GitHub-Hook-ID", "9000001")
	h.Set("X-GitHub-Hook-Installation-Target-ID", strconv.Itoa(s.app.appID))
	h.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	h.Set("X-Hub-Signature", "sha1="+sign(sha1.New, s.app.secret, v.payload))
	h.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New, s.app.secret, v.payload))
	return h
}

// attempt posts an event. Like GitHub, it never tries again by itself.
func (d *sender) attempt(v *delivery) {
	header := d.s.headers(v)
	end := func(code int, status string, got http.Header, answer, failure string, took time.Duration) {
		d.mu.Lock()
		defer d.mu.Unlock()
		v.done, v.code, v.status, v.sent, v.got, v.answer, v.failureMsg, v.duration = true, code, status, header, got,
			answer, failure, took
		d.s.opts.Log.Info("delivery", "event", v.event, "action", v.action, "guid", v.guid, "status", code)
	}
	if d.s.opts.DeliverTo == "" {
		end(0, "no receiver", nil, "", "no receiver", 0)
		return
	}
	begin := time.Now()
	req, err := http.NewRequestWithContext(d.ctx, http.MethodPost, d.s.opts.DeliverTo, bytes.NewReader(v.payload))
	if err != nil {
		end(0, "failed to connect", nil, "", err.Error(), 0)
		return
	}
	req.Header = header.Clone()
	res, err := d.client.Do(req)
	if err != nil {
		status := "failed to connect"
		if t, isTimeout := err.(interface{ Timeout() bool }); isTimeout && t.Timeout() {
			status = "timed out"
		}
		end(0, status, nil, "", err.Error(), time.Since(begin))
		return
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	status := "OK"
	if res.StatusCode/100 != 2 {
		status = "Invalid HTTP Response: " + strconv.Itoa(res.StatusCode)
	}
	end(res.StatusCode, status, res.Header, string(answer), "", time.Since(begin))
}

// find answers the newest attempt of a GUID or of an attempt's number.
func (d *sender) find(name string) *delivery {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := len(d.log) - 1; i >= 0; i-- {
		if v := d.log[i]; v.guid == name || strconv.Itoa(v.id) == name {
			return v
		}
	}
	return nil
}

// again queues a redelivery with the same GUID and payload.
func (d *sender) again(v *delivery, id int) {
	d.add(&delivery{id: id, guid: v.guid, event: v.event, action: v.action, repoID: v.repoID, payload: v.payload,
		redelivery: true})
}

// snapshot copies the log.
func (d *sender) snapshot() []delivery {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]delivery, len(d.log))
	for i, v := range d.log {
		out[i] = *v
	}
	return out
}
