package bot

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-github/v60/github"
)

// signIn is the App's web flow (GitHub docs: Generating a user access token for a GitHub App): it
// learns who somebody is and keeps that in a signed cookie for an hour. GitHub's token
// is asked for the person's name once and then forgotten.
type signIn struct {
	s        *Server
	clientID string
	secret   string
	key      []byte   // signs cookies; follows from secret, so that all servers of the App share it
	web      *url.URL // GitHub for people
}

const (
	sessionLife = time.Hour
	// answerLife is the time limit for signing in at GitHub.
	answerLife = 10 * time.Minute
	// kinds of cookies
	sessionCookie = "session"
	stateCookie   = "sign-in"
)

// claims are the contents of a signed cookie.
type claims struct {
	jwt.RegisteredClaims
	Login    string `json:"login,omitempty"`    // session: GitHub's name of the person
	State    string `json:"state,omitempty"`    // sign-in: returned by GitHub unchanged (RFC 6749, 10.12)
	Verifier string `json:"verifier,omitempty"` // sign-in: of the code challenge (RFC 7636)
	To       string `json:"to,omitempty"`       // sign-in: the page that was asked for
}

// viewer is somebody who signed in. A login may pass to another person, an ID does not.
type viewer struct {
	id    int64
	login string
}

// newSignIn is nil if the server was not told the App's client.
func newSignIn(s *Server) (*signIn, error) {
	if s.cfg.ClientID == "" {
		return nil, nil
	}
	web, err := webURL(s.cfg.GitHubURL)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, []byte(s.keys.client))
	mac.Write([]byte("firmproof cookies"))
	return &signIn{s: s, clientID: s.cfg.ClientID, secret: s.keys.client, key: mac.Sum(nil), web: web}, nil
}

// routes adds the pages of the flow.
func (a *signIn) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /auth/login", a.begin)
	mux.HandleFunc("GET /auth/callback", a.end)
	mux.HandleFunc("GET /auth/logout", a.leave)
}

// callback returns the redirect URI of the web flow.
func (a *signIn) callback() string { return a.s.cfg.PublicURL + "/auth/callback" }

// begin sends somebody to GitHub.
func (a *signIn) begin(w http.ResponseWriter, r *http.Request) {
	c := claims{State: rand.Text(), Verifier: rand.Text() + rand.Text(), To: ownPage(r.URL.Query().Get("to"))}
	if !a.put(w, stateCookie, answerLife, c) {
		return
	}
	sum := sha256.Sum256([]byte(c.Verifier))
	to := a.web.JoinPath("login", "oauth", "authorize")
	to.RawQuery = url.Values{"client_id": {a.clientID}, "redirect_uri": {a.callback()}, "state": {c.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}}.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// ownPage returns to if it is a path of this server, else "/": links cannot redirect to other hosts.
func ownPage(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.Contains(to, `\`) {
		return "/"
	}
	return to
}

// end takes the answer of GitHub: a code, which is traded for a token that says who it is.
func (a *signIn) end(w http.ResponseWriter, r *http.Request) {
	c, ok := a.get(r, stateCookie)
	a.drop(w, stateCookie)
	q := r.URL.Query()
	if !ok || q.Get("code") == "" || !same(q.Get("state"), c.State) {
		tell(w, http.StatusForbidden,
			"This is not an answer to our question: it came too late, or from another window.", "/")
		return
	}
	who, err := a.identify(r.Context(), q.Get("code"), c.Verifier)
	if err != nil {
		a.s.log.Warn("sign-in", "err", reason(err))
		tell(w, http.StatusBadGateway, "GitHub did not say who you are ("+reason(err)+").", c.To)
		return
	}
	session := claims{Login: who.login}
	session.Subject = strconv.FormatInt(who.id, 10)
	if a.put(w, sessionCookie, sessionLife, session) {
		http.Redirect(w, r, c.To, http.StatusFound)
	}
}

// leave ends the session. Links of other sites do not.
func (a *signIn) leave(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Sec-Fetch-Site") != "cross-site" {
		a.drop(w, sessionCookie)
	}
	http.Redirect(w, r, "/", http.StatusFound)
}

// identify trades the code for a token, and asks GitHub whose it is.
func (a *signIn) identify(ctx context.Context, code, verifier string) (viewer, error) {
	form := url.Values{"client_id": {a.clientID}, "client_secret": {a.secret}, "code": {code},
		"redirect_uri": {a.callback()}, "code_verifier": {verifier}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		a.web.JoinPath("login", "oauth", "access_token").String(), strings.NewReader(form.Encode()))
	if err != nil {
		return viewer{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	client := &http.Client{Timeout: 15 * time.Second, // the secret goes nowhere else
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return viewer{}, errors.New("it does not answer")
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	var answer struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&answer); err != nil {
		return viewer{}, fmt.Errorf("it answers %s", resp.Status)
	}
	if answer.Token == "" {
		return viewer{}, fmt.Errorf("it answers %q", answer.Error)
	}
	gh := github.NewClient(client).WithAuthToken(answer.Token)
	gh.BaseURL, gh.UserAgent = a.s.app.base, "firmproof"
	u, _, err := gh.Users.Get(ctx, "")
	if err != nil {
		return viewer{}, err
	}
	return viewer{u.GetID(), u.GetLogin()}, nil
}

// viewer returns the sender of a request by its session cookie; false without a valid one.
func (a *signIn) viewer(r *http.Request) (viewer, bool) {
	if a == nil {
		return viewer{}, false
	}
	c, ok := a.get(r, sessionCookie)
	id, err := strconv.ParseInt(c.Subject, 10, 64)
	return viewer{id, c.Login}, ok && err == nil && id > 0 && c.Login != ""
}

// put signs claims into a cookie of a kind; false if it had to answer an error.
func (a *signIn) put(w http.ResponseWriter, kind string, life time.Duration, c claims) bool {
	c.Audience = jwt.ClaimStrings{kind}
	c.ExpiresAt = jwt.NewNumericDate(time.Now().Add(life))
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(a.key)
	if err != nil {
		tell(w, http.StatusInternalServerError, "This page could not be made.", "")
		return false
	}
	a.set(w, kind, text, int(life.Seconds()))
	return true
}

// get reads a cookie of a kind. The key and the method are ours, whatever it says.
func (a *signIn) get(r *http.Request, kind string) (claims, bool) {
	var c claims
	cookie, err := r.Cookie(a.cookie(kind))
	if err != nil {
		return c, false
	}
	_, err = jwt.ParseWithClaims(cookie.Value, &c, func(*jwt.Token) (any, error) { return a.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Name}), jwt.WithAudience(kind), jwt.WithExpirationRequired())
	if err != nil {
		return claims{}, false
	}
	return c, true
}

func (a *signIn) drop(w http.ResponseWriter, kind string) { a.set(w, kind, "", -1) }

func (a *signIn) set(w http.ResponseWriter, kind, value string, age int) {
	w.Header().Set("Cache-Control", "no-store")
	http.SetCookie(w, &http.Cookie{Name: a.cookie(kind), Value: value, Path: "/", MaxAge: age, HttpOnly: true,
		Secure: a.secure(), SameSite: http.SameSiteLaxMode})
}

func (a *signIn) secure() bool { return strings.HasPrefix(a.s.cfg.PublicURL, "https://") }

// cookie is the name of a kind of cookie; the prefix makes browsers refuse it from neighbours.
func (a *signIn) cookie(kind string) string {
	if a.secure() {
		return "__Host-firmproof-" + kind
	}
	return "firmproof-" + kind
}
