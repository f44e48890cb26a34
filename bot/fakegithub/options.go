package fakegithub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Options say where the stand-in lives and whom it serves.
type Options struct {
	// Listen is the address of Run; New does not use it.
	Listen string
	// Dir keeps app.json, the private key, the webhook secret and the
	// repositories. It is created; of an earlier run's files the key and the
	// secret are used again, app.json and repos are removed.
	Dir string
	// DeliverTo is the URL that webhooks go to; empty: they are only logged.
	DeliverTo string
	// AppSlug names the App; default "firmproof".
	AppSlug string
	// Permissions of the installation; default: what firmproof asks for.
	Permissions map[string]string
	// RateLimit is the number of requests an installation has in an hour;
	// default 5000.
	RateLimit int
	// DeliveryTimeout is the receiver's deadline; default GitHub's 10 s.
	DeliveryTimeout time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Log gets a line for each request, delivery and violation; default: none.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.AppSlug == "" {
		o.AppSlug = "firmproof"
	}
	if o.Permissions == nil {
		o.Permissions = map[string]string{
			"checks": "write", "contents": "read", "issues": "write", "metadata": "read",
			"pull_requests": "write", "security_events": "write",
		}
	}
	if o.RateLimit == 0 {
		o.RateLimit = 5000
	}
	if o.DeliveryTimeout == 0 {
		o.DeliveryTimeout = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Run serves on opts.Listen until ctx ends. Dir/app.json is written when the
// server answers.
func Run(ctx context.Context, opts Options) error {
	s, err := New(opts)
	if err != nil {
		return err
	}
	defer s.Close()
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opts.Listen)
	if err != nil {
		return fmt.Errorf("fakegithub: %w", err)
	}
	web := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- web.Serve(ln) }()
	if err := s.SetURL("http://" + reachable(ln.Addr())); err != nil {
		_ = web.Close()
		return err
	}
	select {
	case err := <-done:
		return fmt.Errorf("fakegithub: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := web.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("fakegithub: %w", err)
	}
	_ = web.Close()
	return nil
}

// reachable is an address that a caller on this machine can use: that of all
// interfaces is none.
func reachable(a net.Addr) string {
	t, isTCP := a.(*net.TCPAddr)
	if isTCP && t.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(t.Port))
	}
	return a.String()
}
