package change

import (
	"hash/fnv"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Likeness tells which function of another version a function may be. What is paired by it is compared like any other: it
// decides what is asked, and nothing that is answered.
type Likeness struct {
	Type    string   `json:"type"`
	Sketch  []uint32 `json:"sketch"` // of the code: so many of these are in common as sequences of instructions are
	Callers []string `json:"callers,omitempty"`
}

// LikenessOf returns what f is like, which callers call.
func LikenessOf(f *ir.Func, callers []*ir.Func) Likeness {
	out := Likeness{Type: f.Sig().String(), Sketch: make([]uint32, policy.SketchSize)}
	for _, g := range callers {
		out.Callers = append(out.Callers, g.Name)
	}
	for i := range out.Sketch {
		out.Sketch[i] = ^uint32(0)
	}
	list := instrsOf(f)
	for i := range list {
		h := fnv.New64a()
		for _, in := range list[i:min(i+policy.SketchInstrs, len(list))] {
			h.Write([]byte(formOf(in))) // never fails
		}
		sum := h.Sum64()
		for k := range out.Sketch { // the least number of each of several digests
			sum = sum*6364136223846793005 + 1442695040888963407
			out.Sketch[k] = min(out.Sketch[k], uint32(sum>>32))
		}
	}
	return out
}

// alike returns how much two functions have in common, 0 for nothing.
func alike(a, b Likeness) int {
	if a.Type != b.Type {
		return 0
	}
	n := 0
	for i := range min(len(a.Sketch), len(b.Sketch)) {
		if a.Sketch[i] == b.Sketch[i] {
			n++
		}
	}
	if slices.ContainsFunc(a.Callers, func(name string) bool { return slices.Contains(b.Callers, name) }) {
		n += policy.SketchCaller
	}
	return n
}

// Renamed pairs functions that one version alone has with those that are most like them in the other one: it returns the
// old version's names by those of the new one. Where two are as like, nobody knows which is which.
func Renamed(was, is map[string]Likeness) map[string]string {
	best := func(l Likeness, among map[string]Likeness) (name string) {
		most, again := policy.SketchLeast-1, false
		for _, other := range slices.Sorted(maps.Keys(among)) {
			switch n := alike(l, among[other]); {
			case n > most:
				name, most, again = other, n, false
			case n == most:
				again = true
			}
		}
		if again {
			return ""
		}
		return name
	}
	out := map[string]string{}
	for to, l := range is {
		if from := best(l, was); from != "" && best(was[from], is) == to {
			out[to] = from
		}
	}
	return out
}
