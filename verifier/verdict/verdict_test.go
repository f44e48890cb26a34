package verdict

import "testing"

// TestSummarise: a reached bound counts exactly if something rests on it.
func TestSummarise(t *testing.T) {
	c := func(k Check, s Status) Claim { return Claim{Check: k, Status: s} }
	for _, x := range []struct {
		claims []Claim
		want   Status
	}{
		{nil, Proved},
		{[]Claim{c(Memory, Proved), c(Assert, Proved)}, Proved},
		{[]Claim{c(Unwinding, Bounded), c(Memory, Proved)}, Proved},
		{[]Claim{c(Unwinding, Bounded), c(Memory, Proved), c(Assert, Bounded)}, Bounded},
		{[]Claim{c(Unwinding, Bounded)}, Bounded},
		{[]Claim{c(Unwinding, Bounded), {Check: Memory, Status: Unknown, Accepted: &Accepted{}}}, Bounded},
		{[]Claim{{Check: Memory, Status: Violated, Accepted: &Accepted{}}, c(Assert, Proved)}, Violated},
		{[]Claim{c(Memory, Bounded), c(Assert, Conditional)}, Conditional},
		{[]Claim{c(Unwinding, Unknown), c(Memory, Bounded)}, Unknown},
		{[]Claim{c(Memory, Violated), c(Unwinding, Bounded), c(Assert, Unknown)}, Violated},
	} {
		r := Result{Claims: x.claims}
		if r.Summarise(); r.Status != x.want {
			t.Errorf("%+v: %s", x.claims, r.Status)
		}
	}
	r := Result{Reason: &Reason{}, Claims: []Claim{c(Memory, Proved), c(Unwinding, Bounded)}}
	if r.Summarise(); r.Status != Unknown {
		t.Errorf("with a reason: %s", r.Status)
	}
}
