package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// wordsC has a function for each way to decide what a failure counts for. TEXT is what its assertions say.
const wordsC = `#include "firmproof.h"
int *get(void);
extern char low, high;
struct list { int *head; int count; };
typedef int *pointer;
struct typed { pointer head; int count; };
int guess(int *p, int mode) { int s = 0; while (*p) s ^= *p++; firmproof_assert(mode != 5, TEXT); return s; }
int wild(void) { int *q = get(); return q ? *q : 0; }
int told(int mode) { int *q = get(); firmproof_assert(mode != 5 || !q, TEXT); return 0; }
int marks(int n) { const char *p = &low; firmproof_assert(n != 3, TEXT); return p < &high ? p[n & 7] : 0; }
int local(unsigned i) { char high[4] = {0}; char *p = high; firmproof_assert(i != 9, TEXT); return p[i & 7]; }
int state(struct list *l) { firmproof_assert(l->count == 3, TEXT); return 0; }
int led(struct list *l, int n) { if (l->head != 0) firmproof_assert(n != 7, TEXT); return 0; }
int led_typed(struct typed *l, int n) { if (l->head != 0) firmproof_assert(n != 7, TEXT); return 0; }
int apart(char *a, char *b) { return a < b; }
struct call { union { int (*with)(int); void (*plain)(void); } to; int id; };
int handled(struct call *c) { return c->to.with(1); }
int freed(char *a) { a[0] = 1; __builtin_free(a + 1); return 0; }
int over(int x) { firmproof_assert(x != 3, TEXT); return x + 1; }
int holds(int x) { firmproof_assert(x + 0 == x, TEXT); return x; }
int dead(unsigned x) { if (x > 5 && x < 3) firmproof_assert(0, TEXT); return 0; }
int marked(void) { char *p = __builtin_malloc(3); if (!p) return 0; p[0] = 1; firmproof_assert(p[0] != 1, TEXT); return 0; }
`

// loaded are words that the tool uses itself, or marks something by.
var loaded = []string{
	"what 'p' leads to is set, what 'a' leads to and what 'b' leads to", "call of firmproof.function.get, which has no body",
	"read through a null pointer", "read of 4 bytes at address 0x0, which is in no object",
	"offset 1 of 'low' (1 byte)", "never reached", "firmproof.held.p", "firmproof_contract_x", "array index 4 out of bounds",
	verdict.TimeOver,
}

// assertedTexts are words like those behind others, as an assertion has them.
var assertedTexts = []string{"firmproof_contract_x: read at offset 1 of 'low' (1 byte), of what 'p' leads to, what 'a' leads to and " +
	"what 'b' leads to, through a null pointer: out of time at line 5, which is in no object", `\0021\003`, ""}

// TestAssertionTextsDecideNothing: whatever an assertion says, each claim has the same status and the same reason for it.
func TestAssertionTextsDecideNothing(t *testing.T) {
	file := filepath.Join(writeTree(t, map[string]string{"src.c": wordsC}), "src.c")
	want := answered(t, file, "plain")
	for _, must := range []struct{ line, said string }{ // that the program is about something
		{"guess assert violated", ""}, {"guess memory unknown", "how much p leads to is a guess"},
		{"wild memory unknown", "what the result of get leads to is not known: it has no body"},
		{"told assert violated", ""}, {"marks memory unknown", "how much low holds is not known: it is defined nowhere"},
		{"marks assert violated", ""}, {"local memory violated", ""}, {"local assert violated", ""},
		{"state assert unknown", "in the structure behind l"}, {"led assert unknown", ""}, {"led_typed assert unknown", ""},
		{"apart pointer-compare unknown", "whether a and b lead into one object"},
		{"over signed-overflow violated", ""}, {"holds assert proved", ""}, {"marked assert violated", ""},
	} {
		if !slices.ContainsFunc(want, func(l string) bool {
			return strings.HasPrefix(l, must.line) && strings.Contains(l, must.said)
		}) {
			t.Errorf("no claim is %s: %s\n%s", must.line, must.said, strings.Join(want, "\n"))
		}
	}
	for _, text := range assertedTexts {
		if got := answered(t, file, text); !slices.Equal(got, want) {
			t.Errorf("where assertions say %q, it is\n%s\nnot\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestMessagesDecideNothing: whatever an answer of the engines says in words, what becomes of it is the same.
func TestMessagesDecideNothing(t *testing.T) {
	file := filepath.Join(writeTree(t, map[string]string{"src.c": wordsC}), "src.c")
	jobs := wordJobs(t, file, "plain")
	found := run(t, jobs)
	want := completed(t, jobs, found, nil, false)
	for _, text := range loaded {
		if got := completed(t, jobs, found, &text, false); !slices.Equal(got, want) {
			t.Errorf("where answers say %q, it is\n%s\nnot\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// wordJobs prepares wordsC with assertions that say text.
func wordJobs(t *testing.T, file, text string) []prepare.Job {
	t.Helper()
	jobs, err := prepare.Jobs(t.Context(), prepare.Request{Paths: []string{file}, Targets: []string{"cortex-m3"},
		Stubs: map[string]string{"*": "havoc"}, Defines: []string{`TEXT="` + text + `"`}})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// run verifies jobs, and gives what the engines say.
func run(t *testing.T, jobs []prepare.Job) []*verdict.Result {
	t.Helper()
	found := make([]*verdict.Result, len(jobs))
	for i := range jobs {
		found[i] = verifier.Run(t.Context(), jobs[i].Program, jobs[i].Plan)
	}
	return found
}

// answered says what becomes of each claim of wordsC where its assertions say text.
func answered(t *testing.T, file, text string) []string {
	t.Helper()
	jobs := wordJobs(t, file, text)
	found := run(t, jobs)
	for _, r := range found {
		for i := range r.Claims {
			c := &r.Claims[i]
			if n := len(c.Trace); c.Status == verdict.Violated && (n == 0 || c.Trace[n-1].Kind != verdict.StepViolation) {
				t.Errorf("where assertions say %q, the trace of %s does not end with the violation", text, c.ID)
			}
		}
	}
	return completed(t, jobs, found, nil, true)
}

// completed completes the answers found, with text in the place of all that they say, and lists what becomes of each
// claim; details: with what the reasons say that the manifest or a harness gives.
func completed(t *testing.T, jobs []prepare.Job, found []*verdict.Result, text *string, details bool) []string {
	t.Helper()
	var out []string
	for i, r := range found {
		res := reworded(t, r, text)
		jobs[i].Complete(res)
		function := strings.TrimPrefix(res.Entry, prepare.AnyCall)
		out = append(out, fmt.Sprintf("%s: %s", function, res.Status))
		for k := range res.Claims {
			c := &res.Claims[k]
			line := fmt.Sprintf("%s %s %s %d:%d assumes %q", function, c.Check, c.Status, c.Pos.Line, c.Pos.Column,
				c.Assumptions)
			if c.Reason != nil {
				line += fmt.Sprintf(" %s", c.Reason.Kind)
				if details && c.Reason.Kind == verdict.Incomplete {
					line += ": " + c.Reason.Detail
				}
			}
			out = append(out, line)
		}
	}
	return out
}

// reworded returns a copy of an answer, which says text wherever it says something to people; nil: what it said.
func reworded(t *testing.T, r *verdict.Result, text *string) *verdict.Result {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if text != nil {
		var all map[string]any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		reword(all, *text)
		if data, err = json.Marshal(all); err != nil {
			t.Fatal(err)
		}
	}
	res := &verdict.Result{}
	if err := json.Unmarshal(data, res); err != nil {
		t.Fatal(err)
	}
	return res
}

// reword replaces what the fields for people hold.
func reword(v any, text string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			reword(e, text)
		}
	case map[string]any:
		for key, old := range v {
			if _, is := old.(string); is && slices.Contains([]string{"message", "detail", "remedy", "what", "text", "method"}, key) {
				v[key] = text
			}
			reword(old, text)
		}
		if list, is := v["warnings"].([]any); is {
			for i := range list {
				list[i] = text
			}
		}
	}
}
