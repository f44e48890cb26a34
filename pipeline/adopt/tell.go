package adopt

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Tell says what was found and what to do next; file is the manifest that was written.
func (f *Found) Tell(w io.Writer, file string) {
	say := func(what, format string, args ...any) {
		fmt.Fprintf(w, "%-13s %s\n", what, fmt.Sprintf(format, args...))
	}
	a := f.attempt
	say("build", "%s", a.said)
	say("target", "%s: %s", a.target, a.why)
	say("files", "%d, with %d functions that others may call; %d left out", len(a.kept), a.functions(), len(a.left))
	if advice := a.absent.advice(); advice != "" {
		say("headers", "%s", advice)
	}
	if n := len(f.Survey.cxx); n > 0 && a.recording == nil {
		say("C++", "%d files are left out", n)
	}
	if len(f.Survey.proofs) > 0 {
		say("CBMC proofs", "%d in %s", len(f.Survey.proofs), f.Survey.proofFolder())
	}
	if f.trial != nil {
		f.tellTrial(say)
	}
	tr := f.trial
	if tr == nil {
		tr = &trial{}
	}
	if n := len(f.open(a, tr)); n > 0 {
		say("questions", "%d, in the manifest", n)
	}
	if a.functions() == 0 && len(f.Survey.proofs) == 0 {
		fmt.Fprintf(w, "\nWrote %s, with nothing to verify so far: its questions say what is needed.\n", file)
		return
	}
	fmt.Fprintf(w, "\nWrote %s. Next:\n  firmproof check %s\n", file, filepath.Dir(file))
	if len(f.Survey.proofs) > 0 {
		fmt.Fprintf(w, "  firmproof check --cbmc-proof %s   # the proofs for CBMC, as they are\n",
			filepath.Join(filepath.Dir(file), f.Survey.proofFolder()))
	}
}

// tellTrial says what the trial check answered.
func (f *Found) tellTrial(say func(what, format string, args ...any)) {
	t := f.trial
	if n := len(t.harnesses); n > 0 {
		say("harnesses", "%d", n)
	}
	say("trial check", "%.0f s: %d of %d functions answered, %d not settled within %s, %d not tried", t.seconds,
		len(t.decided), len(t.called), len(t.slow), t.each.Round(time.Second), len(t.untried))
	if open := slices.Concat(t.slow, t.untried); len(open) > 0 {
		say("not answered", "%s", some(open))
		say("", "ask for one by `%s`", t.askFor(open[0]))
	}
	if n := len(t.packaged); n > 0 {
		say("packages", "%d functions that others made are not called by themselves", n)
	}
	f.tellFindings(say)
}

// tellFindings lists the first places with violations, as `check` counts them. Those that `check` may still take back,
// since more time may show that no call in the program brings them about, are said to be open.
func (f *Found) tellFindings(say func(what, format string, args ...any)) {
	t := f.trial
	type place struct {
		check verdict.Check
		pos   verdict.Pos
	}
	told := map[place]bool{}
	var open []string
	for i := range t.results {
		r := &t.results[i]
		for j := range r.Claims {
			c := &r.Claims[j]
			if c.Status != verdict.Violated {
				continue
			}
			if !prepare.Settled(t.jobs, t.results, i, c.ID) {
				if name := strings.TrimPrefix(r.Entry, prepare.AnyCall); !slices.Contains(open, name) {
					open = append(open, name)
				}
				continue
			}
			if at := (place{c.Check, c.Pos}); told[at] {
				continue
			} else if told[at] = true; len(told) <= 3 {
				say("finding", "%s: %s: %s (%s)", c.Pos, c.Check, c.Message, r.Entry)
			}
		}
	}
	if n := len(told); n > 3 {
		say("", "and at %d more places", n-3)
	} else if n == 0 {
		say("finding", "none within %.0f s", t.seconds)
	}
	if len(open) > 0 {
		say("unconfirmed", "arguments that violate %s; whether the program's own calls pass them is left to "+
			"`firmproof check`", some(open))
	}
}
