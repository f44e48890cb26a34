package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
)

// ablation is what was found out.
type ablation struct {
	o        *options
	state    *state
	programs []program
	whole    []outcome // of each program, with all techniques
	rows     []row
	idle     []string // techniques that had a part in no answer
	spent    int64    // milliseconds, of checks without a technique
}

// row says what one technique earns.
type row struct {
	name     string
	claims   int // that it had a part in
	programs int // in which
	tried    int // programs that it was left out of
	lost     int
	won      int
	before   int64 // milliseconds of processors of these
	without  int64
	wrong    int
}

// run checks all programs, then those that a technique had a part in without it: techniques that are rarely used come
// first.
func (a *ablation) run(techniques []string) error {
	for _, p := range a.programs {
		x, err := a.ask(p, nil)
		if err != nil {
			return err
		}
		if x.Failed != "" {
			log.Printf("%s: %s", p.name, x.Failed)
		}
		a.whole = append(a.whole, x)
	}
	for _, n := range techniques {
		r := row{name: n}
		for _, x := range a.whole {
			for _, y := range x.Answers {
				if slices.Contains(y.By, n) {
					r.claims++
				}
			}
			if x.had(n) {
				r.programs++
			}
		}
		if r.claims == 0 {
			a.idle = append(a.idle, n)
			continue
		}
		a.rows = append(a.rows, r)
	}
	slices.SortStableFunc(a.rows, func(x, y row) int { return cmp.Compare(x.programs, y.programs) })
	for i := range a.rows {
		if err := a.without(&a.rows[i]); err != nil {
			return err
		}
		log.Printf("%s: %d programs, %d answers lost", a.rows[i].name, a.rows[i].tried, a.rows[i].lost)
	}
	return nil
}

// ask asks the engine, or the state.
func (a *ablation) ask(p program, off []string) (outcome, error) {
	if x, ok := a.state.known[key(p.name, off)]; ok {
		return x, nil
	}
	x := a.o.ask(p, off)
	return x, a.state.keep(x)
}

// without leaves the technique of r out of programs that it had a part in, as far as the limits allow.
func (a *ablation) without(r *row) error {
	step := 1
	if a.o.most > 0 {
		step = (r.programs + a.o.most - 1) / a.o.most
	}
	n := 0
	for i, p := range a.programs {
		if !a.whole[i].had(r.name) {
			continue
		}
		_, kept := a.state.known[key(p.name, []string{r.name})]
		if n++; (n-1)%step != 0 || !kept && a.o.limit > 0 && a.spent > a.o.limit.Milliseconds() {
			continue
		}
		x, err := a.ask(p, []string{r.name})
		if err != nil {
			return err
		}
		a.spent += x.Millis
		if x.Failed != "" {
			log.Printf("%s without %s: %s", p.name, r.name, x.Failed)
			continue
		}
		lost, won := a.whole[i].less(x)
		r.tried++
		r.lost, r.won = r.lost+lost, r.won+won
		r.before, r.without = r.before+a.whole[i].Millis, r.without+x.Millis
		if x.Wrong {
			r.wrong++
			log.Printf("%s without %s: a wrong answer", p.name, r.name)
		}
	}
	return nil
}

// write writes docs/ablation.md.
func (a *ablation) write(w io.Writer) error {
	answers, millis, failed, wrong := 0, int64(0), 0, 0
	for _, x := range a.whole {
		answers, millis = answers+len(x.Answers), millis+x.Millis
		if x.Failed != "" {
			failed++
		}
		if x.Wrong {
			wrong++
		}
	}
	for i := range a.rows {
		wrong += a.rows[i].wrong
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# What each technique earns

Written by `+"`make ablate`"+`. Sample: %d programs with %d claims, %s of processor time for each entry at most, %.0f s in all;
%d could not be asked, %d answers contradict what is known.

A technique is left out (`+"`check --engines=-NAME`"+`) of programs in which it had a part in an answer: it settled a claim,
proposed a lemma that a proof needs, or is in a certificate. Lost are answers that are worth less without it, in the
order proved or violated, bounded, conditional, unknown, and bounds of a higher degree. Seconds are of processors; where
the difference is positive, the technique saves them. Lines are those of files that nothing else needs.

| technique | claims | programs | left out of | answers lost | won | seconds with it | difference without | lines |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
`, len(a.programs), answers, a.o.timeout, float64(millis)/1000, failed, wrong)
	slices.SortStableFunc(a.rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(y.lost-y.won, x.lost-x.won), cmp.Compare(y.claims, x.claims))
	})
	for _, r := range a.rows {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |", r.name, r.claims, r.programs, r.tried)
		if r.tried == 0 {
			fmt.Fprintf(&b, " not asked | | | | %s |\n", lines(r.name))
			continue
		}
		fmt.Fprintf(&b, " %d | %d | %.1f | %+.1f | %s |\n", r.lost, r.won, float64(r.before)/1000,
			float64(r.without-r.before)/1000, lines(r.name))
	}
	if len(a.idle) > 0 {
		fmt.Fprintf(&b, "\nNo part in an answer of this sample had:\n\n| technique | lines |\n|---|--:|\n")
		for _, n := range a.idle {
			fmt.Fprintf(&b, "| %s | %s |\n", n, lines(n))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
