package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// trace writes the steps of a violation: those asked for.
func (p *printer) trace(c *verdict.Claim) {
	if len(c.Trace) == 0 {
		return
	}
	steps := c.Trace
	switch p.o.Trace {
	case "all":
	case "relevant":
		steps = outside(steps)
	default:
		steps = folded(c)
	}
	what := ""
	if left := len(c.Trace) - len(steps); left > 0 {
		what = fmt.Sprintf(", %d of %d steps, --trace all for the rest", len(steps), len(c.Trace))
	}
	p.line("  trace (replay %s%s)%s:", c.Replay, onMachine(c.Machine), what)
	lines := TraceLines(steps)
	for i := 0; i < len(lines); {
		n := 1
		for p.o.Trace != "all" && i+n < len(lines) && lines[i+n] == lines[i] {
			n++
		}
		if i += n; n > 1 {
			p.line("    %s, %d times", lines[i-1], n)
			continue
		}
		p.line("    %s", lines[i-1])
	}
	if c.Cycle > 0 {
		first := c.Trace[c.Cycle-1]
		p.line("    for ever again from step %d on: %s  %s", c.Cycle, first.Pos, StepText(first))
	} else if goesOn(c) {
		p.line("    and so on: these are the first steps of a run that never ends")
	}
}

// Steps of a folded trace: the first inputs, and the last of what the failure depends on.
const (
	foldedInputs = 6
	foldedSteps  = 6
	foldedBlocks = 2 // allocations and releases that matter
)

// folded leaves of a trace what its reader looks for first: inputs that matter, the last steps that the failure depends
// on, and the failure.
func folded(c *verdict.Claim) []verdict.Step {
	if c.Cycle > 0 && len(c.Trace) > foldedInputs+foldedSteps {
		return foldedCycle(c.Trace, c.Cycle-1)
	}
	steps := outside(c.Trace)
	if len(steps) <= foldedInputs+foldedSteps {
		return steps
	}
	if goesOn(c) {
		return steps[:foldedInputs+foldedSteps]
	}
	keep := make([]bool, len(steps))
	inputs, last, blocks := 0, 0, 0
	for i, s := range steps {
		if fromOutside(s.Kind) && s.Relevant && inputs < foldedInputs {
			keep[i] = true
			inputs++
		}
	}
	for i := len(steps) - 1; i >= 0 && blocks < foldedBlocks; i-- {
		if k := steps[i].Kind; (k == verdict.StepAlloc || k == verdict.StepFree) && steps[i].Relevant {
			keep[i] = true
			blocks++
		}
	}
	for i := len(steps) - 1; i >= 0 && last <= foldedSteps; i-- {
		if s := steps[i]; !keep[i] && (s.Relevant || s.Kind == verdict.StepViolation || s.Kind == verdict.StepCall) {
			keep[i] = true
			last++
		}
	}
	var out []verdict.Step
	for i, s := range steps {
		if keep[i] {
			out = append(out, s)
		}
	}
	return out
}

// outside leaves out the steps inside the C library that is linked to programs, but for inputs and the failure.
func outside(steps []verdict.Step) []verdict.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s verdict.Step) bool {
		return s.Pos.InLibrary() && !fromOutside(s.Kind) && s.Kind != verdict.StepViolation
	})
}

// foldedCycle leaves of a run that never ends the last inputs before its cycle, and the begin of that.
func foldedCycle(steps []verdict.Step, first int) []verdict.Step {
	var out []verdict.Step
	for _, s := range steps[:first] {
		if fromOutside(s.Kind) {
			out = append(out, s)
		}
	}
	out = out[max(0, len(out)-foldedInputs):]
	return append(out, steps[first:min(len(steps), first+foldedInputs+foldedSteps)]...)
}

// goesOn reports whether the steps of c are the first ones of a run that never ends, though no state repeats.
func goesOn(c *verdict.Claim) bool {
	return c.Check == verdict.Termination && c.Cycle == 0 && c.Certificate != nil && c.Certificate.Method != "lasso"
}

// fromOutside reports whether the environment decides what such a step does.
func fromOutside(k verdict.StepKind) bool {
	return k == verdict.StepInput || k == verdict.StepVolatile || k == verdict.StepInterrupt
}

// onMachine adds what a run of the compiled program showed.
func onMachine(m *verdict.MachineRun) string {
	switch {
	case m == nil:
		return ""
	case m.Detail == "":
		return "; compiled and run: " + string(m.Result)
	}
	return fmt.Sprintf("; compiled and run: %s: %s", m.Result, m.Detail)
}

func checkedBy(c *verdict.Certificate) string {
	if c.Checked == "" {
		return ""
	}
	return ", checked by " + c.Checked
}

// TraceLines formats a trace, one line a step, indented by call depth.
func TraceLines(steps []verdict.Step) []string {
	width := 0
	for _, s := range steps {
		width = max(width, len(s.Pos.String()))
	}
	var out []string
	for _, s := range steps {
		out = append(out, fmt.Sprintf("%-*s  %s%s", width, s.Pos, strings.Repeat("  ", s.Depth), StepText(s)))
	}
	return out
}

// StepText is one step in words, without its place.
func StepText(s verdict.Step) string {
	switch s.Kind {
	case verdict.StepAssign, verdict.StepInput, verdict.StepVolatile:
		t := s.What + " = " + s.Value
		if s.Bytes != "" {
			t += "  [" + s.Bytes + "]"
		}
		if s.Type != "" {
			t += "  (" + s.Type + ")"
		}
		if s.Kind != verdict.StepAssign {
			t = string(s.Kind) + " " + t
		}
		return t
	case verdict.StepCall, verdict.StepInterrupt:
		return string(s.Kind) + " " + s.What + "(" + s.Value + ")"
	}
	t := string(s.Kind) + " " + s.What
	if s.Kind == verdict.StepViolation && s.Value != "" {
		return t + "; " + s.Value // the variables that it read
	}
	if s.Value != "" {
		t += " = " + s.Value
	}
	return t
}
