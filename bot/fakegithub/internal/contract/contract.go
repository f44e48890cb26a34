// Package contract holds GitHub's published REST and webhook contract as bare
// structure and checks traffic against it.
//
// The embedded document is derived by derive.mjs from the npm package
// @octokit/openapi (MIT licence, Octokit contributors): the operations of
// routes.txt and the webhooks of webhooks.txt, reduced to paths, parameters,
// schemas, enums, limits and required fields.
package contract

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the derived document
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

//go:embed openapi.json.gz
var packed []byte

// Contract is GitHub's contract, ready to check traffic. It is safe for
// concurrent use.
type Contract struct {
	doc    *openapi3.T
	routes []route
}

// route is one path template, cut at its slashes.
type route struct {
	path  string
	parts []string
	item  *openapi3.PathItem
}

// Match is one request that found its operation.
type Match struct {
	// Method and Path are the operation as the document spells it.
	Method, Path string
	// Params are the unescaped path parameters.
	Params map[string]string

	route *routers.Route
}

// Load reads the embedded document.
func Load() (*Contract, error) {
	zr, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	raw, err := io.ReadAll(zr)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	c := &Contract{doc: doc}
	for path, item := range doc.Paths.Map() {
		c.routes = append(c.routes, route{path: path, parts: strings.Split(path[1:], "/"), item: item})
	}
	// Longer templates win, then fixed segments over parameters: tried first.
	sort.Slice(c.routes, func(i, j int) bool {
		a, b := c.routes[i], c.routes[j]
		if len(a.parts) != len(b.parts) {
			return len(a.parts) > len(b.parts)
		}
		return rank(a) < rank(b)
	})
	return c, nil
}

// rank orders routes: a fixed segment sorts before a parameter at its place.
func rank(r route) string {
	var b strings.Builder
	for _, p := range r.parts {
		if isParam(p) {
			b.WriteString("~/")
		} else {
			b.WriteString(p + "/")
		}
	}
	return b.String()
}

// Operations lists "METHOD PATH" of every operation, sorted.
func (c *Contract) Operations() []string {
	var out []string
	for _, r := range c.routes {
		for method := range r.item.Operations() {
			out = append(out, method+" "+r.path)
		}
	}
	sort.Strings(out)
	return out
}

// Find matches a request's method and escaped path. The boolean tells whether
// an operation was found.
func (c *Contract) Find(method, escaped string) (Match, bool) {
	segments := strings.Split(strings.Trim(escaped, "/"), "/")
	for _, r := range c.routes {
		params, ok := match(r.parts, segments)
		if !ok {
			continue
		}
		op := r.item.GetOperation(method)
		if op == nil {
			continue
		}
		return Match{Method: method, Path: r.path, Params: params, route: &routers.Route{
			Spec: c.doc, Path: r.path, PathItem: r.item, Method: method, Operation: op,
		}}, true
	}
	return Match{}, false
}

func isParam(part string) bool { return strings.HasPrefix(part, "{") }

// spansSlashes tells the parameters in which GitHub accepts unescaped slashes.
func spansSlashes(part string) bool {
	switch part {
	case "{path}", "{ref}", "{branch}", "{basehead}":
		return true
	}
	return false
}

// match binds segments to a template. A parameter that spans slashes takes all
// segments that the fixed parts after it leave over; only {path} may be empty.
func match(parts, segments []string) (map[string]string, bool) {
	params := map[string]string{}
	for i, part := range parts {
		if spansSlashes(part) {
			rest := len(parts) - i - 1
			n := len(segments) - i - rest
			if n < 0 || n == 0 && part != "{path}" {
				return nil, false
			}
			value, err := url.PathUnescape(strings.Join(segments[i:i+n], "/"))
			if err != nil {
				return nil, false
			}
			params[strings.Trim(part, "{}")] = value
			tail := segments[i+n:]
			for j, fixed := range parts[i+1:] {
				if tail[j] != fixed {
					return nil, false
				}
			}
			return params, true
		}
		if i >= len(segments) {
			return nil, false
		}
		if !isParam(part) {
			if part != segments[i] {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(segments[i])
		if err != nil || value == "" {
			return nil, false
		}
		params[strings.Trim(part, "{}")] = value
	}
	return params, len(parts) == len(segments)
}

// CheckRequest says how a request breaks the contract, or nil. The body is
// given apart, since the request's own has been read.
func (c *Contract) CheckRequest(m Match, r *http.Request, body []byte) error {
	clone := r.Clone(r.Context())
	clone.Body = io.NopCloser(bytes.NewReader(body))
	clone.GetBody = nil
	clone.Header.Set("Content-Type", "application/json")
	return brief(openapi3filter.ValidateRequest(r.Context(), c.input(m, clone)))
}

// CheckResponse says how a JSON answer breaks the contract, or nil.
func (c *Contract) CheckResponse(m Match, r *http.Request, status int, header http.Header, body []byte) error {
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: c.input(m, r), Status: status, Header: header,
		Options: &openapi3filter.Options{},
	}
	in.SetBodyBytes(body)
	return brief(openapi3filter.ValidateResponse(r.Context(), in))
}

func (c *Contract) input(m Match, r *http.Request) *openapi3filter.RequestValidationInput {
	params := map[string]string{}
	for k, v := range m.Params {
		params[k] = v
	}
	if v, named := params["path"]; named && v == "" {
		params["path"] = "/" // the root directory; the validator wants a value
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: m.route,
		Options: &openapi3filter.Options{SkipSettingDefaults: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
}

// CheckEvent says how a webhook payload breaks the schema of its event and
// action, or nil. An event that the document does not hold is an error.
func (c *Contract) CheckEvent(event, action string, payload []byte) error {
	name := strings.ReplaceAll(event, "_", "-")
	if action != "" {
		name += "-" + strings.ReplaceAll(action, "_", "-")
	}
	ref := c.doc.Components.Schemas["event "+name]
	if ref == nil {
		return fmt.Errorf("no schema of webhook %s", name)
	}
	var v any
	if err := json.Unmarshal(payload, &v); err != nil {
		return err
	}
	return brief(ref.Value.VisitJSON(v))
}

// brief cuts the validator's report, which quotes whole schemas, down to where
// and what.
func brief(err error) error {
	if err == nil {
		return nil
	}
	where := ""
	var re *openapi3filter.RequestError
	if errors.As(err, &re) && re.Parameter != nil {
		where = "parameter " + re.Parameter.Name + ": "
	}
	var se *openapi3.SchemaError
	if errors.As(err, &se) {
		return fmt.Errorf("%s%s", where, deepest(se))
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s%s", where, line)
}

// deepest follows the chain of causes to the innermost schema error.
func deepest(se *openapi3.SchemaError) string {
	pointer := "/" + strings.Join(se.JSONPointer(), "/")
	out := fmt.Sprintf("at %s: %s", pointer, se.Reason)
	var inner *openapi3.SchemaError
	if se.Origin != nil && errors.As(se.Origin, &inner) {
		return out + " (" + deepest(inner) + ")"
	}
	return out
}
