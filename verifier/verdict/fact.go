package verdict

// A Fact is a set of things that are known of a claim. Who finds one out adds it (Claim.Learn); the status follows from
// all of them, and from nothing else (Judge).
type Fact uint16

const (
	Ran       Fact   = 1 << iota // an execution violates it: a replay confirmed that, a state repeats, or the compiler says so
	Always                       // it holds in every execution
	Within                       // it holds in every execution within the bounds
	Guessed                      // that it holds rests on a guess
	Limited                      // that it holds rests on a limit that was chosen
	Behind                       // executions come to it only past the violation of another claim
	Withdrawn                    // that it is violated rests on what was made up
	Undecided                    // somebody asked, and could not say
	facts     = iota             // how many there are
)

// Judge returns the status of a claim of which f is known; Invalid: nothing is. One execution is a violation, whatever
// else is said.
func Judge(f Fact) Status {
	has := func(x Fact) bool { return f&x != 0 }
	switch {
	case f == 0:
		return Invalid
	case has(Ran) && !has(Withdrawn):
		return Violated
	case has(Ran | Behind | Withdrawn), !has(Always | Within):
		return Unknown
	case has(Guessed):
		return Conditional
	case has(Limited), !has(Always):
		return Bounded
	}
	return Proved
}

// Learn adds what is known of c, and judges it anew.
func (c *Claim) Learn(f Fact) {
	c.known = c.Known() | f
	c.Status = Judge(c.known)
	c.Within = c.Status == Conditional && c.known&Always == 0
}

// Known returns what is known of c; of one that was read from a file, what its status says.
func (c *Claim) Known() Fact {
	if c.known != 0 {
		return c.known
	}
	return FactOf(c.Status)
}

// FactOf returns what a status says of a claim.
func FactOf(s Status) Fact {
	switch s {
	case Proved:
		return Always
	case Bounded:
		return Within
	case Conditional:
		return Within | Guessed
	case Violated:
		return Ran
	case Unknown:
		return Undecided
	}
	return 0
}

// Learned returns c with that.
func (c Claim) Learned(f Fact) Claim {
	c.Learn(f)
	return c
}

// Unjudged returns c as one of which nothing is known.
func (c Claim) Unjudged() Claim {
	c.known, c.Status, c.Within = 0, Invalid, false
	return c
}
