package adopt

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	settingLine  = regexp.MustCompile(`^(CONFIG_\w+)=(.*?)\s*$`)
	defaultLine  = regexp.MustCompile(`^\s+default\s+("[^"]*"|\S+)\s*(?:#.*)?\s*$`)
	numberText   = regexp.MustCompile(`^-?(\d+|0[xX][0-9a-fA-F]+)$`)
	stringText   = regexp.MustCompile(`^"[\w ./:+-]*"$`)
	settingWord  = regexp.MustCompile(`\bCONFIG_\w+`)
	settingFiles = []string{"sdkconfig", "sdkconfig.defaults", "prj.conf"}
)

// settings returns the macros that the C files below the root use and that Kconfig gives them: by the files with values
// that are nearest to the root, else by defaults without a condition. A switch that is on by default counts only where
// it depends on nothing.
func (s *Survey) settings() []string {
	values := map[string]string{}
	var files, code []string
	_ = filepath.WalkDir(s.root, func(p string, d fs.DirEntry, err error) error {
		rel, e := filepath.Rel(s.root, p)
		switch {
		case err != nil || e != nil || strings.HasPrefix(d.Name(), ".") && rel != ".":
			return skipped(d)
		case d.IsDir() && (isAside(filepath.ToSlash(rel)+"/x") || d.Name() == "build"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		name := d.Name()
		switch ext := path.Ext(name); {
		case slices.Contains(settingFiles, name):
			files = append(files, p)
		case strings.HasPrefix(name, "Kconfig"):
			if text, err := readPart(p); err == nil {
				readDefaults(string(text), values)
			}
		case ext == ".c" || ext == ".h":
			code = append(code, p)
		}
		return nil
	})
	slices.SortStableFunc(files, func(a, b string) int { return settingsRank(b) - settingsRank(a) })
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil {
			readSettings(string(text), values)
		}
	}
	var out []string
	if len(values) == 0 {
		return out
	}
	for name := range settingWords(code) {
		if value := values[name]; value != "" {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}

// settingWords returns the words CONFIG_... of files.
func settingWords(files []string) map[string]bool {
	words := map[string]bool{}
	for _, f := range files {
		if text, err := readPart(f); err == nil {
			for _, w := range settingWord.FindAll(text, -1) {
				words[string(w)] = true
			}
		}
	}
	return words
}

// skipped goes on behind what cannot be read or is hidden.
func skipped(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// settingsRank orders files with values: those near the root count more, and all values more than a part of them.
func settingsRank(file string) int {
	return 4*strings.Count(filepath.ToSlash(file), "/") + slices.Index(settingFiles, filepath.Base(file))
}

// readSettings reads CONFIG_X=value; "" stands for what is not set.
func readSettings(text string, values map[string]string) {
	for line := range strings.Lines(text) {
		if m := settingLine.FindStringSubmatch(line); m != nil {
			values[m[1]] = settingValue(m[2])
		} else if name, off := strings.CutSuffix(strings.TrimSpace(line), " is not set"); off {
			values[strings.TrimPrefix(name, "# ")] = ""
		}
	}
}

// settingValue returns what the macro of a value is; "": there is none.
func settingValue(value string) string {
	switch {
	case value == "y":
		return "1"
	case numberText.MatchString(value), stringText.MatchString(value):
		return value
	}
	return ""
}

// option is an option of Kconfig that is being read.
type option struct {
	name, value string // of its first default
	bound       bool   // it depends on something
}

// readDefaults reads the defaults of a Kconfig file, but for those under a condition. A switch that depends on something
// may be off.
func readDefaults(text string, values map[string]string) {
	var o option
	end := func() {
		if _, known := values[o.name]; !known && o.name != "" && o.value != "" && !(o.bound && o.value == "y") {
			values[o.name] = settingValue(o.value)
		}
		o = option{}
	}
	conditions := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "config", "menuconfig":
			end()
			o.bound = conditions > 0
			if len(words) == 2 {
				o.name = "CONFIG_" + words[1]
			}
		case "if", "choice":
			end()
			conditions++
		case "endif", "endchoice":
			end()
			conditions--
		case "menu", "endmenu", "source", "rsource":
			end()
		case "depends":
			o.bound = true
		case "default":
			switch m := defaultLine.FindStringSubmatch(line); {
			case o.value != "": // the first one counts
			case m == nil: // under a condition
				o.name = ""
			default:
				o.value = m[1]
			}
		}
	}
	end()
}
