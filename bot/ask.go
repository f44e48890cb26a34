package bot

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/store"
)

// What GitHub is asked while an event is handled. Deliveries come late, twice and out of
// order; they say that something changed, not what holds now.

// hub is GitHub for the repository of an event.
func (s *Server) hub(e *Event) (gh *github.Client, owner, name string) {
	owner, name, _ = strings.Cut(e.Repository.FullName, "/")
	return s.app.installation(e.Installation.ID, e.Repository.ID), owner, name
}

// askRepository asks what a repository is now where the event says something else than we know: that it is public, that it
// has another name, or another installation. A late event opens nothing that was closed since, and takes no repository back
// to where it was.
func (s *Server) askRepository(ctx context.Context, e *Event) error {
	if e.Name == "repository" && e.Action == "deleted" {
		return nil
	}
	var kept store.Repo
	err := s.store.Read(ctx, func(tx store.Tx) (err error) { kept, err = tx.Repo(ctx, e.Repository.ID); return err })
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	elsewhere := kept.FullName != e.Repository.FullName || kept.Installation != e.Installation.ID
	if opened := kept.Private && !e.Repository.Private; err != nil || !opened && !elsewhere {
		return err
	}
	gh, owner, name := s.hub(e)
	got, _, err := gh.Repositories.Get(ctx, owner, name)
	if err = unlessGone(err); err != nil {
		return err
	}
	there := got.GetID() == e.Repository.ID
	e.past, e.public = elsewhere && !there, there && !got.GetPrivate()
	if there {
		r := e.Repository
		r.FullName, r.HTMLURL, r.CloneURL = got.GetFullName(), got.GetHTMLURL(), got.GetCloneURL()
	}
	return nil
}

// unseenTries is how often GitHub is asked for what an event tells and it does not show: it may be late. Then it is
// taken to be gone, or never to have been; what the event says of it counts for nothing.
const unseenTries = 3

// errUnseen says that GitHub does not know yet what an event tells.
var errUnseen = errors.New("GitHub does not show yet what the event tells")

// unseen is errUnseen while GitHub may be late.
func (e *Event) unseen() error {
	if e.attempt < unseenTries {
		return errUnseen
	}
	return nil
}

// askPull replaces the event's pull request by what it is now; by nothing where GitHub shows none.
func (s *Server) askPull(ctx context.Context, e *Event) error {
	if e.PullRequest == nil || !pullActions[e.Action] {
		return nil
	}
	p, err := s.pullNow(ctx, e, e.PullRequest.Number)
	if err != nil {
		return err
	}
	if p == nil || when(p.UpdatedAt).Before(when(e.PullRequest.UpdatedAt)) {
		err = e.unseen()
	}
	if e.PullRequest = p; p == nil || !p.Draft || p.State != "open" || err != nil {
		return err
	}
	e.runDraft, err = s.runsDrafts(ctx, e, p)
	return err
}

// runsDrafts reports whether the manifest that governs a pull request has drafts verified. One that cannot be read does not:
// what is wrong with it is said when the pull request is ready.
func (s *Server) runsDrafts(ctx context.Context, e *Event, p *PullRequest) (bool, error) {
	gh, owner, name := s.hub(e)
	row := pullRow(e.Repository.ID, p)
	ref := p.Head.SHA
	if row.Fork {
		ref = p.Base.SHA
	}
	file, _, _, err := gh.Repositories.GetContents(ctx, owner, name, pipeline.ManifestName,
		&github.RepositoryContentGetOptions{Ref: ref})
	if err != nil || file == nil {
		return false, unlessGone(err)
	}
	text, err := file.GetContent()
	if err != nil {
		return false, err
	}
	of, defaults, err := s.app.Defaults(ctx, store.Repo{FullName: e.Repository.FullName, Installation: e.Installation.ID})
	if err != nil {
		return false, err
	}
	whole := []byte(text)
	if defaults != nil {
		if merged, _, err := manifest.Merge(whole, of, defaults); err == nil {
			whole = merged
		}
	}
	m, err := manifest.Parse(pipeline.ManifestName, whole)
	return err == nil && m.Pulls.Drafts, nil
}

// askGroup keeps a merge group only if its branch is there, in the queue of the branch that it is to be merged into, and
// has the commit that the event names. What it is compared with is a commit of the queue, or where it left that branch.
func (s *Server) askGroup(ctx context.Context, e *Event) error {
	g := e.MergeGroup
	if g == nil || e.Action != "checks_requested" {
		return nil
	}
	gh, owner, name := s.hub(e)
	into, ok := strings.CutPrefix(g.BaseRef, "refs/heads/")
	queue := "heads/gh-readonly-queue/" + into + "/"
	if !ok || into == "" || !strings.HasPrefix(g.HeadRef, "refs/"+queue) {
		e.MergeGroup = nil
		return nil
	}
	groups, _, err := gh.Git.ListMatchingRefs(ctx, owner, name, &github.ReferenceListOptions{Ref: queue})
	if err != nil && !gone(err) {
		return err
	}
	based := false
	var head *github.Reference
	for _, r := range groups {
		based = based || r.GetObject().GetSHA() == g.BaseSHA
		if r.GetRef() == g.HeadRef && r.GetObject().GetSHA() == g.HeadSHA {
			head = r
		}
	}
	if head == nil { // merged or taken out since, or no group at all
		e.MergeGroup = nil
		return e.unseen()
	}
	if based && g.BaseSHA != g.HeadSHA {
		return nil
	}
	tip, _, err := gh.Git.GetRef(ctx, owner, name, "heads/"+into)
	if err != nil {
		return err
	}
	c, _, err := gh.Repositories.CompareCommits(ctx, owner, name, tip.GetObject().GetSHA(), g.HeadSHA,
		&github.ListOptions{PerPage: 1})
	if err == nil {
		g.BaseSHA = c.GetMergeBaseCommit().GetSHA()
	}
	return err
}

// askComment replaces the event's comment by what GitHub shows of it, and reports whether it is one of a person there.
// Whoever wrote it is taken to speak, not whoever edited it.
func (s *Server) askComment(ctx context.Context, e *Event) (bool, error) {
	gh, owner, name := s.hub(e)
	got, _, err := gh.Issues.GetComment(ctx, owner, name, e.Comment.ID)
	if gone(err) {
		return false, e.unseen()
	}
	number, nerr := strconv.Atoi(path.Base(got.GetIssueURL()))
	if err != nil || nerr != nil || got.GetUser().GetType() == "Bot" {
		return false, err
	}
	e.Issue.Number = number
	e.Comment.Body = got.GetBody()
	e.Comment.User = User{Login: got.GetUser().GetLogin(), Type: got.GetUser().GetType()}
	e.Sender = e.Comment.User
	return true, nil
}

// pullNow is a pull request as GitHub knows it; nil if it does not say.
func (s *Server) pullNow(ctx context.Context, e *Event, number int) (*PullRequest, error) {
	gh, owner, name := s.hub(e)
	got, _, err := gh.PullRequests.Get(ctx, owner, name, number)
	if gone(err) {
		s.log.Info("the pull request cannot be read", "repository", e.Repository.FullName, "number", number, "err", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &PullRequest{Number: got.GetNumber(), State: got.GetState(), Draft: got.GetDraft(), Title: got.GetTitle(),
		User: User{Login: got.GetUser().GetLogin()}, Association: got.GetAuthorAssociation(),
		Head:      branchOf(got.GetHead()),
		Base:      branchOf(got.GetBase()),
		UpdatedAt: got.GetUpdatedAt().UTC().Format(time.RFC3339)}
	return p, nil
}

func branchOf(b *github.PullRequestBranch) Branch {
	out := Branch{SHA: b.GetSHA(), Ref: b.GetRef()}
	if b.GetRepo() != nil {
		out.Repo = &struct {
			ID int64 `json:"id"`
		}{b.GetRepo().GetID()}
	}
	return out
}

// pullRow returns what the store keeps of a pull request.
func pullRow(repo int64, pr *PullRequest) store.Pull {
	return store.Pull{Repo: repo, Number: pr.Number, State: pr.State, Draft: pr.Draft, Title: pr.Title,
		Author: pr.User.Login, Association: pr.Association,
		HeadSHA: pr.Head.SHA, HeadRef: pr.Head.Ref, BaseSHA: pr.Base.SHA, BaseRef: pr.Base.Ref,
		EventAt: when(pr.UpdatedAt),
		Fork:    pr.Head.Repo == nil || pr.Head.Repo.ID != repo}
}

// askTip replaces the commit of a push to the default branch by the branch's tip. A branch
// that is gone has none.
func (s *Server) askTip(ctx context.Context, e *Event) error {
	if e.Ref != "refs/heads/"+e.Repository.DefaultBranch {
		return nil
	}
	gh, owner, name := s.hub(e)
	ref, _, err := gh.Git.GetRef(ctx, owner, name, strings.TrimPrefix(e.Ref, "refs/"))
	switch {
	case answered(err, http.StatusNotFound, http.StatusConflict): // deleted, or empty
		e.Deleted = true
		return nil
	case gone(err):
		e.Deleted = true
		return e.unseen()
	case err != nil:
		return err
	}
	if sha := ref.GetObject().GetSHA(); sha != e.After {
		e.Before, e.After = "", sha
	}
	e.Deleted = false
	return nil
}

// askSender asks whether whoever pressed a button may change what a check says.
func (s *Server) askSender(ctx context.Context, e *Event) error {
	if e.Action != "rerequested" && e.Action != "requested_action" {
		return nil
	}
	var err error
	e.mayWrite, err = s.mayWrite(ctx, e)
	return err
}

// mayWrite reports whether the sender of an event has write access.
func (s *Server) mayWrite(ctx context.Context, e *Event) (bool, error) {
	gh, owner, name := s.hub(e)
	level, _, err := gh.Repositories.GetPermissionLevel(ctx, owner, name, e.Sender.Login)
	if answered(err, http.StatusNotFound) {
		return false, nil // nobody of this repository
	}
	if err != nil {
		return false, err
	}
	return mayWrite(level.GetPermission()), nil
}

// mayWrite reports whether a level of permission includes to write.
func mayWrite(level string) bool { return level == "admin" || level == "maintain" || level == "write" }
