package browser

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Suite is shared by the tests of a package: a browser, started by the first test that needs it, and what npm fetches
// to judge pages with. Its zero value is ready; TestMain closes it.
type Suite struct {
	once    sync.Once
	browser *Browser
	tools   string // folder of Install; empty in a -short run, which has no network
	err     error
}

// Page opens a tab; the test is skipped where there is no browser.
func (s *Suite) Page(t testing.TB, width, height int, dark bool) *Page {
	t.Helper()
	if _, err := Path(); err != nil {
		t.Skip("no chromium here: make setup-tests installs it")
	}
	s.once.Do(func() { s.err = s.start(testing.Short()) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.browser.NewPage(t, width, height, dark)
}

func (s *Suite) start(short bool) (err error) {
	fonts := ""
	if !short {
		if s.tools, err = os.MkdirTemp("", "pages-"); err != nil {
			return err
		}
		if err = Install(s.tools); err != nil {
			return err
		}
		fonts = Fonts(s.tools)
	}
	s.browser, err = Start(fonts)
	return err
}

// Close ends the browser and removes what was fetched.
func (s *Suite) Close() {
	if s.browser != nil {
		s.browser.Close()
	}
	if s.tools != "" {
		_ = os.RemoveAll(s.tools) // a folder of the system's for temporary files
	}
}

// Looks holds what the window shows to the picture testdata/shots/NAME.png. A -short run has no fonts to draw it with.
func (s *Suite) Looks(t testing.TB, p *Page, name string) {
	t.Helper()
	if s.tools == "" {
		return
	}
	shots := os.Getenv("SHOTS") // CI keeps it
	if shots == "" {
		shots = filepath.Join(os.TempDir(), "firmproof-shots")
	}
	if err := compare(s.tools, shots, filepath.Join("testdata", "shots", name+".png"), p.Picture()); err != nil {
		t.Error(err)
	}
}

// Usable fails if something keeps people from using the page. A -short run lacks the rules.
func (s *Suite) Usable(t testing.TB, p *Page) {
	t.Helper()
	if s.tools == "" {
		return
	}
	if got := p.barriers(s.tools); got != "" {
		t.Errorf("%s: %s", p.Eval(`location.href + ' ' + innerWidth`), got)
	}
}
