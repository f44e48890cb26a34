package bot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// comment answers the commands of a comment on a pull request. Each line of a
// comment acts once, even if the comment is edited; it is acknowledged by a
// reaction and answered by one reply for all of them.
func (s *Server) comment(ctx context.Context, e *Event) error {
	ours := (e.Action == "created" || e.Action == "edited") && e.Comment != nil && e.Issue != nil &&
		e.Issue.PullRequest != nil && e.Sender.Type != "Bot" && e.Comment.User.Type != "Bot"
	if !ours {
		return nil
	}
	if err := s.store.Write(ctx, func(tx store.Tx) error { return remember(ctx, tx, e) }); err != nil {
		return err
	}
	commands, err := s.unanswered(ctx, e)
	if err != nil || len(commands) == 0 {
		return err
	}
	if there, err := s.askComment(ctx, e); err != nil || !there {
		return err
	}
	if commands, err = s.unanswered(ctx, e); err != nil || len(commands) == 0 {
		return err
	}
	t := &talk{s: s, e: e}
	t.gh, t.owner, t.repo = s.hub(e)
	who := reader{e.Repository.ID, e.Sender.Login}
	if s.readers.full(who, time.Now()) {
		s.log.Warn("too many comments: not answered", "repository", e.Repository.FullName, "login", who.login)
		return nil
	}
	if err := t.react(ctx, "eyes"); err != nil {
		return err
	}
	if err := t.look(ctx); err != nil {
		return err
	}
	if !t.may {
		s.readers.add(who, time.Now())
	}
	var answers []string
	reaction := "rocket"
	for _, c := range commands {
		a, err := t.act(ctx, c)
		if err != nil {
			return err
		}
		if a.failed {
			reaction = "confused"
		}
		answers = append(answers, fmt.Sprintf("> %s\n\n%s", reports.Inert(c.line), a.text))
	}
	if err := t.reply(ctx, strings.Join(answers, "\n\n")); err != nil {
		return err
	}
	if err := t.react(ctx, reaction); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		for _, c := range commands {
			if err := tx.CommandAnswered(ctx, e.Comment.ID, c.line); err != nil {
				return err
			}
		}
		return nil
	})
}

// unanswered are the commands of the comment that were not answered before.
func (s *Server) unanswered(ctx context.Context, e *Event) ([]command, error) {
	var out []command
	seen := map[string]bool{}
	err := s.store.Read(ctx, func(tx store.Tx) error {
		for _, c := range parseCommands(e.Comment.Body) {
			state, err := tx.CommandState(ctx, e.Comment.ID, c.line)
			if err != nil {
				return err
			}
			if state != "answered" && !seen[c.line] {
				seen[c.line] = true
				out = append(out, c)
			}
		}
		return nil
	})
	return out, err
}

// talk answers one comment.
type talk struct {
	s           *Server
	e           *Event
	gh          *github.Client
	owner, repo string

	may   bool       // the sender has write access
	pull  store.Pull // as it is now
	patch string     // that the command at hand tests, as a diff
	fresh bool       // the command at hand has not acted before; only its answer is missing otherwise
}

// look asks GitHub who speaks, and about which commit.
func (t *talk) look(ctx context.Context) error {
	var err error
	if t.may, err = t.s.mayWrite(ctx, t.e); err != nil {
		return err
	}
	now, err := t.s.pullNow(ctx, t.e, t.e.Issue.Number)
	if err != nil {
		return err
	}
	return t.s.store.Write(ctx, func(tx store.Tx) (err error) {
		if now != nil {
			if _, err := tx.PutPull(ctx, pullRow(t.e.Repository.ID, now)); err != nil {
				return err
			}
		}
		t.pull, err = tx.Pull(ctx, t.e.Repository.ID, t.e.Issue.Number)
		return err
	})
}

func (t *talk) react(ctx context.Context, what string) error {
	_, _, err := t.gh.Reactions.CreateIssueCommentReaction(ctx, t.owner, t.repo, t.e.Comment.ID, what)
	return err
}

// mark makes our reply to a comment recognisable after a crash.
func (t *talk) mark() string { return fmt.Sprintf("<!-- firmproof reply to %d -->", t.e.Comment.ID) }

// reply posts the answer. If an earlier try of this delivery got that far, the
// reply is there already and stays as it is; an edit appends to it.
func (t *talk) reply(ctx context.Context, text string) error {
	body := t.mark() + "\n@" + t.e.Sender.Login + "\n\n" + text
	c, err := markedComment(ctx, t.gh, t.owner, t.repo, t.e.Issue.Number, t.mark())
	switch {
	case err != nil:
		return err
	case c == nil:
		body = reports.Cut(body, reports.MaxComment, "")
		_, _, err = t.gh.Issues.CreateComment(ctx, t.owner, t.repo, t.e.Issue.Number, &github.IssueComment{Body: &body})
	case !strings.Contains(c.GetBody(), text):
		body = reports.Cut(c.GetBody()+"\n\n"+text, reports.MaxComment, "")
		_, _, err = t.gh.Issues.EditComment(ctx, t.owner, t.repo, c.GetID(), &github.IssueComment{Body: &body})
	}
	return err
}

// markedComment finds our comment that begins with mark; nil if there is none.
func markedComment(ctx context.Context, gh *github.Client, owner, repo string, number int,
	mark string) (*github.IssueComment, error) {
	opts := &github.IssueListCommentsOptions{Since: new(time.Time), ListOptions: github.ListOptions{PerPage: 100}}
	for {
		list, resp, err := gh.Issues.ListComments(ctx, owner, repo, number, opts)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if strings.HasPrefix(c.GetBody(), mark) && c.GetUser().GetType() == "Bot" {
				return c, nil
			}
		}
		if resp.NextPage == 0 {
			return nil, nil
		}
		opts.Page = resp.NextPage
	}
}

// act does one command. Nothing changes before its arguments are known to be right. The
// change and its mark of being taken are one transaction: a repeated delivery answers
// without acting again.
func (t *talk) act(ctx context.Context, c command) (response, error) {
	no := func(text string) (response, error) { return response{text: text, failed: true}, nil }
	row, known := commandNamed(c.verb)
	if p := c.problem(); p != "" {
		if known && row.hint != nil && t.may && len(c.args) < len(strings.Fields(row.args)) {
			p += " " + row.hint(t)
		}
		return no(p)
	}
	switch {
	case row.do == nil:
		return response{text: helpText()}, nil
	case !t.may && !row.anyone:
		return no("Only people with write access to this repository can do that.")
	case !row.closed && t.pull.State != "open":
		return no("This pull request is closed.")
	}
	if row.check != nil {
		if wrong, err := row.check(t, ctx, c); err != nil || wrong != "" {
			return response{text: wrong, failed: true}, err
		}
	}
	var a response
	err := t.s.store.Write(ctx, func(tx store.Tx) (err error) {
		if t.fresh, err = tx.ClaimCommand(ctx, t.e.Comment.ID, c.line); err != nil {
			return err
		}
		if t.fresh {
			if err := tx.Audit(ctx, t.pull.Repo, t.pull.Number, t.e.Sender.Login, "command", c.line); err != nil {
				return err
			}
		}
		a, err = row.do(t, ctx, tx, c)
		return err
	})
	if err == nil {
		t.s.pipe.Interrupt(a.interrupt...)
	}
	return a, err
}
