package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// kind is a sort of change that users see: the folder of its fragments and the heading of its list.
type kind struct{ folder, heading string }

// kinds are in the order of a release's lists.
var kinds = []kind{{"soundness", "Soundness"}, {"alarm", "False alarms"}, {"new", "New"}, {"faster", "Faster"}}

// fragment is a change: a file of the folder `changes`, whose text becomes a line of CHANGELOG.md.
type fragment struct{ path, kind, text string }

// dated is how a correction of soundness begins: with the day from which on builds have it.
var dated = regexp.MustCompile(`^20\d\d-[01]\d-[0-3]\d: \S`)

// fragments reads the files below the folder `changes` of root, by kind and name. The errors say what is wrong with
// single ones.
func fragments(root string) (list []fragment, wrong []error) {
	found, err := filepath.Glob(filepath.Join(root, "changes", "*", "*"))
	if err != nil {
		return nil, []error{err}
	}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		folder := filepath.Base(filepath.Dir(file))
		f := fragment{file, folder, strings.TrimSpace(string(text))}
		if filepath.Base(file) == ".keep" {
			continue
		}
		if err := f.check(); err != nil {
			wrong = append(wrong, fmt.Errorf("changes/%s/%s: %w", folder, filepath.Base(file), err))
			continue
		}
		list = append(list, f)
	}
	return list, wrong
}

// check says what is wrong with a fragment.
func (f fragment) check() error {
	switch {
	case !slices.ContainsFunc(kinds, func(k kind) bool { return k.folder == f.kind }):
		return fmt.Errorf("there is no kind %q", f.kind)
	case filepath.Ext(f.path) != ".md":
		return fmt.Errorf("its name does not end with .md")
	case f.text == "":
		return fmt.Errorf("it is empty")
	case strings.HasPrefix(f.text, "-") || strings.HasPrefix(f.text, "#") || strings.Contains(f.text, "\n\n"):
		return fmt.Errorf("it is not one paragraph")
	case !strings.HasSuffix(f.text, "."):
		return fmt.Errorf("it does not end with a full stop")
	case (f.kind == "soundness") != dated.MatchString(f.text):
		return fmt.Errorf("corrections of soundness, and only these, begin with a date (2026-11-30: ...)")
	}
	return nil
}

// release is a section of CHANGELOG.md.
type release struct {
	version string // "Unreleased" first
	notes   string
	lists   map[string][]string // by folder of the kind, and "" where lines have no kind; with "- "
}

// parse reads CHANGELOG.md: what stands in front of the first section, and the sections.
func parse(text string) (head string, list []*release) {
	head, rest, _ := strings.Cut(text, "\n## ")
	for _, part := range strings.Split(rest, "\n## ") {
		name, body, _ := strings.Cut(part, "\n")
		r := &release{version: name, lists: map[string][]string{}}
		at, began := "", false
		for _, line := range strings.Split(body, "\n") {
			heading, isHeading := strings.CutPrefix(line, "### ")
			switch {
			case isHeading:
				i := slices.IndexFunc(kinds, func(k kind) bool { return k.heading == heading })
				if i < 0 {
					panic("CHANGELOG.md: no kind of changes is " + heading)
				}
				at, began = kinds[i].folder, true
			case strings.HasPrefix(line, "- "):
				r.lists[at] = append(r.lists[at], line)
				began = true
			case !began:
				r.notes += line + "\n"
			case strings.TrimSpace(line) != "" && len(r.lists[at]) > 0:
				last := len(r.lists[at]) - 1
				r.lists[at][last] += "\n" + line
			}
		}
		r.notes = strings.TrimSpace(r.notes)
		list = append(list, r)
	}
	return head, list
}

// text is CHANGELOG.md again.
func text(head string, list []*release) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(head, "\n") + "\n")
	for _, r := range list {
		b.WriteString("\n## " + r.version + "\n")
		if r.notes != "" {
			b.WriteString("\n" + r.notes + "\n")
		}
		for _, k := range append([]kind{{}}, kinds...) {
			if len(r.lists[k.folder]) == 0 {
				continue
			}
			if k.heading != "" {
				b.WriteString("\n### " + k.heading + "\n")
			}
			b.WriteString("\n" + strings.Join(r.lists[k.folder], "\n") + "\n")
		}
	}
	return b.String()
}

// join moves fragments, and lines of Unreleased that have no kind, into the section of a version, which it makes if it
// is not there. Newer lines come first.
func join(changelog, version string, list []fragment) string {
	head, sections := parse(changelog)
	if sections[0].version != "Unreleased" {
		sections = append([]*release{{version: "Unreleased", lists: map[string][]string{}}}, sections...)
	}
	at := slices.IndexFunc(sections, func(r *release) bool { return r.version == version })
	if at < 0 {
		at = 1
		sections = slices.Insert(sections, 1, &release{version: version, lists: map[string][]string{}})
	}
	unreleased, to := sections[0], sections[at]
	to.lists["new"] = append(unreleased.lists[""], to.lists["new"]...)
	unreleased.lists = map[string][]string{}
	for _, k := range kinds {
		var lines []string
		for _, f := range list {
			if f.kind == k.folder {
				lines = append(lines, "- "+strings.Join(strings.Fields(f.text), " "))
			}
		}
		to.lists[k.folder] = append(lines, to.lists[k.folder]...)
	}
	return text(head, sections)
}

// corrections is docs/soundness-corrections.md: what was wrong in earlier answers, from CHANGELOG.md and the fragments.
func corrections(changelog string, list []fragment) string {
	type row struct{ date, version, text string }
	var rows []row
	add := func(version, line string) {
		date, what, _ := strings.Cut(line, ": ")
		rows = append(rows, row{date, version, strings.ReplaceAll(strings.Join(strings.Fields(what), " "), "|", `\|`)})
	}
	for _, f := range list {
		if f.kind == "soundness" {
			add("next", f.text)
		}
	}
	_, sections := parse(changelog)
	for _, r := range sections {
		for _, line := range r.lists["soundness"] {
			add(r.version, strings.TrimPrefix(line, "- "))
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(b.date, a.date) })
	var b strings.Builder
	b.WriteString(correctionsHead)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.date, r.version, r.text)
	}
	return b.String()
}

const correctionsHead = `# Corrections of soundness

Answers that were wrong towards safety: something was proved, or passed over, that does not hold. Each line says what is
answered now, and what was before. A build from before the day of a line, or a release before its version, may have given
the wrong answer: verify again what the line speaks of. ` + "`firmproof --version`" + ` names the release, or the commit, of a
build; ` + "`git show -s --format=%cs COMMIT`" + ` says its day. Answers that ` + "`--cache`" + ` or the server keeps are
those of one engine, and are not used by another.

Made from [CHANGELOG.md](../CHANGELOG.md) and ` + "`changes/soundness`" + ` by ` + "`make changes`" + `.

| since | version | what |
|---|---|---|
`
