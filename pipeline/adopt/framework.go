package adopt

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// frameworks are those whose own tool builds a project. Where no build file names a compiler, target stands for their
// chips.
var frameworks = []struct{ name, tool, command, target, why string }{
	{"PlatformIO", "pio", "pio run", "", ""},
	{"Zephyr", "west", "west build -b native_sim DIR", "cortex-m3", "a guess, since a tree of Zephyr names no board"},
	{"ESP-IDF", "idf.py", "idf.py -C DIR build", "riscv32",
		"cores of ESP32 chips, Xtensa ones too, have types of these sizes"},
	{"Arduino", "arduino-cli", "arduino-cli compile DIR", "cortex-m0", "a guess, since an Arduino tree names no board"},
}

// mark is a file that makes a project one of a framework.
type mark struct {
	framework, file string
	dir             string // of the project that the framework's tool builds; "": it is a library
}

// avrOnly matches that a library or a sketch of Arduino is for AVR only.
var avrOnly = regexp.MustCompile(`(?m)^\s*(architectures\s*=\s*avr|default_fqbn:\s*\w+:avr:\S+)\s*$`)

// zephyrFunction matches calls of what Zephyr adds to CMake.
var zephyrFunction = regexp.MustCompile(
	`(?m)^\s*(zephyr(_library)?_(sources|include_directories)\w*|zephyr_library\w*)\s*\(`)

// marks returns what a file says of frameworks.
func marks(rel string, text []byte) []mark {
	dir := path.Dir(rel)
	switch name := path.Base(rel); {
	case name == "platformio.ini":
		return []mark{{"PlatformIO", rel, dir}}
	case name == "prj.conf":
		return []mark{{"Zephyr", rel, dir}}
	case name == "west.yml":
		return []mark{{"Zephyr", rel, ""}}
	case name == "sdkconfig" || name == "sdkconfig.defaults":
		return []mark{{"ESP-IDF", rel, dir}}
	case name == "idf_component.yml":
		return []mark{{"ESP-IDF", rel, ""}}
	case path.Ext(name) == ".ino":
		return []mark{{"Arduino", rel, dir}}
	case name == "sketch.yaml":
		return []mark{{"Arduino", rel, dir}}
	case name == "library.properties" && bytes.Contains(text, []byte("architectures")):
		return []mark{{"Arduino", rel, ""}}
	case name != "CMakeLists.txt":
		return nil
	case bytes.Contains(text, []byte("find_package(Zephyr")):
		return []mark{{"Zephyr", rel, dir}}
	case zephyrFunction.Match(text):
		return []mark{{"Zephyr", rel, ""}}
	case bytes.Contains(text, []byte("tools/cmake/project.cmake")):
		return []mark{{"ESP-IDF", rel, dir}}
	case bytes.Contains(text, []byte("idf_component_register")):
		return []mark{{"ESP-IDF", rel, ""}}
	}
	return nil
}

// isMark reports whether a file is looked at for what it says of frameworks.
func isMark(name string) bool {
	return slices.Contains([]string{"platformio.ini", "prj.conf", "west.yml", "sdkconfig", "sdkconfig.defaults",
		"idf_component.yml", "library.properties", "sketch.yaml", "CMakeLists.txt"}, name) || path.Ext(name) == ".ino"
}

// of returns the mark of a framework that is best to go by: of a project of its own before a library, and before
// examples. An example alone makes no project of that framework.
func (s *Survey) of(framework string) (mark, bool) {
	var list []mark
	for _, m := range s.marks {
		if m.framework == framework {
			list = append(list, m)
		}
	}
	weight := func(m mark) int {
		n := rank(m.file)
		if m.dir == "" {
			n += 1000
		}
		return n
	}
	if !slices.ContainsFunc(list, func(m mark) bool { return !isAside(m.file) }) {
		return mark{}, false
	}
	return slices.MinFunc(list, func(a, b mark) int { return weight(a) - weight(b) }), true
}

// builtByFramework reports whether the CMakeLists.txt of the root needs a framework.
func (s *Survey) builtByFramework() bool {
	return slices.ContainsFunc(s.marks, func(m mark) bool { return m.file == "CMakeLists.txt" })
}

// frameworkWays are builds by the tools of frameworks, where these are installed.
func (s *Survey) frameworkWays() (out []way, questions []string) {
	for _, f := range frameworks {
		m, ok := s.of(f.name)
		if !ok {
			continue
		}
		command := strings.Replace(f.command, "DIR", m.dir, 1)
		if m.dir == "." {
			command = strings.Replace(command, " -C .", "", 1)
		}
		switch {
		case m.dir == "":
			questions = append(questions, fmt.Sprintf("this is a library for %s (%s): which project of it is built, and "+
				"by which `build: {command: ...}`?", f.name, m.file))
		case installed(f.tool):
			out = append(out, way{build: manifest.Build{Command: command},
				said: f.name + ": compiler calls are recorded"})
		default:
			questions = append(questions, fmt.Sprintf("this is a project of %s (%s), and %s is not installed here: "+
				"with it, `build: {command: %s}` records what the build compiles", f.name, m.file, f.tool, command))
		}
	}
	return out, questions
}

// target returns the target of the compilers that build files name, or else of the framework, and why.
func (s *Survey) target() (target, why string) {
	if target, why = targetOf(s.words.String(), "the build files"); target != "host" {
		return target, why
	}
	for _, f := range frameworks {
		switch _, ok := s.of(f.name); {
		case !ok || f.target == "":
		case f.name == "Arduino" && s.avr:
			return "avr", "the only architecture that this Arduino tree names"
		default:
			return f.target, f.name + ": " + f.why
		}
	}
	if device, because := s.device(); device != "" {
		return device, because
	}
	return target, why
}
