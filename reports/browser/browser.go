// Package browser drives a headless Chromium: for the tests of pages, and for the pictures in the documents.
//
// One Browser serves all tests of a package; a Page is a tab of its own, with a size and a colour scheme. Text is drawn
// with the fonts that npm fetches, so that pictures from different machines can be compared.
package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Browser is a running Chromium, which is told what to do through its DevTools pipe.
type Browser struct {
	dir string
	cmd *exec.Cmd
	to  *os.File

	mu      sync.Mutex
	next    int
	answers map[int]chan json.RawMessage
	pages   map[string]*Page // by session
}

// Path returns where Chromium is, and an error where there is none.
func Path() (string, error) { return exec.LookPath("chromium") }

// Start starts a browser, which Close ends; it ends with this process, too. If fonts is not empty, it knows the fonts
// of that folder only. arguments are further ones of Chromium's command line.
func Start(fonts string, arguments ...string) (*Browser, error) {
	path, err := Path()
	if err != nil {
		return nil, err
	}
	b := &Browser{answers: map[int]chan json.RawMessage{}, pages: map[string]*Page{}}
	if b.dir, err = os.MkdirTemp("", "browser-"); err != nil {
		return nil, err
	}
	readIn, writeIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	readOut, writeOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b.cmd = exec.Command(path, append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--user-data-dir=" + b.dir, "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage",
		"--font-render-hinting=none", "--disable-lcd-text", "--hide-scrollbars", "about:blank"}, arguments...)...)
	b.cmd.ExtraFiles = []*os.File{readIn, writeOut} // 3 and 4 of the browser
	b.cmd.Env = os.Environ()
	if fonts != "" {
		file, err := b.onlyFonts(fonts)
		if err != nil {
			return nil, err
		}
		b.cmd.Env = append(b.cmd.Env, "FONTCONFIG_FILE="+file)
	}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	readIn.Close()
	writeOut.Close()
	b.to = writeIn
	go b.listen(readOut)
	return b, nil
}

// onlyFonts writes a configuration of fonts that knows those of one folder.
func (b *Browser) onlyFonts(folder string) (string, error) {
	text := `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>` + folder +
		`</dir><cachedir>` +
		filepath.Join(b.dir, "fonts") + `</cachedir>
<selectfont><rejectfont><glob>*Serif*</glob><glob>*Condensed*</glob><glob>*TeX*</glob></rejectfont></selectfont>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>`
	file := filepath.Join(b.dir, "fonts.conf")
	return file, os.WriteFile(file, []byte(text+`</fontconfig>`), 0o600)
}

// Close ends the browser and removes its files.
func (b *Browser) Close() {
	b.send("", "Browser.close", nil)
	b.to.Close()
	done := make(chan error, 1)
	go func() { done <- b.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = b.cmd.Process.Kill() // it may have ended meanwhile
		<-done
	}
	_ = os.RemoveAll(b.dir) // a folder of the system's for temporary files
}

// message comes from the browser: an answer, or an event of a page.
type message struct {
	ID            int
	SessionID     string
	Method        string
	Result, Error json.RawMessage
	Params        struct {
		Request          struct{ URL string }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Entry struct{ Level, Text, URL string }
	}
}

// listen reads what the browser says until it ends.
func (b *Browser) listen(from *os.File) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if p := b.pages[m.SessionID]; p != nil && m.Method != "" {
			p.event(&m)
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

func (b *Browser) send(session, method string, params any) chan json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	c := make(chan json.RawMessage, 1)
	b.answers[b.next] = c
	m := map[string]any{"id": b.next, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	text, _ := json.Marshal(m)         // maps, texts and numbers always marshal
	_, _ = b.to.Write(append(text, 0)) // a browser that is gone gives no answer either
	return c
}

// call sends a command and reads its answer.
func (b *Browser) call(session, method string, params, into any) error {
	select {
	case got := <-b.send(session, method, params):
		if into == nil {
			return nil
		}
		if err := json.Unmarshal(got, into); err != nil {
			return fmt.Errorf("%s: %v: %s", method, err, got)
		}
		return nil
	case <-time.After(60 * time.Second):
		return fmt.Errorf("%s: no answer from the browser", method)
	}
}
