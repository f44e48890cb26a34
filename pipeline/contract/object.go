package contract

import "slices"

// findObjectComparisons finds where the objects of two pointers are compared: CBMC numbers objects, which nothing here
// does, but whether two numbers are the same is known.
func (r *rewriter) findObjectComparisons() {
	for i := range r.toks {
		op := r.pointerObject(i)
		if op < 0 || op >= len(r.toks) || r.toks[op].text != "==" && r.toks[op].text != "!=" {
			continue
		}
		end := r.pointerObject(op + 1)
		if end < 0 || i == 0 || end >= len(r.toks) || !slices.Contains(weakerBefore, r.toks[i-1].text) ||
			!slices.Contains(weakerBehind, r.toks[end].text) {
			continue
		}
		r.at[i] = &region{end: end, text: func() string {
			same := "firmproof_contract_same(" + r.inline(i+2, op-1) + ", " + r.inline(op+3, end-1) + ")"
			if r.toks[op].text == "!=" {
				return "(!" + same + ")"
			}
			return same
		}}
	}
}

// pointerObject is the token behind a call of __CPROVER_POINTER_OBJECT that begins at i, or -1.
func (r *rewriter) pointerObject(i int) int {
	if i+1 >= len(r.toks) || r.toks[i].text != "__CPROVER_POINTER_OBJECT" || r.toks[i+1].text != "(" || r.mate[i+1] < 0 {
		return -1
	}
	return r.mate[i+1] + 1
}

// weakerBefore and weakerBehind are tokens beside which a comparison is a whole operand; no ")", which ends a cast.
var (
	weakerBefore = []string{"(", ",", ";", "{", "}", "&&", "||", "?", ":", "=", "return", "==>", "<==>"}
	weakerBehind = []string{")", ",", ";", "}", "&&", "||", "?", ":", "==>", "<==>"}
)
