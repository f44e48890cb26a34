package bot

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"
	"gopkg.in/yaml.v3"
)

// Setup says what App to register, and for whom.
type Setup struct {
	Name         string // of the App, which is unique at GitHub
	Organization string // that owns it; empty: the person who is signed in
	Say          func(address string)
}

// Files that set-up leaves in the data folder, for their owner alone.
const (
	setupKey    = "app.pem"
	setupSecret = "webhook-secret"
	setupClient = "client-secret"
	setupConfig = "firmproof.yml"
)

// Register serves the page that registers the App at GitHub by its manifest
// flow, until that is done: a person opens the address that Say is told, presses
// the button, confirms at GitHub, and comes back with a code, which is traded
// once for the App's number, key and webhook secret. Those go to files of mode
// 0600, and into the returned configuration.
func Register(ctx context.Context, cfg Config, o Setup) (Config, error) {
	if err := cfg.addresses(); err != nil {
		return cfg, err
	}
	s, err := newSetup(&cfg, o)
	if err != nil {
		return cfg, err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return cfg, fmt.Errorf("serve: --listen: %w", err)
	}
	web := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(ln) }()
	if o.Say != nil {
		o.Say(s.base.JoinPath("setup").String() + "?key=" + s.key)
	}
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = errors.New("serve: --setup: stopped before the App was registered")
	case <-s.done:
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = errors.Join(err, web.Shutdown(last)) // the last page is delivered
	return cfg, err
}

// setup is the page.
type setup struct {
	cfg        *Config
	o          Setup
	log        *slog.Logger
	base       *url.URL // where people reach us
	web        *url.URL // GitHub for people
	key, state string   // the right to begin, and to come back
	tmpl       *template.Template
	mux        *http.ServeMux
	done       chan struct{}
	turn       chan struct{} // held by the one that trades the code; never given back after success
}

func newSetup(cfg *Config, o Setup) (*setup, error) {
	for _, name := range []string{setupKey, setupSecret, setupClient, setupConfig} {
		if _, err := os.Lstat(filepath.Join(cfg.Data, name)); err == nil {
			return nil, fmt.Errorf(
				"serve: --setup: %s is there already: start `firmproof serve --config %s`, or move it away to register another App",
				filepath.Join(cfg.Data, name), filepath.Join(cfg.Data, setupConfig))
		}
	}
	base, err := url.Parse(cfg.PublicURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("serve: --public-url %q: want a URL such as https://firmproof.example", cfg.PublicURL)
	}
	web, err := webURL(cfg.GitHubURL)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = "firmproof-" + strings.ToLower(rand.Text()[:6])
	}
	s := &setup{cfg: cfg, o: o, log: cfg.Log, base: base, web: web, key: rand.Text(), state: rand.Text(),
		mux: http.NewServeMux(), done: make(chan struct{}), turn: make(chan struct{}, 1),
		tmpl: template.Must(template.ParseFS(pageFiles, "pages/setup.html"))}
	s.turn <- struct{}{}
	s.mux.HandleFunc("GET /setup", s.begin)
	s.mux.HandleFunc("GET /setup/done", s.end)
	s.mux.HandleFunc("GET /style.css", styles())
	s.mux.HandleFunc("GET /icon.svg", file("image/svg+xml", own("icon.svg")))
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	s.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		plain(w, http.StatusServiceUnavailable, "waiting for set-up")
	})
	return s, nil
}

// webURL is GitHub for people, given its API: https://api.github.com is at
// https://github.com, and https://HOST/api/v3 at https://HOST.
func webURL(api string) (*url.URL, error) {
	u, err := url.Parse(api)
	if err != nil {
		return nil, fmt.Errorf("serve: --github-url: %w", err)
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.TrimPrefix(u.Host, "api.")}, nil
}

// ServeHTTP implements http.Handler.
func (s *setup) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// appManifest returns what GitHub registers (docs: Registering a GitHub App from a manifest).
func (s *setup) appManifest() (string, error) {
	permissions := map[string]string{"merge_queues": "read"}
	for _, n := range needs {
		permissions[n.Right] = n.Level
	}
	text, err := json.Marshal(map[string]any{
		"name": s.o.Name, "url": s.base.String(),
		"description": "Verifies embedded firmware: bounded model checking, proofs and bounds.", "public": false,
		"hook_attributes":     map[string]any{"url": s.base.JoinPath("webhook").String(), "active": true},
		"callback_urls":       []string{s.base.JoinPath("auth", "callback").String()},
		"redirect_url":        s.base.JoinPath("setup", "done").String(),
		"default_permissions": permissions, "default_events": subscriptions(optional)})
	return string(text), err
}

// begin shows the button. It posts to GitHub, with nothing secret but the state.
func (s *setup) begin(w http.ResponseWriter, r *http.Request) {
	if !same(r.URL.Query().Get("key"), s.key) {
		plain(w, http.StatusForbidden, "Open the address that firmproof printed when it started.")
		return
	}
	manifest, err := s.appManifest()
	if err != nil {
		plain(w, http.StatusInternalServerError, "This page could not be made.")
		return
	}
	to := s.web.JoinPath("settings", "apps", "new")
	if s.o.Organization != "" {
		to = s.web.JoinPath("organizations", s.o.Organization, "settings", "apps", "new")
	}
	to.RawQuery = url.Values{"state": {s.state}}.Encode()
	s.page(w, "begin", map[string]any{"To": to.String(), "Manifest": manifest, "Name": s.o.Name,
		"Owner": s.o.Organization, "Host": s.web.Host, "Needs": needs, "Events": subscriptions(optional)})
}

// page renders one of the set-up pages, whose form may go to GitHub only.
func (s *setup) page(w http.ResponseWriter, name string, data any) {
	guard(w, "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		fmt.Sprintf("default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action %s://%s; frame-ancestors 'none'", s.web.Scheme, s.web.Host))
	w.Header().Set("Cache-Control", "no-store")
	if err := s.tmpl.ExecuteTemplate(w, name, data); err != nil {
		s.log.Warn("page", "page", name, "err", err)
	}
}

// end trades the code that the person comes back with.
func (s *setup) end(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !same(q.Get("state"), s.state) || q.Get("code") == "" {
		plain(w, http.StatusForbidden,
			"This is not an answer to our question: begin again at the address that firmproof printed.")
		return
	}
	select {
	case <-s.turn:
	default:
		plain(w, http.StatusConflict, "The App is being registered, or is registered already.")
		return
	}
	app, err := s.convert(r.Context(), q.Get("code"))
	if err != nil {
		s.turn <- struct{}{}
		s.log.Error("set-up", "err", reason(err))
		plain(w, http.StatusBadGateway, "GitHub did not give the App's credentials ("+reason(err)+
			"). The code is good for one hour and one use: begin again.")
		return
	}
	if err := s.keep(app); err != nil { // the secrets are shown nowhere: without files they are lost
		s.turn <- struct{}{}
		s.log.Error("set-up", "err", err)
		plain(w, http.StatusInternalServerError, "The credentials could not be written ("+err.Error()+
			"). Mend that, delete the App at "+app.GetHTMLURL()+", and begin again.")
		return
	}
	s.log.Info("registered", "app", app.GetID(), "name", app.GetName(), "config", filepath.Join(s.cfg.Data,
		setupConfig))
	s.page(w, "done", map[string]any{"Name": app.GetName(), "ID": app.GetID(), "Install": app.GetHTMLURL() +
		"/installations/new", "Config": filepath.Join(s.cfg.Data, setupConfig)})
	close(s.done)
}

func (s *setup) convert(ctx context.Context, code string) (*github.AppConfig, error) {
	base, err := url.Parse(s.cfg.GitHubURL)
	if err != nil {
		return nil, err
	}
	c := github.NewClient(&http.Client{Timeout: time.Minute})
	c.BaseURL, c.UserAgent = base, "firmproof"
	app, _, err := c.Apps.CompleteAppManifest(ctx, url.PathEscape(code))
	if err == nil && (app.GetID() == 0 || app.GetPEM() == "" || app.GetWebhookSecret() == "" ||
		app.GetClientID() == "" || app.GetClientSecret() == "") {
		err = errors.New("the answer lacks number, key, webhook secret or client")
	}
	return app, err
}

// keep writes the credentials and a configuration file, and fills the configuration.
func (s *setup) keep(app *github.AppConfig) error {
	c := s.cfg
	if err := os.MkdirAll(c.Data, 0o711); err != nil {
		return err
	}
	c.AppID, c.PrivateKeys, c.SecretFiles = app.GetID(), []string{filepath.Join(c.Data, setupKey)},
		[]string{filepath.Join(c.Data, setupSecret)}
	c.ClientID, c.ClientSecretFile = app.GetClientID(), filepath.Join(c.Data, setupClient)
	config, err := yaml.Marshal(map[string]any{"app-id": c.AppID, "private-key": c.PrivateKeys,
		"webhook-secret-file": c.SecretFiles, "data": c.Data, "client-id": c.ClientID,
		"client-secret-file": c.ClientSecretFile,
		"github-url":         c.GitHubURL, "public-url": c.PublicURL, "listen": c.Listen})
	if err != nil {
		return err
	}
	var made []string
	for _, f := range []struct{ name, text string }{{setupKey, app.GetPEM()},
		{setupSecret, app.GetWebhookSecret() + "\n"}, {setupClient, app.GetClientSecret() + "\n"},
		{setupConfig, string(config)}} {
		name := filepath.Join(c.Data, f.name)
		if err := writeSecret(name, f.text); err != nil {
			for _, old := range made {
				err = errors.Join(err, os.Remove(old))
			}
			return err
		}
		made = append(made, name)
	}
	return nil
}

// writeSecret makes a new file that only its owner may read. It is whole or not there.
func writeSecret(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), name) // fails if the name is taken
	}
	return errors.Join(err, os.Remove(f.Name()))
}
