package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/bot"
	headless "github.com/firmproof/firmproof/reports/browser"
)

// says waits until the page has the text, and judges it: on a phone in the dark and on a desk in the light.
func says(t *testing.T, p *headless.Page, what string) {
	t.Helper()
	got := ""
	for range 400 {
		if got = p.Eval(`document.readyState === 'complete' ? document.body.innerText : ''`); strings.Contains(got,
			what) {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	if !strings.Contains(got, what) {
		t.Errorf("%s does not say %q: %s", p.Eval(`location.href`), what, got)
	}
	for _, phone := range []bool{true, false} {
		p.Size(1280, 900)
		if phone {
			p.Size(360, 740)
		}
		p.Scheme(phone)
		chromium.Usable(t, p)
	}
	if got := p.Eval(`document.querySelectorAll('img:not([height]), [onerror], b, i').length`); got != "0" {
		t.Errorf("%s: text of the repository became %s elements", p.Eval(`location.href`), got)
	}
}

// click follows the link or the button with this text.
func click(t *testing.T, p *headless.Page, text string) {
	t.Helper()
	find := `[...document.querySelectorAll('a, button')].find(e => e.textContent.trim() === '` + text + `')`
	if p.Eval(`!!(`+find+`)`) != "true" {
		t.Fatalf("no %q on %s: %s", text, p.Eval(`location.href`), p.Eval(`document.body.innerText`))
	}
	p.Follow(text, func() { p.Eval(find + `.click()`) })
}

// TestSignInPages: who is not signed in is asked by GitHub and comes back to the page; who may not see it is told what
// to do; a run that is not over says how far it is, and shows its end by itself.
func TestSignInPages(t *testing.T) {
	p := chromium.Page(t, 360, 740, true)
	hold := make(chan struct{}, 8)
	hold <- struct{}{}
	w := newWorld(t, &painter{reader{hold: hold}})
	w.tenant("acme/fw", "ann", false)
	w.stop()
	w.cfg.PublicURL = w.proxy.URL // where the browser finds it
	w.start()
	w.call("POST", "/_fake/users", obj{"login": "eve", "permission": "none"})

	p.Open(w.proxy.URL + "/repos/acme/fw")
	if got := p.Eval(`location.origin`); got != w.gh.URL {
		t.Fatalf("a private page shows %s: %s", got, p.Eval(`document.body.innerText`))
	}
	click(t, p, "ann")
	if got := p.Eval(`location.pathname`); got != "/repos/acme/fw" {
		t.Errorf("who signed in comes back to %s", got)
	}
	says(t, p, "What holds where")
	p.Quiet(w.proxy.URL, w.gh.URL)
	w.liveRun(p, hold)
	p.Quiet(w.proxy.URL)

	p.Open(w.proxy.URL + "/")
	says(t, p, "Signed in as ann.")
	click(t, p, "Sign out")
	if got := p.Eval(`document.body.innerText`); strings.Contains(got, "acme/fw") {
		t.Errorf("who signed out sees %s", got)
	}
	p.Open(w.proxy.URL + "/auth/login?to=/repos/acme/fw")
	click(t, p, "eve")
	says(t, p, "There is nothing here, or not for eve.")
	click(t, p, "Sign in with GitHub")
	click(t, p, "ann")
	says(t, p, "What holds where")
	p.Open(w.proxy.URL + "/auth/callback?code=x&state=guessed")
	says(t, p, "This is not an answer to our question")
}

// liveRun looks at a run while it waits, and until it is over.
func (w *world) liveRun(p *headless.Page, hold chan struct{}) {
	t := w.t.(*testing.T)
	w.push("main", "int main\nbug <img src=x onerror=alert(1)> <b>\n")
	s := w.await("a run in progress", func(s state) bool {
		last := s.CheckRuns[len(s.CheckRuns)-1]
		return last.Name == "firmproof / x86_64" && last.Status == "in_progress"
	})
	run := "/runs/" + s.CheckRuns[len(s.CheckRuns)-1].ExternalID
	for range 100 { // until a worker has it
		if p.Open(w.proxy.URL + run); strings.Contains(p.Eval(`document.body.innerText`), "of at most") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if got := p.Eval(`(() => { const box = document.querySelector('#live'), was = box.checked; box.checked = false; return was && document.querySelector('progress').max; })()`); got != "1" {
		t.Errorf("the page of a run in progress is not live: %s", got)
	}
	says(t, p, "0 of 1 verifications are over") // it stays as it is for as long as it is judged
	if got := p.Eval(`document.body.innerText`); !strings.Contains(got, "of at most 1 min 0 s") {
		t.Errorf("no time limit: %s", got)
	}
	p.Eval(`document.querySelectorAll('td').forEach(d => { d.textContent = d.textContent.replace(/; .* the last time/, ''); })`)
	p.Eval(settle)
	p.Size(360, 740)
	p.Scheme(true)
	chromium.Looks(t, p, "progress-narrow-dark")
	p.Follow("the run's page, by itself", func() {
		hold <- struct{}{}
		p.Eval(`document.querySelector('#live').checked = true`)
	})
	says(t, p, "index 8 of 8: bug <img src=x")
	if got := p.Eval(`!!document.querySelector('#live')`); got != "false" {
		t.Error("the page of a finished run is loaded again and again")
	}
}

// TestSetupPages: the App is registered by two buttons, ours and GitHub's.
func TestSetupPages(t *testing.T) {
	p := chromium.Page(t, 360, 740, true)
	w, cfg := unregistered(t)
	start, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		_, err := bot.Register(context.Background(), cfg, bot.Setup{Name: "proofs of <i>acme</i>",
			Say: func(a string) { start <- a }})
		ended <- err
	}()
	p.Open(<-start)
	says(t, p, "merge_queues")
	p.Quiet("http://" + cfg.Listen)
	click(t, p, "Register at "+strings.TrimPrefix(w.gh.URL, "http://"))
	click(t, p, "Create proofs of <i>acme</i>")
	says(t, p, "proofs of <i>acme</i> is registered")
	p.Quiet("http://"+cfg.Listen, w.gh.URL)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
