package checkout

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/reports"
)

// Changed gives, for each file of head, the lines that differ from the merge base of
// base and head (inclusive ranges; a deletion counts as the line before it), and that merge base.
func (m *Mirror) Changed(ctx context.Context, base, head string) (map[string][]reports.LineRange, string, error) {
	from, err := m.mergeBase(ctx, base, head)
	if err != nil {
		return nil, "", err
	}
	// git compares in memory: what is too large for that is found by its size
	for _, sha := range slices.Compact([]string{base, from, head}) {
		if err := m.measure(ctx, sha); err != nil {
			return nil, "", err
		}
	}
	out, err := m.git(ctx, nil, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=0",
		"--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all", from, head)
	if err != nil {
		return nil, "", err
	}
	changed, err := parseDiff(string(out))
	return changed, from, err
}

// mergeBase is the merge base of two commits; of unrelated ones, between which everything differs, the first.
func (m *Mirror) mergeBase(ctx context.Context, base, head string) (string, error) {
	if !shaPattern.MatchString(base) || !shaPattern.MatchString(head) {
		return "", &Error{true, fmt.Errorf("bad commit %q or %q", base, head)}
	}
	if out, err := m.git(ctx, nil, "merge-base", base, head); err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	return base, nil
}

// ChangedFiles lists the files that head has otherwise than the merge base of base and head, those that are gone too.
func (m *Mirror) ChangedFiles(ctx context.Context, base, head string) ([]string, error) {
	from, err := m.mergeBase(ctx, base, head)
	if err != nil {
		return nil, err
	}
	out, err := m.git(ctx, nil, "diff-tree", "-r", "-z", "--name-only", "--no-renames", from, head)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// ChangedSince returns Changed for the work tree in dir, compared with a commit; new files
// that git does not know yet are not part of it. File names are relative to dir.
func ChangedSince(ctx context.Context, dir, commit string) (map[string][]reports.LineRange, error) {
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "diff", "--no-ext-diff", "--no-textconv", "--no-color",
		"--unified=0", "--find-renames",
		"--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all", "--relative", "--end-of-options", commit, "--")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("changes since %s in %s: %w: %s", commit, dir, err,
			strings.TrimSpace(complaint.String()))
	}
	return parseDiff(string(out))
}

// TouchedSince lists the files of the work tree that are not what they are in a commit, those that are gone, of other folders
// of the repository, or not known to git yet, too, and submodules. Names are relative to dir.
func TouchedSince(ctx context.Context, dir, commit string) ([]string, error) {
	list := func(args ...string) ([]string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		if err != nil {
			return nil, fmt.Errorf("changes since %s in %s: %w", commit, dir, err)
		}
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
	}
	up, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--show-prefix").Output()
	if err != nil {
		return nil, fmt.Errorf("changes since %s in %s: %w", commit, dir, err)
	}
	files, err := list("diff", "--no-ext-diff", "--name-only", "-z", "--find-renames", "--no-relative", "--ignore-submodules=dirty",
		"--end-of-options", commit, "--")
	if err != nil {
		return nil, err
	}
	for i := range files {
		if files[i], err = filepath.Rel("/"+strings.TrimSpace(string(up)), "/"+files[i]); err != nil {
			return nil, err
		}
	}
	fresh, err := list("ls-files", "-z", "--others", "--exclude-standard")
	return append(files, fresh...), err
}

// parseDiff reads `git diff -U0`. It counts the lines of each hunk, so that a
// changed line which looks like a header is not taken for one.
func parseDiff(text string) (map[string][]reports.LineRange, error) {
	out := map[string][]reports.LineRange{}
	file := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "diff --git "):
			file = ""
		case strings.HasPrefix(line, "+++ "):
			file = diffPath(strings.TrimPrefix(line, "+++ "))
		case strings.HasPrefix(line, "@@ "):
			removed, start, added, err := hunk(line)
			if err != nil {
				return nil, err
			}
			if file != "" {
				if added == 0 { // a deletion between two lines
					out[file] = append(out[file], reports.LineRange{From: max(1, start), To: max(1, start)})
				} else {
					out[file] = append(out[file], reports.LineRange{From: start, To: start + added - 1})
				}
			}
			for n := removed + added; n > 0 && i+1 < len(lines); {
				i++
				if !strings.HasPrefix(lines[i], `\`) { // "\ No newline at end of file"
					n--
				}
			}
		}
	}
	return out, nil
}

// hunk reads "@@ -a,b +c,d @@": b, c and d.
func hunk(line string) (removed, start, added int, err error) {
	f := strings.Fields(line)
	if len(f) < 3 || len(f[1]) < 2 || len(f[2]) < 2 {
		return 0, 0, 0, fmt.Errorf("checkout: hunk %q", line)
	}
	_, removed, err = span(f[1][1:])
	if err == nil {
		start, added, err = span(f[2][1:])
	}
	if err == nil && start == 0 && added > 0 {
		err = errors.New("line 0 does not exist")
	}
	if err != nil {
		err = fmt.Errorf("checkout: hunk %q: %w", line, err)
	}
	return removed, start, added, err
}

// span reads "start" or "start,n", of lines that a file can have.
func span(s string) (start, n int, err error) {
	a, b, ok := strings.Cut(s, ",")
	n = 1
	from, err := strconv.ParseUint(a, 10, 31)
	if err == nil && ok {
		var count uint64
		count, err = strconv.ParseUint(b, 10, 31)
		n = int(count)
	}
	return int(from), n, err
}

// diffPath returns the path after "+++ ": b/path, "b/quo\"ted", or /dev/null ("").
func diffPath(s string) string {
	s = strings.TrimSuffix(s, "\t") // git adds a tab after names with blanks
	if strings.HasPrefix(s, `"`) {  // C-style quoting, octal escapes of three digits
		if u, err := strconv.Unquote(s); err == nil {
			s = u
		}
	}
	path, ok := strings.CutPrefix(s, "b/")
	if !ok {
		return ""
	}
	return path
}

// Commit is one line of a log.
type Commit struct {
	SHA, Subject, Author string
	At                   time.Time
}

// Between lists the commits of `bad` that are in none of `good`, in the order in which a bisection asks for them: first the
// one that halves them best; `bad` itself is the last.
func (m *Mirror) Between(ctx context.Context, bad string, good []string) ([]string, error) {
	args := []string{"rev-list", "--bisect-all", bad}
	for _, g := range good {
		args = append(args, "^"+g)
	}
	out, err := m.git(ctx, nil, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		if sha, _, _ := strings.Cut(strings.TrimSpace(line), " "); sha != "" && sha != bad {
			list = append(list, sha)
		}
	}
	return append(list, bad), nil
}

// Log lists the commits of `to` that are not in `from`, newest first, at most n.
func (m *Mirror) Log(ctx context.Context, from, to string, n int) ([]Commit, error) {
	return m.log(ctx, "-n", strconv.Itoa(n), to, "^"+from, "--")
}

// Describe returns the commits with these names, in their order.
func (m *Mirror) Describe(ctx context.Context, shas []string) ([]Commit, error) {
	return m.log(ctx, append(append([]string{"--no-walk=unsorted"}, shas...), "--")...)
}

func (m *Mirror) log(ctx context.Context, args ...string) ([]Commit, error) {
	out, err := m.git(ctx, nil, append([]string{"log", "-z", "--no-show-signature", "--format=%H%x1f%ct%x1f%an%x1f%s"},
		args...)...)
	if err != nil {
		return nil, err
	}
	var list []Commit
	for _, line := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		f := strings.SplitN(strings.ToValidUTF8(line, "?"), "\x1f", 4)
		if len(f) < 4 {
			continue
		}
		sec, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, &Error{false, err}
		}
		list = append(list, Commit{SHA: f[0], Subject: f[3], Author: f[2], At: time.Unix(sec, 0).UTC()})
	}
	return list, nil
}
