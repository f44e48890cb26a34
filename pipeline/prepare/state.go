package prepare

import (
	"iter"
	"slices"

	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// restsOnState returns the pointer of a generated harness to a structure whose contents decide that an assertion
// fails, "" where none does. An assertion about them says what the program keeps to in such structures, which nothing
// else says; contents that the harness made up do not refute it.
func (j *Job) restsOnState(c *verdict.Claim) string {
	if c.Check != verdict.Assert || len(j.Structs) == 0 || len(c.Trace) == 0 {
		return ""
	}
	contents := map[int]string{} // steps that make contents of a structure, with the pointer to it
	pointers := map[int]string{} // steps that make a pointer in a structure, likewise
	inputs := map[int]bool{}     // steps that make other contents
	for i := range c.Trace {
		switch s := &c.Trace[i]; {
		case s.Kind != verdict.StepAssign || s.Behind == "":
		case !slices.Contains(j.Structs, s.Behind):
			inputs[i] = true
		case s.Pointer:
			pointers[i] = s.Behind
		default:
			contents[i] = s.Behind
		}
	}
	named := map[int]bool{} // steps that are among the causes of another
	for i := range c.Trace {
		for _, k := range c.Trace[i].Causes {
			named[k] = true
		}
	}
	compared := map[int]bool{} // steps that make a pointer which the assertion reads
	for _, k := range c.Trace[len(c.Trace)-1].Causes {
		if c.Trace[k].Pointer {
			compared[k] = true
		}
	}
	state, pointer, input := "", "", false
	for i := range c.Trace {
		s := &c.Trace[i]
		if !s.Relevant || s.Depth == 0 {
			continue
		}
		for _, k := range s.Causes {
			if contents[k] != "" {
				state = contents[k]
			}
			if pointers[k] != "" && (s.Kind == verdict.StepViolation || compared[i]) {
				pointer = pointers[k]
			}
			input = input || inputs[k]
		}
	}
	for i := range c.Trace { // only the nearest causes of a step are listed
		if c.Trace[i].Relevant && !named[i] {
			if contents[i] != "" {
				state = contents[i]
			}
			if pointers[i] != "" && len(compared) > 0 {
				pointer = pointers[i]
			}
			input = input || inputs[i]
		}
	}
	if state == "" && !input {
		state = pointer
	}
	return state
}

// wildResult returns the function without a body whose result, any address, an access goes to, "" where none does. A
// result of null is one that callers have to expect, unless the function never gives it.
func (j *Job) wildResult(c *verdict.Claim) string {
	null := c.Failure.Is(verdict.NullAccess)
	number := c.Failure.IsNumber()
	if c.Check != verdict.Memory || !null && !number || len(c.Trace) == 0 {
		return ""
	}
	for s := range kept(c.Trace, func(*verdict.Step) bool { return true }) {
		if s.Kind == verdict.StepInput && !s.Null && slices.Contains(j.Stubbed, s.From) &&
			(!null || s.Type == "pointer" && (s.Value != "NULL" || weave.NeverNull(s.From))) {
			return s.From
		}
	}
	return ""
}

// wildBytes returns the pointer of a generated harness to a block of bytes which a pointer was read from, to no object,
// that an access or a call follows; "" where none was. No caller has such bytes there.
func wildBytes(c *verdict.Claim) string {
	if !c.Failure.IsNumber() && !c.Failure.Is(verdict.NoFunction) || len(c.Trace) == 0 {
		return ""
	}
	for s := range kept(c.Trace, func(s *verdict.Step) bool { return s.Pointer }) {
		if s.Kind == verdict.StepInput && s.Pointer && s.Behind != "" {
			return s.Behind
		}
	}
	return ""
}

// kept goes back from the last step of a trace by way of results, and of those assignments that by is true of.
func kept(trace []verdict.Step, by func(*verdict.Step) bool) iter.Seq[*verdict.Step] {
	return func(yield func(*verdict.Step) bool) {
		todo, seen := []int{len(trace) - 1}, map[int]bool{}
		for len(todo) > 0 {
			s := &trace[todo[0]]
			todo = todo[1:]
			if !yield(s) {
				return
			}
			if s.Kind != verdict.StepViolation && s.Kind != verdict.StepReturn && !(s.Kind == verdict.StepAssign && by(s)) {
				continue
			}
			for _, k := range s.Causes {
				if k < len(trace) && !seen[k] {
					seen[k] = true
					todo = append(todo, k)
				}
			}
		}
	}
}
