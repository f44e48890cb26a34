package bot

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// commandRow is a comment command: its name, the grammar of its arguments, what help says,
// who may use it, and what it does.
type commandRow struct {
	name string
	old  string // another name, of earlier versions
	// words of the grammar: UPPER an argument, lower that word itself, in brackets what may be missing, if it begins with
	// a lower word also before others. A REASON takes the rest of the line.
	args   string
	help   string
	anyone bool // no write access is needed
	closed bool // works on a closed pull request, too
	// hint is the line to copy where an argument is missing; nil: there is none
	hint func(t *talk) string
	// check says what is wrong with the arguments, before anything changes; nil: nothing can be
	check func(t *talk, ctx context.Context, c command) (wrong string, err error)
	// do changes our rows in tx and gives the answer
	do func(t *talk, ctx context.Context, tx store.Tx, c command) (response, error)
}

// response holds what a command is answered with.
type response struct {
	text   string
	failed bool // it did not do what was asked
	effect
}

// commandTable lists the commands in the order of help.
func commandTable() []commandRow {
	return []commandRow{
		{name: "rerun", args: "[TARGET] [HARNESS]", help: "verify again", check: (*talk).knows, do: (*talk).rerun},
		{name: "deeper", help: "verify again with twice the bounds", do: (*talk).deeper},
		{name: "prove", args: "ENTRY", help: "try for unbounded proofs of one entry", check: (*talk).knows,
			do: (*talk).prove},
		{name: "explain", args: "CLAIM", help: "say what a claim means and how it came out", closed: true,
			do: (*talk).explain},
		{name: "accept", old: "suppress", args: "CLAIM [until DAY] because REASON",
			help:   "accept a finding on all branches, for a reason, until a day such as 2027-01-31 (for 90 days, unless said)",
			closed: true, do: (*talk).accept},
		{name: "unaccept", args: "CLAIM", help: "let a finding count again", closed: true, do: (*talk).unaccept},
		{name: "list", help: "list what is accepted: why, by whom and until when", closed: true, do: (*talk).list},
		{name: "approve", args: "COMMIT", help: "allow the build of a commit from a fork", hint: (*talk).approval,
			do: (*talk).approve},
		{name: "test", args: "[FILE:LINES]", help: "say what a patch would mend and bring, without pushing it: the " +
			"` ```diff ` block that follows, or a ` ```suggestion ` in the place of these lines", check: (*talk).patched,
			do: (*talk).test},
		{name: "cancel", help: "stop what is running", closed: true, do: (*talk).cancel},
		{name: "help", help: "show this list", anyone: true},
	}
}

// commandNamed finds the row of a command.
func commandNamed(name string) (commandRow, bool) {
	for _, r := range commandTable() {
		if r.name == name || r.old == name && name != "" {
			return r, true
		}
	}
	return commandRow{}, false
}

const prefix = "/firmproof"

// usage is the command as it is written.
func (r commandRow) usage() string { return strings.TrimSpace(prefix + " " + r.name + " " + r.args) }

// grammarOf is the grammar for words: without what may be missing before others and is missing in them.
func (r commandRow) grammarOf(words []string) []string {
	var out []string
	list := strings.Fields(r.args)
	for i := 0; i < len(list); i++ {
		g := list[i]
		if word, group := strings.CutPrefix(g, "["); group && word == strings.ToLower(word) {
			end := i + slices.IndexFunc(list[i:], func(w string) bool { return strings.HasSuffix(w, "]") })
			if len(out) < len(words) && words[len(out)] == word {
				out = append(append(out, word), list[i+1:end]...)
				out = append(out, strings.TrimSuffix(list[end], "]"))
			}
			i = end
			continue
		}
		out = append(out, g)
	}
	return out
}

// match compares the words after a command with its grammar and says what is wrong.
func (r commandRow) match(words []string) string {
	grammar := r.grammarOf(words)
	for i, g := range grammar {
		literal := g == strings.ToLower(g)
		switch {
		case i >= len(words) && strings.HasPrefix(g, "["):
			return ""
		case i >= len(words):
			return fmt.Sprintf("Something is missing: `%s`.", r.usage())
		case literal && words[i] != g:
			return fmt.Sprintf("It is written `%s`.", r.usage())
		case g == "REASON":
			return ""
		}
	}
	if len(words) > len(grammar) {
		return fmt.Sprintf("%s is too much: it is written `%s`.", reports.Code(words[len(grammar)]), r.usage())
	}
	return ""
}

// command is one line of a comment that speaks to us.
type command struct {
	line string // as written, blanks normalised
	verb string
	args []string
	// of the block of code behind a test
	patch, language string
}

// arg is the n-th argument, or nothing.
func (c command) arg(n int) string {
	if n < len(c.args) {
		return c.args[n]
	}
	return ""
}

// parseCommands finds the commands of a comment: lines of plain text that begin
// with /firmproof. Code, quotes and HTML are not commands.
func parseCommands(body string) []command {
	src := []byte(body)
	var out []command
	doc := goldmark.New().Parser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker never fails
		switch n.Kind() {
		case ast.KindFencedCodeBlock:
			if last := len(out) - 1; entering && last >= 0 {
				out[last].take(n.(*ast.FencedCodeBlock), src)
			}
			return ast.WalkSkipChildren, nil
		case ast.KindBlockquote, ast.KindCodeBlock, ast.KindHTMLBlock:
			return ast.WalkSkipChildren, nil
		case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
			if entering {
				out = append(out, commandsIn(n, src)...)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}

// take gives a test the block of code behind it. Its digest is part of the line: an edited patch is another command.
func (c *command) take(n *ast.FencedCodeBlock, src []byte) {
	c.language = string(n.Language(src))
	if c.verb != "test" || c.patch != "" || !slices.Contains([]string{"diff", "patch", "suggestion"}, c.language) {
		return
	}
	c.patch = strings.ReplaceAll(string(n.Lines().Value(src)), "\r\n", "\n")
	c.line += fmt.Sprintf(" (%s %.4x)", c.language, sha256.Sum256([]byte(c.patch)))
}

func commandsIn(n ast.Node, src []byte) []command {
	var out []command
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		words := strings.Fields(string(seg.Value(src)))
		if len(words) == 0 || words[0] != prefix {
			continue
		}
		c := command{line: strings.Join(words, " "), verb: "help"}
		if len(words) > 1 {
			c.verb, c.args = strings.ToLower(words[1]), words[2:]
		}
		out = append(out, c)
	}
	return out
}

// problem says what is wrong with the form of a command, or "".
func (c command) problem() string {
	if r, ok := commandNamed(c.verb); ok {
		return r.match(c.args)
	}
	var names []string
	for _, r := range commandTable() {
		names = append(names, r.name)
	}
	return fmt.Sprintf("I do not know %s. Did you mean `%s %s`? `%s help` lists what I understand.",
		reports.Code(c.verb), prefix, verdict.Nearest(c.verb, names), prefix)
}

func helpText() string {
	var b strings.Builder
	b.WriteString("What I understand, one command a line, from people with write access:\n\n| command | does |\n|---|---|\n")
	for _, r := range commandTable() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.usage(), r.help)
	}
	return b.String()
}
