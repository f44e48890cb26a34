package fakegithub

import (
	"strings"
	"unicode/utf8"
)

// maxBody is GitHub's limit on the text of an issue or a comment.
const maxBody = 65536

// badBody is the refusal of a text, if it is too long or blank.
func badBody(resource, body string, blankAllowed bool) (reply, bool) {
	if utf8.RuneCountInString(body) > maxBody {
		return invalid(resource, "body", "body is too long (maximum is 65536 characters)"), true
	}
	if !blankAllowed && strings.TrimSpace(body) == "" {
		return invalid(resource, "body", "body can't be blank"), true
	}
	return reply{}, false
}

func (s *Server) addIssue(r *repo, login, title, body string) *issue {
	r.nextNumber++
	i := &issue{id: s.newID(), number: r.nextNumber, title: title, body: body, user: login, state: "open",
		created: s.now(), updated: s.now()}
	r.issues = append(r.issues, i)
	return i
}

func (s *Server) addComment(r *repo, number int, login, body string) *comment {
	cm := &comment{id: s.newID(), repo: r, number: number, user: login, body: body, created: s.now(), updated: s.now()}
	r.comments = append(r.comments, cm)
	return cm
}

// writer returns who writes with the call's token: the App's bot.
func (c *call) writer() string { return c.s.botLogin() }

func (c *call) listIssues() reply {
	state := c.query.Get("state")
	if state == "" {
		state = "open"
	}
	var list []*issue
	for i := len(c.repo.issues) - 1; i >= 0; i-- {
		it := c.repo.issues[i]
		if (state == "all" || it.state == state) && hasLabels(it, c.query.Get("labels")) &&
			(c.query.Get("creator") == "" || equalFold(it.user, c.query.Get("creator"))) {
			list = append(list, it)
		}
	}
	return ok(each(page(c, list), func(i *issue) obj { return c.s.renderIssue(c.repo, i) }))
}

func hasLabels(i *issue, want string) bool {
	for _, w := range strings.Split(want, ",") {
		found := w == ""
		for _, l := range i.labels {
			found = found || equalFold(l, w)
		}
		if !found {
			return false
		}
	}
	return true
}

// issueRequest is the body of both issue calls. Labels are names or objects,
// titles strings or numbers.
type issueRequest struct {
	Title       any     `json:"title"`
	Body        *string `json:"body"`
	State       string  `json:"state"`
	StateReason any     `json:"state_reason"`
	Labels      *[]any  `json:"labels"`
}

func (q issueRequest) apply(i *issue) {
	if q.Body != nil {
		i.body = *q.Body
	}
	if q.Labels == nil {
		return
	}
	i.labels = nil
	for _, l := range *q.Labels {
		switch l := l.(type) {
		case string:
			i.labels = append(i.labels, l)
		case map[string]any:
			if name, ok := l["name"].(string); ok {
				i.labels = append(i.labels, name)
			}
		}
	}
}

func (c *call) createIssue() reply {
	var q issueRequest
	if !c.decode(&q) {
		return withViolation(failure(422, "Invalid request."), "body does not decode")
	}
	title, _ := q.Title.(string)
	if strings.TrimSpace(title) == "" || utf8.RuneCountInString(title) > 256 {
		return invalid("Issue", "title", "title is blank or too long (maximum is 256 characters)")
	}
	if q.Body != nil {
		if rep, bad := badBody("Issue", *q.Body, true); bad {
			return rep
		}
	}
	i := c.s.addIssue(c.repo, c.writer(), title, "")
	q.apply(i)
	return created(c.s.renderIssue(c.repo, i))
}

func (c *call) getIssue() reply {
	if i := c.repo.issueByNumber(c.number("issue_number")); i != nil {
		return ok(c.s.renderIssue(c.repo, i))
	}
	return notFound()
}

func (c *call) updateIssue() reply {
	i := c.repo.issueByNumber(c.number("issue_number"))
	if i == nil {
		return notFound()
	}
	var q issueRequest
	if !c.decode(&q) {
		return withViolation(failure(422, "Invalid request."), "body does not decode")
	}
	if q.Body != nil {
		if rep, bad := badBody("Issue", *q.Body, true); bad {
			return rep
		}
	}
	if title, isText := q.Title.(string); isText {
		i.title = title
	}
	q.apply(i)
	now := c.s.now()
	i.updated = now
	switch q.State {
	case "closed":
		i.state, i.closed, i.stateReason = "closed", &now, q.StateReason
	case "open":
		i.state, i.closed, i.stateReason = "open", nil, q.StateReason
	}
	return ok(c.s.renderIssue(c.repo, i))
}

func (c *call) listComments() reply {
	number := c.number("issue_number")
	if c.repo.issueByNumber(number) == nil {
		return notFound()
	}
	var list []*comment
	for _, cm := range c.repo.comments {
		if cm.number == number {
			list = append(list, cm)
		}
	}
	return ok(each(page(c, list), c.s.renderComment))
}

func (c *call) createComment() reply {
	i := c.repo.issueByNumber(c.number("issue_number"))
	if i == nil {
		return notFound()
	}
	var q struct{ Body string }
	c.decode(&q)
	if rep, bad := badBody("IssueComment", q.Body, false); bad {
		return rep
	}
	cm := c.s.addComment(c.repo, i.number, c.writer(), q.Body)
	c.s.commentEvent("created", c.repo, i, cm, "")
	return created(c.s.renderComment(cm))
}

func (c *call) getComment() reply {
	if cm := c.repo.commentByID(c.number("comment_id")); cm != nil {
		return ok(c.s.renderComment(cm))
	}
	return notFound()
}

func (c *call) updateComment() reply {
	cm := c.repo.commentByID(c.number("comment_id"))
	if cm == nil {
		return notFound()
	}
	var q struct{ Body string }
	c.decode(&q)
	if rep, bad := badBody("IssueComment", q.Body, false); bad {
		return rep
	}
	old := cm.body
	cm.body, cm.updated = q.Body, c.s.now()
	c.s.commentEvent("edited", c.repo, c.repo.issueByNumber(cm.number), cm, old)
	return ok(c.s.renderComment(cm))
}

func (c *call) deleteComment() reply {
	id := c.number("comment_id")
	for i, cm := range c.repo.comments {
		if cm.id == id {
			c.repo.comments = append(c.repo.comments[:i:i], c.repo.comments[i+1:]...)
			return noContent()
		}
	}
	return notFound()
}

func (c *call) listReactions() reply {
	cm := c.repo.commentByID(c.number("comment_id"))
	if cm == nil {
		return notFound()
	}
	return ok(each(page(c, cm.reactions), c.s.renderReaction))
}

// react adds a reaction; a second one of the same kind by the same user is
// answered with the first and 200.
func (c *call) react(list *[]*reaction) reply {
	var q struct{ Content string }
	c.decode(&q)
	for _, r := range *list {
		if r.content == q.Content && r.user == c.writer() {
			return ok(c.s.renderReaction(r))
		}
	}
	r := &reaction{id: c.s.newID(), user: c.writer(), content: q.Content, created: c.s.now()}
	*list = append(*list, r)
	return created(c.s.renderReaction(r))
}

func (c *call) reactToComment() reply {
	if cm := c.repo.commentByID(c.number("comment_id")); cm != nil {
		return c.react(&cm.reactions)
	}
	return notFound()
}

func (c *call) reactToIssue() reply {
	if i := c.repo.issueByNumber(c.number("issue_number")); i != nil {
		return c.react(&i.reactions)
	}
	return notFound()
}
