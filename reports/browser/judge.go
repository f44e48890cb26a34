package browser

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed npm
var npmFiles embed.FS

// Install fetches axe-core, pixelmatch and the fonts into dir, which npm and its registry are needed for.
func Install(dir string) error {
	for _, name := range []string{"package.json", "package-lock.json", "compare.mjs"} {
		text, err := npmFiles.ReadFile("npm/" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %v\n%s", err, out)
	}
	return nil
}

// Fonts is the folder of fonts of an installation.
func Fonts(dir string) string { return filepath.Join(dir, "node_modules", "dejavu-fonts-ttf", "ttf") }

// seriousFindings lists what axe-core finds serious or critical, with the first element of each kind.
const seriousFindings = `axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => v.id + ': ' + v.help + ': ' + v.nodes[0].html + ' ' + v.nodes[0].failureSummary).join('\n'))`

// barriers lists what keeps people from using the page: serious findings of axe-core, texts with too little contrast,
// and a page that is wider than its window. It opens all that is folded.
func (p *Page) barriers(dir string) string {
	p.t.Helper()
	script, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	p.Eval(`document.querySelectorAll('details').forEach(d => d.open = true)`)
	p.Eval(string(script) + "; 1")
	list := []string{p.Eval(seriousFindings), p.Contrast()}
	if wide := p.Eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide != "0" {
		list = append(list, "the page is wider than its window by pixels: "+wide)
	}
	return strings.TrimSpace(strings.Join(list, "\n"))
}

// Contrast lists texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3).
func (p *Page) Contrast() string {
	p.t.Helper()
	return p.Eval(contrast)
}

const contrast = `(() => {
  const rgb = c => (c.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => { const f = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const out = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    if (['SCRIPT', 'STYLE', 'OPTION', 'NOSCRIPT'].includes(e.tagName)) continue;
    let opacity = 1;
    for (let p = e; p; p = p.parentElement) opacity *= getComputedStyle(p).opacity;
    const back = behind(e), text = rgb(getComputedStyle(e).color).slice(0, 3).map((v, i) => v * opacity + back[i] * (1 - opacity));
    const [a, b] = [light(text), light(back)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) out.push(e.tagName + '.' + e.className + ' ' + e.textContent.trim().slice(0, 30) + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  return [...new Set(out)].slice(0, 10).join('; ');
})()`

// mayDiffer is the share of pixels by which two pictures of one page may differ: releases of Chromium draw letters a
// little differently.
const mayDiffer = 0.01

// compare holds a picture to the one in the file want. Where UPDATE is set, it is written there. dir is the folder of
// Install; a picture that differs, and what differs, are left in the folder shots.
func compare(dir, shots, want string, got []byte) error {
	if os.Getenv("UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
			return err
		}
		return os.WriteFile(want, got, 0o644)
	}
	if err := os.MkdirAll(shots, 0o755); err != nil {
		return err
	}
	base := filepath.Join(shots, strings.TrimSuffix(filepath.Base(want), ".png"))
	if err := os.WriteFile(base+".png", got, 0o644); err != nil {
		return err
	}
	program := exec.Command("node", filepath.Join(dir, "compare.mjs"), want, base+".png", base+"-differs.png")
	out, err := program.CombinedOutput()
	share, notNumber := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil || notNumber != nil {
		return fmt.Errorf("compare %s: %v: %s", want, err, out)
	}
	if share > mayDiffer {
		return fmt.Errorf("%s: %.1f %% of the pixels differ from %s (%s); if it should look so: make update",
			base+".png", 100*share, want, base+"-differs.png")
	}
	return nil
}
