package facts

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Under returns what is known of t where c is v.
func Under(s *ilr.Store, c ilr.Term, v bool, t ilr.Term) Fact {
	return new(Table).under(s, c, v, t, policy.FactDepth)
}

// SignedRange bounds t as a signed number.
func SignedRange(s *ilr.Store, t ilr.Term) (lo, hi int64, known bool) {
	if s.Width(t) > 64 {
		return 0, 0, false
	}
	x := new(Table).signedRange(s, t, policy.SignedDepth)
	return x.lo, x.hi, true
}

// Decide decides a predicate.
func Decide(s *ilr.Store, k ilr.Kind, args []ilr.Term) (v, known bool) {
	var fs Table
	return fs.decide(s, k, args, fs.Of(s, args[0]), fs.Of(s, args[1]))
}
