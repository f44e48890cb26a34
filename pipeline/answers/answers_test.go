package answers

import (
	"reflect"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/moved"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func proved() *verdict.Result {
	return &verdict.Result{Entry: "main", Status: verdict.Proved, Claims: []verdict.Claim{{ID: "assert@f#1",
		Check: verdict.Assert, Status: verdict.Proved, Pos: verdict.Pos{File: "a.c", Line: 3, Function: "f"}}}}
}

// TestReuse: an answer with a violation, or one that names lines, is not moved.
func TestReuse(t *testing.T) {
	res := func(change func(r *verdict.Result)) *verdict.Result {
		r := proved()
		change(r)
		return r
	}
	for what, c := range map[string]struct {
		res  *verdict.Result
		want bool
	}{
		"a proof":            {res(func(*verdict.Result) {}), true},
		"a violation":        {res(func(r *verdict.Result) { r.Claims[0].Status = verdict.Violated }), false},
		"a text with a line": {res(func(r *verdict.Result) { r.Assumptions = said("loop at a.c:7 ends") }), false},
		"a certificate": {res(func(r *verdict.Result) {
			r.Claims[0].Certificate = &verdict.Certificate{
				Detail: []string{"at line 7"}}
		}), false},
		"a plain text": {res(func(r *verdict.Result) { r.Warnings = []string{"none: fine"} }), true},
	} {
		if got := movable(c.res); got != c.want {
			t.Errorf("%s: movable %v", what, got)
		}
	}
	if allProved(res(func(r *verdict.Result) { r.Claims = nil })) {
		t.Error("nothing checked is no proof")
	}
}

// TestKeepLate: what the end of the time left open is asked again.
func TestKeepLate(t *testing.T) {
	res := proved()
	res.Claims[0].Status = verdict.Violated
	if keep, _ := keepable(res); !keep {
		t.Error("a violation is not kept")
	}
	res.CutShort = true
	if keep, _ := keepable(res); keep {
		t.Error("an answer that the end of the time cut short is kept")
	}
}

// TestKeepAndShow: what is kept is shown for the same question, moved with its
// functions, and a proof under other bounds; not to someone who has more time for it.
func TestKeepAndShow(t *testing.T) {
	at := func(name string, line int) moved.Key {
		return moved.Key{Shape: name, Exact: name + string(rune('0'+line)), Places: moved.Places{"a.c:f": line}}
	}
	asked := Question{Key: at("k", 2), Proof: at("p", 2)}
	moved := Question{Key: at("k", 6), Proof: at("p", 6)}
	other := Question{Key: at("other", 2), Proof: at("p", 2)}
	for name, c := range map[string]struct {
		status verdict.Status
		kept   int
		q      Question
		budget time.Duration
		line   int // 0: not shown
	}{
		"the same":               {verdict.Proved, 2, asked, time.Hour, 3},
		"moved":                  {verdict.Proved, 2, moved, time.Hour, 7},
		"other bounds":           {verdict.Proved, 2, other, time.Hour, 3},
		"bounded":                {verdict.Bounded, 1, asked, time.Minute, 3},
		"bounded, more time":     {verdict.Bounded, 1, asked, time.Hour, 0},
		"bounded, other bounds":  {verdict.Bounded, 1, other, time.Minute, 0},
		"a violation":            {verdict.Violated, 1, asked, time.Hour, 3},
		"a violation that moved": {verdict.Violated, 1, moved, time.Hour, 0},
		"unknown":                {verdict.Unknown, 0, asked, time.Minute, 0},
	} {
		res := proved()
		res.Claims[0].Status = c.status
		list, err := asked.Keep(res, time.Minute)
		if err != nil || len(list) != c.kept {
			t.Errorf("%s: %d kept, want %d (%v)", name, len(list), c.kept, err)
		}
		line := 0
		for _, a := range list {
			got, err := c.q.Show(a, c.budget)
			if err != nil {
				t.Fatal(err)
			}
			if got != nil {
				line = got.Claims[0].Pos.Line
			}
		}
		if line != c.line {
			t.Errorf("%s: shown at line %d, want %d", name, line, c.line)
		}
	}
	if got := (Question{}).Keys(); len(got) != 0 {
		t.Errorf("a job without a key has %q", got)
	}
	if got := asked.Keys(); !reflect.DeepEqual(got, []string{"p", "k"}) {
		t.Errorf("keys %q", got)
	}
}

// said is an assumption with a text.
func said(text string) []verdict.Assumption {
	return []verdict.Assumption{verdict.Assume("", verdict.Meaning, verdict.Read, text)}
}
