package adopt

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

var (
	iniSection = regexp.MustCompile(`^\[([^\]]+)\]`)
	iniValue   = regexp.MustCompile(`^([\w.]+)\s*=\s*(.*)$`)
	stmBoard   = regexp.MustCompile(`(?i)(?:_|STM32)((?:[CFGHLU][0-9]|W[BL])[0-9]\w*)`)
)

// readINI reads the values of each section; what is indented goes on with the value above.
func readINI(text string) (sections []string, values map[string]map[string]string) {
	values = map[string]map[string]string{}
	section, key := "", ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), " ;")
		m := iniValue.FindStringSubmatch(line)
		switch {
		case line == "" || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "#"):
		case iniSection.MatchString(line):
			section, key = iniSection.FindStringSubmatch(line)[1], ""
			sections = append(sections, section)
			values[section] = map[string]string{}
		case m != nil && section != "":
			key = m[1]
			values[section][key] = m[2]
		case key != "" && strings.TrimLeft(line, " \t") != line:
			values[section][key] += "\n" + strings.TrimSpace(line)
		}
	}
	return sections, values
}

// platformIO reads a project of PlatformIO: its first environment, or the first one that is built by default.
func (p *project) platformIO(text []byte, s *Survey) error {
	sections, values := readINI(string(text))
	name := ""
	if list := split(values["platformio"]["default_envs"], ", \n"); len(list) > 0 {
		name = "env:" + list[0]
	}
	for _, section := range sections {
		if name == "" && strings.HasPrefix(section, "env:") {
			name = section
		}
	}
	if values[name] == nil {
		return errNoTarget
	}
	value := func(key string) string { return cmp.Or(values[name][key], values["env"][key]) }
	p.processor = strings.Join([]string{value("board_build.mcu"), value("board"), value("platform")}, " ")
	if m := stmBoard.FindStringSubmatch(p.processor); m != nil && strings.Contains(value("platform"), "ststm32") {
		p.processor = "STM32" + m[1] + " " + p.processor
	}
	flags := strings.Fields(values["env"]["build_flags"] + " " + values[name]["build_flags"])
	for i, flag := range flags {
		rest := flag[min(2, len(flag)):]
		if rest == "" && i+1 < len(flags) {
			rest = flags[i+1]
		}
		switch {
		case strings.HasPrefix(flag, "-D"):
			p.define(rest)
		case strings.HasPrefix(flag, "-I"):
			p.there(s, &p.include, rest)
		}
	}
	common := values["platformio"]
	for _, dir := range []string{cmp.Or(common["src_dir"], "src"), cmp.Or(common["lib_dir"], "lib")} {
		for _, file := range s.sources {
			if _, in := below(path.Join(path.Dir(p.file), dir), file); in {
				p.sources = append(p.sources, file)
			}
		}
	}
	return nil
}
