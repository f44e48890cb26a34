package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	htmlrender "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// hostile are names that files, functions, targets, branches and messages may have.
var hostile = []string{
	"<script>alert(1)</script>", `x</code></summary>@acme/security`, `"><img src=x onerror=alert(1)>`,
	"`@acme/security`", "a`b@acme/security", "``a`` b", "![x](http://evil.example/x.png)",
	"[click](javascript:alert(1))", "https://evil.example/x", "HTTP://evil.example", "www.evil.example", "#1",
	"acme/fw#2", "GH-3", "|a|b|", "\\|a\\|", "a\n# Heading\n\n- item", "\n\n1. x", "```\n@acme/security\n```", "~~~\nx",
	"\x1b]0;evil\x07\x1b[2J", "\u202eevil\u2066", "$\\href{javascript:x}{y}$", "</details></details><h1>x",
	"%0A::error::x", "::error file=a::x", "\r\n::error::x", "a]]>b", "&lt;b&gt;&#64;acme/security",
	"<!-- firmproof summary -->", "a@b.example", "mailto:a@b.example", "**bold** _em_ ~~gone~~ __x__",
	"../../etc/passwd",
	"/etc/passwd", "\xff\xfe", "*", "_x_", "<https://evil.example>", "[x]: https://evil.example", "[x]", "\t\ttab", "",
	strings.Repeat("`<@a ", 50), "x\x00y", "\\", "a\\", "\u2028@acme", "> quote", "=====", "- [ ] task",
}

// named is a report in which every text of the repository is name.
func named(name string) *verdict.Report {
	pos := verdict.Pos{File: name, Line: 3, Column: 4, Function: name}
	r := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}}
	for _, s := range []verdict.Status{verdict.Violated, verdict.Unknown} {
		c := verdict.Claim{ID: name, Check: verdict.Memory, Status: s, Message: name, Pos: pos}
		if s == verdict.Violated {
			c.Trace = []verdict.Step{{Pos: pos, Kind: verdict.StepInput, What: name, Value: name, Type: name}}
		} else {
			c.Reason = &verdict.Reason{Kind: verdict.Unsupported, Detail: name, Pos: &pos}
		}
		r.Results = append(r.Results, verdict.Result{Target: name + string(rune('a'+len(r.Results))), Entry: name,
			Claims: []verdict.Claim{c}, Assumptions: []verdict.Assumption{verdict.Assume("", verdict.Meaning, verdict.Read, name)}, Warnings: []string{name},
			Bounds: verdict.Bounds{Loops: []verdict.LoopBound{{Name: name, Pos: pos, Turns: 3}}}})
	}
	r.Results = append(r.Results, verdict.Result{Target: name, Entry: name, Reused: name,
		Reason: &verdict.Reason{Kind: verdict.Internal, Detail: name}})
	for i := range r.Results {
		r.Results[i].Summarise()
	}
	return r
}

// markdowns are all texts that are shown as Markdown, by what makes them.
func markdowns(name string) map[string]string {
	r := named(name)
	o := PageOptions{DetailsURL: "https://ours.example/run"}
	page := CheckRun(r.Results, o)
	out := map[string]string{"summary": page.Summary, "text": page.Text, "markdown": Markdown(r),
		"explanation": Explanation(verdict.Property{}, false, []Found{{Target: name, Entry: name, Status: "violated",
			Pos: verdict.Pos{File: name, Line: 2}, Message: name, URL: "https://ours.example/run"}}),
		"no such name": NoSuchName("harness", name, []string{name, "main"}),
		"refused":      AnnotationsRefused(1, 3, name), "text refused": TextRefused(name, "https://ours.example/run"),
		"comment": Comment(r.Results, CommentOptions{PageOptions: o, Commit: "0123456789", Targets: []string{name},
			Failed: map[string]string{name: name}, Fixed: map[string][]string{name: {name + "|" + name}}})}
	run := Outcome{Target: name, State: "done", Conclusion: "neutral", BaseRef: name, BaseSHA: "0123456789",
		URL: "https://ours.example/run"}
	out["target"] = TargetPage(run, r.Results, o).Summary
	run.Detail = strings.ReplaceAll(name, "\n", " ")
	out["aggregate"] = AggregatePage(run, []Outcome{run}, r.Results, o).Summary
	out["state"] = StatePage(run).Summary
	run.Conclusion = "failure"
	out["build"] = StatePage(run).Summary
	return out
}

var (
	codeText = regexp.MustCompile(`(?s)<code.*?</code>|<pre.*?</pre>`)
	tagText  = regexp.MustCompile(`<[^>]*>`)
	ourTags  = regexp.MustCompile(`</?(details|summary|code)>`)
	active   = regexp.MustCompile(`@\w|#\d|://|\bwww\.|(?i)\bGH-\d`)
)

// shape counts the nodes of Markdown that format, link or structure.
func shape(t *testing.T, what, source string) map[string]int {
	t.Helper()
	src := []byte(source)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(htmlrender.WithUnsafe()))
	out := map[string]int{}
	err := ast.Walk(md.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text, *ast.String, *ast.CodeSpan, *ast.TextBlock, *ast.Paragraph:
			return ast.WalkContinue, nil // what they hold is looked at in the page
		case *ast.Link:
			if !strings.HasPrefix(string(n.Destination), "https://ours.example/") {
				t.Errorf("%s links to %s", what, n.Destination)
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				seg := n.Lines().At(i)
				if s := ourTags.ReplaceAllString(string(seg.Value(src)), ""); strings.ContainsAny(s, "<>") {
					t.Errorf("%s has the HTML %q", what, s)
				}
			}
		}
		out[n.Kind().String()]++
		return ast.WalkContinue, nil
	})
	var page bytes.Buffer
	if err = errors.Join(err, md.Convert(src, &page)); err != nil {
		t.Fatal(err)
	}
	shown := codeText.ReplaceAllString(page.String(), "")
	shown = html.UnescapeString(tagText.ReplaceAllString(shown, ""))
	if m := active.FindString(shown); m != "" {
		t.Errorf("%s shows %q outside of code:\n%s", what, m, source)
	}
	return out
}

// TestInert throws hostile names at every renderer: the text formats nothing, links to
// nothing, mentions nobody, adds no line to a log, and steers no terminal.
func TestInert(t *testing.T) {
	want := map[string]map[string]int{}
	for what, text := range markdowns("plain") {
		want[what] = shape(t, what, text)
	}
	commands := strings.Count("\n"+GitHub(named("plain")), "\n::")
	for _, name := range hostile {
		for what, text := range markdowns(name) {
			got := shape(t, what, text)
			for kind := range got {
				if got[kind] > want[what][kind] && kind != "FencedCodeBlock" {
					t.Errorf("%s of %q: %d %s, want at most %d:\n%s", what, name, got[kind], kind, want[what][kind],
						text)
				}
			}
			if hasControl(text) {
				t.Errorf("%s of %q has control characters", what, name)
			}
		}
		r := named(name)
		for _, a := range CheckRun(r.Results, PageOptions{}).Annotations {
			if strings.HasPrefix(a.Path, "/") || strings.ContainsAny(a.Path, "<>\n\r\"") ||
				hasControl(a.Message+a.Title+a.RawDetails) {
				t.Errorf("annotation of %q: %+v", name, a)
			}
		}
		if log := GitHub(r); strings.Count("\n"+log, "\n::") > commands || strings.Contains(log, "\r") {
			t.Errorf("the log of %q has other commands:\n%s", name, log)
		}
		var terminal bytes.Buffer
		Text(&terminal, r, TextOptions{Verbose: true})
		if hasControl(terminal.String()) {
			t.Errorf("the terminal is steered by %q: %q", name, terminal.String())
		}
		wellFormed(t, name, r)
	}
}

// hasControl reports whether a text has what steers a terminal or turns the direction of writing.
func hasControl(s string) bool {
	return strings.ContainsAny(s, "\x1b\x07\x00\r\u202e\u2066\u2028")
}

// wellFormed checks the formats that are not for people.
func wellFormed(t *testing.T, name string, r *verdict.Report) {
	t.Helper()
	log, err := SARIF(r)
	var s sarifLog
	if err = errors.Join(err, json.Unmarshal(log, &s)); err != nil {
		t.Errorf("SARIF of %q: %v", name, err)
	}
	for _, res := range s.Runs[0].Results {
		if m := strings.NewReplacer("\\[", "", "\\]", "", "\\\\", "").Replace(res.Message.Text); strings.ContainsAny(m,
			"[]") {
			t.Errorf("SARIF of %q has a link: %s", name, res.Message.Text)
		}
	}
	junit, err := JUnit(r)
	for d := xml.NewDecoder(bytes.NewReader(junit)); err == nil; {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("JUnit of %q: %v", name, err)
	}
	for what, make := range map[string]func(*verdict.Report) ([]byte, error){"gitlab": GitLab, "rdjson": RDJSON} {
		if text, err := make(r); err != nil || !json.Valid(text) {
			t.Errorf("%s of %q: %v\n%s", what, name, err, text)
		}
	}
	table, err := CSV(r)
	if err != nil {
		t.Error(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil || len(rows) != 1+2+1 || hasControl(string(table)) {
		t.Errorf("CSV of %q: %v, %d rows\n%s", name, err, len(rows), table)
	}
	for _, row := range rows {
		for _, c := range row {
			if c != "" && strings.ContainsAny(c[:1], "=+-@") {
				t.Errorf("CSV of %q has the formula %q", name, c)
			}
		}
	}
	page, err := HTML(r, TextOptions{})
	if err != nil {
		t.Errorf("HTML of %q: %v", name, err)
	}
	inertPage(t, name, page)
}

var (
	element    = regexp.MustCompile(`<([a-zA-Z!][a-zA-Z0-9]*)`)
	dataScript = regexp.MustCompile(`(?s)<script type="application/json" id="[a-z0-9-]+">(.*?)</script>`)
	attribute  = regexp.MustCompile(`<[a-z0-9]+((?: [a-z-]+(?:="[^"]*")?)*)>`)
	known      = regexp.MustCompile(
		` (?:(?:id|class|lang|charset|name|content|http-equiv|data-[a-z]+|type|size|value)="[^"]*"|href="#[a-z0-9-]+"|hidden|open)`)
)

// inertPage checks that a page holds no element and no attribute that a name brought in, that only our script runs, and
// that what the viewer reads is data.
func inertPage(t *testing.T, name string, page []byte) {
	t.Helper()
	text := string(page)
	for _, m := range dataScript.FindAllStringSubmatch(text, -1) {
		if !json.Valid([]byte(m[1])) || strings.ContainsAny(m[1], "<>&") {
			t.Errorf("the data of %q can leave its script: %s", name, m[1])
		}
	}
	text = dataScript.ReplaceAllString(text, "")
	if n := strings.Count(text, "<script>"+ViewerScript()+"</script>"); n != 1 {
		t.Errorf("the page of %q has our script %d times", name, n)
	}
	text = strings.Replace(text, "<script>"+ViewerScript()+"</script>", "", 1)
	text = strings.Replace(text, "<style>"+PageStyle()+"</style>", "", 1)
	own := map[string]bool{"!doctype": true}
	for _, e := range strings.Fields(
		"html head meta title body header h1 h2 p code main form label select option input " +
			"output table thead tbody tr th td a details summary div b span pre noscript ul li") {
		own[e] = true
	}
	for _, m := range element.FindAllStringSubmatch(text, -1) {
		if !own[strings.ToLower(m[1])] {
			t.Errorf("the page of %q has the element %s", name, m[1])
		}
	}
	if n, shown := strings.Count(text, "<h1>"), strings.Count(text, "<title>"); n != 1 || shown != 1 {
		t.Errorf("the page of %q has %d headings and %d titles", name, n, shown)
	}
	for _, m := range attribute.FindAllStringSubmatch(text, -1) {
		if rest := known.ReplaceAllString(m[1], ""); rest != "" {
			t.Errorf("the page of %q has the attribute %s", name, rest)
		}
	}
	if hasControl(text) {
		t.Errorf("the page of %q has control characters", name)
	}
}
