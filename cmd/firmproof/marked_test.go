package main

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// guessOnMarked fails unless a claim on each line with a mark is conditional on a guess that counts, and no claim on any
// other line rests on one. Nothing is violated or unknown. Claims that are left out are looked at by who asks.
func guessOnMarked(t *testing.T, rep *verdict.Report, text, mark string, counts func(verdict.Assumption) bool,
	leftOut func(c *verdict.Claim, line string) bool) {
	t.Helper()
	lines, seen := strings.Split(text, "\n"), map[int]bool{}
	for i := range rep.Results {
		r := &rep.Results[i]
		for n := range r.Claims {
			c := &r.Claims[n]
			line, guess := "", false
			if c.Pos.Line <= len(lines) {
				line = lines[c.Pos.Line-1]
			}
			for _, a := range r.RestsOn(c) {
				guess = guess || counts(a)
			}
			marked := mark != "" && strings.Contains(line, mark)
			switch {
			case leftOut != nil && leftOut(c, line):
			case c.Status == verdict.Violated || c.Status == verdict.Unknown:
				t.Errorf("%s, line %d: %s is %s: %v", r.Entry, c.Pos.Line, c.ID, c.Status, c.Reason)
			case guess && marked && c.Status == verdict.Conditional:
				seen[c.Pos.Line] = true
			case guess && !marked:
				t.Errorf("%s, line %d: %s rests on %v", r.Entry, c.Pos.Line, c.ID, c.Assumptions)
			}
		}
	}
	for n, line := range lines {
		if mark != "" && strings.Contains(line, mark) && !seen[n+1] {
			t.Errorf("line %d: no claim is conditional: %s", n+1, line)
		}
	}
}
