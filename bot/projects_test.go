package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestProjects: one page over all repositories that the viewer may see, and no other: what is open, the oldest first, by
// owner, word and age; what is proved, and of how much of the code.
func TestProjects(t *testing.T) {
	w := newWorld(t, &reader{})
	w.tenant("acme/fw", "ann", true)
	w.tenant("acme/two", "ann", false)
	w.tenant("rival/secret", "zed", false)
	if _, err := w.database().SQLite().ExecContext(context.Background(), `UPDATE baselines SET first_seen = ? WHERE repo_id =
		(SELECT id FROM repos WHERE full_name = 'acme/two')`, time.Now().Add(-10*24*time.Hour).UnixMilli()); err != nil {
		t.Fatal(err)
	}
	ann := w.browser("ann")
	ann.open("/auth/login")
	for _, c := range []struct {
		of          string
		who         *browser
		says, hides []string
	}{
		{"/projects", w.browser(""), []string{`<p class="number violated">1</p>`, "bug of acme/fw"}, []string{"acme/two", "rival"}},
		{"/projects", ann, []string{`<p class="number violated">2</p>`, "1 since yesterday, 1 within a week, 2 within a month",
			"0 of 2</p>", "50 %</p>", ">10 days</td>", "the oldest first"}, []string{"rival"}},
		{"/projects?days=5", ann, []string{"bug of acme/two"}, []string{"bug of acme/fw"}},
		{"/projects?q=OF+acme%2Ffw", ann, []string{"bug of acme/fw", `<p class="number violated">1</p>`}, []string{"bug of acme/two"}},
		{"/projects?owner=ACME&from=1", ann, []string{"bug of acme/fw", "Projects of ACME", "Those before"}, []string{"bug of acme/two"}},
		{"/projects?owner=rival", ann, []string{"No repository to show"}, []string{"secret", "violated"}},
		{"/projects?days=99999999999999999999&from=-1&q=%25&owner=%3Cb%3E", ann, []string{"Nothing like that is open", "&lt;b&gt;"}, []string{"<b>"}},
	} {
		code, text, _ := c.who.open(c.of)
		for _, s := range c.says {
			if code != 200 || !strings.Contains(text, s) {
				t.Errorf("%s: %d, does not say %q: %s", c.of, code, s, text)
			}
		}
		for _, s := range c.hides {
			if strings.Contains(text, s) {
				t.Errorf("%s says %q: %s", c.of, s, text)
			}
		}
	}
	_, text, _ := ann.open("/projects")
	if strings.Index(text, "bug of acme/two") > strings.Index(text, "bug of acme/fw") {
		t.Errorf("the younger one comes first: %s", text)
	}
}
