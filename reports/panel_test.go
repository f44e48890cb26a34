package reports

import (
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPanel: the page for an editor steps through one violation under a policy that lets its own scripts run alone, tells
// the editor each step, and takes keys from it.
func TestPanel(t *testing.T) {
	r := fixture(t)
	claim := Violations(r.Results)[1].Shown().Claim
	page, ok := Panel(r, claim.ID, fixtureSource)
	if _, none := Panel(r, "memory@none#1", fixtureSource); !ok || none {
		t.Fatalf("a page of %s: %v; of a claim that is none: %v", claim.ID, ok, none)
	}
	// VS Code puts its own script in front of everything, as here
	const meta = `<meta http-equiv="Content-Security-Policy" content="`
	text := string(page)
	if !strings.Contains(html.UnescapeString(text), meta+PanelPolicy()) {
		t.Errorf("the policy is not %s", PanelPolicy())
	}
	editor := "<script>window.told = []; function acquireVsCodeApi() { return { postMessage: m => told.push(m) } }</script>"
	file := filepath.Join(t.TempDir(), "panel.html")
	if err := os.WriteFile(file, []byte(strings.Replace(text, "<head>", "<head>"+editor, 1)+
		"<script>window.foreign = true</script>"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := chromium.Page(t, 900, 900, false)
	b.Open("file://" + file)
	if got := b.Eval(`window.foreign`); got == "true" {
		t.Error("a script that is not of the page ran")
	}
	last := claim.Trace[len(claim.Trace)-1]
	if got := b.Eval(`JSON.stringify(told.at(-1))`); !strings.Contains(got, last.Pos.File) ||
		!strings.Contains(got, "violation") {
		t.Errorf("told at first: %s", got)
	}
	n := b.Eval(`told.length`)
	b.Eval(`window.postMessage({key: 'k'}, '*'); new Promise(done => setTimeout(done, 100))`)
	if got := b.Eval(`told.length`); got == n {
		t.Error("a key of the editor steps nowhere")
	}
	if got := b.Eval(`JSON.stringify(told.at(-1).step) < JSON.stringify(told[0].step)`); got != "true" {
		t.Errorf("stepped to %s", b.Eval(`JSON.stringify(told.at(-1))`))
	}
}
