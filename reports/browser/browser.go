// Package browser drives a headless Chromium: for the tests of pages, and for the pictures in the documents.
//
// One Browser serves all tests of a package; a Page is a tab of its own, with a size and a colour scheme. Text is drawn
// with the fonts that npm fetches, so that pictures from different machines can be compared.
package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// Browser is a running Chromium, driven by chromedp through its DevTools pipe.
type Browser struct {
	ctx   context.Context
	close func()
}

// Path returns where Chromium is, and an error where there is none.
func Path() (string, error) { return exec.LookPath("chromium") }

// Start starts a browser, which Close ends; it ends with this process, too. If fonts is not empty, it knows the fonts
// of that folder only.
func Start(fonts string) (*Browser, error) {
	path, err := Path()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "browser-")
	if err != nil {
		return nil, err
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.Headless,
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.Flag("disable-extensions", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("disable-lcd-text", true)}
	if fonts != "" {
		file, err := onlyFonts(dir, fonts)
		if err != nil {
			return nil, err
		}
		options = append(options, chromedp.Env("FONTCONFIG_FILE="+file))
	}
	all, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(all)
	b := &Browser{ctx: ctx, close: func() {
		end()
		endAll()
		_ = os.RemoveAll(dir) // a folder of the system's for temporary files
	}}
	if err := chromedp.Do(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// onlyFonts writes a configuration of fonts that knows those of one folder into dir.
func onlyFonts(dir, folder string) (string, error) {
	text := `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>` + folder +
		`</dir><cachedir>` + filepath.Join(dir, "fonts") + `</cachedir><selectfont><rejectfont>`
	for _, others := range []string{"Serif", "Condensed", "TeX"} { // by whole paths: from fontconfig 2.15 on
		text += "<glob>" + filepath.Join(folder, "*"+others+"*") + "</glob>"
	}
	text += `</rejectfont></selectfont>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>`
	file := filepath.Join(dir, "fonts.conf")
	return file, os.WriteFile(file, []byte(text+`</fontconfig>`), 0o600)
}

// Close ends the browser and removes its files.
func (b *Browser) Close() { b.close() }
