package reports

import (
	"bytes"
	"html/template"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Matrix returns the table of entries and targets, for pages with PageStyle. link gives the address of a cell's answer,
// or "".
func Matrix(results []verdict.Result, link func(target, entry string) string) template.HTML {
	p := &page{Targets: names(results, func(r verdict.Result) string { return r.Target })}
	p.Entries, p.Folded = entryViews(results, p.Targets)
	for _, list := range [][]entryView{p.Entries, p.Folded} {
		for _, e := range list {
			for i := range e.Cells {
				if c := &e.Cells[i]; c.Class != noAnswer {
					c.Link = link(c.Target, e.Name)
				}
			}
		}
	}
	return part("matrix", p)
}

// CoverageSection returns the annotated sources of a report, for pages with PageStyle; empty if nobody asked what is
// reached.
func CoverageSection(r *verdict.Report) template.HTML {
	p := &page{Coverage: coverageViews(r, newSourceSet(nil, r.Sources)), CoverageLine: CoverageLine(r.Results, nil)}
	if len(p.Coverage) == 0 {
		return ""
	}
	return part("coverage", p)
}

// CostSection returns the runtime bounds of results with their plots, for pages with PageStyle; empty if there is none.
func CostSection(results []verdict.Result) template.HTML {
	p := &page{Costs: costViews(results)}
	if len(p.Costs) == 0 {
		return ""
	}
	return part("costs", p)
}

// ProofSection returns the proofs about whole runs with their diagrams, for pages with PageStyle and ViewerScript; empty
// if there is none.
func ProofSection(results []verdict.Result) template.HTML {
	p := &page{Proofs: proofViews(results)}
	if len(p.Proofs) == 0 {
		return ""
	}
	return part("proofs", p)
}

// CertificateSection returns how an answer was found, for pages with PageStyle and ViewerScript; empty if it has no
// certificate.
func CertificateSection(c *verdict.Certificate) template.HTML {
	if c == nil {
		return ""
	}
	return part("certificate", newCertificateView(c))
}

// part renders one of the templates that pages share.
func part(name string, data any) template.HTML {
	var buf bytes.Buffer
	if err := reportPage.ExecuteTemplate(&buf, name, data); err != nil {
		panic(err) // texts and numbers only
	}
	return template.HTML(plain(buf.String()))
}
