package bot

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/pipeline/store"
)

// share says how many claims of some runs stand how, as the parts of a bar.
type share struct {
	Parts []sharePart
	Words string
}

// sharePart is a part of the bar, which is shareWidth wide.
type sharePart struct {
	Name, Sign, Class string
	N, At, Width      int
}

const (
	shareWidth = 1000
	shareLeast = 6 // of a part that is there at all
)

// countsOf adds up the claims of runs, by status.
func countsOf(runs []store.Run) map[string]int {
	n := map[string]int{}
	for _, r := range runs {
		for k, v := range r.Counts {
			n[k] += v
		}
	}
	return n
}

// proved returns how many of 100 claims are proved.
func (s *share) proved() int {
	n, all := 0, 0
	for _, p := range s.Parts {
		if all += p.N; p.Name == "proved" {
			n = p.N
		}
	}
	return 100 * n / max(1, all)
}

// shareOf counts the claims of runs.
func shareOf(runs []store.Run) share {
	n := countsOf(runs)
	n["violated"] -= n["suppressed"]
	parts := []sharePart{{Name: "violated", Sign: "✗", Class: "violated", N: n["violated"]},
		{Name: "unknown", Sign: "?", Class: "unknown", N: n["unknown"]},
		{Name: "accepted", Sign: "✎", Class: "accepted", N: n["suppressed"]},
		{Name: "conditional", Sign: "◇", Class: "conditional", N: n["conditional"]},
		{Name: "bounded", Sign: "≤", Class: "bounded", N: n["bounded"]},
		{Name: "proved", Sign: "✓", Class: "proved", N: n["proved"]}}
	var s share
	var words []string
	all := 0
	for _, p := range parts {
		if p.N > 0 {
			s.Parts, all = append(s.Parts, p), all+p.N
			words = append(words, fmt.Sprintf("%d %s", p.N, p.Name))
		}
	}
	s.Words = strings.Join(words, ", ")
	left, at := shareWidth-shareLeast*len(s.Parts), 0
	for i := range s.Parts {
		p := &s.Parts[i]
		p.At, p.Width = at, shareLeast+left*p.N/all
		at += p.Width
	}
	return s
}
