package docs_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostWords is how many words a sentence of the texts that everybody reads may have.
const mostWords = 40

// TestSentences: no sentence of README, manual and architecture is longer than that.
func TestSentences(t *testing.T) {
	for _, file := range []string{"../README.md", "manual.md", "ARCHITECTURE.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list := sentences(string(text))
		if len(list) < 40 {
			t.Errorf("%s: only %d sentences", file, len(list))
		}
		for _, s := range list {
			if n := len(strings.Fields(s)); n > mostWords {
				t.Errorf("%s: a sentence of %d words: %s", file, n, s)
			}
		}
	}
}

// TestSentencesAreFound: a stop, a question, a colon in front of a capital, a cell and an item end a sentence; code is
// one word.
func TestSentencesAreFound(t *testing.T) {
	got := sentences("# Head\n\nOne `a. B c`. Two: Three\nthree? *Four*\n\n| five | six |\n|---|---|\n- seven\n- eight [9](a b)\n\n" +
		"```c\nnot this\n```\n")
	want := []string{"Head", "One CODE.", "Two:", "Three three?", "*Four*", "five", "six", "---", "---", "seven", "eight [9]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

var (
	fenced   = regexp.MustCompile("(?s)```.*?```|<!--.*?-->")
	code     = regexp.MustCompile("`[^`]*`")
	target   = regexp.MustCompile(`\]\([^)]*\)`)
	item     = regexp.MustCompile(`^(#+|-|\d+\.) `)
	ends     = regexp.MustCompile(`([.!?:][)*_"]*)\s+([A-Z(*\[])`)
	cellEnds = regexp.MustCompile(`([^\\])\|`)
)

// sentences splits Markdown into sentences, with CODE in the place of code and without the targets of links.
func sentences(text string) []string {
	text = fenced.ReplaceAllString(text, "\n\n")
	var parts []string
	part := ""
	end := func() {
		if part != "" {
			parts = append(parts, part)
		}
		part = ""
	}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			end()
		case strings.HasPrefix(line, "|"):
			end()
			line = code.ReplaceAllString(line[1:], "CODE")
			parts = append(parts, strings.Split(cellEnds.ReplaceAllString(line, "$1\n"), "\n")...)
		case item.MatchString(line):
			end()
			part = item.ReplaceAllString(line, "")
			if line[0] == '#' {
				end()
			}
		default:
			part = strings.TrimSpace(part + " " + line)
		}
	}
	end()
	var out []string
	for _, p := range parts {
		p = target.ReplaceAllString(code.ReplaceAllString(p, "CODE"), "]")
		for _, s := range strings.Split(ends.ReplaceAllString(p, "$1\n$2"), "\n") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}
