package termination

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each technique has a system in whose answer it has a part, and none once it is left out.
func TestTechniques(t *testing.T) {
	const grows = "s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(4*x, 2*y+z, z+1) :|: x - y - z >= 0"
	const comesBack = "s(x) -> l(0)\n l(x) -> l(x+1) :|: x < 50\n l(x) -> l(x-1) :|: x >= 50"
	const enters = "s(x,y,z) -> l(1,y,z)\n s(x,y,z) -> l(0-1,y,z)\n l(x,y,z) -> l(x,y+x,z-x) :|: y < 100 && z < 100"
	const twoCalls = "s(n) -> f(n)\n f(n) -> Com_2(f(n-1), "
	tried := map[string]bool{}
	for _, c := range []struct {
		name, rules string
		bound       bool   // the question is a bound
		off         string // others that are left out
	}{
		{byInvariants, "s(x,y) -> l(x,y) :|: y >= 1\n l(x,y) -> l(x-y,y) :|: x >= 1", false, ""},
		{byAffine, "s(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0", false, ""},
		{byNested, "s(x,y) -> l(x,y)\n l(x,y) -> l(x+y,y-1) :|: x > 0", false, ""},
		{byOnward, threePhases, false, ""},
		{byPhases, threePhases, false, ""},
		{byRelations, minimum, false, ""},
		{byEntry, enters, false, ""},
		{bySplits, "s(x,y) -> l(x,y)\n l(x,y) -> l(x+1,y) :|: x < y\n l(x,y) -> l(x,y+1) :|: y < x", false, ""},
		{byCycles, "s(x) -> l(x)\n l(x) -> l(x)", false, ""},
		{byWalks, comesBack, false, ""},
		{bySeries, grows, false, ""},
		{byOrbits, comesBack, false, "cycles walks geometric"},
		{byFewTurns, "s(x,y) -> l(x,y)\n l(x,y) -> l(2*x,3*y) :|: 4*y >= x && x >= y && x >= 1 && y >= 1", true, ""},
		{byLogarithms, "s(x) -> l(x)\n l(x) -> l(h) :|: x > 0 && 3*h <= 2*x", true, ""},
		{byAmortised, "s(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0", true, ""},
		{byResets, "s(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0", true, ""},
		{byPhaseBound, "s(x,y) -> l(x,y)\n l(x,y) -> l(x+y,y-1) :|: x > 0", true, ""},
		{byClosed, "s(x,y) -> l(x,y)\n l(x,y) -> l(4*x,2*y+1) :|: x < y && x > 0", true, ""},
		{byForks, twoCalls + "f(0)) :|: n > 0", true, ""},
		{byWidths, twoCalls + "f(n-2)) :|: n > 1", true, ""},
		{byRefinement, "s(x,y) -> l(x,y)\n l(x,y) -> l(-2*x,y+1) :|: x + y > 0 && x != 0", true, ""},
		{byTypeRanges, "s(x) -> a(x) :|: x >= 0\n a(x) -> a(x+1) :|: x <= 4294967295", true, ""},
	} {
		tried[c.name] = true
		ask := func(off map[string]bool) (by []string, verdict Verdict) {
			if c.bound {
				return Bounds(context.Background(), system(t, c.rules), Options{Off: off}).By, Unknown
			}
			a := Prove(context.Background(), system(t, c.rules), Options{Off: off})
			return a.By, a.Verdict
		}
		off := map[string]bool{}
		for _, n := range strings.Fields(c.off) {
			off[n] = true
		}
		by, verdict := ask(off)
		if !slices.Contains(by, c.name) {
			t.Errorf("%s had no part: %v", c.name, by)
		}
		off[c.name] = true
		if by, less := ask(off); slices.ContainsFunc(by, func(n string) bool { return off[n] }) ||
			less != verdict && less != Unknown {
			t.Errorf("without %s: %v by %v, was %v", c.name, less, by, verdict)
		}
	}
	for _, n := range Techniques {
		if !tried[n] {
			t.Errorf("no system for %s", n)
		}
	}
}

// A file's answer says who had a part in it, and what is left out has none.
func TestRunFileTechniques(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.koat")
	text := "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS s))\n(RULES\ns(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0\n)"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, off := range []map[string]bool{nil, {byAmortised: true}} {
		last, by, err := RunFile(context.Background(), path, Options{Off: off}, &bytes.Buffer{})
		if err != nil || last != "WORST_CASE(?,O(n^1))" || slices.Contains(by, byAmortised) == off[byAmortised] {
			t.Errorf("without %v: %s by %v, %v", off, last, by, err)
		}
	}
}
