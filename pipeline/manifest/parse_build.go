package manifest

import (
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/firmproof/firmproof/targets/strict"
)

func (p *parser) build(top *strict.Map) {
	m := p.r.Map(top.Value("build"), "build", buildKeys)
	if m == nil {
		return
	}
	b := &p.m.Build
	b.CompileCommands, _ = p.path(m, "compile_commands")
	b.Command, _ = m.String("command")
	b.LinkerScript, _ = p.path(m, "linker_script")
	b.SVD, _ = p.path(m, "svd")
	if b.Image, _ = m.String("image"); b.Image != "" && b.Command == "" {
		m.Bad("image", "", "`image` names a program that `command` links")
	}
	b.Sources, _ = m.Strings("sources")
	b.Exclude, _ = m.Strings("exclude")
	if m.Has("exclude") && b.CompileCommands == "" && b.Command == "" {
		m.Bad("exclude", "in `sources`, write \"!src/port/**\"",
			"`exclude` takes files out of `compile_commands` or `command`")
	}
	b.Include, _ = m.Strings("include")
	b.Defines, _ = m.Strings("defines")
	b.Undefines, _ = m.Strings("undefines")
	b.CFlags, _ = m.Strings("cflags")
	var given []string
	for _, k := range []string{"compile_commands", "command", "sources"} {
		if m.Has(k) {
			given = append(given, k)
		}
	}
	if len(given) > 1 {
		m.R.Add(m.Key(given[1]), m.Field(given[1]), "keep one of them", "`build` has both `%s` and `%s`", given[0],
			given[1])
	}
	patterns(m, "sources", b.Sources)
	patterns(m, "exclude", b.Exclude)
	if m.Has("sources") && len(b.Sources) == 0 {
		m.Bad("sources", "give at least one pattern, such as src/**/*.c", "`build.sources` is empty")
	}
	for _, dir := range b.Include {
		if msg := outside(dir); msg != "" && !path.IsAbs(dir) {
			m.Bad("include", "", "`%s` %s", dir, msg)
		}
	}
	for _, k := range []struct {
		key  string
		list []string
	}{{"defines", b.Defines}, {"undefines", b.Undefines}} {
		for _, d := range k.list {
			if !macro.MatchString(d) {
				m.Bad(k.key, "write NAME or NAME=VALUE", "`%s` is no macro definition", d)
			}
		}
	}
}

// patterns finds what is wrong with patterns of files.
func patterns(m *strict.Map, key string, list []string) {
	for _, s := range list {
		pattern := strings.TrimPrefix(s, "!")
		if !doublestar.ValidatePattern(pattern) {
			m.Bad(key, "", "`%s` is no pattern", s)
		} else if msg := outside(pattern); msg != "" {
			m.Bad(key, "", "`%s` %s", s, msg)
		}
	}
}

var macro = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_, .]*\))?(=.*)?$`)

// outside says why a path does not stay inside the repository, or nothing.
func outside(s string) string {
	if path.IsAbs(s) {
		return "is absolute: paths start at the root of the repository"
	}
	if c := path.Clean(s); c == ".." || strings.HasPrefix(c, "../") {
		return "leaves the repository"
	}
	return ""
}

func (p *parser) path(m *strict.Map, key string) (string, bool) {
	s, ok := m.String(key)
	if !ok {
		return "", false
	}
	if msg := outside(s); msg != "" {
		m.Bad(key, "", "`%s` %s", s, msg)
		return "", false
	}
	return s, true
}
