package fakegithub

import (
	"encoding/json"
	"time"
)

// obj is a JSON object under construction. Answers are built as maps because
// the contract, not a Go type, says what they hold.
type obj = map[string]any

// Violation is a call that broke GitHub's contract or limits, or an answer of
// ours that did (Kind "fakegithub bug").
type Violation struct {
	Kind    string    `json:"kind"`
	Method  string    `json:"method"`
	Path    string    `json:"path"`
	Status  int       `json:"status"`
	Message string    `json:"message"`
	At      time.Time `json:"at"`
}

// repo is a repository. dir is a bare git repository.
type repo struct {
	id            int
	owner, name   string
	dir           string
	defaultBranch string
	fork          bool
	public        bool
	parent        *repo
	installed     bool
	removed       bool // from the installation
	created       time.Time
	pushed        time.Time

	nextNumber int
	pulls      []*pull
	issues     []*issue
	suites     []*suite
	runs       []*checkRun
	comments   []*comment
	sarifs     []*sarif
	refusal    string // what code scanning says of the next upload; empty: it takes it
	// permissions of users on this repository, over the global ones.
	permissions map[string]string
}

func (r *repo) fullName() string { return r.owner + "/" + r.name }

// issue is an issue, or the issue side of a pull request.
type issue struct {
	id, number       int
	title, body      string
	user             string
	state            string
	stateReason      any
	labels           []string
	created, updated time.Time
	closed           *time.Time
	pull             *pull
	reactions        []*reaction
}

// pull is a pull request; title, body and state are its issue's.
type pull struct {
	*issue
	id               int
	headRepo         *repo
	headRef, headSHA string
	baseRef, baseSHA string
	merged           *time.Time
	mergedBy         string
	mergeSHA         string
	mergeable        bool
	draft            bool
}

func (p *pull) fromFork(base *repo) bool { return p.headRepo != base }

type comment struct {
	id               int
	repo             *repo
	number           int
	user, body       string
	created, updated time.Time
	reactions        []*reaction
}

type reaction struct {
	id            int
	user, content string
	created       time.Time
}

type suite struct {
	id               int
	headSHA          string
	headBranch       string
	before           string
	reset            bool
	created, updated time.Time
}

type checkRun struct {
	id                      int
	suite                   *suite
	name, headSHA           string
	detailsURL, externalID  string
	status, conclusion      string
	started, completed      *time.Time
	title, summary, text    *string
	annotations             []annotation
	actions                 []action
	images                  []json.RawMessage
	repo                    *repo
	createdAt, lastModified time.Time
}

// annotation has the fields of GitHub's request, which are also those of its
// answer but for blob_href.
type annotation struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn *int   `json:"start_column"`
	EndColumn   *int   `json:"end_column"`
	Level       string `json:"annotation_level"`
	Message     string `json:"message"`
	Title       string `json:"title"`
	RawDetails  string `json:"raw_details"`
}

type action struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

type sarif struct {
	id, commitSHA, ref string
	status             string
	errors             []string
	asked              bool // somebody asked what became of it
	document           json.RawMessage
	results            int
	created            time.Time
}

// token is an installation access token.
type token struct {
	value       string
	expires     time.Time
	permissions map[string]string
	// repos narrows the token; nil: all of the installation.
	repos map[int]bool
}

// installation is the App's one installation.
type installation struct {
	id                 int
	account            string
	created, updated   time.Time
	suspended, deleted bool
}

// user is somebody with a permission on every repository.
type user struct {
	id         int
	login      string
	permission string
	bot        bool
}

// findRepo answers the repository of an owner and a name, or nil. Names are
// matched as GitHub does, without regard to case.
func (s *Server) findRepo(owner, name string) *repo {
	for _, r := range s.repos {
		if equalFold(r.owner, owner) && equalFold(r.name, name) {
			return r
		}
	}
	return nil
}

func (r *repo) pullByNumber(n int) *pull {
	for _, p := range r.pulls {
		if p.number == n {
			return p
		}
	}
	return nil
}

func (r *repo) issueByNumber(n int) *issue {
	for _, i := range r.issues {
		if i.number == n {
			return i
		}
	}
	return nil
}

func (r *repo) runByID(id int) *checkRun {
	for _, c := range r.runs {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (r *repo) suiteByID(id int) *suite {
	for _, c := range r.suites {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (r *repo) commentByID(id int) *comment {
	for _, c := range r.comments {
		if c.id == id {
			return c
		}
	}
	return nil
}

// userNamed answers the user of a login, made on first sight.
func (s *Server) userNamed(login string) *user {
	for _, u := range s.users {
		if equalFold(u.login, login) {
			return u
		}
	}
	u := &user{id: s.newID(), login: login, bot: len(login) > 5 && login[len(login)-5:] == "[bot]"}
	s.users = append(s.users, u)
	return u
}

// permissionOf returns what a user may do in a repository: admin, maintain, write,
// triage, read or none.
func (s *Server) permissionOf(r *repo, login string) string {
	for name, p := range r.permissions {
		if equalFold(name, login) {
			return p
		}
	}
	if equalFold(r.owner, login) {
		return "admin"
	}
	for _, u := range s.users {
		if equalFold(u.login, login) && u.permission != "" {
			return u.permission
		}
	}
	return "none"
}

func (s *Server) newID() int {
	s.lastID++
	return s.lastID
}
