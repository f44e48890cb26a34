package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sys/unix"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/blob"
	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/pipeline/store"
)

// Server is the GitHub App: webhooks, queue, workers, dashboard.
type Server struct {
	cfg      Config
	keys     *keys
	store    *store.Store
	pipe     *pipeline.Service
	app      *app
	metrics  *metrics
	bodies   *bodies // memory of the deliveries that are being read
	redact   *redactor
	log      *slog.Logger
	draining atomic.Bool
	ready    atomic.Bool
	health   health
	lock     *os.File // on the data folder
	stopLoop context.CancelFunc
	looped   chan struct{}
	signIn   *signIn // nil: nobody can
	audience *audience
	readers  readers
	git      checkout.Runner        // of repositories; nil: git runs as it is
	folder   func(dir string) error // makes one that jobs pass through; nil: there are none
	noForks  string                 // why builds of forks are refused on this machine; empty: they are not
}

// New opens the database and prepares a server; Start makes it work.
func New(ctx context.Context, cfg Config) (*Server, error) {
	k, err := cfg.prepare()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, keys: k, metrics: newMetrics(), bodies: newBodies(), redact: newRedactor(k)}
	s.log = slog.New(redactHandler{cfg.Log.Handler(), s.redact})
	if s.lock, err = lockData(s.cfg.Data); err != nil {
		return nil, err
	}
	if s.store, err = store.Open(ctx, s.cfg.DB); err != nil {
		return nil, errors.Join(err, s.lock.Close())
	}
	s.metrics.registry.MustRegister(newRunsCollector(s.store))
	if s.app, err = newApp(&s.cfg, k, newTransport(s.metrics)); err != nil {
		return nil, errors.Join(err, s.store.Close(), s.lock.Close())
	}
	s.audience = newAudience(s.app)
	if s.signIn, err = newSignIn(s); err != nil {
		return nil, errors.Join(err, s.store.Close(), s.lock.Close())
	}
	if err := s.checker(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close(), s.lock.Close())
	}
	artifacts := cmp.Or(cfg.Artifacts, filepath.Join(s.cfg.Data, "artifacts"))
	blobs, err := blob.Open(ctx, artifacts)
	if err != nil {
		return nil, errors.Join(err, s.store.Close(), s.lock.Close())
	}
	conf := pipeline.Config{Store: s.store, Data: cfg.Data, Source: s.app, Checker: s.cfg.Checker,
		Workers: cfg.Workers, RunLimit: cfg.RunLimit, Log: s.log,
		Git: s.git, Folder: s.folder, Observe: s.metrics.observe, Measured: s.metrics.measured, Local: cfg.Local,
		Deadline: cfg.Deadline,
		Limits:   store.Limits{Repo: cfg.RepoLimit, Owner: cfg.OwnerLimit}, MinFree: uint64(max(0, cfg.MinFree)),
		Blobs: blobs, Version: cfg.Version}
	if len(k.webhook) > 0 {
		conf.Edge = map[string]queue.Handler{pipeline.EventJob: s.event, pipeline.PublishJob: s.publish}
	}
	if s.pipe, err = pipeline.New(conf); err != nil {
		return nil, errors.Join(err, s.store.Close(), s.lock.Close())
	}
	return s, nil
}

// lockData makes sure that one process uses a data folder: it takes over what it
// finds there.
func lockData(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, fmt.Errorf("serve: --data: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("serve: --data: %w", err)
	}
	// a predecessor may be ending, or a child of it between fork and exec
	for range 50 {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return f, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, errors.Join(fmt.Errorf("serve: --data %s: another firmproof uses this folder", dir), f.Close())
}

// checker makes the checker that runs our own binary in the sandbox, if there is none.
func (s *Server) checker(ctx context.Context) error {
	if s.cfg.Checker != nil || s.cfg.Workers == 0 {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	box, err := sandbox.New(ctx, s.cfg.Sandbox, self, filepath.Join(s.cfg.Data, "bin"),
		strings.Fields(s.cfg.SandboxCommand)...)
	if err != nil {
		return err
	}
	for _, l := range box.Layers() {
		level := slog.LevelInfo
		if !l.Active {
			level = slog.LevelWarn
		}
		s.log.Log(ctx, level, "sandbox", "layer", l.Name, "active", l.Active, "detail", l.Detail)
	}
	if !box.Contained() {
		s.noForks = "its sandbox is incomplete (see `firmproof doctor`)."
	}
	program := box.Program()
	if program == "" { // switched off
		program = self
	}
	s.git, s.folder = &sandbox.Git{Box: box, Limits: sandbox.GitLimits()}, box.Folder
	checker, err := pipeline.NewChildChecker(program, box, sandbox.DefaultLimits())
	if err != nil {
		return err
	}
	s.cfg.Checker = checker
	return nil
}

// Start begins to work on the queue.
func (s *Server) Start(ctx context.Context) error {
	if err := s.pipe.Start(ctx); err != nil {
		return err
	}
	loop, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stopLoop, s.looped = cancel, make(chan struct{})
	if len(s.keys.webhook) > 0 {
		go s.redeliverLoop(loop)
	} else {
		close(s.looped)
	}
	s.ready.Store(true)
	return nil
}

// Stop refuses new webhooks, lets running work end for the time of Config.Drain,
// gives back what did not, and closes the database.
func (s *Server) Stop() error {
	s.draining.Store(true)
	s.ready.Store(false)
	if s.stopLoop != nil {
		s.stopLoop()
		<-s.looped
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Drain)
	defer cancel()
	return errors.Join(s.pipe.Stop(ctx), s.store.Close(), s.lock.Close())
}

// Handler serves webhooks, health and the dashboard, and the metrics where they have no port of their own.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /webhook", s.webhook)
	mux.HandleFunc("GET /webhook", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		plain(w, http.StatusMethodNotAllowed, "GitHub delivers webhooks here")
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", s.readyz)
	if s.cfg.Metrics == "" {
		mux.Handle("GET /metrics", s.Metrics())
	}
	s.dashboard(mux)
	if s.signIn != nil {
		s.signIn.routes(mux)
	}
	return mux
}

// Metrics serves /metrics, which names no repository but says how much is going on.
func (s *Server) Metrics() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}))
	return mux
}

// serveMetrics serves them as Config.Metrics says until stop.
func (s *Server) serveMetrics(ctx context.Context) (stop func() error, err error) {
	if s.cfg.Metrics == "" {
		return func() error { return nil }, nil
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.cfg.Metrics)
	if err != nil {
		return nil, fmt.Errorf("serve: --metrics-listen: %w", err)
	}
	web := newWeb(s, s.Metrics())
	go func() {
		if err := web.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics", "err", err)
		}
	}()
	s.log.Info("metrics", "listen", ln.Addr().String())
	return web.Close, nil
}

// newWeb is a web server that nobody holds open for long.
func newWeb(s *Server, h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn)}
}

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	err := s.health.look(r.Context(), s.store.Ping)
	switch {
	case s.draining.Load():
		plain(w, http.StatusServiceUnavailable, "stopping")
	case !s.ready.Load():
		plain(w, http.StatusServiceUnavailable, "starting")
	case err != nil:
		s.log.Error("database", "err", err)
		plain(w, http.StatusServiceUnavailable, "the database does not answer or cannot be written"+
			because(s.pipe.Paused()))
	case s.pipe.Paused() != "":
		plain(w, http.StatusOK, "ready for webhooks, but "+s.pipe.Paused())
	default:
		plain(w, http.StatusOK, "ready")
	}
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// health remembers for a moment what the database said: strangers may ask, too.
type health struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// look asks, unless it did so within a second.
func (h *health) look(ctx context.Context, ask func(context.Context) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.at) > time.Second {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		h.err, h.at = ask(ctx), time.Now()
	}
	return h.err
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text) // the reader has gone if this fails
}

// Serve runs the App until ctx ends, then drains it.
func Serve(ctx context.Context, cfg Config) error {
	if len(cfg.SecretFiles) == 0 {
		return errors.New("serve: --webhook-secret-file: a file with the webhook's secret is needed")
	}
	// the port first: a second server must not take over the first one's work
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("serve: --listen: %w", err)
	}
	s, err := New(ctx, cfg)
	if ctx.Err() != nil { // told to stop while starting
		if err == nil {
			err = s.Stop()
		} else {
			err = nil
		}
		return errors.Join(err, ln.Close())
	}
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	stopMetrics, err := s.serveMetrics(ctx)
	if err != nil {
		return errors.Join(err, ln.Close(), s.Stop())
	}
	web := newWeb(s, s.Handler())
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(ln) }()
	if err := s.Start(ctx); err != nil {
		if ctx.Err() != nil {
			err = nil // told to stop while starting
		}
		return errors.Join(err, web.Close(), stopMetrics(), s.Stop())
	}
	s.log.Info("serving", "listen", ln.Addr().String(), "github", s.cfg.GitHubURL, "workers", cfg.Workers)
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = nil
	}
	s.log.Info("stopping")
	s.draining.Store(true)
	err = errors.Join(err, s.Stop())
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return errors.Join(err, web.Shutdown(last), stopMetrics())
}

// Work runs a worker only, for a queue shared by several machines, until ctx ends.
// It needs the App's key to fetch, but no webhook secret.
func Work(ctx context.Context, cfg Config) error {
	cfg.SecretFiles = nil
	cfg.Workers = max(1, cfg.Workers)
	s, err := New(ctx, cfg)
	if err != nil {
		return err
	}
	if s.store.SQLite() != nil {
		return errors.Join(errors.New("worker: --db: an SQLite database has one process; use a postgres:// address"),
			s.store.Close())
	}
	stopMetrics, err := s.serveMetrics(ctx)
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	if err := s.Start(ctx); err != nil {
		return errors.Join(err, stopMetrics(), s.Stop())
	}
	s.log.Info("working", "workers", cfg.Workers)
	<-ctx.Done()
	s.log.Info("stopping")
	return errors.Join(s.Stop(), stopMetrics())
}
