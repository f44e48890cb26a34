package bot_test

import (
	"bytes"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestCard: the address of a finding in a public repository has a picture for where it is posted; what is private has none.
func TestCard(t *testing.T) {
	w := newWorld(t, &reader{})
	lasting := func(paths []string) string { // the address that stays the same, of the address of a run's finding
		return paths[0] + paths[len(paths)-1][strings.Index(paths[len(paths)-1], "/findings/"):]
	}
	public := lasting(w.tenant("open/fw", "ann", true))
	private := lasting(w.tenant("acme/fw", "ann", false))

	b := w.browser("ann")
	b.open("/auth/login")
	_, text, _ := b.open(public)
	found := regexp.MustCompile(`property="og:image" content="http://firmproof.example([^"]+)"`).FindStringSubmatch(text)
	if found == nil || found[1] != public+"/card.png" {
		t.Fatalf("no picture is named: %v in %s", found, text)
	}
	code, picture, header := w.browser("").open(found[1])
	m, err := png.Decode(bytes.NewReader([]byte(picture)))
	if code != http.StatusOK || header.Get("Content-Type") != "image/png" || err != nil {
		t.Fatalf("picture: %d %v", code, err)
	}
	if at := m.Bounds().Size(); at.X != 1200 || at.Y != 630 {
		t.Errorf("size %v", at)
	}
	inks := map[[3]uint32]int{}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			r, g, b, _ := m.At(x, y).RGBA()
			inks[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	if inks[[3]uint32{0xb3, 0x20, 0x2a}] < 16*630 || inks[[3]uint32{0x1f, 0x23, 0x28}] < 2000 {
		t.Errorf("no bar of the violated, or no text: %d, %d", inks[[3]uint32{0xb3, 0x20, 0x2a}], inks[[3]uint32{0x1f, 0x23, 0x28}])
	}
	if _, text, _ := b.open(private); strings.Contains(text, "og:") || !strings.Contains(text, "bug of acme/fw") {
		t.Error("the page of a private finding has something for others, or is not there")
	}
	for _, who := range []*browser{b, w.browser("")} {
		if code, text, _ := who.open(private + "/card.png"); code != http.StatusNotFound || strings.Contains(text, "PNG") {
			t.Errorf("picture of what is private: %d", code)
		}
	}
}
