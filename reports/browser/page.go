package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Test is the part of testing.TB that a page uses; methods of Page end it where the browser fails.
type Test interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Page is a tab with cookies of its own.
type Page struct {
	t      Test
	ctx    context.Context
	loaded chan struct{}

	mu     sync.Mutex
	asked  []string // addresses that the page asked for
	faults []string // errors of scripts, and what the page's policy refused
}

// patience is how long the browser may take for one thing.
const patience = 60 * time.Second

// NewPage opens a tab of so many pixels; it is closed when the test ends.
func (b *Browser) NewPage(t Test, width, height int, dark bool) *Page {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	p := &Page{t: t, ctx: ctx, loaded: make(chan struct{}, 8)}
	if err := chromedp.Listen(ctx, p.event); err != nil {
		t.Fatalf("%v", err)
	}
	p.Scheme(dark)
	p.Size(width, height)
	return p
}

// run lets the browser do something with the page, and ends the test if that fails.
func run[T any](p *Page, what chromedp.Action[T]) T {
	p.t.Helper()
	ctx, end := context.WithTimeout(p.ctx, patience)
	defer end()
	got, err := chromedp.Run(ctx, what)
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	return got
}

// Scheme makes the reader prefer dark or light pages.
func (p *Page) Scheme(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	run(p, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		return chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	})
}

// Size changes the window.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	run(p, chromedp.EmulateViewport(int64(width), int64(height)))
}

// Scripts switches the page's own scripts on or off.
func (p *Page) Scripts(on bool) {
	p.t.Helper()
	run(p, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		return chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: !on})
	})
}

// event takes note of what happened on the page.
func (p *Page) event(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		p.asked = append(p.asked, ev.Request.URL)
	case *runtime.EventExceptionThrown:
		text := ev.ExceptionDetails.Text
		if e := ev.ExceptionDetails.Exception; e != nil {
			text += " " + e.Description
		}
		p.faults = append(p.faults, text)
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError {
			p.faults = append(p.faults, ev.Entry.Text+" "+ev.Entry.URL)
		}
	case *page.EventLoadEventFired:
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	}
}

// Open shows a page.
func (p *Page) Open(address string) {
	p.t.Helper()
	p.Follow(address, func() {
		run(p, func(ctx context.Context, _ *chromedp.Target) (page.NavigateResult, error) {
			return chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: address})
		})
	})
}

// Follow does something that leads to another page, and waits until that is loaded.
func (p *Page) Follow(what string, do func()) {
	p.t.Helper()
	for len(p.loaded) > 0 {
		<-p.loaded
	}
	do()
	select {
	case <-p.loaded:
	case <-time.After(patience):
		p.t.Fatalf("%s is not loaded", what)
	}
}

// Eval gives the value of a JavaScript expression as text.
func (p *Page) Eval(script string) string {
	p.t.Helper()
	return fmt.Sprint(run(p, chromedp.Evaluate[any](script, chromedp.EvalAwaitPromise)))
}

// Press types a key: a character, Enter or Tab.
func (p *Page) Press(key string) {
	p.t.Helper()
	if named, ok := map[string]string{"Enter": "\r", "Tab": "\t"}[key]; ok {
		key = named
	}
	run(p, chromedp.KeyEvent(key))
}

// Picture returns what the window shows, as PNG.
func (p *Page) Picture() []byte {
	p.t.Helper()
	return run(p, chromedp.CaptureScreenshot())
}

// Quiet fails where a script failed or the policy refused something since the last call, or the page asked for
// something outside of the address: of a file, another file; of a server, another host than its own or the others named.
func (p *Page) Quiet(address string, others ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) > 0 {
		p.t.Errorf("%s: errors on the page: %q", address, p.faults)
	}
	own, _ := url.Parse(address)
	for _, a := range p.asked {
		u, err := url.Parse(a)
		if err == nil && slices.ContainsFunc(others, func(o string) bool { return strings.HasPrefix(a, o+"/") }) {
			continue
		}
		if err != nil || a != "about:blank" && (u.Scheme != own.Scheme || u.Host != own.Host ||
			own.Scheme == "file" && u.Path != own.Path) {
			p.t.Errorf("the page asks for %s", a)
		}
	}
	p.faults, p.asked = nil, nil
}
