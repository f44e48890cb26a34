package fakegithub

import (
	"strconv"
	"strings"
	"time"
)

// gitCommit is a commit as git tells it.
type gitCommit struct {
	sha, tree       string
	parents         []string
	author, email   string
	authored        string
	committer, mail string
	committed       string
	message         string
}

const commitFormat = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01"

// commits runs git log over a range (at most limit; 0: all).
func (s *Server) commits(r *repo, limit int, revisions ...string) []gitCommit {
	args := []string{"log", commitFormat}
	if limit > 0 {
		args = append(args, "-n", strconv.Itoa(limit))
	}
	out, err := s.git(r.dir, append(append(args, revisions...), "--")...)
	if err != nil {
		return nil
	}
	var list []gitCommit
	for _, record := range strings.Split(out, "\x01") {
		f := strings.Split(strings.TrimPrefix(record, "\n"), "\x00")
		if len(f) < 10 {
			continue
		}
		list = append(list, gitCommit{
			sha: f[0], tree: f[1], parents: strings.Fields(f[2]), author: f[3], email: f[4], authored: utc(f[5]),
			committer: f[6], mail: f[7], committed: utc(f[8]), message: strings.TrimSpace(f[9]),
		})
	}
	return list
}

// utc turns git's strict ISO time into GitHub's.
func utc(iso string) string {
	t, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		return iso
	}
	return stamp(t)
}

func (s *Server) commit(r *repo, sha string) (gitCommit, bool) {
	list := s.commits(r, 1, sha)
	if len(list) == 0 {
		return gitCommit{}, false
	}
	return list[0], true
}

// fileChange is one file of a comparison.
type fileChange struct {
	path, previous string
	status         string
	sha            string
	added, deleted int
	patch          string
}

// changes lists the files between two trees with GitHub's status words.
func (s *Server) changes(r *repo, base, head string) []fileChange {
	raw, err := s.git(r.dir, "diff-tree", "-r", "-M", "--raw", "-z", "--no-commit-id", base, head)
	if err != nil {
		return nil
	}
	fields := strings.Split(raw, "\x00")
	var list []fileChange
	for i := 0; i+1 < len(fields); i++ {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(meta) < 5 {
			break
		}
		c := fileChange{sha: meta[3], status: statusWord(meta[4]), path: fields[i+1]}
		i++
		if meta[4][0] == 'R' || meta[4][0] == 'C' {
			c.previous = c.path
			c.path = fields[i+1]
			i++
		}
		if c.status == "removed" {
			c.sha = meta[2]
		}
		list = append(list, c)
	}
	s.addPatches(r, base, head, list)
	return list
}

func statusWord(letter string) string {
	switch letter[0] {
	case 'A':
		return "added"
	case 'D':
		return "removed"
	case 'R':
		return "renamed"
	case 'C':
		return "copied"
	}
	return "modified"
}

// addPatches fills in hunks and counts. The diff of git comes in the order of
// the raw list, and no line of a hunk starts with "diff --git ".
func (s *Server) addPatches(r *repo, base, head string, list []fileChange) {
	out, err := s.git(r.dir, "diff-tree", "-r", "-M", "-p", "--no-commit-id", base, head)
	if err != nil {
		return
	}
	parts := strings.Split("\n"+out, "\ndiff --git ")
	for i := range list {
		if i+1 >= len(parts) {
			return
		}
		at := strings.Index(parts[i+1], "\n@@ ")
		if at < 0 {
			continue
		}
		c := &list[i]
		c.patch = strings.TrimSuffix(parts[i+1][at+1:], "\n")
		for _, line := range strings.Split(c.patch, "\n") {
			switch {
			case strings.HasPrefix(line, "+"):
				c.added++
			case strings.HasPrefix(line, "-"):
				c.deleted++
			}
		}
	}
}

// mergeBase is the best common ancestor, or empty.
func (s *Server) mergeBase(r *repo, a, b string) string {
	out, err := s.git(r.dir, "merge-base", a, b)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// treeEntry is one row of git ls-tree.
type treeEntry struct {
	mode, kind, sha, path string
	size                  int
}

// list answers the entries of a directory (path ends in a slash or is empty)
// or the one entry of a path.
func (s *Server) list(r *repo, commit, path string) []treeEntry {
	args := []string{"ls-tree", "-z", "--long", "--full-tree", commit}
	if path != "" {
		args = append(args, "--", path)
	}
	out, err := s.git(r.dir, args...)
	if err != nil {
		return nil
	}
	var entries []treeEntry
	for _, line := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) < 4 {
			continue
		}
		size, _ := strconv.Atoi(f[3])
		entries = append(entries, treeEntry{mode: f[0], kind: f[1], sha: f[2], size: size, path: name})
	}
	return entries
}
