package reports

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// panelStyle is the style of the panel: that of pages, with an editor's colours where there is one.
func panelStyle() string { return PageStyle() + pageFile("panel.css") }

// PanelPolicy is the Content-Security-Policy of the page that Panel writes: its own scripts and its style, nothing else,
// and nothing is loaded.
func PanelPolicy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s %s; base-uri 'none'; form-action 'none'",
		digestOf(panelStyle()), digestOf(pageFile("panel.js")), digestOf(ViewerScript()))
}

// Panel is a page that steps through one violation, for an editor: the trace viewer of the report. ok is false if the
// report has no violation of that claim.
func Panel(r *verdict.Report, claim string, read Source) (text []byte, ok bool) {
	sites := Violations(r.Results)
	i := slices.IndexFunc(sites, func(s Site) bool {
		return slices.ContainsFunc(s.Claims, func(c SiteClaim) bool { return c.Claim.ID == claim })
	})
	if i < 0 {
		return nil, false
	}
	s := &sites[i]
	sources := newSourceSet(read, r.Sources)
	shown := s.Shown()
	page := struct {
		Policy        string
		Style         template.CSS
		Panel, Script template.JS
		Site          siteView
		Rests         []string // assumptions
		SourceFiles   template.JS
	}{PanelPolicy(), template.CSS(panelStyle()), template.JS(pageFile("panel.js")), template.JS(ViewerScript()),
		newSiteView(1, s, answersAt(r.Results), names(r.Results, func(r verdict.Result) string { return r.Target }), sources),
		verdict.TextsOf(guesses(shown.Result, shown.Claim)), sources.json()}
	var buf bytes.Buffer
	if err := reportPage.ExecuteTemplate(OneDirection(&buf), "panel.html.tmpl", page); err != nil {
		panic(err) // texts and numbers only
	}
	return []byte(plain(buf.String())), true
}
