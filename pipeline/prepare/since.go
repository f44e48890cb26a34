package prepare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/checkout"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
)

// unlooked says which files a commit has otherwise, beyond the lines of functions: `--changed-since` looks at functions with
// changed lines alone, and what else changed may have others do something else. It says nothing of a request without a
// commit.
func (b *preparation) unlooked(m *manifest.Manifest) []string {
	if b.req.Since == "" || m.Functions != manifest.FunctionsChanged || b.near == nil {
		return nil
	}
	lines, err := b.changedLines(m)
	if err != nil {
		return nil // who called it said so
	}
	touched, err := checkout.TouchedSince(b.ctx, filepath.Dir(m.Path), b.req.Since)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, file := range touched {
		if !isText(file) && (len(lines[file]) == 0 || !b.near.holds(file, lines[file])) {
			out = append(out, file)
		}
	}
	if len(out) == 0 {
		return nil
	}
	slices.Sort(out)
	names := strings.Join(out[:min(len(out), maxUnlooked)], ", ")
	if more := len(out) - maxUnlooked; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return []string{fmt.Sprintf("changed since %s, and not only in functions: %s: which functions that makes others is not known here; "+
		"`firmproof run --pr-sim %s..HEAD` compares both programs", b.req.Since, names, b.req.Since)}
}

// maxUnlooked is the number of files that are named.
const maxUnlooked = 6

// isText reports whether a file is documentation by its name.
func isText(file string) bool {
	return slices.Contains([]string{".md", ".rst", ".adoc"}, strings.ToLower(filepath.Ext(file)))
}

// holds reports whether each of a file's changed lines is in a function that counts as changed.
func (n *nearby) holds(file string, lines []reports.LineRange) bool {
	return !slices.ContainsFunc(lines, func(l reports.LineRange) bool {
		return !slices.ContainsFunc(n.within[file], func(w reports.LineRange) bool { return w.From <= l.From && l.To <= w.To })
	})
}
