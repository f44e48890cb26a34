package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// guarded runs an operation behind the checks that GitHub makes first:
// credentials, rate limit, permission, repository, contract.
func (c *call) guarded(op operation) reply {
	if c.r.UserAgent() == "" {
		return withViolation(failure(http.StatusForbidden,
			"Request forbidden by administrative rules. Please make sure your request has a User-Agent header"),
			"no User-Agent header")
	}
	if rep, bad := c.authenticate(op); bad {
		return rep
	}
	if rep, bad := c.limited(); bad {
		return rep
	}
	if rep, bad := c.reach(op); bad {
		return rep
	}
	if c.r.Method != http.MethodGet && len(c.body) > 0 && !json.Valid(c.body) {
		return withViolation(failure(http.StatusBadRequest, "Problems parsing JSON"), "body is not JSON")
	}
	if err := c.s.spec.CheckRequest(c.match, c.r, c.body); err != nil {
		return withViolation(failure(http.StatusUnprocessableEntity, "Invalid request.\n\n"+err.Error()), err.Error())
	}
	return op.run(c)
}

func withViolation(rep reply, what string) reply {
	rep.violation = what
	return rep
}

// authenticate finds who calls. An ended token is no violation; a JWT that
// GitHub would refuse is.
func (c *call) authenticate(op operation) (reply, bool) {
	cred := bearer(c.r)
	if op.auth == authNone && cred == "" {
		return reply{}, false
	}
	if op.auth == authUser {
		if c.user = c.s.signedIn[cred]; c.user == "" {
			return failure(http.StatusUnauthorized, "Bad credentials"), true
		}
		return reply{}, false
	}
	isToken := strings.HasPrefix(cred, "ghs_")
	if isToken {
		c.token = c.s.liveToken(cred)
	}
	switch {
	case cred == "":
		return failure(http.StatusUnauthorized, "Requires authentication"), true
	case isToken && c.token == nil:
		return failure(http.StatusUnauthorized, "Bad credentials"), true
	case isToken && op.auth == authApp:
		return withViolation(failure(http.StatusUnauthorized, "A JSON web token could not be decoded"),
			"installation token at an operation that wants the App's JWT"), true
	case isToken:
		return reply{}, false
	}
	if why := c.s.checkJWT(cred); why != "" {
		return withViolation(failure(http.StatusUnauthorized, why), why), true
	}
	if op.auth == authToken {
		return withViolation(failure(http.StatusForbidden, "Resource not accessible by integration"),
			"App JWT at an operation that wants an installation token"), true
	}
	return reply{}, false
}

// reach finds the repository of the path and checks that the token may.
func (c *call) reach(op operation) (reply, bool) {
	if c.s.inst.suspended && c.token != nil {
		return failure(http.StatusForbidden, "This installation has been suspended"), true
	}
	if c.param("owner") != "" {
		c.repo = c.s.findRepo(c.param("owner"), c.param("repo"))
		if c.repo == nil || c.token != nil && !c.token.covers(c.repo) {
			return notFound(), true
		}
	}
	if c.token == nil || op.permission == "" {
		return reply{}, false
	}
	name, level, _ := strings.Cut(op.permission, ":")
	for _, alternative := range strings.Split(name, "|") {
		if grants(c.token.permissions, alternative, level) {
			c.header.Set("X-Accepted-GitHub-Permissions", strings.ReplaceAll(op.permission, ":", "="))
			return reply{}, false
		}
	}
	return withViolation(failure(http.StatusForbidden, "Resource not accessible by integration"),
		"permission "+op.permission+" is missing"), true
}

// window is an hour of requests under one credential.
type window struct {
	used  int
	reset time.Time
}

// limited counts the request against the primary limit.
func (c *call) limited() (reply, bool) {
	if c.match.Path == "/rate_limit" {
		return reply{}, false
	}
	win := c.s.windowOf(c.token)
	over := win.used >= c.s.opts.RateLimit
	if !over {
		win.used++
	}
	rateHeaders(c.header, c.s.opts.RateLimit, win.used, win.reset)
	if !over {
		return reply{}, false
	}
	return failure(http.StatusForbidden, fmt.Sprintf("API rate limit exceeded for installation ID %d.", c.s.inst.id)),
		true
}

// windowOf is the current hour: all tokens of an installation share one.
func (s *Server) windowOf(t *token) *window {
	key := "app"
	if t != nil {
		key = "installation"
	}
	win := s.used[key]
	if win == nil || !s.now().Before(win.reset) {
		win = &window{reset: s.now().Add(time.Hour)}
		s.used[key] = win
	}
	return win
}

func rateHeaders(h http.Header, limit, used int, reset time.Time) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(limit-used, 0)))
	h.Set("X-RateLimit-Used", strconv.Itoa(used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")
}
