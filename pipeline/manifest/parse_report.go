package manifest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/targets/strict"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func (p *parser) suppress(top *strict.Map) {
	for i, n := range top.List("suppress") {
		m := p.r.Map(n, fmt.Sprintf("suppress[%d]", i), []string{"claim", "reason", "by", "until"})
		if m == nil {
			continue
		}
		m.Require("claim", "reason")
		s := Suppression{Line: n.Line}
		s.Claim, _ = m.String("claim")
		s.Reason, _ = m.String("reason")
		s.By, _ = m.String("by")
		if check, rest, ok := strings.Cut(s.Claim, "@"); s.Claim != "" {
			if _, known := verdict.Lookup(check); !ok || rest == "" || !known {
				m.Bad("claim", "copy the id from a report, such as memory@ring_push#2", "`%s` is no id of a claim",
					s.Claim)
			}
		}
		if u := m.Value("until"); u != nil {
			day, err := time.Parse(Day, u.Value)
			if u.Kind != yaml.ScalarNode || err != nil {
				m.Bad("until", "write a day, such as 2027-01-01", "`%s` is no date: %s", m.Field("until"),
					strict.Describe(u))
			}
			s.Until = day
		}
		p.m.Suppress = append(p.m.Suppress, s)
	}
}

func (p *parser) nightly(top *strict.Map) {
	if !top.Has("nightly") {
		return
	}
	m := p.r.Map(top.Value("nightly"), "nightly", []string{"at", "timeout", "unwind"})
	if m == nil {
		return
	}
	m.Require("at")
	n := &Nightly{Timeout: p.duration(m, "timeout")}
	if s, ok := m.String("at"); ok {
		at, err := time.Parse("15:04", s)
		if err != nil {
			m.Bad("at", "write \"02:00\"", "`nightly.at` is no time of day: `%s`", s)
		}
		n.Hour, n.Minute = at.Hour(), at.Minute()
	}
	if v, ok := m.Int("unwind", 1, maxUnwind); ok {
		n.Unwind = int(v)
	}
	p.m.Nightly = n
}

// FailWords list what report.fail_on and --fail-on may name, one or a list of them.
var FailWords = []string{"violation", "unknown", "vacuous", "weakened", "conditional", "behaviour"}

// failOn reads report.fail_on: a word or a list of words.
func (p *parser) failOn(m *strict.Map) []string {
	n := m.Value("fail_on")
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		v, ok := m.Enum("fail_on", FailWords...)
		if !ok {
			return nil
		}
		return []string{v}
	}
	list, _ := m.Strings("fail_on")
	for _, w := range list {
		if !slices.Contains(FailWords, w) {
			m.Bad("fail_on", strict.DidYouMean(w, FailWords), "`report.fail_on` cannot be `%s`", w)
			return nil
		}
	}
	return list
}

func (p *parser) report(top *strict.Map) {
	if !top.Has("report") {
		return
	}
	m := p.r.Map(top.Value("report"), "report", reportKeys)
	if m == nil {
		return
	}
	if v, ok := m.Enum("annotate", "changed-lines", "all"); ok {
		p.m.Report.Annotate = v
	}
	if list := p.failOn(m); len(list) > 0 {
		p.m.Report.FailOn, p.m.Report.FailOnGiven = strings.Join(list, ","), true
	}
	if v, ok := m.Bool("comment"); ok {
		p.m.Report.Comment = v
	}
	if v, ok := m.Bool("coverage"); ok {
		p.m.Report.Coverage = v
	}
	if v, ok := m.Bool("behaviour"); ok {
		p.m.Report.Behaviour = v
	}
	p.m.Report.Behaviour = p.m.Report.Behaviour || slices.Contains(strings.Split(p.m.Report.FailOn, ","), "behaviour")
}

// tagPattern matches names of tags: such as git takes, and no more than people write.
var tagPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_+-]|[./][A-Za-z0-9_+-])*$`)

// unchanged reads which functions no change may give another behaviour: names, in which * stands for any letters; and the
// tag from which on that is so.
func (p *parser) unchanged(top *strict.Map) {
	if !top.Has("unchanged") {
		return
	}
	at, key := top, "unchanged"
	if top.Value(key).Kind == yaml.MappingNode {
		if at, key = p.r.Map(top.Value(key), key, unchangedKeys), "functions"; at == nil {
			return
		}
		at.Require("since", "functions")
		if tag, ok := at.String("since"); ok && !tagPattern.MatchString(tag) {
			at.Bad("since", "write the name of a tag, such as v1.2.0", "`%s` is no name of a tag", tag)
		} else {
			p.m.Since = tag
		}
	}
	list, _ := at.Strings(key)
	for _, pattern := range list {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			at.Bad(key, "write names of functions, such as crc16 or isr_*", "`%s` is no name of a C function", pattern)
		}
	}
	p.m.Unchanged, p.m.Report.Behaviour = list, p.m.Report.Behaviour || len(list) > 0
}

// pulls reads which pull requests are verified by themselves.
func (p *parser) pulls(top *strict.Map) {
	if !top.Has("pull_requests") {
		return
	}
	m := p.r.Map(top.Value("pull_requests"), "pull_requests", pullKeys)
	if m == nil {
		return
	}
	if v, ok := m.Enum("drafts", "skip", "run"); ok {
		p.m.Pulls.Drafts = v == "run"
	}
	if m.Has("paths") {
		p.m.Pulls.Paths, _ = m.Strings("paths")
		patterns(m, "paths", p.m.Pulls.Paths)
	}
}
