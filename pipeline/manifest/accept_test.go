package manifest

import (
	"strings"
	"testing"
	"time"
)

const claimA, claimB = "memory@f#72c807", "assert@g#1"

// TestAcceptIn: an entry is added, replaced and taken out; what is written around it, and comments, stay.
func TestAcceptIn(t *testing.T) {
	const head = "version: 1 # ours\nbuild: {sources: [a.c]}\n"
	entry := Suppression{Claim: claimA, Reason: "it's masked", By: "Ann", Until: time.Date(2999, 1, 31, 0, 0, 0, 0, time.UTC)}
	const line = "{claim: 'memory@f#72c807', reason: 'it''s masked', by: 'Ann', until: 2999-01-31}"
	const other = "  # about b\n  - claim: assert@g#1\n    reason: >\n      long\n\n      text\n"
	for name, c := range map[string]struct{ before, after, without string }{
		"none":       {head, head + "suppress:\n  - " + line + "\n", head},
		"no newline": {strings.TrimSuffix(head, "\n"), head + "suppress:\n  - " + line + "\n", head},
		"empty":      {head + "suppress: []\n", head + "suppress:\n  - " + line + "\n", head},
		"others": {head + "suppress:\n" + other + "report: {comment: true}\n",
			head + "suppress:\n  - " + line + "\n" + other + "report: {comment: true}\n",
			head + "suppress:\n" + other + "report: {comment: true}\n"},
		"replaced": {head + "suppress:\n" + other + "  - claim: memory@f#72c807\n    reason: old\n\nreport: {comment: true}\n",
			head + "suppress:\n  - " + line + "\n" + other + "\nreport: {comment: true}\n",
			head + "suppress:\n" + other + "\nreport: {comment: true}\n"},
		"not indented": {head + "suppress:\n- {claim: assert@g#1, reason: x}\n",
			head + "suppress:\n- " + line + "\n- {claim: assert@g#1, reason: x}\n",
			head + "suppress:\n- {claim: assert@g#1, reason: x}\n"},
	} {
		got, err := AcceptIn("m.yml", []byte(c.before), entry)
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.after)
			continue
		}
		got, was, err := UnacceptIn("m.yml", got, claimA)
		if err != nil || !was || string(got) != c.without {
			t.Errorf("%s, taken back: %v %v\n%s\nwant\n%s", name, was, err, got, c.without)
		}
		if _, was, err = UnacceptIn("m.yml", got, claimA); was || err != nil {
			t.Errorf("%s: taken back twice: %v", name, err)
		}
	}
	for name, before := range map[string]string{
		"in brackets": head + "suppress: [{claim: assert@g#1, reason: x}]\n",
		"one line":    "{version: 1, build: {sources: [a.c]}}\n",
	} {
		if got, err := AcceptIn("m.yml", []byte(before), entry); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, err := AcceptIn("m.yml", []byte(head), Suppression{Claim: "nonsense", Reason: "x"}); err == nil ||
		!strings.Contains(err.Error(), "is no id of a claim") {
		t.Errorf("a claim without a check: %v", err)
	}
}
