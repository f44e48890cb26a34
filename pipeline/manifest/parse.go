package manifest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/strict"
)

var topKeys = []string{
	"version", "targets", "build", "harnesses", "functions", "assume", "volatile", "memory_map", "interrupts", "stubs",
	"suppress", "nightly", "report", "unchanged", "pull_requests",
}

// The keys of the maps below.
var (
	buildKeys = []string{"compile_commands", "command", "sources", "exclude", "include", "defines", "undefines", "cflags",
		"linker_script", "svd", "image"}
	reportKeys = []string{"annotate", "fail_on", "comment", "coverage", "behaviour"}
	pullKeys   = []string{"drafts", "paths"}
	// of a map; a list of functions is the same without a tag
	unchangedKeys = []string{"since", "functions"}
)

// homes holds the keys that have one place only.
func homes() map[string]string {
	out := map[string]string{}
	for _, k := range buildKeys {
		out[k] = "build"
	}
	for _, k := range reportKeys {
		out[k] = "report"
	}
	for _, k := range pullKeys {
		out[k] = "pull_requests"
	}
	return out
}

// Limits on numbers that a person writes.
const (
	maxUnwind  = 1_000_000
	maxDepth   = 10_000
	maxTimeout = 24 * time.Hour
	maxEntries = 1000
)

// Parse reads a manifest. path is for messages only. The error is an *Error with
// every mistake, in order of position.
func Parse(file string, data []byte) (*Manifest, error) {
	p := parser{r: strict.Reader{Homes: homes()}, m: &Manifest{Path: file, Functions: FunctionsNone,
		Report: Report{Annotate: "changed-lines", FailOn: "unknown", Comment: true}}}
	if root := p.r.Parse(data, strict.DefaultLimits()); root != nil {
		p.top(root)
	}
	if err := p.problems(file); err != nil {
		return nil, err
	}
	return p.m, nil
}

// problems returns an *Error with every mistake; nil if there is none.
func (p *parser) problems(file string) error {
	probs := p.r.Problems()
	if len(probs) == 0 {
		return nil
	}
	e := &Error{}
	for _, q := range probs {
		e.Problems = append(e.Problems, Problem{File: file, Line: q.Line, Column: q.Column, Message: q.Message,
			Suggestion: q.Suggestion})
	}
	return e
}

type parser struct {
	r    strict.Reader
	m    *Manifest
	part bool // defaults, to be completed by a manifest
}

func (p *parser) top(root *yaml.Node) {
	m := p.r.Map(root, "", topKeys)
	if m == nil {
		return
	}
	m.Require("version")
	if v, ok := m.Int("version", 0, 1<<31); ok {
		if v != 1 {
			m.Bad("version", "write `version: 1`", "version %d of the manifest is not known", v)
		}
		p.m.Version = int(v)
	}
	p.targets(m)
	if m.Has("build") {
		p.build(m)
	}
	p.harnesses(m)
	p.functions(m)
	p.assume(m)
	if v, ok := m.Enum("volatile", slices.Sorted(maps.Keys(volatileWords))...); ok {
		p.m.Volatile = volatileWords[v]
	}
	if m.Has("memory_map") {
		p.m.MemoryMap = targets.ParseRegions(&p.r, m.List("memory_map"), "memory_map")
	}
	p.interrupts(m)
	p.stubs(m)
	p.suppress(m)
	p.nightly(m)
	p.report(m)
	p.unchanged(m)
	p.pulls(m)
	if !p.part {
		p.whole(m)
	}
}

// functions reads a word, or a list of functions.
func (p *parser) functions(m *strict.Map) {
	if n := m.Value("functions"); n == nil || n.Kind != yaml.SequenceNode {
		if v, ok := m.Enum("functions", functionWords...); ok {
			p.m.Functions = FunctionsMode(slices.Index(functionNames[:], v))
		}
		return
	}
	list, ok := m.Strings("functions")
	if !ok {
		return
	}
	for i, f := range list {
		switch {
		case slices.Contains(functionWords, f):
			m.Bad("functions", "", "`functions` must be one of %s, not a list", strings.Join(functionWords, ", "))
		case !identifier.MatchString(f) && !nameInCxx.MatchString(f):
			m.Bad("functions", "write its name alone, without () or type", "`%s` is no name of a C function", f)
		case slices.Contains(list[:i], f):
			m.Bad("functions", "", "function `%s` is given twice", f)
		}
	}
	p.m.Functions, p.m.Called = FunctionsNamed, list
}

// given is one thing that a manifest says of an argument; see harness.ParseGiven.
const given = `(not null|may be null|apart|string|(up to|in) [A-Za-z_][A-Za-z0-9_]*|[*]?[A-Za-z_][A-Za-z0-9_]* (element|byte)s|[1-9][0-9]{0,6} (element|byte)s?|[1-9][0-9]{0,6} bytes? in front|` +
	`aligned to (1|2|4|8|16|32|64|128|256|512|1024|2048|4096) bytes?|` +
	`-?[0-9]{1,18}[.][.]-?[0-9]{1,18})`

var (
	givenText = regexp.MustCompile(`^` + given + `(, ?` + given + `)*$`)
	place     = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$:~<>,]*[.][^\s]+$`)
	variable  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)
	places    = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$:~<>,]*[.][^\s,]+(, [A-Za-z_$][A-Za-z0-9_$:~<>,]*[.][^\s,]+)+$`)
)

// MayAlias is said of several pointers of one function, `f.a, f.b`: each may lead into what another leads to.
const MayAlias = "may alias"

// OneBlock is said of a variable: pointers that functions order against its addresses lead into it.
const OneBlock = "one block"

func (p *parser) assume(top *strict.Map) {
	if !top.Has("assume") {
		return
	}
	m := p.r.Map(top.Value("assume"), "assume", nil)
	if m == nil {
		return
	}
	for _, key := range m.Keys() {
		text, ok := m.String(key)
		switch {
		case ok && (text == MayAlias) != places.MatchString(key):
			m.R.Add(m.Key(key), m.Field(key), "write `ring_get.r, ring_get.c: "+MayAlias+"`",
				"`%s` is said of two pointers or more, and nothing else is", MayAlias)
		case ok && (text == OneBlock) != variable.MatchString(key):
			m.R.Add(m.Key(key), m.Field(key), "write FUNCTION.ARGUMENT, such as ring_put.data, or a member: ring_put.r.buf; of a variable "+
				"`pool: "+OneBlock+"`", "`%s` names no argument of a function", key)
		case text == MayAlias, text == OneBlock:
			p.m.Assume = append(p.m.Assume, Assumption{Place: key, Text: text, Line: m.Key(key).Line})
		case !place.MatchString(key):
			m.R.Add(m.Key(key), m.Field(key),
				"write FUNCTION.ARGUMENT, such as ring_put.data, or a member: ring_put.r.buf",
				"`%s` names no argument of a function", key)
		case ok && !givenText.MatchString(text):
			m.R.Add(m.Value(key), m.Field(key), "write `16 elements`, `64 bytes`, `len bytes`, `up to end`, `string`, `8 bytes in front`, "+
				"`aligned to 4 bytes`, `in pool`, `0..64`, `not null`, `may be null` or `apart`",
				"`%s` says nothing about an argument", text)
		case ok:
			p.m.Assume = append(p.m.Assume, Assumption{Place: key, Text: text, Line: m.Key(key).Line})
		}
	}
}

// whole holds the parts of the manifest to each other.
func (p *parser) whole(m *strict.Map) {
	b := p.m.Build
	sources := b.CompileCommands != "" || b.Command != "" || len(b.Sources) > 0
	files := false
	for _, h := range p.m.Harnesses {
		files = files || h.File != ""
	}
	if !sources && !files && !m.Has("build") {
		m.R.Add(m.Node, "build", "add `build: {sources: [\"src/**/*.c\"]}`",
			"nothing to build: no `build`, and no harness has a `file`")
	}
}

func (p *parser) targets(m *strict.Map) {
	if !m.Has("targets") {
		t, err := targets.Load("host")
		if err != nil {
			m.R.Add(m.Node, "targets", "", "no `targets`, and %v", err)
			return
		}
		p.m.Targets = []targets.Target{t}
		return
	}
	list := m.List("targets")
	if list != nil && len(list) == 0 {
		m.Bad("targets", "name at least one, such as cortex-m3", "`targets` is empty")
	}
	seen := map[string]bool{}
	for i, n := range list {
		t, ok := p.target(n, fmt.Sprintf("targets[%d]", i))
		if !ok {
			continue
		}
		if seen[t.Name] {
			p.r.Add(n, "targets", "", "target `%s` is given twice", t.Name)
		}
		seen[t.Name] = true
		p.m.Targets = append(p.m.Targets, t)
	}
}

func (p *parser) target(n *yaml.Node, at string) (targets.Target, bool) {
	if n.Kind == yaml.MappingNode {
		before := len(p.r.Problems())
		t := targets.ParseNode(&p.r, n, at)
		return t, len(p.r.Problems()) == before
	}
	name, ok := p.r.Text(n, at)
	if !ok {
		return targets.Target{}, false
	}
	t, err := targets.Load(name)
	if err != nil {
		p.r.Add(n, at, strict.DidYouMean(name, targets.Names()), "unknown target `%s`", name)
		return t, false
	}
	return t, true
}

var identifier = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)

// nameInCxx matches names of functions that C++ alone has, as reports show them: `bus::Link::~Link (_ZN3bus4LinkD2Ev)`.
var nameInCxx = regexp.MustCompile(
	`^([A-Za-z_$][A-Za-z0-9_$]*(::|<| \(_Z)|(\(anonymous\))?::|operator[^A-Za-z0-9_$]).*$`)

func (p *parser) function(m *strict.Map, key string) string {
	s, ok := m.String(key)
	if ok && !identifier.MatchString(s) {
		m.Bad(key, "write its name alone, without () or type", "`%s` is no name of a C function", s)
		return ""
	}
	return s
}

func (p *parser) duration(m *strict.Map, key string) time.Duration {
	s, ok := m.String(key)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		m.Bad(key, "write 90s, 2m or 1h30m", "`%s` is no duration: `%s`", m.Field(key), s)
	case d <= 0 || d > maxTimeout:
		m.Bad(key, "", "`%s` is %s: it must be more than 0 and at most %s", m.Field(key), s, maxTimeout)
	default:
		return d
	}
	return 0
}

func (p *parser) stubs(top *strict.Map) {
	if !top.Has("stubs") {
		return
	}
	m := p.r.Map(top.Value("stubs"), "stubs", nil)
	if m == nil {
		return
	}
	for _, f := range m.Keys() {
		if f != AnyStub && !identifier.MatchString(f) {
			m.R.Add(m.Key(f), m.Field(f), "", "`%s` is no name of a C function", f)
			continue
		}
		if kind, ok := m.Enum(f, "nondet", "havoc"); ok {
			p.m.Stubs = append(p.m.Stubs, Stub{Func: f, Kind: kind})
		}
	}
	sort.Slice(p.m.Stubs, func(i, j int) bool { return p.m.Stubs[i].Func < p.m.Stubs[j].Func })
}
