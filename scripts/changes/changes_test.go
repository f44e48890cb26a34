package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFragments: the files of the folder `changes` are well formed, and the corrections of soundness are those of
// CHANGELOG.md and of these files.
func TestFragments(t *testing.T) {
	root := filepath.Join("..", "..")
	list, wrong := fragments(root)
	for _, err := range wrong {
		t.Error(err)
	}
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, sections := parse(string(changelog))
	for _, r := range sections {
		for _, line := range r.lists["soundness"] {
			if !dated.MatchString(strings.TrimPrefix(line, "- ")) {
				t.Errorf("CHANGELOG.md, %s: a correction of soundness without a date: %s", r.version, line)
			}
		}
	}
	written, err := os.ReadFile(filepath.Join(root, "docs", "soundness-corrections.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != corrections(string(changelog), list) {
		t.Error("docs/soundness-corrections.md is out of date: make changes")
	}
}

// TestCheck: what is no fragment.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		path, kind, text string
		good             bool
	}{
		{"a.md", "new", "A thing.", true},
		{"a.md", "soundness", "2026-11-26: `f` is violated (was proved).", true},
		{"a.md", "soundness", "`f` is violated.", false},
		{"a.md", "new", "2026-11-26: a thing.", false},
		{"a.md", "newer", "A thing.", false},
		{"a.txt", "new", "A thing.", false},
		{"a.md", "new", "", false},
		{"a.md", "new", "- A thing.", false},
		{"a.md", "new", "A thing", false},
		{"a.md", "new", "A thing.\n\nAnother.", false},
	} {
		if err := (fragment{c.path, c.kind, c.text}).check(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestJoin: fragments and lines without a kind come into the version's lists, in front of those that are there.
func TestJoin(t *testing.T) {
	const before = "# Changelog\n\nHead.\n\n## Unreleased\n\nNote.\n\n- loose\n  line\n\n## 0.1.0\n\nFirst.\n\n### New\n\n- old\n"
	got := join(before, "0.1.0", []fragment{{"a.md", "soundness", "2026-11-26: right\nnow."}, {"b.md", "new", "b."}})
	const want = "# Changelog\n\nHead.\n\n## Unreleased\n\nNote.\n\n## 0.1.0\n\nFirst.\n\n" +
		"### Soundness\n\n- 2026-11-26: right now.\n\n### New\n\n- b.\n- loose\n  line\n- old\n"
	if got != want {
		t.Errorf("got:\n%s", got)
	}
	if again := join(got, "0.2.0", nil); !strings.Contains(again, "## Unreleased\n\nNote.\n\n## 0.2.0\n\n## 0.1.0\n") {
		t.Errorf("got:\n%s", again)
	}
	if rows := corrections(got, nil); !strings.Contains(rows, "| 2026-11-26 | 0.1.0 | right now. |\n") {
		t.Errorf("got:\n%s", rows)
	}
}
