package fakegithub

import (
	"bytes"
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

	"github.com/firmproof/firmproof/bot/fakegithub/internal/contract"
)

// operation is one row of the API: who may call it, the permission it needs
// ("checks:write"), and what it does.
type operation struct {
	auth       authKind
	permission string
	run        func(*call) reply
}

// call is one request at an operation. The server's lock is held.
type call struct {
	s      *Server
	r      *http.Request
	match  contract.Match
	query  url.Values
	body   []byte
	token  *token
	user   string // who called, with a token of their own
	repo   *repo
	header http.Header
}

// reply is an answer before it is written. Body is marshalled unless raw is
// set; violation says that the caller broke a limit, and which.
type reply struct {
	status    int
	body      any
	raw       []byte
	rawType   string
	violation string
}

func ok(body any) reply       { return reply{status: http.StatusOK, body: body} }
func created(body any) reply  { return reply{status: http.StatusCreated, body: body} }
func noContent() reply        { return reply{status: http.StatusNoContent} }
func accepted(body any) reply { return reply{status: http.StatusAccepted, body: body} }
func notFound() reply         { return failure(http.StatusNotFound, "Not Found") }

// failure is GitHub's error object.
func failure(status int, message string) reply {
	return reply{status: status, body: obj{
		"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status),
	}}
}

// invalid is a 422 for a rule that the schema does not state; it is recorded.
func invalid(resource, field, message string) reply {
	r := failure(http.StatusUnprocessableEntity, "Validation Failed")
	r.body.(obj)["errors"] = []obj{{"resource": resource, "field": field, "code": "custom", "message": message}}
	r.violation = resource + "." + field + " " + message
	return r
}

// decode reads the body, which the contract has already been checked on.
func (c *call) decode(v any) bool { return len(c.body) == 0 || json.Unmarshal(c.body, v) == nil }

func (c *call) param(name string) string { return c.match.Params[name] }

func (c *call) number(name string) int {
	n, err := strconv.Atoi(c.param(name))
	if err != nil {
		return -1
	}
	return n
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 25<<20))
	var big *http.MaxBytesError
	switch {
	case err != nil && !errors.As(err, &big):
		return // the caller died in the middle of its request
	case err != nil:
		s.mu.Lock()
		s.note("limit", r, http.StatusRequestEntityTooLarge, "request body over 25 MiB")
		s.mu.Unlock()
		writeReply(w, failure(http.StatusRequestEntityTooLarge, "Payload too big"))
		return
	}
	// GitHub takes the JSON text null for no body; go-github sends it.
	if string(bytes.TrimSpace(body)) == "null" {
		body = nil
	}
	c := &call{s: s, r: r, query: r.URL.Query(), body: body, header: http.Header{}}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3")
	m, found := s.spec.Find(r.Method, path)
	c.match = m
	op, known := s.operations[m.Method+" "+m.Path]

	s.mu.Lock()
	var rep reply
	if !found || !known {
		s.note("unknown route", r, http.StatusNotImplemented, "operation is not modelled")
		rep = failure(http.StatusNotImplemented, "fakegithub: "+r.Method+" "+r.URL.Path+" is not modelled")
	} else {
		rep = c.guarded(op)
		if rep.violation != "" {
			s.note("request", r, rep.status, rep.violation)
		}
	}
	out := finish(&rep)
	if notModified(r, rep, out) {
		// GitHub does not count a conditional request that it answers with 304.
		win := s.windowOf(c.token)
		win.used = max(win.used-1, 0)
		rateHeaders(c.header, s.opts.RateLimit, win.used, win.reset)
	}
	s.mu.Unlock()

	for k, v := range c.header {
		w.Header()[k] = v
	}
	if found && rep.raw == nil {
		s.checkAnswer(c, rep, out)
	}
	s.opts.Log.Debug("api", "method", r.Method, "path", r.URL.Path, "status", rep.status)
	w.Header().Set("X-GitHub-Request-Id", strings.ToUpper(randomHex(8)))
	w.Header().Set("X-GitHub-Media-Type", "github.v3; format=json")
	send(w, r, rep, out)
}

// finish turns an answer into bytes while the state is still locked.
func finish(rep *reply) []byte {
	if rep.raw != nil {
		return rep.raw
	}
	if rep.status == http.StatusNoContent || rep.body == nil {
		return nil
	}
	out, err := json.Marshal(rep.body)
	if err != nil {
		*rep = failure(http.StatusInternalServerError, "fakegithub: "+err.Error())
		out, _ = json.Marshal(rep.body)
	}
	return out
}

// checkAnswer holds our own answer to the contract.
func (s *Server) checkAnswer(c *call, rep reply, out []byte) {
	if rep.status == http.StatusNoContent {
		return
	}
	h := http.Header{"Content-Type": {"application/json"}}
	if err := s.spec.CheckResponse(c.match, c.r, rep.status, h, out); err != nil {
		s.mu.Lock()
		s.note("fakegithub bug", c.r, rep.status, "own answer: "+err.Error())
		s.mu.Unlock()
	}
}

// entityTag is the ETag of a read's answer, or empty.
func entityTag(r *http.Request, rep reply, out []byte) string {
	if r.Method != http.MethodGet || rep.status != http.StatusOK {
		return ""
	}
	sum := sha256.Sum256(out)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
}

func notModified(r *http.Request, rep reply, out []byte) bool {
	tag := entityTag(r, rep, out)
	return tag != "" && r.Header.Get("If-None-Match") == tag
}

// send writes an answer; a GET that the caller has already is a 304.
func send(w http.ResponseWriter, r *http.Request, rep reply, out []byte) {
	if tag := entityTag(r, rep, out); tag != "" {
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "private, max-age=60, s-maxage=60")
		if notModified(r, rep, out) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if rep.status != http.StatusNoContent {
		kind := rep.rawType
		if kind == "" {
			kind = "application/json; charset=utf-8"
		}
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(rep.status)
	_, _ = w.Write(out)
}

func writeReply(w http.ResponseWriter, rep reply) {
	out := finish(&rep)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(rep.status)
	_, _ = w.Write(out)
}

// page cuts a list by per_page (at most 100, default 30) and page, and sets
// Link.
func page[T any](c *call, items []T) []T {
	size := queryInt(c.query, "per_page", 30)
	if size < 1 || size > 100 {
		size = 100
	}
	at := max(queryInt(c.query, "page", 1), 1)
	last := max((len(items)+size-1)/size, 1)
	var links []string
	link := func(rel string, n int) {
		q := c.r.URL.Query()
		q.Set("page", strconv.Itoa(n))
		links = append(links, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, c.s.url, c.r.URL.EscapedPath(), q.Encode(), rel))
	}
	if at > 1 {
		link("prev", at-1)
	}
	if at < last {
		link("next", at+1)
		link("last", last)
	}
	if at > 1 {
		link("first", 1)
	}
	if len(links) > 0 {
		c.header.Set("Link", strings.Join(links, ", "))
	}
	from := min((at-1)*size, len(items))
	return items[from:min(from+size, len(items))]
}

func queryInt(q url.Values, name string, def int) int {
	if n, err := strconv.Atoi(q.Get(name)); err == nil {
		return n
	}
	return def
}

// each renders a list; an empty one is [] and not null.
func each[T any](items []T, f func(T) obj) []obj {
	out := make([]obj, 0, len(items))
	for _, it := range items {
		out = append(out, f(it))
	}
	return out
}
