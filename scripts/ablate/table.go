package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"slices"
	"strings"
)

// ablation is what was found out.
type ablation struct {
	o          *options
	programs   []program
	techniques []string
	whole      []outcome // of each program, with all techniques
	rows       []row
	rest       row // all that earned nothing, left out at once
}

// row says what one technique earns.
type row struct {
	names    []string
	claims   int // that it settled, or had a part in
	programs int // that it was left out of
	lost     int
	won      int
	saved    int64 // milliseconds of processors
}

// run checks all programs, then those that a technique had a part in without it.
func (a *ablation) run() {
	claims := map[string]int{}
	for _, p := range a.programs {
		x := a.o.check(p, nil)
		if x.err != nil {
			log.Print(x.err)
		}
		a.whole = append(a.whole, x)
		for _, y := range x.answers {
			for _, n := range y.by {
				claims[n]++
			}
		}
	}
	for _, n := range a.techniques {
		if claims[n] == 0 {
			a.rest.names = append(a.rest.names, n)
			if !a.o.each {
				continue
			}
		}
		r := row{names: []string{n}, claims: claims[n]}
		a.without(&r, func(x outcome) bool { return a.o.each || slices.Contains(x.earned(), n) })
		a.rows = append(a.rows, r)
		log.Printf("%s: %d claims, %d lost", n, r.claims, r.lost)
	}
	slices.SortStableFunc(a.rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(y.lost, x.lost), cmp.Compare(y.claims, x.claims))
	})
	a.without(&a.rest, func(outcome) bool { return true })
}

// without leaves the techniques of r out of the programs that are wanted.
func (a *ablation) without(r *row, wanted func(outcome) bool) {
	for i, p := range a.programs {
		if a.whole[i].err != nil || !wanted(a.whole[i]) {
			continue
		}
		x := a.o.check(p, r.names)
		if x.err != nil {
			log.Print(x.err)
			continue
		}
		lost, won := a.whole[i].less(x)
		r.programs++
		r.lost, r.won = r.lost+lost, r.won+won
		r.saved += a.whole[i].millis - x.millis
	}
}

// write writes docs/ablation.md.
func (a *ablation) write(w io.Writer, folders []string) error {
	answers, millis := 0, int64(0)
	for _, x := range a.whole {
		answers, millis = answers+len(x.answers), millis+x.millis
	}
	var names []string
	for _, f := range folders {
		names = append(names, filepath.Base(filepath.Clean(f)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What each technique earns\n\n")
	fmt.Fprintf(&b, "Written by `make ablate`. Sample: %d programs (%s; one of %d), %d claims, %s of processor time each "+
		"at most, %.0f s of processors in all.\n\n", len(a.programs), strings.Join(names, ", "), a.o.every, answers, a.o.timeout,
		float64(millis)/1000)
	fmt.Fprintf(&b, "A technique is left out (`check --engines=-NAME`) of the programs in which it settled a claim, or "+
		"proposed a lemma that a proof needs. Answers lost: claims that are worth less then, in the order proved or violated, bounded, "+
		"conditional, unknown. Seconds are of processors; below zero, it saves them.\n\n")
	fmt.Fprintf(&b, "| technique | claims | programs | answers lost | answers won | seconds saved without it |\n"+
		"|---|--:|--:|--:|--:|--:|\n")
	line := func(name string, r row) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %.1f |\n", name, r.claims, r.programs, r.lost, r.won,
			float64(r.saved)/1000)
	}
	for _, r := range a.rows {
		line(r.names[0], r)
	}
	if len(a.rest.names) > 0 {
		line("all others at once", a.rest)
		fmt.Fprintf(&b, "\nThe others settled nothing in this sample: %s.\n", strings.Join(a.rest.names, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
