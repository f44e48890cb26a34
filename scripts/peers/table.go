package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// table holds what came out: the outcomes of a row are in the order of the tools, firmproof's first.
type table struct {
	tools []string
	rows  []row
}

type row struct {
	family   string
	n        int
	outcomes []outcome
}

// lostBy is the factor from which a size counts as lost.
const lostBy = 1.2

const heading = "## Beside a peer"

// section is the part of docs/benchmarks.md.
func (t *table) section(date, commit string, limit time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nWritten by `make bench-peers` on %s, commit %s: the programs of `scripts/peers/families` with the same bounds given to all, one core, at most %v of a processor; processor seconds, "+
		"compilers included, with nothing cached. A ratio above 1 says how many times faster firmproof is. The exponent is the log-log slope between the smallest and the largest n that were decided.\n\n", heading, date, commit, limit)
	b.WriteString("| family | n |")
	for i, n := range t.tools {
		fmt.Fprintf(&b, " %s |", n)
		if i > 0 {
			b.WriteString(" ratio |")
		}
	}
	b.WriteString(" exponents |\n|---|---|" + strings.Repeat("---|", 2*len(t.tools)) + "\n")
	for i, r := range t.rows {
		fmt.Fprintf(&b, "| %s | %d |", r.family, r.n)
		for k, x := range r.outcomes {
			fmt.Fprintf(&b, " %s |", x)
			if k > 0 {
				fmt.Fprintf(&b, " %s |", ratio(r.outcomes[0], x))
			}
		}
		if i+1 < len(t.rows) && t.rows[i+1].family == r.family {
			b.WriteString(" |\n")
		} else {
			fmt.Fprintf(&b, " %s |\n", t.exponents(r.family))
		}
	}
	for k := 1; k < len(t.tools); k++ {
		b.WriteString("\n" + t.summary(k) + "\n")
	}
	return b.String()
}

// ratio says how x compares with ours; an undecided run is as long as it took, at least.
func ratio(ours, x outcome) string {
	switch {
	case !ours.ran || !x.ran || !ours.decided && !x.decided:
		return ""
	case !ours.decided:
		return "lost"
	case !x.decided:
		return fmt.Sprintf("> %.1f", x.seconds/ours.seconds)
	}
	return fmt.Sprintf("%.2f", x.seconds/ours.seconds)
}

// exponents lists those of a family, tool by tool.
func (t *table) exponents(name string) string {
	var out []string
	for k := range t.tools {
		var n, s []float64
		for _, r := range t.rows {
			if r.family == name && r.outcomes[k].decided {
				n, s = append(n, float64(r.n)), append(s, r.outcomes[k].seconds)
			}
		}
		if last := len(n) - 1; last > 0 {
			out = append(out, fmt.Sprintf("%.1f", math.Log(s[last]/s[0])/math.Log(n[last]/n[0])))
		} else {
			out = append(out, "-")
		}
	}
	return strings.Join(out, ", ")
}

// summary compares with tool k over all sizes.
func (t *table) summary(k int) string {
	both, ours, theirs, logs := 0, 0, 0, 0.0
	var lost []string
	for _, r := range t.rows {
		we, x := r.outcomes[0], r.outcomes[k]
		switch {
		case we.decided && x.decided:
			both++
			logs += math.Log(x.seconds / we.seconds)
			if we.seconds > lostBy*x.seconds {
				lost = append(lost, fmt.Sprintf("%s %d", r.family, r.n))
			}
		case we.decided:
			ours++
		case x.decided:
			theirs++
			lost = append(lost, fmt.Sprintf("%s %d", r.family, r.n))
		}
	}
	s := fmt.Sprintf("Beside %s: %d sizes are decided by both, %d by firmproof alone, %d by %s alone.", t.tools[k], both, ours,
		theirs, t.tools[k])
	if both > 0 {
		s += fmt.Sprintf(" Geometric mean of the ratios of the first: %.2f.", math.Exp(logs/float64(both)))
	}
	if len(lost) == 0 {
		return s + fmt.Sprintf(" None is lost by more than %v.", lostBy)
	}
	return s + fmt.Sprintf(" Lost by more than %v: %s.", lostBy, strings.Join(lost, ", "))
}

// replaced returns text with its section of this heading, or a new one at its end, as given.
func replaced(text, section string) string {
	from := strings.Index(text, heading+"\n")
	if from < 0 {
		return strings.TrimRight(text, "\n") + "\n\n" + section
	}
	rest := text[from+len(heading):]
	if to := strings.Index(rest, "\n## "); to >= 0 {
		return text[:from] + section + rest[to:]
	}
	return text[:from] + section
}
