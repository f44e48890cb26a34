package bot

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// card is what the picture of a finding says: where people post its address, this is what others see (Open Graph).
type card struct {
	Repo, Check, Status, Message, Place, Line, Values, On string
}

const (
	cardWidth, cardHeight = 1200, 630 // pixels, as Open Graph's readers show it
	cardEdge              = 64
)

// cardFonts are the typefaces of cards, by their use.
var cardFonts = sync.OnceValue(func() map[string]font.Face {
	face := func(ttf []byte, size float64) font.Face {
		f, err := opentype.Parse(ttf)
		if err == nil {
			var out font.Face
			if out, err = opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull}); err == nil {
				return out
			}
		}
		panic("card: a typeface of the program itself: " + err.Error())
	}
	return map[string]font.Face{"title": face(gobold.TTF, 46), "text": face(goregular.TTF, 28), "strong": face(gobold.TTF, 28),
		"code": face(gomono.TTF, 30)}
})

// cardTurn lets one card be drawn at a time: faces are not for several.
var cardTurn sync.Mutex

// picture draws a card.
func (c *card) picture() ([]byte, error) {
	cardTurn.Lock()
	defer cardTurn.Unlock()
	ink, dim, red, code := color.RGBA{0x1f, 0x23, 0x28, 255}, color.RGBA{0x57, 0x60, 0x6a, 255},
		color.RGBA{0xb3, 0x20, 0x2a, 255}, color.RGBA{0xf1, 0xf3, 0xf5, 255}
	if c.Status != verdict.Violated.String() {
		red = color.RGBA{0x85, 0x56, 0x00, 255}
	}
	m := image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))
	box := func(x, y, w, h int, of color.Color) {
		draw.Draw(m, image.Rect(x, y, x+w, y+h), image.NewUniform(of), image.Point{}, draw.Src)
	}
	write := func(face, text string, x, y int, of color.Color) int {
		d := font.Drawer{Dst: m, Src: image.NewUniform(of), Face: cardFonts()[face], Dot: fixed.P(x, y)}
		d.DrawString(fitting(cardFonts()[face], text, cardWidth-cardEdge-x))
		return d.Dot.X.Ceil()
	}
	box(0, 0, cardWidth, cardHeight, color.White)
	box(0, 0, 16, cardHeight, red)
	at := write("strong", "firmproof", cardEdge, 84, ink)
	write("text", " / "+c.Repo, at, 84, dim)
	write("strong", c.Check+" "+c.Status, cardEdge, 166, red)
	y := 236
	for _, line := range wrapped(cardFonts()["title"], c.Message, cardWidth-2*cardEdge, 2) {
		write("title", line, cardEdge, y, ink)
		y += 58
	}
	y += 4
	write("text", c.Place, cardEdge, y, dim)
	box(cardEdge, y+20, cardWidth-2*cardEdge, 74, code)
	write("code", c.Line, cardEdge+20, y+68, ink)
	write("text", c.Values, cardEdge, y+142, ink)
	write("text", c.On, cardEdge, cardHeight-46, dim)
	var out bytes.Buffer
	err := png.Encode(&out, m)
	return out.Bytes(), err
}

// fitting cuts a text to a width.
func fitting(face font.Face, text string, width int) string {
	if font.MeasureString(face, text).Ceil() <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && font.MeasureString(face, string(runes)+"…").Ceil() > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// wrapped breaks a text into lines of a width, most of them; what does not fit is cut.
func wrapped(face font.Face, text string, width, most int) []string {
	var out []string
	line := ""
	words := strings.Fields(text)
	for i, w := range words {
		longer := strings.TrimSpace(line + " " + w)
		if line != "" && font.MeasureString(face, longer).Ceil() > width {
			if len(out) == most-1 {
				return append(out, fitting(face, line+" "+strings.Join(words[i:], " "), width))
			}
			out, longer = append(out, line), w
		}
		line = longer
	}
	return append(out, fitting(face, line, width))
}

// cardOf says what the card of a finding shows.
func (d *findingPage) cardOf(on []string) card {
	c := card{Repo: d.Repo.FullName, Check: d.Finding.Rule, Status: d.Finding.Status, Message: d.Finding.Message,
		Place: (&verdict.Pos{File: d.Finding.File, Line: d.Finding.Line}).String(), Line: strings.TrimSpace(d.Statement),
		On: "on " + strings.Join(on, ", ")}
	for _, s := range d.Trace {
		if s.Kind == verdict.StepViolation && s.Value != "" {
			c.Values = "with " + s.Value
		}
	}
	return c
}

// card answers with the picture of a finding of a public repository.
func (p *pages) card(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	repo, err := p.s.admitted(ctx, r, "", byName(r))
	var c card
	if err == nil && repo.Private {
		err = errHidden // who fetches it is a program of somebody else
	}
	if err == nil {
		err = p.s.store.Read(ctx, func(tx store.Tx) (err error) {
			c, err = p.cardData(ctx, tx, repo, r.PathValue("fingerprint"))
			return err
		})
	}
	var picture []byte
	if err == nil {
		picture, err = c.picture()
	}
	switch {
	case err == nil:
		guard(w, "image/png")
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = w.Write(picture) // the reader has gone if this fails
	case errors.Is(err, errLater):
		busy(w)
	case isHidden(err):
		plain(w, http.StatusNotFound, "There is nothing here.")
	default:
		p.s.log.Warn("card", "path", r.URL.Path, "err", err)
		plain(w, http.StatusServiceUnavailable, "There is no picture at present.")
	}
}

// cardData reads what the card of a finding shows: as the newest run of the default branch found it.
func (p *pages) cardData(ctx context.Context, tx store.Tx, repo store.Repo, fingerprint string) (card, error) {
	ref := "refs/heads/" + repo.DefaultBranch
	run, err := tx.NewestWith(ctx, repo.ID, ref, fingerprint)
	if err != nil {
		return card{}, err
	}
	d, err := p.findingData(ctx, tx, repo, run, fingerprint)
	if err != nil {
		return card{}, err
	}
	on := []string{d.Finding.Target}
	runs, err := tx.StandingRuns(ctx, repo.ID, ref)
	if err != nil {
		return card{}, err
	}
	f := &d.Finding
	list, err := tx.FindingsAt(ctx, idsOf(latest(runs)), store.Site{File: f.File, Line: f.Line, Rule: f.Rule, Status: f.Status}, findingsAt)
	for _, row := range bySite(list) {
		on = nil
		for _, x := range row.On {
			on = append(on, x.Target)
		}
	}
	return d.cardOf(on), err
}
