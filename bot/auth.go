package bot

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/store"
)

// app speaks to GitHub as the App: it signs JWTs, trades them for installation
// tokens, keeps those until shortly before they expire, and makes clients.
type app struct {
	id        int64
	keys      []*rsa.PrivateKey
	base      *url.URL
	transport *transport

	mu     sync.Mutex
	tokens map[scope]token
	good   int // index of the key that worked last
}

// scope says what a token is good for. The zero repo means all of the installation.
type scope struct {
	installation, repo int64
	read               bool // contents:read only
}

type token struct {
	value   string
	expires time.Time
}

// tokenSlack is how long before its end a token is replaced: no clone or batch
// of calls begins with a token that may end under it.
const tokenSlack = 10 * time.Minute

func newApp(cfg *Config, k *keys, t *transport) (*app, error) {
	base, err := url.Parse(cfg.GitHubURL)
	if err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	return &app{id: cfg.AppID, keys: k.app, base: base, transport: t, tokens: map[scope]token{}}, nil
}

// jwt is a JWT of the App, good for nine minutes; its start lies back for clock skew.
func (a *app) jwt(key *rsa.PrivateKey) (string, error) {
	now := time.Now()
	claims := jwt.RegisteredClaims{Issuer: strconv.FormatInt(a.id, 10),
		IssuedAt: jwt.NewNumericDate(now.Add(-time.Minute)), ExpiresAt: jwt.NewNumericDate(now.Add(9 * time.Minute))}
	return jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(key)
}

// client makes a client whose requests carry the authorisation that auth gives.
func (a *app) client(installation int64, auth func(ctx context.Context) (string, error)) *github.Client {
	c := github.NewClient(&http.Client{Transport: &authTransport{a.transport, installation, auth},
		Timeout: time.Minute})
	c.BaseURL = a.base
	c.UserAgent = "firmproof"
	return c
}

// asApp is a client with the App's own rights, trying each key.
func (a *app) asApp(key *rsa.PrivateKey) *github.Client {
	return a.client(0, func(context.Context) (string, error) { return a.jwt(key) })
}

// withKeys calls f with the key that worked last, then with the others as long
// as GitHub answers 401: keys are rotated without a gap.
func (a *app) withKeys(f func(*rsa.PrivateKey) error) error {
	a.mu.Lock()
	first := a.good
	a.mu.Unlock()
	var err error
	for i := range a.keys {
		n := (first + i) % len(a.keys)
		err = f(a.keys[n])
		var e *github.ErrorResponse
		if errors.As(err, &e) && e.Response != nil && e.Response.StatusCode == http.StatusUnauthorized {
			continue
		}
		if err == nil {
			a.mu.Lock()
			a.good = n
			a.mu.Unlock()
		}
		return err
	}
	return err
}

// installation is a client for one repository of an installation.
func (a *app) installation(installation, repo int64) *github.Client {
	return a.client(installation, func(ctx context.Context) (string, error) {
		return a.token(ctx,
			scope{installation, repo, false})
	})
}

// token gives a cached or new token for the scope.
func (a *app) token(ctx context.Context, s scope) (string, error) {
	a.mu.Lock()
	t, ok := a.tokens[s]
	a.mu.Unlock()
	if ok && time.Until(t.expires) > tokenSlack {
		return t.value, nil
	}
	opts := &github.InstallationTokenOptions{}
	if s.repo != 0 {
		opts.RepositoryIDs = []int64{s.repo}
	}
	if s.read {
		opts.Permissions = &github.InstallationPermissions{Contents: github.String("read")}
	}
	err := a.withKeys(func(key *rsa.PrivateKey) error {
		got, _, err := a.asApp(key).Apps.CreateInstallationToken(ctx, s.installation, opts)
		if err == nil {
			t = token{got.GetToken(), got.GetExpiresAt().Time}
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("github: token of installation %d: %w", s.installation, err)
	}
	a.mu.Lock()
	a.tokens[s] = t
	a.mu.Unlock()
	return t.value, nil
}

// forget drops the tokens of an installation, after a 401 or a change of its rights.
func (a *app) forget(installation int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.tokens {
		if s.installation == installation {
			delete(a.tokens, s)
		}
	}
}

// Remote implements pipeline.Source: the token that is lent to git may read one
// repository and nothing else, and goes only to GitHub's own host.
func (a *app) Remote(ctx context.Context, repo store.Repo) (checkout.Remote, error) {
	u, err := url.Parse(repo.CloneURL)
	if err != nil || !a.ours(u) {
		return checkout.Remote{}, fmt.Errorf("github: clone URL %q of %s is not on %s", repo.CloneURL, repo.FullName,
			a.base.Host)
	}
	t, err := a.token(ctx, scope{repo.Installation, repo.ID, true})
	return checkout.Remote{URL: repo.CloneURL, Token: t}, err
}

func (a *app) ours(u *url.URL) bool {
	if u.User != nil || u.Scheme != "https" && u.Scheme != a.base.Scheme {
		return false
	}
	return u.Host == a.base.Host || "api."+u.Host == a.base.Host
}
