package reports

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// closing writes the count of everything, and what to do next.
func (p *printer) closing(results []verdict.Result) {
	ms := int64(0)
	for i := range results {
		ms += results[i].DurationMS
	}
	bad, open := 0, Obstacles(results)
	var first *SiteClaim
	violations := Violations(results)
	for _, s := range violations {
		if s.Counts() {
			if bad++; first == nil {
				shown := s.Shown()
				first = &shown
			}
		}
	}
	text := plural(len(results), "verification")
	if len(results) == 1 {
		text = results[0].Entry + " on " + results[0].Target
	}
	text += ": " + countsOf(pointers(results))
	if bad > 0 {
		text += fmt.Sprintf("; violations at %s", plural(bad, "place"))
	}
	if n := vacuousOf(results); n == len(results) {
		text += "; vacuous: this shows nothing"
	} else if n > 0 {
		text += fmt.Sprintf("; %d of %s vacuous: nothing is shown there", n, plural(len(results), "verification"))
	}
	if len(open) > 0 {
		text += fmt.Sprintf("; unknown for %s", plural(len(open), "reason"))
	}
	p.line("\n%s; %.2f s of work", p.bold(text), float64(ms)/1000)
	if first != nil {
		p.next(first)
		p.register(violations)
	}
}

// register says how to go on where an access goes to an address that the target has nothing at: often a register.
func (p *printer) register(violations []Site) {
	for _, s := range violations {
		v := s.Shown()
		if m := inNoObject.FindStringSubmatch(v.Claim.Message); m != nil && s.Counts() {
			at, _ := strconv.ParseUint(m[1], 0, 64)
			p.line("  if it is there:   target %s has nothing at %s: name the processor (--target, see `firmproof targets`), or "+
				"what is there\n                    (`memory_map: [{name: regs, base: %#x, size: 0x1000, access: volatile}]` "+
				"in the manifest)", v.Result.Target, m[1], at&^0xfff)
			return
		}
		if inConstant.MatchString(v.Claim.Message) && s.Counts() {
			p.line("  if a register is there: target %s has read-only memory there: name the processor that the code is for\n"+
				"                    (--target, see `firmproof targets`), or what is there (`memory_map` in the manifest)",
				v.Result.Target)
			return
		}
	}
}

// inConstant matches what is said of a write to memory that the target keeps its code in.
var inConstant = regexp.MustCompile(`^write of the constant region '`)

var inNoObject = regexp.MustCompile(`at address (0x[0-9a-f]+), which is in no object`)

// vacuousOf counts the verifications that say nothing about their programs.
func vacuousOf(results []verdict.Result) int {
	n := 0
	for i := range results {
		if results[i].Vacuous != nil {
			n++
		}
	}
	return n
}

// next says how to go on from a violation.
func (p *printer) next(v *SiteClaim) {
	check, replay := p.o.Check, p.o.Replay
	if check == "" {
		check, replay = "firmproof check", "firmproof replay"
	}
	p.line("  step through it:  %s --format html -o report.html", check)
	if len(v.Claim.Inputs) > 0 || len(v.Claim.Trace) > 0 {
		from := p.o.JSONFile
		if from == "" {
			from = "report.json"
			check += " --format json -o report.json; "
		} else {
			check = ""
		}
		p.line("  run it for real:  %s%s --claim %s --target %s --entry %s", check,
			strings.Replace(replay, "replay", "replay "+from, 1), shellWord(v.Claim.ID), shellWord(v.Result.Target),
			shellWord(v.Result.Entry))
	}
	p.line("  what it means:    firmproof explain %s", v.Claim.Check)
	if line := exampleOf(v); line != "" {
		p.line("  what is assumed:  a line under `assume:` of the manifest (or --assume) corrects it, such as %s", line)
	}
}

// corrections are what a line of the manifest may say instead of an assumption, by its relation.
var corrections = map[verdict.Relation]string{verdict.Nullness: "not null", verdict.Extent: "64 bytes",
	verdict.Interval: "0..64", verdict.Apart: "apart"}

// exampleOf is a line of the manifest that says more about an assumption of a violation; "" where none can.
func exampleOf(v *SiteClaim) string { return correction(v.Result, v.Result.RestsOn(v.Claim)) }

// correction is a line of the manifest that says more about one of the assumptions of r: one that was tried, if there is; ""
// where none can.
func correction(r *verdict.Result, list []verdict.Assumption) string {
	for _, tried := range []bool{true, false} {
		for i := range list {
			if place, text, ok := AssumeLine(r.Entry, &list[i]); ok && (list[i].Line != "" || !tried) {
				return fmt.Sprintf("`%s: %s`", place, text)
			}
		}
	}
	return ""
}

// AssumeLine is a line of the manifest's `assume` that says something else than an assumption of a generated harness, or
// the same of the user's own: a place and a text, which is an example where none was tried. ok is false where no line can.
func AssumeLine(entry string, a *verdict.Assumption) (place, text string, ok bool) {
	place = strings.TrimPrefix(entry, "any call of ") + "." + a.Subject
	if a.Line != "" {
		return place, a.Line, true
	}
	text = corrections[a.Relation]
	return place, text, text != "" && a.Subject != "" && a.Other != verdict.Stored && (a.Guessed() || a.Relation == verdict.Nullness)
}

// StubLine is a line of the manifest's `stubs` that says what an assumption about calls does, or has the function do
// anything. ok is false for others.
func StubLine(a *verdict.Assumption) (function, kind string, ok bool) {
	if a.Relation != verdict.Calls {
		return "", "", false
	}
	switch a.Other {
	case verdict.Replaceable:
		return a.Subject, "havoc", true
	case "havoc", "nondet": // as which it was tried
		return a.Subject, a.Other, true
	}
	return "", "", false
}

// shellWord quotes a word for a POSIX shell where it needs it.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("@%+=:,./-_#", r) && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') &&
			!('0' <= r && r <= '9')
	}) && s[0] != '#' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ShellWords quotes the words of a command.
func ShellWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellWord(w)
	}
	return strings.Join(out, " ")
}
