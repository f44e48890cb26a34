package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// comment handles the commands of a comment on a pull request. Each line of a
// comment acts once, even if the comment is edited; it is acknowledged by a
// reaction and answered by one reply for all of them.
func (s *Server) comment(ctx context.Context, e *Event, guid string) error {
	end := func() error {
		return s.store.Write(ctx, func(tx store.Tx) error {
			if err := remember(ctx, tx, e); err != nil {
				return err
			}
			return tx.EndDelivery(ctx, guid, store.DeliveryDone, "")
		})
	}
	ours := (e.Action == "created" || e.Action == "edited") && e.Comment != nil && e.Issue != nil &&
		e.Issue.PullRequest != nil &&
		e.Repository != nil && e.Installation != nil && e.Sender.Type != "Bot" && e.Comment.User.Type != "Bot"
	if !ours {
		return end()
	}
	commands, err := s.unanswered(ctx, e)
	if err != nil || len(commands) == 0 {
		return errors.Join(err, end())
	}
	owner, name, _ := strings.Cut(e.Repository.FullName, "/")
	t := &talk{s: s, e: e, gh: s.app.installation(e.Installation.ID, e.Repository.ID), owner: owner, repo: name}
	if err := t.react(ctx, "eyes"); err != nil {
		return err
	}
	level, _, err := t.gh.Repositories.GetPermissionLevel(ctx, owner, name, e.Sender.Login)
	if err != nil {
		return err
	}
	may := level.GetPermission() == "admin" || level.GetPermission() == "write" || level.GetPermission() == "maintain"
	var answers []string
	good := true
	for _, c := range commands {
		text, ok, err := t.act(ctx, c, may)
		if err != nil {
			return err
		}
		good = good && ok
		answers = append(answers, fmt.Sprintf("> %s\n\n%s", strings.ReplaceAll(c.line, "`", "'"), text))
	}
	if err := t.reply(ctx, strings.Join(answers, "\n\n")); err != nil {
		return err
	}
	if err := t.react(ctx, map[bool]string{true: "rocket", false: "confused"}[good]); err != nil {
		return err
	}
	if err := s.store.Write(ctx, func(tx store.Tx) error {
		for _, c := range commands {
			if err := tx.CommandAnswered(ctx, e.Comment.ID, c.line); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return end()
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

// act does one command and says what to answer and whether it went well. The
// change and its mark of being taken are one transaction: a repeated delivery
// answers without acting again.
func (t *talk) act(ctx context.Context, c command, may bool) (string, bool, error) {
	if p := c.problem(); p != "" {
		return p, false, nil
	}
	switch {
	case c.verb == "help":
		return helpText(), true, nil
	case !may:
		return "Only people with write access to this repository can do that.", false, nil
	}
	answer, good := "", true
	var fx effect
	err := t.s.store.Write(ctx, func(tx store.Tx) error {
		p, err := tx.Pull(ctx, t.e.Repository.ID, t.e.Issue.Number)
		if errors.Is(err, store.ErrNotFound) {
			answer, good = "I have not seen this pull request yet; a new push makes it known to me.", false
			return nil
		}
		if err != nil {
			return err
		}
		fresh, err := tx.ClaimCommand(ctx, t.e.Comment.ID, c.line)
		if err != nil {
			return err
		}
		answer, good, fx, err = t.s.do(ctx, tx, c, p, t.e, fresh)
		return err
	})
	if err == nil {
		t.s.pipe.Interrupt(fx.interrupt...)
	}
	return answer, good, err
}

// do carries a command out; fresh is false when only its answer is missing.
func (s *Server) do(ctx context.Context, tx store.Tx, c command, p store.Pull, e *Event, fresh bool) (answer string,
	good bool, fx effect, err error) {
	if fresh {
		if err := tx.Audit(ctx, p.Repo, p.Number, e.Sender.Login, "command", c.line); err != nil {
			return "", false, fx, err
		}
	}
	if c.verb != "explain" && c.verb != "suppress" && c.verb != "cancel" && p.State != "open" {
		return "This pull request is closed.", false, fx, nil
	}
	var o store.Options
	switch c.verb {
	case "rerun":
		if len(c.args) > 0 {
			o.Targets = c.args[:1]
		}
		o.Entries = tailOf(c.args)
		answer = "Verifying " + short(p.HeadSHA) + " again."
	case "deeper":
		o.Factor, err = s.deeper(ctx, tx, p)
		answer = fmt.Sprintf("Verifying %s again with bounds times %d.", short(p.HeadSHA), o.Factor)
	case "prove":
		o.Entries, o.Prove = c.args[:1], true
		answer = "Trying for proofs of `" + strings.ReplaceAll(c.args[0], "`", "'") + "`."
	case "approve":
		answer = "The build of " + short(p.HeadSHA) + " is approved."
		if fresh {
			err = tx.ApprovePull(ctx, p.Repo, p.Number, e.Sender.Login, p.HeadSHA)
			p.ApprovedBy, p.ApprovedSHA = e.Sender.Login, p.HeadSHA
		}
	case "cancel":
		if fresh {
			fx.interrupt, err = s.pipe.CancelRuns(ctx, tx, p.Repo, p.Number, "", "Cancelled by @"+e.Sender.Login+".",
				"")
		}
		return "Cancelled.", true, fx, err
	case "suppress":
		return s.suppress(ctx, tx, c, p, e)
	case "explain":
		answer, good, err = s.explain(ctx, tx, c, p)
		return answer, good, fx, err
	}
	if err == nil && fresh {
		fx, err = s.beginPull(ctx, tx, p, e.Installation.ID, "command", o)
	}
	return answer, true, fx, err
}

func tailOf(args []string) []string {
	if len(args) < 2 {
		return nil
	}
	return args[1:]
}

// deeper is twice the factor of the newest run of the head.
func (s *Server) deeper(ctx context.Context, tx store.Tx, p store.Pull) (int, error) {
	runs, err := tx.RunsByHead(ctx, p.Repo, p.HeadSHA)
	for _, r := range runs {
		if r.Aggregate() {
			return 2 * max(1, r.Options.Factor), err
		}
	}
	return 2, err
}

func (s *Server) suppress(ctx context.Context, tx store.Tx, c command, p store.Pull, e *Event) (string, bool, effect,
	error) {
	found, err := s.claims(ctx, tx, p, c.args[0])
	if err != nil {
		return "", false, effect{}, err
	}
	if len(found) == 0 {
		return unknownClaim(c.args[0]), false, effect{}, nil
	}
	reason := strings.Join(c.args[2:], " ")
	if err := tx.Suppress(ctx, p.Repo, c.args[0], reason, e.Sender.Login, time.Time{}); err != nil {
		return "", false, effect{}, err
	}
	return fmt.Sprintf("`%s` is accepted from the next run on, because: %s", c.args[0], reason), true, effect{}, nil
}

func unknownClaim(id string) string {
	return fmt.Sprintf("I know no finding `%s` of this pull request's head; the check runs list their names.",
		strings.ReplaceAll(id, "`", "'"))
}

// claims finds the findings called id in the newest runs of the head.
func (s *Server) claims(ctx context.Context, tx store.Tx, p store.Pull, id string) ([]store.Finding, error) {
	runs, err := tx.RunsByHead(ctx, p.Repo, p.HeadSHA)
	if err != nil {
		return nil, err
	}
	var out []store.Finding
	seen := map[string]bool{}
	for _, r := range runs {
		if r.Aggregate() || seen[r.Target] || r.State != store.Done {
			continue
		}
		seen[r.Target] = true
		list, err := tx.Findings(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if f.Claim == id {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

func (s *Server) explain(ctx context.Context, tx store.Tx, c command, p store.Pull) (string, bool, error) {
	found, err := s.claims(ctx, tx, p, c.args[0])
	if err != nil {
		return "", false, err
	}
	rule, _, _ := strings.Cut(c.args[0], "@")
	prop, ok := verdict.Lookup(rule)
	if len(found) == 0 && !ok {
		return unknownClaim(c.args[0]), false, nil
	}
	var b strings.Builder
	if ok {
		fmt.Fprintf(&b, "**%s** (%s)\n\n%s\n", prop.Title,
			strings.Trim(strings.Join([]string{prop.CWE, prop.MISRA, prop.CERT}, ", "), ", "), prop.Meaning)
		if prop.Bad != "" {
			fmt.Fprintf(&b, "\n```c\n%s   // wrong\n%s   // right\n```\n", prop.Bad, prop.Good)
		}
	}
	for _, f := range found {
		fmt.Fprintf(&b, "\n* %s, entry `%s`: **%s** at %s:%d: %s ([trace](%s/runs/%s/findings/%s))", f.Target, f.Entry,
			f.Status, f.File, f.Line, f.Message, s.cfg.PublicURL, f.Run, f.Fingerprint)
	}
	return b.String(), true, nil
}
