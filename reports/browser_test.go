package reports

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// browser is a headless Chromium that is driven through its DevTools pipe.
type browser struct {
	t       testing.TB
	to      *os.File
	session string

	mu      sync.Mutex
	next    int
	answers map[int]chan json.RawMessage
	loaded  chan struct{}
	asked   []string // addresses that the page asked for
	faults  []string // errors of scripts, and what the page's policy refused
}

// newBrowser starts a browser with one page; the test is skipped where there is none.
func newBrowser(t testing.TB, width, height int, dark bool) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here: make setup-tests installs it")
	}
	readIn, writeIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	readOut, writeOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--user-data-dir="+t.TempDir(), "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage",
		"about:blank")
	cmd.ExtraFiles = []*os.File{readIn, writeOut} // 3 and 4 of the browser
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	readIn.Close()
	writeOut.Close()
	b := &browser{t: t, to: writeIn, answers: map[int]chan json.RawMessage{}, loaded: make(chan struct{}, 8)}
	go b.listen(readOut)
	t.Cleanup(func() {
		b.send("Browser.close", nil)
		writeIn.Close()
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme",
		"value": scheme}}}, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": false}, nil)
	return b
}

// listen reads what the browser says: answers, and events of the page.
func (b *browser) listen(from *os.File) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  json.RawMessage
			Params struct {
				Request          struct{ URL string }
				ExceptionDetails struct {
					Text      string
					Exception struct{ Description string }
				}
				Entry struct{ Level, Text string }
			}
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		switch m.Method {
		case "Network.requestWillBeSent":
			b.asked = append(b.asked, m.Params.Request.URL)
		case "Runtime.exceptionThrown":
			b.faults = append(b.faults, m.Params.ExceptionDetails.Text+" "+
				m.Params.ExceptionDetails.Exception.Description)
		case "Log.entryAdded":
			if m.Params.Entry.Level == "error" {
				b.faults = append(b.faults, m.Params.Entry.Text)
			}
		case "Page.loadEventFired":
			select {
			case b.loaded <- struct{}{}:
			default:
			}
		}
		if c := b.answers[m.ID]; c != nil && m.ID > 0 {
			delete(b.answers, m.ID)
			if m.Error != nil {
				m.Result = m.Error
			}
			c <- m.Result
		}
		b.mu.Unlock()
	}
}

func (b *browser) send(method string, params any) chan json.RawMessage {
	b.mu.Lock()
	b.next++
	id, c := b.next, make(chan json.RawMessage, 1)
	b.answers[id] = c
	b.mu.Unlock()
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" && method != "Browser.close" {
		m["sessionId"] = b.session
	}
	text, _ := json.Marshal(m)
	_, _ = b.to.Write(append(text, 0)) // a browser that is gone gives no answer either
	return c
}

func (b *browser) call(method string, params, into any) {
	b.t.Helper()
	select {
	case got := <-b.send(method, params):
		if into != nil {
			if err := json.Unmarshal(got, into); err != nil {
				b.t.Fatalf("%s: %v: %s", method, err, got)
			}
		}
	case <-time.After(60 * time.Second):
		b.t.Fatalf("%s: no answer from the browser", method)
	}
}

// open shows a page.
func (b *browser) open(address string) {
	b.t.Helper()
	for len(b.loaded) > 0 {
		<-b.loaded
	}
	b.call("Page.navigate", map[string]any{"url": address}, nil)
	select {
	case <-b.loaded:
	case <-time.After(60 * time.Second):
		b.t.Fatalf("%s is not loaded", address)
	}
}

// eval gives the value of a JavaScript expression as text.
func (b *browser) eval(script string) string {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, got.ExceptionDetails.Exception.Description)
	}
	return fmt.Sprint(got.Result.Value)
}

// press types a key.
func (b *browser) press(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": key}
		if len(key) == 1 && kind == "keyDown" {
			p["text"] = key
		}
		b.call("Input.dispatchKeyEvent", p, nil)
	}
}

// shot writes a picture of the page into the folder SHOTS, if there is one.
func (b *browser) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	var got struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &got)
	picture, err := base64.StdEncoding.DecodeString(got.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// quiet fails where a script failed, the policy refused something, or the page asked for anything but itself.
func (b *browser) quiet(address string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.faults) > 0 {
		b.t.Errorf("errors on the page: %q", b.faults)
	}
	own, _ := url.Parse(address)
	for _, a := range b.asked {
		if u, err := url.Parse(a); err != nil || a != "about:blank" && (u.Scheme != own.Scheme || u.Path != own.Path) {
			b.t.Errorf("the page asks for %s", a)
		}
	}
}
