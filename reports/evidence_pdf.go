package reports

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-pdf/fpdf"
)

// Measures of the printed page, in mm and points.
const (
	pdfMargin = 18.0
	pdfLine   = 5.0
	pdfText   = 9.5
	pdfHead   = 12.5
)

// EvidencePDF is the first page for print: A4, with the number and the count of pages. The same evidence gives the same
// bytes: no moment of this run is in it. Letters that the standard fonts of PDF lack are question marks.
func EvidencePDF(e Evidence) ([]byte, error) {
	d := tellEvidence(e)
	p := newPrint()
	p.head(16, "Evidence of firmproof")
	p.text(d.Title + ". This folder says what was asked, what was answered, and what the answers rest on. " +
		"It claims no conformity to a standard.")
	p.section("The run")
	p.table([]float64{45, 129}, nil, pairs(d.Facts))
	p.section("Requirements")
	if len(d.Rows) == 0 {
		p.text("No harness has a tag @req ID.")
	} else {
		var rows [][]string
		for _, r := range d.Rows {
			rows = append(rows, []string{r.Requirement, r.Harness, r.Target, r.Answer, r.Claims})
		}
		p.table([]float64{28, 44, 26, 30, 46}, []string{"requirement", "harness", "target", "answer", "claims"}, rows)
	}
	if d.Untagged != "" {
		p.text("Harnesses without a requirement: " + d.Untagged + ".")
	}
	p.section("Assumptions")
	if len(d.Assumed) == 0 {
		p.text("None beyond those of the target.")
	}
	p.list(d.Assumed)
	for _, part := range []struct {
		title string
		list  []string
	}{{"What holds under conditions alone", d.Conditional}, {"What is not known", d.Unknown}, {"Warnings", d.Warnings}} {
		if len(part.list) > 0 {
			p.section(part.title)
			p.list(part.list)
		}
	}
	p.section("Deviations")
	if len(d.Accepted) == 0 {
		p.text("The manifest accepts no finding.")
	} else {
		var rows [][]string
		for _, a := range d.Accepted {
			rows = append(rows, []string{a.Claim, a.Reason, a.By, a.Until})
		}
		p.table([]float64{62, 62, 25, 25}, []string{"claim", "because", "by", "until"}, rows)
	}
	p.section("Certificates")
	p.text(d.Checked)
	p.section("Files")
	p.table([]float64{58, 116}, nil, pairs(d.Files))
	var buf bytes.Buffer
	err := p.pdf.Output(&buf)
	return buf.Bytes(), err
}

func pairs(list [][2]string) [][]string {
	var out [][]string
	for _, x := range list {
		out = append(out, x[:])
	}
	return out
}

// print writes paragraphs, lists and tables one below the other.
type print struct {
	pdf  *fpdf.Fpdf
	read func(string) string // UTF-8 as the fonts have it
}

func newPrint() *print {
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(time.Unix(0, 0).UTC())
	pdf.SetModificationDate(time.Unix(0, 0).UTC())
	pdf.SetTitle("firmproof: evidence", true)
	pdf.SetMargins(pdfMargin, pdfMargin, pdfMargin)
	pdf.SetAutoPageBreak(true, pdfMargin)
	pdf.AliasNbPages("{pages}")
	pdf.SetFooterFunc(func() {
		pdf.SetY(-pdfMargin + 4)
		pdf.SetFont("Helvetica", "", 8)
		pdf.CellFormat(0, 4, "firmproof evidence, page "+count(pdf.PageNo())+" of {pages}", "", 0, "R", false, 0, "")
	})
	pdf.AddPage()
	return &print{pdf, pdf.UnicodeTranslatorFromDescriptor("")}
}

func (p *print) head(size float64, text string) {
	p.pdf.SetFont("Helvetica", "B", size)
	p.pdf.MultiCell(0, size/2, p.read(text), "", "L", false)
	p.pdf.Ln(1)
}

// section begins a part; its head is not the last line of a page.
func (p *print) section(title string) {
	_, height := p.pdf.GetPageSize()
	if p.pdf.Ln(3); p.pdf.GetY() > height-pdfMargin-4*pdfLine {
		p.pdf.AddPage()
	}
	p.head(pdfHead, title)
}

func (p *print) text(text string) {
	p.pdf.SetFont("Helvetica", "", pdfText)
	p.pdf.MultiCell(0, pdfLine, p.read(strings.TrimSpace(text)), "", "L", false)
}

func (p *print) list(items []string) {
	for _, x := range items {
		p.text("- " + x)
	}
}

// table writes rows whose cells wrap; a row that fits on a page is on one. widths are in mm.
func (p *print) table(widths []float64, head []string, rows [][]string) {
	_, height := p.pdf.GetPageSize()
	row := func(cells []string, style string) {
		p.pdf.SetFont("Helvetica", style, pdfText)
		lines, most := make([][]string, len(cells)), 1
		for i, c := range cells {
			for _, l := range p.pdf.SplitLines([]byte(p.read(c)), widths[i]-2) {
				lines[i] = append(lines[i], string(l))
			}
			most = max(most, len(lines[i]))
		}
		if p.pdf.GetY()+float64(most)*pdfLine > height-pdfMargin {
			p.pdf.AddPage()
			p.pdf.SetFont("Helvetica", style, pdfText)
		}
		for n := range most {
			border := "LR"
			if n == 0 {
				border += "T"
			}
			if n == most-1 {
				border += "B"
			}
			for i := range cells {
				text := ""
				if n < len(lines[i]) {
					text = lines[i][n]
				}
				p.pdf.CellFormat(widths[i], pdfLine, text, border, 0, "L", false, 0, "")
			}
			p.pdf.Ln(pdfLine)
		}
	}
	if head != nil {
		row(head, "B")
	}
	for _, cells := range rows {
		row(cells, "")
	}
	p.pdf.Ln(1)
}
