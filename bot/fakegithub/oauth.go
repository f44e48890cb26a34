package fakegithub

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// grant is an authorization that a user gave, until its code is exchanged for a token.
type grant struct {
	login, redirect, challenge string
	made                       time.Time
}

// grantLife is the lifetime of GitHub's authorization codes.
const grantLife = 10 * time.Minute

// serveOAuth plays the web application flow (GitHub docs: Generating a user access token):
//
//	GET  /login/oauth/authorize     who are you? (as=LOGIN answers), then back with a code
//	POST /login/oauth/access_token  a code becomes a token, once
func (s *Server) serveOAuth(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "GET /login/oauth/authorize":
		s.authorize(w, r)
	case "POST /login/oauth/access_token":
		s.tradeCode(w, r)
	default:
		http.NotFound(w, r)
	}
}

// authorize shows who may sign in, or goes back as the one who was chosen. The person at
// the machine is believed.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	switch {
	case q.Get("client_id") != s.app.clientID:
		http.Error(w, "no App has this client_id", http.StatusNotFound)
		return
	case err != nil || back.Host == "":
		http.Error(w, "redirect_uri is missing or no URL", http.StatusBadRequest)
		return
	}
	login := q.Get("as")
	if login == "" {
		s.chooseUser(w, r)
		return
	}
	code := randomHex(10)
	s.mu.Lock()
	s.userNamed(login)
	s.grants[code] = grant{login, q.Get("redirect_uri"), q.Get("code_challenge"), s.now()}
	s.mu.Unlock()
	to := back.Query()
	to.Set("code", code)
	to.Set("state", q.Get("state"))
	back.RawQuery = to.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// chooseUser lists the known users.
func (s *Server) chooseUser(w http.ResponseWriter, r *http.Request) {
	v := &view{Title: "Sign in", Slug: s.opts.AppSlug}
	s.mu.Lock()
	for _, u := range s.users {
		if u.bot {
			continue
		}
		q := r.URL.Query()
		q.Set("as", u.login)
		v.Logins = append(v.Logins, loginView{u.login, "/login/oauth/authorize?" + q.Encode()})
	}
	var out bytes.Buffer
	err := s.renderPage(&out, "login.html", v)
	s.mu.Unlock()
	sendPage(w, &out, err)
}

// tradeCode answers a token, or an error in GitHub's way: with status 200.
func (s *Server) tradeCode(w http.ResponseWriter, r *http.Request) {
	answer := obj{}
	s.mu.Lock()
	g, known := s.grants[r.PostFormValue("code")]
	delete(s.grants, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case r.PostFormValue("client_id") != s.app.clientID ||
		subtle.ConstantTimeCompare([]byte(r.PostFormValue("client_secret")), []byte(s.app.clientSecret)) == 0:
		answer["error"] = "incorrect_client_credentials"
	case !known || s.now().Sub(g.made) > grantLife ||
		g.challenge != "" && g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		answer["error"] = "bad_verification_code"
	case r.PostFormValue("redirect_uri") != g.redirect:
		answer["error"] = "redirect_uri_mismatch"
	default:
		value := "ghu_" + randomHex(18)
		s.signedIn[value] = g.login
		answer["access_token"], answer["token_type"], answer["scope"] = value, "bearer", ""
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(answer) // the caller has gone if this fails
}

type loginView struct{ Login, To string }
