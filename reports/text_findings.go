package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// maxExplained is how many places of violations are shown with source and trace, where nobody asks for all traces.
const maxExplained = 12

// violations writes each place of a violation once.
func (p *printer) violations(results []verdict.Result) {
	sites, all := Violations(results), answersAt(results)
	for i, s := range sites {
		shown := s.Shown()
		c := shown.Claim
		ids := names(s.Claims, func(c SiteClaim) string { return c.Claim.ID })
		short := i >= maxExplained && p.o.Trace != "all" && p.o.Trace != "relevant" && !p.o.Verbose
		switch {
		case i == maxExplained && short:
			p.line("\n%s more, without source and trace (--trace all shows them):\n", plural(len(sites)-i, "place"))
		case !short:
			p.line("")
		}
		p.line("%s: %s: %s: %s  [%s]", c.Pos, p.stands(s.stands()), c.Check, c.Message, strings.Join(ids, ", "))
		if !short {
			p.excerpt(c.Pos)
		}
		p.line("  in %s on %s", listed(s.Entries(), 4), all.onTargets(&s))
		if a := s.Accepted(); a != nil {
			p.line("  accepted: %s", a)
			continue
		}
		if s.Known() {
			p.line("  known: the baseline has it")
			continue
		}
		if c.Reason != nil {
			p.line("  %s", c.Reason)
		}
		if rests := verdict.TextsOf(shown.Result.RestsOn(c)); len(rests) > 0 {
			p.line("  if %s", listed(rests, 4))
		}
		if !short {
			p.certificate(c)
			p.trace(c)
		}
	}
}

func (p *printer) excerpt(pos verdict.Pos) {
	for i, l := range p.o.Source.excerpt(pos) {
		if i == 1 && p.o.Color {
			p.line("%s", p.paint("1;31", l))
			continue
		}
		p.line("%s", l)
	}
}

// unknowns writes each reason for something unknown once, with what it leaves open and what to do.
func (p *printer) unknowns(results []verdict.Result) {
	for _, o := range Obstacles(results) {
		r := o.Reason
		remedy := r.Remedy
		r.Remedy = ""
		p.line("\n%s: %s", p.status(verdict.Unknown), &r)
		if r.Pos != nil {
			p.excerpt(*r.Pos)
		}
		p.line("  leaves open %s", o.Leaves())
		if remedy != "" {
			p.line("  what helps: %s", remedy)
		}
	}
	p.shadows(results)
}

// conditions writes what answers rest on that the tool chose, each with these answers and how to change it.
func (p *printer) conditions(results []verdict.Result) {
	list := Conditions(results)
	for i := range list {
		if i == maxNotes && !p.o.Verbose {
			p.line("%d more of these, which --verbose shows", len(list)-i)
			return
		}
		c := &list[i]
		p.line("\n%s: %s: %s", p.status(c.Status), c.Says(), c.Of())
		if line := c.Change(); line != "" {
			p.line("  to change it: a line under `assume:` of the manifest (or --assume), such as %s", line)
		} else if how := c.Declare(); how != "" {
			p.line("  to change it: %s", how)
		}
	}
}

// maxShadows is how many violations are told apart by the claims behind them.
const maxShadows = 4

// shadows says how many claims stand behind each violation, or behind all where there are many.
func (p *printer) shadows(results []verdict.Result) {
	behind, all := map[string]int{}, 0
	for i := range results {
		for j := range results[i].Claims {
			if c := &results[i].Claims[j]; c.IsShadowed() {
				behind[c.Behind]++
				all++
			}
		}
	}
	if len(behind) > maxShadows && !p.o.Verbose {
		behind = map[string]int{"": all}
	}
	for i, id := range sortedKeys(behind) {
		what, lead := id, ""
		if id == "" {
			what = "a violation above"
		}
		if i == 0 {
			lead = "\n"
		}
		p.line(lead+"%s behind %s: unknown until that is mended (-v lists them)",
			plural(behind[id], "claim")+are(behind[id]), what)
	}
}

// bounds writes each loop once whose bound an execution reaches.
func (p *printer) bounds(results []verdict.Result) {
	type loop struct {
		name string
		pos  verdict.Pos
	}
	least := map[loop]int{}
	where := map[loop][]*verdict.Result{}
	var order []loop
	for i := range results {
		for _, l := range results[i].Bounds.Loops {
			if l.Complete {
				continue
			}
			k := loop{l.Name, l.Pos}
			if where[k] == nil {
				order, least[k] = append(order, k), l.Turns
			}
			least[k] = min(least[k], l.Turns)
			where[k] = append(where[k], &results[i])
		}
	}
	handlers := handlerBounds(results)
	for i, text := range handlers {
		if i == 0 {
			p.line("")
		}
		p.line("%s: %s", p.status(verdict.Bounded), text)
	}
	for i, k := range order {
		if i == 0 && len(handlers) == 0 {
			p.line("")
		}
		p.line("%s: %s; deeper: --unwindset %s:%d", p.status(verdict.Bounded),
			seenTurns(least[k], fmt.Sprintf("%s (%s)", k.pos, k.name)), k.name, max(2, 2*least[k]))
		if p.o.Verbose {
			p.line("  in %s", listed(names(where[k], func(r *verdict.Result) string {
				return r.Entry + " on " + r.Target
			}), 6))
		}
	}
}

// handlerBounds says how often interrupt handlers were run, each once.
func handlerBounds(results []verdict.Result) []string {
	var all []verdict.Assumption
	for i := range results {
		all = verdict.AddAssumptions(all, results[i].Bounds.Handlers...)
	}
	return verdict.TextsOf(all)
}

// maxNotes is how many assumptions are shown without --verbose.
const maxNotes = 8

// notes writes each warning or assumption once, with the entries that it is about if it is not about all.
func (p *printer) notes(label string, results []verdict.Result, of func(*verdict.Result) []string) {
	where := map[string][]string{}
	var order []string
	for i := range results {
		for _, w := range of(&results[i]) {
			if where[w] == nil {
				order = append(order, w)
			}
			where[w] = append(where[w], results[i].Entry)
		}
	}
	all := len(names(results, func(r verdict.Result) string { return r.Entry }))
	for i, w := range order {
		if i == maxNotes && label == "assumed" && !p.o.Verbose {
			p.line("%s: %d more, which --verbose shows", label, len(order)-i)
			return
		}
		if entries := names(where[w], func(s string) string { return s }); len(entries) < all {
			w += " (" + listed(entries, 4) + ")"
		}
		p.line("%s: %s", label, w)
	}
}

// endings writes what proves that runs end, each entry once.
func (p *printer) endings(results []verdict.Result) {
	ends := func(c *verdict.Claim) bool {
		return c.Check == verdict.Termination && c.Certificate != nil && c.Status != verdict.Violated && !c.Unasked &&
			!p.o.Verbose
	}
	for _, s := range Sites(results, ends) {
		c := s.Claims[0].Claim
		p.line("\n%s: %s: %s: %s  [%s]", c.Pos, p.status(c.Status), c.Check, c.Message, c.ID)
		p.line("  in %s on %s", listed(s.Entries(), 4), listed(s.Targets(), 6))
		p.certificate(c)
	}
}

func (p *printer) certificate(c *verdict.Claim) {
	if c.Certificate == nil || !p.o.Verbose && c.Check != verdict.Termination {
		return
	}
	p.line("    by %s%s", c.Certificate.Method, checkedBy(c.Certificate))
	for _, d := range c.Certificate.Detail {
		p.line("      %s", d)
	}
}

// seenTurns says how little of the loop at place was looked at, where it may take more turns.
func seenTurns(turns int, place string) string {
	if turns == 0 {
		return fmt.Sprintf("no turn of loop %s was seen to its end", place)
	}
	if turns == 1 {
		return fmt.Sprintf("only the first turn of loop %s was seen", place)
	}
	return fmt.Sprintf("only the first %d turns of loop %s were seen", turns, place)
}

// FirstViolation is the line that tells of a violation while other verifications still run.
func FirstViolation(target, entry string, c *verdict.Claim) string {
	return plain(fmt.Sprintf("%s: violated: %s: %s, in %s on %s", c.Pos, c.Check, line(c.Message), line(entry),
		line(target)))
}
