package bot

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/firmproof/firmproof/pipeline/store"
)

// forge gives the addresses of a repository's things at GitHub; each is empty where GitHub never said where it is.
type forge struct{ base string }

func forgeOf(r *store.Repo) forge {
	u, err := url.Parse(r.HTMLURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return forge{}
	}
	return forge{strings.TrimSuffix(r.HTMLURL, "/")}
}

// Home is the repository.
func (f forge) Home() string { return f.base }

// Pull is a pull request.
func (f forge) Pull(number int) string {
	if f.base == "" || number == 0 {
		return ""
	}
	return fmt.Sprintf("%s/pull/%d", f.base, number)
}

// Commit is a commit.
func (f forge) Commit(sha string) string {
	if f.base == "" || sha == "" {
		return ""
	}
	return f.base + "/commit/" + url.PathEscape(sha)
}

// Line is a line of a file at a commit; empty for what is not a file of the repository.
func (f forge) Line(sha, file string, line int) string {
	if f.base == "" || sha == "" || file == "" || path.Clean("/"+file) != "/"+file {
		return ""
	}
	parts := strings.Split(file, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	out := f.base + "/blob/" + url.PathEscape(sha) + "/" + strings.Join(parts, "/")
	if line > 0 {
		out += fmt.Sprintf("#L%d", line)
	}
	return out
}
