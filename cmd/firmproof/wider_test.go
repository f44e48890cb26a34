package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestWiderBlocks: an access past a block whose size is a guess is no finding, and what holds with more there is
// conditional; what fails whatever there is stays a finding, and what no size mends stays open.
func TestWiderBlocks(t *testing.T) {
	const text = `struct out { void *state; unsigned n; };
int put(struct out *o, const unsigned char *b) {
	unsigned char *d = o->state;
	if (!d) return 0;
	d[4] = b[0]; /* wider */
	return 100 / (d[4] + 1);
}
int endless(struct out *o) {
	unsigned char *d = o->state;
	unsigned i = 0;
	while (d && d[i]) i++; /* open */
	return 0;
}
int bad(struct out *o, unsigned i) {
	static int t[4];
	unsigned char *d = o->state;
	if (!d || i > 4) return 0;
	d[9] = 1; /* wider */
	return t[i]; /* red */
}
`
	path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
	_, rep, errs := checkJSON(t, path, "--target", "cortex-m3")
	lines, seen := strings.Split(text, "\n"), map[string]int{}
	for i := range rep.Results {
		r := &rep.Results[i]
		if len(r.Wider) > 0 {
			t.Errorf("%s: what is known of larger blocks is shown apart", r.Entry)
		}
		for k := range r.Claims {
			c := &r.Claims[k]
			_, mark, _ := strings.Cut(lines[c.Pos.Line-1], "/* ")
			mark, _, _ = strings.Cut(mark, " ")
			want := map[string]verdict.Status{"wider": verdict.Conditional, "open": verdict.Unknown, "red": verdict.Violated}[mark]
			if c.Check != verdict.Memory || mark == "" || c.Status == verdict.Proved || c.Status == verdict.Bounded {
				if c.Status == verdict.Violated || c.Status == verdict.Unknown {
					t.Errorf("%s, line %d: %s is %s", r.Entry, c.Pos.Line, c.ID, c.Status)
				}
				continue
			}
			for _, a := range r.RestsOn(c) {
				if strings.Contains(a.Text, "o.state leads to 64 bytes") && a.Origin == verdict.Chosen && c.Status == want {
					seen["on it"]++
				}
			}
			if c.Status == want {
				seen[mark]++
			} else if c.Status != verdict.Conditional {
				t.Errorf("%s, line %d: %s is %s, want %s", r.Entry, c.Pos.Line, c.ID, c.Status, want)
			}
		}
	}
	if seen["wider"] < 2 || seen["on it"] < 2 || seen["open"] != 1 || seen["red"] != 1 {
		t.Errorf("%v\n%s", seen, errs)
	}
}
