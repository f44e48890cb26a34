package dialect

import (
	"fmt"
	"slices"
	"strconv"
)

// constants gives constant expressions of getelementptr the type that llir computes for them, and casts them to the one
// pointer type that there is.
func (n *normaliser) constants(ts []token) ([]token, bool) {
	changed := false
	for i := len(ts) - 1; i >= 0; i-- { // what is inside of another one first
		if !ts[i].is("getelementptr") {
			continue
		}
		open := i + 1
		for open < len(ts) && ts[open].is("inbounds") {
			open++
		}
		if open >= len(ts) || !ts[open].is("(") {
			continue
		}
		end := closing(ts, open)
		parts := split(ts[open+1 : end])
		if len(parts) < 3 || len(parts[1]) == 0 || !parts[1][0].is("ptr") {
			continue
		}
		element, ok := n.element(parts[0], parts[3:])
		if !ok {
			n.refuse("a constant getelementptr of a type that is not known")
			return ts, changed
		}
		if element == "i8" {
			continue
		}
		space := spaced(parts[1][1:skipType(parts[1], 0)])
		text := fmt.Sprintf("%sbitcast (%s%s* %s to ptr%s)", ts[i].before, element, space, bare(ts[i:end+1]), space)
		ts, changed = slices.Replace(ts, i, end+1, lex(text)...), true
	}
	return ts, changed
}

// element returns the type of the part of a type that indices lead to (LangRef: getelementptr).
func (n *normaliser) element(t []token, indices [][]token) (string, bool) {
	for _, index := range indices {
		if len(t) == 1 && t[0].kind == local {
			t = n.named[t[0].text]
		}
		if len(t) < 3 || len(index) == 0 {
			return "", false
		}
		packed := t[0].is("<") && t[1].is("{")
		switch {
		case packed, t[0].is("{"):
			if packed {
				t = t[1 : len(t)-1]
			}
			fields := split(t[1 : len(t)-1])
			k, err := strconv.Atoi(index[len(index)-1].text)
			if err != nil || k < 0 || k >= len(fields) {
				return "", false
			}
			t = fields[k]
		case (t[0].is("[") || t[0].is("<")) && t[2].is("x"):
			t = t[3 : len(t)-1]
		default:
			return "", false
		}
	}
	return bare(t), true
}
