package browser

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
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
	t       Test
	b       *Browser
	session string
	loaded  chan struct{}
	asked   []string // addresses that the page asked for
	faults  []string // errors of scripts, and what the page's policy refused
}

// NewPage opens a tab of so many pixels; it is closed when the test ends.
func (b *Browser) NewPage(t Test, width, height int, dark bool) *Page {
	t.Helper()
	p := &Page{t: t, b: b, loaded: make(chan struct{}, 8)}
	var context struct{ BrowserContextID string }
	p.call("Target.createBrowserContext", nil, &context)
	var target struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": context.BrowserContextID},
		&target)
	var session struct{ SessionID string }
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.mu.Lock()
	p.session = session.SessionID
	b.pages[p.session] = p
	b.mu.Unlock()
	t.Cleanup(func() {
		_ = b.call("", "Target.disposeBrowserContext", map[string]any{"browserContextId": context.BrowserContextID},
			nil) // the browser may be gone
		b.mu.Lock()
		delete(b.pages, p.session)
		b.mu.Unlock()
	})
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.call(domain+".enable", nil, nil)
	}
	p.Scheme(dark)
	p.Size(width, height)
	return p
}

// Scheme makes the reader prefer dark or light pages.
func (p *Page) Scheme(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme",
		"value": scheme}}}, nil)
}

// Size changes the window.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": false}, nil)
}

// Scripts switches the page's own scripts on or off.
func (p *Page) Scripts(on bool) {
	p.t.Helper()
	p.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": !on}, nil)
}

// event takes note of what happened on the page.
func (p *Page) event(m *message) {
	switch m.Method {
	case "Network.requestWillBeSent":
		p.asked = append(p.asked, m.Params.Request.URL)
	case "Runtime.exceptionThrown":
		p.faults = append(p.faults, m.Params.ExceptionDetails.Text+" "+m.Params.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		if m.Params.Entry.Level == "error" {
			p.faults = append(p.faults, m.Params.Entry.Text+" "+m.Params.Entry.URL)
		}
	case "Page.loadEventFired":
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	}
}

func (p *Page) call(method string, params, into any) {
	p.t.Helper()
	if err := p.b.call(p.session, method, params, into); err != nil {
		p.t.Fatalf("%v", err)
	}
}

// Open shows a page.
func (p *Page) Open(address string) {
	p.t.Helper()
	p.Follow(address, func() { p.call("Page.navigate", map[string]any{"url": address}, nil) })
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
	case <-time.After(60 * time.Second):
		p.t.Fatalf("%s is not loaded", what)
	}
}

// Eval gives the value of a JavaScript expression as text.
func (p *Page) Eval(script string) string {
	p.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &got)
	if got.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", script, got.ExceptionDetails.Exception.Description)
	}
	return fmt.Sprint(got.Result.Value)
}

// Press types a key.
func (p *Page) Press(key string) {
	p.t.Helper()
	codes := map[string]int{"Enter": 13, "Tab": 9}
	for _, kind := range []string{"keyDown", "keyUp"} {
		a := map[string]any{"type": kind, "key": key, "windowsVirtualKeyCode": codes[key]}
		if kind == "keyDown" && len(key) == 1 {
			a["text"] = key
		}
		if kind == "keyDown" && key == "Enter" {
			a["text"] = "\r"
		}
		p.call("Input.dispatchKeyEvent", a, nil)
	}
}

// Picture returns what the window shows, as PNG.
func (p *Page) Picture() []byte {
	p.t.Helper()
	var got struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": "png"}, &got)
	picture, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	return picture
}

// Quiet fails where a script failed or the policy refused something since the last call, or the page asked for
// something outside of the address: of a file, another file; of a server, another host than its own or the others named.
func (p *Page) Quiet(address string, others ...string) {
	p.t.Helper()
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
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
