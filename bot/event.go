package bot

import (
	"encoding/json"
	"fmt"
	"time"
)

// Event is a webhook reduced to what we use. Real payloads have fields that do
// not parse as documented (times of check_run.rerequested), so nothing else is read.
type Event struct {
	Name            string        `json:"name"` // of the event: pull_request, ...
	Action          string        `json:"action,omitempty"`
	Installation    *Installation `json:"installation,omitempty"`
	Repository      *Repository   `json:"repository,omitempty"`
	PullRequest     *PullRequest  `json:"pull_request,omitempty"`
	CheckRun        *CheckRun     `json:"check_run,omitempty"`
	CheckSuite      *CheckSuite   `json:"check_suite,omitempty"`
	RequestedAction *struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action,omitempty"`
	Issue        *Issue       `json:"issue,omitempty"`
	Comment      *Comment     `json:"comment,omitempty"`
	Sender       User         `json:"sender"`
	Ref          string       `json:"ref,omitempty"` // push
	Before       string       `json:"before,omitempty"`
	After        string       `json:"after,omitempty"`
	Deleted      bool         `json:"deleted,omitempty"`
	MergeGroup   *MergeGroup  `json:"merge_group,omitempty"`
	Repositories []Repository `json:"repositories,omitempty"`
	Added        []Repository `json:"repositories_added,omitempty"`
	Removed      []Repository `json:"repositories_removed,omitempty"`

	mayWrite bool // what GitHub says of the sender; see askSender
	runDraft bool // the manifest has drafts verified; see runsDrafts
	public   bool // what GitHub says of the repository; see askRepository
	past     bool // it says of the repository what is so no more
	attempt  int  // how often this delivery was handled, this time included
}

// Installation of the App.
type Installation struct {
	ID      int64 `json:"id"`
	Account User  `json:"account"`
}

// User is an account: a person, a bot or an organisation.
type User struct {
	Login string `json:"login"`
	Type  string `json:"type,omitempty"`
}

// Repository as events describe it; lists of an installation have only id, full_name and private.
type Repository struct {
	ID            int64  `json:"id"`
	FullName      string `json:"full_name"`
	CloneURL      string `json:"clone_url,omitempty"`
	HTMLURL       string `json:"html_url,omitempty"`
	DefaultBranch string `json:"default_branch,omitempty"`
	Private       bool   `json:"private,omitempty"`

	tip string // of the default branch, where its first run is to begin (askInstalled)
}

// PullRequest of a pull_request event.
type PullRequest struct {
	Number      int    `json:"number"`
	State       string `json:"state"`
	Draft       bool   `json:"draft,omitempty"`
	Title       string `json:"title"`
	User        User   `json:"user"`
	Association string `json:"author_association,omitempty"`
	Head        Branch `json:"head"`
	Base        Branch `json:"base"`
	UpdatedAt   string `json:"updated_at"`
}

// Branch is one side of a pull request. Repo is nil when a fork was deleted.
type Branch struct {
	SHA  string `json:"sha"`
	Ref  string `json:"ref"`
	Repo *struct {
		ID int64 `json:"id"`
	} `json:"repo"`
}

// CheckRun of a check_run event.
type CheckRun struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	ExternalID string `json:"external_id"`
	App        App    `json:"app"`
}

// CheckSuite of a check_suite event.
type CheckSuite struct {
	ID      int64  `json:"id"`
	HeadSHA string `json:"head_sha"`
	App     App    `json:"app"`
}

// App says whose check it is.
type App struct {
	ID int64 `json:"id"`
}

// Issue of a comment; PullRequest is set when it is one.
type Issue struct {
	Number      int       `json:"number"`
	PullRequest *struct{} `json:"pull_request,omitempty"`
}

// Comment on an issue or pull request.
type Comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	User User   `json:"user"`
	// of the last edit
	UpdatedAt string `json:"updated_at,omitempty"`
}

// MergeGroup of a merge queue.
type MergeGroup struct {
	HeadSHA string `json:"head_sha"`
	HeadRef string `json:"head_ref"` // refs/heads/gh-readonly-queue/...
	BaseRef string `json:"base_ref"` // refs/heads/...
	BaseSHA string `json:"base_sha"`
}

// Decode reads the payload of a webhook of the given name.
func Decode(name string, payload []byte) (*Event, error) {
	e := &Event{}
	if err := json.Unmarshal(payload, e); err != nil {
		return nil, fmt.Errorf("webhook %s: %w", name, err)
	}
	e.Name = name
	if e.Comment != nil && e.Issue == nil {
		e.Comment = nil // a comment on a commit or a diff
	}
	return e, nil
}

// when parses GitHub's times; an unreadable one is the distant past, which never hides an event.
func when(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.UnixMilli(1)
	}
	return t
}
