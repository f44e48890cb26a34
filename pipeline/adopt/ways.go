package adopt

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// way is one way to build a repository.
type way struct {
	build manifest.Build
	said  string // what it is, for people
	makes string // the folder that it makes; "": none
	again bool   // what the way before does, errors aside
}

// firstPreset returns the first configuration of CMakePresets.json that is not hidden.
func firstPreset(text []byte) string {
	var p struct {
		ConfigurePresets []struct {
			Name   string
			Hidden bool
		}
	}
	if json.Unmarshal(text, &p) != nil {
		return ""
	}
	for _, c := range p.ConfigurePresets {
		if !c.Hidden && c.Name != "" && !strings.ContainsAny(c.Name, " '\"$`\\") {
			return c.Name
		}
	}
	return ""
}

func installed(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

// ways lists the ways to build, in the order in which they are tried, and questions about those that
// cannot be tried here.
func (s *Survey) ways() (out []way, questions []string) {
	if s.database != "" {
		out = append(out, way{build: manifest.Build{CompileCommands: s.database}, said: s.database})
	}
	if slices.Contains(s.builds, "CMakeLists.txt") {
		if installed("cmake") {
			if s.presets != "" {
				out = append(out, s.cmake(s.presets))
			}
			out = append(out, s.cmake(""))
		} else if !s.builtByFramework() {
			questions = append(questions, "CMakeLists.txt is there, and cmake is not installed here: with it, `build: "+
				"{command: "+s.cmake(s.presets).build.Command+"}` records what the build compiles")
		}
	}
	frameworks, more := s.frameworkWays()
	out, questions = append(out, frameworks...), append(questions, more...)
	autotools, more := s.autotools()
	out, questions = append(out, autotools...), append(questions, more...)
	for _, f := range s.builds {
		if isMakefile(f) {
			out = append(out, makeIn("."), makeAnyway("."))
			break
		}
	}
	for _, dir := range s.projects() {
		out = append(out, makeIn(dir))
	}
	return out, questions
}

func (s *Survey) cmake(preset string) way {
	dir := "build"
	if _, err := os.Stat(filepath.Join(s.root, dir)); err == nil {
		dir = "build-firmproof" // it is for something else, or was made with compilers whose calls nobody records
	}
	flags := ""
	if preset != "" {
		flags = " --preset " + preset
	}
	return way{build: manifest.Build{Command: fmt.Sprintf("cmake -S . -B %s%s && cmake --build %s", dir, flags, dir)},
		said: "CMake: compiler calls are recorded", makes: dir}
}

// autotools is the way of a configure script, or of what one is made of.
func (s *Survey) autotools() (out []way, questions []string) {
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(s.root, name))
		return err == nil
	}
	switch {
	case there("configure"):
		return []way{{build: manifest.Build{Command: "./configure && make"},
			said: "configure and make: compiler calls are recorded"}}, nil
	case !there("configure.ac"):
		return nil, nil
	}
	w := way{build: manifest.Build{Command: "autoreconf -fi && ./configure && make"},
		said: "autotools: compiler calls are recorded"}
	if installed("autoreconf") {
		return []way{w}, nil
	}
	return nil, []string{"configure.ac is there, and autoreconf is not installed here: with it, `build: {command: " +
		w.build.Command + "}` records what the build compiles"}
}

func makeIn(dir string) way {
	command := "make"
	if dir != "." {
		command += " -C " + dir
	}
	return way{build: manifest.Build{Command: command}, said: "`" + command + "`: compiler calls are recorded"}
}

// makeAnyway takes what a build compiles that ends with an error, also where an attempt before compiled it.
func makeAnyway(dir string) way {
	w := makeIn(dir)
	w.build.Command += " -k -B || true"
	w.said = "`" + w.build.Command + "`: it ends with an error here; what it compiles counts"
	w.again = true
	return w
}

// isDocumentation reports whether a folder is one of documentation, whose Makefile compiles no C.
func isDocumentation(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool {
		return slices.Contains([]string{"doc", "docs", "documentation"}, strings.ToLower(name))
	})
}

// maxProjects bounds how many folders with a Makefile of their own are tried.
const maxProjects = 2

// projects are folders with a Makefile of their own, below a root that has none or one that is
// included by theirs: first the one whose name says that it is a first step.
func (s *Survey) projects() []string {
	var out []string
	for _, f := range s.builds {
		if dir := path.Dir(f); isMakefile(path.Base(f)) && dir != "." && !isDocumentation(dir) {
			out = append(out, dir)
		}
	}
	weight := func(dir string) int {
		n := strings.Count(dir, "/")
		switch {
		case strings.Contains(path.Base(dir), "hello"):
			return n
		case strings.HasPrefix(path.Base(dir), "lib") || path.Base(dir) == "src":
			return n + 1
		case strings.Contains(dir, "example"):
			return n + 10
		}
		return n + 20
	}
	slices.SortStableFunc(out, func(a, b string) int { return weight(a) - weight(b) })
	return out[:min(len(out), maxProjects)]
}
