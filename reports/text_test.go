package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestExcerptCaret: the caret stands under the column, also behind tabs, letters of several bytes and in long lines.
func TestExcerptCaret(t *testing.T) {
	long := strings.Repeat("x", 300) + "!" + strings.Repeat("y", 300)
	texts := map[string]string{"tab.c": "\tint n;\n", "wide.c": "/* ä */ bad\n", "long.c": long, "blank.c": "\n\n"}
	source := Source(func(file string) []byte { return []byte(texts[file]) })
	for _, c := range []struct {
		pos  verdict.Pos
		mark rune
	}{
		{verdict.Pos{File: "tab.c", Line: 1, Column: 2}, 'i'},
		{verdict.Pos{File: "tab.c", Line: 1}, 'i'},
		{verdict.Pos{File: "wide.c", Line: 1, Column: 10}, 'b'},
		{verdict.Pos{File: "long.c", Line: 1, Column: 301}, '!'},
	} {
		got := source.excerpt(c.pos)
		if len(got) != 2 {
			t.Fatalf("%v: %q", c.pos, got)
		}
		line, caret := []rune(got[0]), strings.IndexByte(got[1], '^')
		if caret >= len(line) || line[caret] != c.mark || len(line) > maxExcerpt+20 {
			t.Errorf("%v: the caret is not under %q:\n%s\n%s", c.pos, c.mark, got[0], got[1])
		}
	}
	for _, pos := range []verdict.Pos{{File: "blank.c", Line: 1}, {File: "none.c", Line: 1}, {File: "tab.c", Line: 9},
		{}} {
		if got := source.excerpt(pos); got != nil {
			t.Errorf("%v: %q", pos, got)
		}
	}
}

// TestOneBugIsOneSite: a bug that many entries and targets have is told once, with one trace, and one reason once.
func TestOneBugIsOneSite(t *testing.T) {
	r := &verdict.Report{}
	for i := range 99 {
		one := sample().Results[i%2*2]
		one.Target, one.Entry = []string{"x86_64", "i386", "avr"}[i%3], "harness"+string(rune('a'+i/6))
		r.Results = append(r.Results, one)
	}
	var b bytes.Buffer
	Text(&b, r, TextOptions{})
	if n := strings.Count(b.String(), "violated: memory"); n != 1 {
		t.Errorf("told %d times", n)
	}
	if n := strings.Count(b.String(), "inline assembly"); n != 1 {
		t.Errorf("the reason is told %d times", n)
	}
	if lines := strings.Count(b.String(), "\n"); lines > 110 {
		t.Errorf("%d lines", lines)
	}
}

// TestShellWords: names cannot leave the command that is shown to be copied.
// TestManyPlaces: of many places, the first are explained; what stands behind them is told once.
func TestManyPlaces(t *testing.T) {
	res := verdict.Result{Target: "i386", Entry: "main", Status: verdict.Violated}
	for i := range 40 {
		at := verdict.Pos{File: "a.c", Line: i + 1, Function: "main"}
		id := "memory@main#" + string(rune('A'+i))
		res.Claims = append(res.Claims, verdict.Claim{ID: id, Check: verdict.Memory, Status: verdict.Violated, Pos: at,
			Trace: []verdict.Step{{Pos: at, Kind: verdict.StepViolation, What: "null"}}},
			verdict.Claim{ID: id + "x", Check: verdict.Assert, Status: verdict.Unknown, Pos: at, Behind: id,
				Reason: &verdict.Reason{Kind: verdict.Shadowed}})
	}
	r := &verdict.Report{Results: []verdict.Result{res}}
	for trace, want := range map[string]struct{ traces, shadows int }{"": {maxExplained, 1}, "all": {40, 1}} {
		var b bytes.Buffer
		Text(&b, r, TextOptions{Trace: trace})
		text := b.String()
		traces, shadows := strings.Count(text, "trace (replay"), strings.Count(text, "behind a violation above")
		if traces != want.traces || shadows != want.shadows || strings.Count(text, "violated: memory") != 40 {
			t.Errorf("trace %q: %d traces, %d lines about what is behind:\n%s", trace, traces, shadows, text)
		}
		if got := strings.Contains(text, "28 places more, without source and trace (--trace all shows them):"); got !=
			(trace == "") || !strings.Contains(text, "40 claims are behind a violation above") {
			t.Errorf("trace %q:\n%s", trace, text)
		}
	}
}

func TestShellWords(t *testing.T) {
	for in, want := range map[string]string{"memory@f#1": "memory@f#1", "a b": "'a b'", "": "''", "$(x)": "'$(x)'",
		"it's": `'it'\''s'`, "#x": "'#x'", "a\nb": "'a\nb'"} {
		if got := ShellWords([]string{in}); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}
