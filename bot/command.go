package bot

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// command is one line of a comment that speaks to us.
type command struct {
	line string // as written, blanks normalised
	verb string
	args []string
}

// verbs with their usage, in the order of help.
var verbs = []struct{ name, usage, does string }{
	{"rerun", "rerun [TARGET] [HARNESS]", "verify again"},
	{"deeper", "deeper", "verify again with twice the bounds"},
	{"prove", "prove ENTRY", "try for unbounded proofs of one entry"},
	{"explain", "explain CLAIM", "say what a claim means and how it came out"},
	{"suppress", "suppress CLAIM because REASON", "accept a finding, for a reason"},
	{"approve", "approve", "allow the build of a pull request from a fork"},
	{"cancel", "cancel", "stop what is running"},
	{"help", "help", "show this list"},
}

const prefix = "/firmproof"

// parseCommands finds the commands of a comment: lines of plain text that begin
// with /firmproof. Code, quotes and HTML are not commands.
func parseCommands(body string) []command {
	src := []byte(body)
	var out []command
	doc := goldmark.New().Parser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker never fails
		switch n.Kind() {
		case ast.KindBlockquote, ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
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
	for _, v := range verbs {
		if v.name != c.verb {
			continue
		}
		need := map[string]int{"prove": 1, "explain": 1}[c.verb]
		switch {
		case c.verb == "suppress" && (len(c.args) < 3 || c.args[1] != "because"):
			return fmt.Sprintf("It is written `%s %s`.", prefix, v.usage)
		case len(c.args) < need:
			return fmt.Sprintf("Something is missing: `%s %s`.", prefix, v.usage)
		}
		return ""
	}
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return fmt.Sprintf("I do not know `%s`. Did you mean `%s %s`? `%s help` lists what I understand.",
		strings.ReplaceAll(c.verb, "`", "'"), prefix, verdict.Nearest(c.verb, names), prefix)
}

func helpText() string {
	var b strings.Builder
	b.WriteString("What I understand, one command a line, from people with write access:\n\n| command | does |\n|---|---|\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "| `%s %s` | %s |\n", prefix, v.usage, v.does)
	}
	return b.String()
}
