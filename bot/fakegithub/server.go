package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/firmproof/firmproof/bot/fakegithub/internal/contract"
)

// Server is the stand-in as an http.Handler. It is safe for concurrent use:
// operations run one at a time under one lock and hand out finished bytes.
type Server struct {
	opts       Options
	spec       *contract.Contract
	app        credentials
	operations map[string]operation
	control    map[string]controlCall
	sender     *sender
	gitEnv     []string

	mu         sync.Mutex
	url        string
	appName    string
	created    time.Time
	lastID     int
	inst       installation
	repos      []*repo
	users      []*user
	tokens     map[string]*token
	grants     map[string]grant  // of the web flow, by code
	signedIn   map[string]string // logins by their tokens
	codes      map[string]time.Time
	used       map[string]*window
	faults     []*fault
	violations []Violation
}

// New makes the App's credentials under opts.Dir and an empty GitHub. Call
// SetURL once it is known where the handler can be reached.
func New(opts Options) (*Server, error) {
	opts = opts.withDefaults()
	spec, err := contract.Load()
	if err != nil {
		return nil, fmt.Errorf("fakegithub: %w", err)
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("fakegithub: %w", err)
	}
	opts.Dir = dir
	if err := clean(dir); err != nil {
		return nil, fmt.Errorf("fakegithub: %w", err)
	}
	app, err := makeCredentials(dir)
	if err != nil {
		return nil, fmt.Errorf("fakegithub: %w", err)
	}
	now := opts.Now().UTC().Truncate(time.Second)
	s := &Server{
		opts: opts, spec: spec, app: app, appName: opts.AppSlug, created: now, lastID: 1_000_000,
		inst:   installation{id: 50_007, account: "acme", created: now, updated: now},
		tokens: map[string]*token{}, codes: map[string]time.Time{}, grants: map[string]grant{},
		signedIn: map[string]string{},
		used:     map[string]*window{},
		gitEnv:   gitEnvironment(),
	}
	s.operations = apiOperations()
	s.control = controlCalls()
	s.sender = newSender(s)
	return s, nil
}

// clean takes away what an earlier run left but for its credentials: state is
// not kept, and an old app.json would tell a wrong address. A folder of
// somebody else is left alone.
func clean(dir string) error {
	repos := filepath.Join(dir, "repos")
	mark := filepath.Join(repos, ".fakegithub")
	if _, err := os.Stat(repos); err == nil {
		if _, err := os.Stat(mark); err != nil {
			return fmt.Errorf("%s is not of an earlier run: choose another folder", repos)
		}
	}
	if err := os.Remove(filepath.Join(dir, "app.json")); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.RemoveAll(repos); err != nil {
		return err
	}
	if err := os.MkdirAll(repos, 0o700); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}

// SetURL tells the server its own address and writes Dir/app.json.
func (s *Server) SetURL(url string) error {
	s.mu.Lock()
	s.url = strings.TrimRight(url, "/")
	s.mu.Unlock()
	raw, err := json.MarshalIndent(obj{
		"url": url, "app_id": s.app.appID, "client_id": s.app.clientID, "private_key": s.app.keyPath,
		"webhook_secret_file": s.app.secretPath, "client_secret_file": s.app.clientSecretPath,
		"installation_id": s.inst.id,
	}, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.opts.Dir, "app.json")
	if err := os.WriteFile(path+".new", append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("fakegithub: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("fakegithub: %w", err)
	}
	return nil
}

// Close ends the delivery of webhooks and waits for the one under way.
func (s *Server) Close() { s.sender.close() }

// Violations is a copy of the list so far.
func (s *Server) Violations() []Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Violation{}, s.violations...)
}

// ServeHTTP hands a request to the control calls, git, the pages or the API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if strings.HasPrefix(path, "/_fake/") {
		s.serveControl(w, r)
		return
	}
	f := s.takeFault(r)
	if f != nil {
		s.opts.Log.Info("fault", "kind", f.Kind, "method", r.Method, "path", path)
	}
	if w = f.before(w, r); w == nil {
		return
	}
	switch {
	case isGitPath(path):
		s.serveGit(w, r)
	case s.servePage(w, r):
	default:
		s.serveAPI(w, r)
	}
	f.after(w)
}

// note records a violation; the lock is held.
func (s *Server) note(kind string, r *http.Request, status int, message string) {
	s.violations = append(s.violations, Violation{
		Kind: kind, Method: r.Method, Path: r.URL.Path, Status: status, Message: message, At: s.opts.Now().UTC(),
	})
	s.opts.Log.Warn("violation", "kind", kind, "method", r.Method, "path", r.URL.Path, "message", message)
}

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// stamp is GitHub's time format.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// stampOrNil is null for no time.
func stampOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return stamp(*t)
}

func (s *Server) now() time.Time { return s.opts.Now().UTC().Truncate(time.Second) }
