package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// A trial is the test of a patch that a comment holds: a run on the head of the pull request with the patch, compared
// with the head. Nothing is pushed, and no check, baseline or finding changes by it; a comment has the answer.

// patched says why the patch of a command is not tested, and else keeps it as a diff.
func (t *talk) patched(ctx context.Context, c command) (string, error) {
	switch p := t.pull; {
	case c.patch == "":
		return "There is no patch: a block of code that begins with ` ```diff ` has to follow the line, with what " +
			"`git diff` prints.", nil
	case p.Fork && t.s.noForks != "":
		return reports.ForkRefused(t.s.noForks), nil
	case p.Fork && !t.s.trusted(p):
		return fmt.Sprintf("The patch would be built with %s, which comes from a fork and is not approved. %s",
			reports.ShortSHA(p.HeadSHA), t.approval()), nil
	case (c.language == "suggestion") != (c.arg(0) != ""):
		return fmt.Sprintf("A ` ```suggestion ` stands in the place of lines: `%s test FILE:FIRST-LAST`. A ` ```diff ` names "+
			"its files itself.", prefix), nil
	case c.arg(0) == "":
		t.patch = c.patch
		return "", nil
	}
	return t.suggested(ctx, c)
}

// suggested makes a diff of lines that are to stand in the place of others.
func (t *talk) suggested(ctx context.Context, c command) (string, error) {
	file, lines, _ := strings.Cut(c.arg(0), ":")
	from, to, span := strings.Cut(lines, "-")
	first, err := strconv.Atoi(from)
	last, lerr := first, error(nil)
	if span {
		last, lerr = strconv.Atoi(to)
	}
	if errors.Join(err, lerr) != nil || first < 1 || last < first {
		return reports.Code(c.arg(0)) + " names no lines, as `src/main.c:7` and `src/main.c:7-9` do.", nil
	}
	got, _, _, err := t.gh.Repositories.GetContents(ctx, t.owner, t.repo, file,
		&github.RepositoryContentGetOptions{Ref: t.pull.HeadSHA})
	switch {
	case answered(err, http.StatusNotFound) || err == nil && got == nil:
		return fmt.Sprintf("There is no file %s in %s.", reports.Code(file), reports.ShortSHA(t.pull.HeadSHA)), nil
	case err != nil:
		return "", err
	}
	text, err := got.GetContent()
	if err != nil || got.GetSize() != len(text) {
		return reports.Code(file) + " is too large: take a ` ```diff `.", nil
	}
	diff, n := replaced(file, text, first, last, c.patch)
	if diff == "" {
		return fmt.Sprintf("%s has %d lines.", reports.Code(file), n), nil
	}
	t.patch = diff
	return "", nil
}

// replaced is the diff that puts text in the place of lines first to last of a file, and how many lines that has; empty
// if it does not have these.
func replaced(file, old string, first, last int, text string) (diff string, n int) {
	lines := strings.SplitAfter(old, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if last > len(lines) {
		return "", len(lines)
	}
	if strings.HasSuffix(lines[first-1], "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	const around = 3
	begin, end := max(1, first-around), min(len(lines), last+around)
	var hunk strings.Builder
	put := func(sign string, list ...string) {
		for _, l := range list {
			hunk.WriteString(sign + l)
			if !strings.HasSuffix(l, "\n") {
				hunk.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	added := strings.SplitAfter(text, "\n")
	added = added[:len(added)-1] // a block of code ends with a line end
	put(" ", lines[begin-1:first-1]...)
	put("-", lines[first-1:last]...)
	put("+", added...)
	put(" ", lines[last:end]...)
	size := end - begin + 1
	return fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -%d,%d +%d,%d @@\n%s", file, file, begin, size, begin,
		size-(last-first+1)+len(added), hunk.String()), len(lines)
}

// test begins a trial.
func (t *talk) test(ctx context.Context, tx store.Tx, _ command) (response, error) {
	a := response{text: fmt.Sprintf("Testing the patch on %s. Nothing is pushed; a comment will have the answer.",
		reports.ShortSHA(t.pull.HeadSHA))}
	if !t.fresh {
		return a, nil
	}
	p := t.pull
	_, err := t.s.pipe.Begin(ctx, tx, store.Run{Repo: p.Repo, Installation: t.e.Installation.ID, Pull: p.Number,
		BaseSHA: p.HeadSHA, BaseRef: p.BaseRef, Ref: fmt.Sprintf("refs/pull/%d/head", p.Number),
		Trigger: pipeline.TestTrigger,
		Options: store.Options{Patch: &store.Patch{Text: t.patch, By: t.e.Sender.Login, Comment: t.e.Comment.ID}}})
	return a, err
}

// tested brings the comment with the answer to a trial that is over in line with it.
func (s *Server) tested(ctx context.Context, v *view) error {
	r := &v.run
	p := r.Options.Patch
	if p == nil || !r.Aggregate() || r.State != store.Done {
		return nil
	}
	mark := "<!-- firmproof test " + r.ID + " -->"
	results, c := s.commentOptions(v, mark)
	c.Commit, c.Patch = r.BaseSHA, &reports.Patch{By: p.By}
	if at := forgeOf(&v.repo).Pull(r.Pull); at != "" {
		c.Patch.URL = fmt.Sprintf("%s#issuecomment-%d", at, p.Comment)
	}
	for _, m := range v.family {
		if m.report != nil && m.run.Detail != "" {
			c.Patch.Note = m.run.Detail
		}
	}
	return s.keepPost(ctx, store.Post{Repo: r.Repo, Number: r.Pull, Kind: store.TestPost + r.ID},
		s.redact.text(reports.Comment(results, c)), func(store.Tx, store.Post) (bool, error) { return true, nil },
		&commentPoster{gh: s.app.installation(r.Installation, r.Repo), name: v.repo.FullName, number: r.Pull, mark: mark})
}
