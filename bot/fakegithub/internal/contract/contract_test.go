package contract

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
)

func load(t *testing.T) *Contract {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFind(t *testing.T) {
	c := load(t)
	for _, tc := range []struct{ method, path, want, param, value string }{
		{"GET", "/repos/a/b/commits/feature/x/check-runs", "/repos/{owner}/{repo}/commits/{ref}/check-runs", "ref",
			"feature/x"},
		{"GET", "/repos/a/b/commits/feature%2Fx", "/repos/{owner}/{repo}/commits/{ref}", "ref", "feature/x"},
		{"GET", "/repos/a/b/contents/", "/repos/{owner}/{repo}/contents/{path}", "path", ""},
		{"GET", "/repos/a/b/contents/d/e%20f.c", "/repos/{owner}/{repo}/contents/{path}", "path", "d/e f.c"},
		{"GET", "/repos/a/b/issues/comments/7", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "comment_id",
			"7"},
		{"GET", "/repos/a/b/issues/7/comments", "/repos/{owner}/{repo}/issues/{issue_number}/comments", "issue_number",
			"7"},
		{"PUT", "/repos/a/b/issues/7/comments", "", "", ""},
		{"GET", "/repos/a", "", "", ""},
	} {
		m, found := c.Find(tc.method, tc.path)
		if m.Path != tc.want || found != (tc.want != "") || m.Params[tc.param] != tc.value {
			t.Errorf("%s %s: %q %v", tc.method, tc.path, m.Path, m.Params)
		}
	}
}

// TestCheck wants each kind of traffic refused for what is wrong with it.
func TestCheck(t *testing.T) {
	c := load(t)
	m, _ := c.Find("POST", "/repos/a/b/check-runs")
	r := httptest.NewRequest("POST", "/repos/a/b/check-runs", nil)
	for body, want := range map[string]string{
		`{"name":"x","head_sha":"y"}`: "", `{"name":"x"}`: "head_sha", `{"name":1,"head_sha":"y"}`: "/name",
		``: "required",
		`{"name":"x","head_sha":"y","status":"done"}`: "/status",
	} {
		err := c.CheckRequest(m, r, []byte(body))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("request %s: %v, want %q", body, err, want)
		}
	}
	h := http.Header{"Content-Type": {"application/json"}}
	if err := c.CheckResponse(m, r, 201, h, []byte(`{"id":1}`)); err == nil {
		t.Error("an answer of one field is taken for a check run")
	}
	for _, e := range [][3]string{{"push", "", `{}`}, {"check_run", "rerequested", `{"check_run":{}}`},
		{"star", "created", `{}`}} {
		if err := c.CheckEvent(e[0], e[1], []byte(e[2])); err == nil {
			t.Errorf("event %v is taken for a whole one", e)
		}
	}
}

// TestLists wants the document to hold what the two lists name, and no more.
func TestLists(t *testing.T) {
	c := load(t)
	read := func(name string) (lines []string) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(string(text), "\n") {
			if l != "" && l[0] != '#' {
				lines = append(lines, l)
			}
		}
		sort.Strings(lines)
		return lines
	}
	if want, have := read("routes.txt"), c.Operations(); !slices.Equal(want, have) {
		t.Errorf("operations %v, want %v", have, want)
	}
	var events []string
	for name := range c.doc.Components.Schemas {
		if event, is := strings.CutPrefix(name, "event "); is {
			events = append(events, event)
		}
	}
	sort.Strings(events)
	if want := read("webhooks.txt"); !slices.Equal(want, events) {
		t.Errorf("webhooks %v, want %v", events, want)
	}
}

// TestNoProse wants structure only in the document.
func TestNoProse(t *testing.T) {
	c := load(t)
	for _, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.Summary+op.Description != "" || op.ExternalDocs != nil {
				t.Errorf("%s %s has prose", method, op.OperationID)
			}
		}
	}
	for name, s := range c.doc.Components.Schemas {
		if s.Value != nil && (s.Value.Description != "" || s.Value.Title != "" || s.Value.Example != nil) {
			t.Errorf("schema %s has prose", name)
		}
	}
}
