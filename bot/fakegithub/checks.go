package fakegithub

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// maxField is GitHub's limit on an annotation's message and raw_details.
const maxField = 64 << 10

// runRequest is the body of both check-run calls; absent is nil.
type runRequest struct {
	Name        *string    `json:"name"`
	HeadSHA     *string    `json:"head_sha"`
	DetailsURL  *string    `json:"details_url"`
	ExternalID  *string    `json:"external_id"`
	Status      *string    `json:"status"`
	Conclusion  *string    `json:"conclusion"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *struct {
		Title       *string           `json:"title"`
		Summary     *string           `json:"summary"`
		Text        *string           `json:"text"`
		Annotations []annotation      `json:"annotations"`
		Images      []json.RawMessage `json:"images"`
	} `json:"output"`
	Actions *[]action `json:"actions"`
}

// broken says which rule beyond the schema a request breaks: field and why.
func (q runRequest) broken() (field, why string) {
	if q.Name != nil && strings.TrimSpace(*q.Name) == "" {
		return "name", "can't be blank"
	}
	if q.Conclusion == nil && q.Status != nil && *q.Status == "completed" {
		return "conclusion", "is required when status is completed"
	}
	if q.Conclusion == nil && q.CompletedAt != nil {
		return "conclusion", "is required when completed_at is given"
	}
	if q.Conclusion != nil && *q.Conclusion == "stale" {
		return "conclusion", "stale can only be set by GitHub"
	}
	if q.Status != nil && (*q.Status == "waiting" || *q.Status == "requested" || *q.Status == "pending") {
		return "status", *q.Status + " can only be set by GitHub Actions"
	}
	if q.Output == nil {
		return "", ""
	}
	for i, a := range q.Output.Annotations {
		if why := a.broken(); why != "" {
			return fmt.Sprintf("output.annotations[%d]", i), why
		}
	}
	return "", ""
}

func (a annotation) broken() string {
	columns := a.StartColumn != nil || a.EndColumn != nil
	switch {
	case a.Path == "":
		return "path can't be blank"
	case strings.HasPrefix(a.Path, "/"):
		return "path must be relative to the repository"
	case a.StartLine < 1 || a.EndLine < a.StartLine:
		return "start_line must be at least 1 and end_line not before it"
	case columns && a.StartLine != a.EndLine:
		return "start_column and end_column are only allowed when start_line and end_line are equal"
	case a.StartColumn != nil && *a.StartColumn < 1 || a.EndColumn != nil && *a.EndColumn < 1:
		return "columns start at 1"
	case a.StartColumn != nil && a.EndColumn != nil && *a.EndColumn < *a.StartColumn:
		return "end_column is before start_column"
	case strings.TrimSpace(a.Message) == "":
		return "message can't be blank"
	case len(a.Message) > maxField:
		return "message exceeds 64 KB"
	case len(a.RawDetails) > maxField:
		return "raw_details exceeds 64 KB"
	case utf8.RuneCountInString(a.Title) > 255:
		return "title is too long (maximum is 255 characters)"
	}
	return ""
}

func (c *call) createRun() reply {
	var q runRequest
	if !c.decode(&q) {
		return withViolation(failure(422, "Invalid request."), "body does not decode")
	}
	if field, why := q.broken(); why != "" {
		return invalid("CheckRun", field, why)
	}
	sha, found := c.s.revision(c.repo, *q.HeadSHA)
	if !found || sha != *q.HeadSHA {
		return invalid("CheckRun", "head_sha", "No commit found for SHA: "+*q.HeadSHA)
	}
	now := c.s.now()
	run := &checkRun{
		id: c.s.newID(), repo: c.repo, suite: c.s.suiteFor(c.repo, sha, "", ""), headSHA: sha, status: "queued",
		started:   &now,
		createdAt: now, detailsURL: c.s.url + "/apps/" + c.s.opts.AppSlug,
	}
	c.repo.runs = append(c.repo.runs, run)
	c.s.applyRun(run, q)
	c.s.runEvent("created", run, nil, "")
	c.s.afterCompletion(run, false)
	return created(c.s.renderRun(run))
}

func (c *call) updateRun() reply {
	run := c.repo.runByID(c.number("check_run_id"))
	if run == nil {
		return notFound()
	}
	var q runRequest
	if !c.decode(&q) {
		return withViolation(failure(422, "Invalid request."), "body does not decode")
	}
	if field, why := q.broken(); why != "" {
		return invalid("CheckRun", field, why)
	}
	was := run.status == "completed"
	c.s.applyRun(run, q)
	c.s.afterCompletion(run, was)
	return ok(c.s.renderRun(run))
}

// applyRun writes a request into a run: annotations are appended, a conclusion
// completes, leaving completed clears the conclusion.
func (s *Server) applyRun(run *checkRun, q runRequest) {
	now := s.now()
	run.lastModified = now
	run.suite.reset = false
	set := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	set(&run.name, q.Name)
	set(&run.detailsURL, q.DetailsURL)
	set(&run.externalID, q.ExternalID)
	set(&run.status, q.Status)
	if q.StartedAt != nil {
		run.started = q.StartedAt
	}
	if q.Conclusion != nil {
		run.status, run.conclusion, run.completed = "completed", *q.Conclusion, &now
		if q.CompletedAt != nil {
			run.completed = q.CompletedAt
		}
	} else if q.Status != nil {
		run.conclusion, run.completed = "", nil
	}
	if q.Actions != nil {
		run.actions = *q.Actions
	}
	if q.Output == nil {
		return
	}
	run.title, run.summary = q.Output.Title, q.Output.Summary
	if q.Output.Title == nil {
		run.title = run.summary
	}
	if q.Output.Text != nil {
		run.text = q.Output.Text
	}
	run.annotations = append(run.annotations, q.Output.Annotations...)
	run.images = append(run.images, q.Output.Images...)
}

// afterCompletion sends what GitHub sends when a run, and with it perhaps its
// suite, has ended.
func (s *Server) afterCompletion(run *checkRun, was bool) {
	if was || run.status != "completed" {
		return
	}
	s.runEvent("completed", run, nil, "")
	if status, _ := s.suiteStatus(run.repo, run.suite); status == "completed" {
		s.suiteEvent("completed", run.repo, run.suite, "")
	}
}

// suiteFor answers the App's suite of a commit, made where there is none.
func (s *Server) suiteFor(r *repo, sha, branch, before string) *suite {
	for _, su := range r.suites {
		if su.headSHA == sha {
			return su
		}
	}
	if branch == "" {
		for _, p := range r.pulls {
			if p.headSHA == sha && !p.fromFork(r) {
				branch = p.headRef
			}
		}
	}
	su := &suite{id: s.newID(), headSHA: sha, headBranch: branch, before: before, created: s.now(), updated: s.now()}
	r.suites = append(r.suites, su)
	return su
}

func (r *repo) suiteRuns(su *suite) []*checkRun {
	var list []*checkRun
	for _, run := range r.runs {
		if run.suite == su {
			list = append(list, run)
		}
	}
	return list
}

// suiteStatus sums up the runs of a suite; the worst conclusion wins.
func (s *Server) suiteStatus(r *repo, su *suite) (status string, conclusion any) {
	runs := r.suiteRuns(su)
	if len(runs) == 0 || su.reset {
		return "queued", nil
	}
	worst := []string{"success", "skipped", "neutral", "cancelled", "timed_out", "action_required", "failure"}
	at := 0
	status = "completed"
	for _, run := range runs {
		if run.status != "completed" {
			status = "in_progress"
		}
		for i, w := range worst {
			if run.conclusion == w {
				at = max(at, i)
			}
		}
	}
	if status != "completed" {
		return status, nil
	}
	return status, worst[at]
}
