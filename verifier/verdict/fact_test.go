package verdict

import "testing"

// TestJudge goes through all sets of facts: what each status takes, and what takes it away, whatever else is known.
func TestJudge(t *testing.T) {
	seen := map[Status]int{}
	for f := Fact(0); f < 1<<facts; f++ {
		has := func(x Fact) bool { return f&x != 0 }
		s := Judge(f)
		seen[s]++
		for _, c := range []struct {
			name string
			ok   bool
		}{
			{"a violation is an execution, of what was not made up", (s == Violated) == (has(Ran) && !has(Withdrawn))},
			{"a proof is of every execution", s != Proved || has(Always)},
			{"nothing that was guessed or chosen, or stands behind a violation, is proved",
				s != Proved || !has(Guessed|Limited|Behind|Withdrawn|Ran)},
			{"what holds within bounds alone is no proof", has(Always) || s != Proved},
			{"a guess is a condition", !has(Guessed) || s != Bounded},
			{"a condition has a guess", s != Conditional || has(Guessed)},
			{"a bound does not hide a guess", s != Bounded || has(Within|Limited)},
			{"nothing is made of nothing", (s == Invalid) == (f == 0)},
			{"what only somebody could not say is unknown", f != Undecided || s == Unknown},
			{"that somebody could not say takes nothing away", f == 0 || has(Undecided) || s == Judge(f|Undecided)},
		} {
			if !c.ok {
				t.Errorf("%08b is %s: %s", f, s, c.name)
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("statuses %v, want all six", seen)
	}
}

// TestLearnAgain: a claim that was read from a file says by its status what is known of it.
func TestLearnAgain(t *testing.T) {
	for _, s := range []Status{Proved, Bounded, Conditional, Violated, Unknown} {
		c := Claim{Status: s}
		if got := Judge(c.Known()); got != s {
			t.Errorf("%s is read as %s", s, got)
		}
	}
	c := Claim{Status: Violated}
	if c.Learn(Withdrawn); c.Status != Unknown {
		t.Errorf("a violation that is withdrawn is %s", c.Status)
	}
}
