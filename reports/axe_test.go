package reports

import (
	"os"
	"path/filepath"
	"testing"
)

// axe returns axe-core, which npm fetches.
func axe(t *testing.T) string {
	t.Helper()
	dir := npmInstall(t, "axe")
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// barriers lists what axe-core finds serious or critical, with the first element of each kind.
const barriers = `axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => v.id + ': ' + v.help + ': ' + v.nodes[0].html + ' ' + v.nodes[0].failureSummary).join('\n'))`

// TestPageForAll: axe-core finds nothing serious on the page, wide in the light and on a phone in the dark, with
// everything opened and a counterexample shown. It needs npm and its registry, so a -short run leaves it out.
func TestPageForAll(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short runs without network")
		return
	}
	r := fixture(t)
	r.Results = r.Results[:5] // of one target
	r.Results[0].Coverage = coverageFixture().Results[0].Coverage
	page, err := HTML(r, TextOptions{Source: fixtureSource})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	script := axe(t)
	for _, c := range []struct {
		width int
		dark  bool
	}{{360, true}, {1280, false}} {
		b := newBrowser(t, c.width, 900, c.dark)
		b.open("file://" + file + "?trace=2&step=60")
		b.eval(`document.querySelectorAll('details').forEach(d => d.open = true)`)
		b.eval(script + "; 1")
		if got := b.eval(barriers); got != "" {
			t.Errorf("%d pixels, dark is %v:\n%s", c.width, c.dark, got)
		}
	}
}
