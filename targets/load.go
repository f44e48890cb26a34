package targets

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/targets/strict"
	"github.com/firmproof/firmproof/verifier/verdict"
)

//go:embed data/*.yaml
var data embed.FS

// hostName is the alias for the machine that firmproof runs on.
const hostName = "host"

// UnknownError says that there is no target of this name.
type UnknownError struct {
	Name, Nearest string
	Known         []string
}

// Error names the nearest known target.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown target %q%s (known: %s)", e.Name, verdict.Meant(e.Name, e.Known), strings.Join(e.Known, ", "))
}

// Names lists the targets that firmproof brings along: host first, then by name.
func Names() []string {
	names := []string{hostName}
	files, err := data.ReadDir("data")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	sort.Strings(names[1:])
	return names
}

// Load returns a target by name. `host` is this machine's target under that name.
// The error is an *UnknownError if there is none of the name.
func Load(name string) (Target, error) {
	if name == hostName {
		return host(runtime.GOARCH)
	}
	text, err := data.ReadFile(path.Join("data", name+".yaml"))
	if err != nil || strings.ContainsAny(name, `/\`) {
		known := Names()
		near := strings.Trim(strict.DidYouMean(name, known), "?`")
		return Target{}, &UnknownError{Name: name, Nearest: near[strings.LastIndexByte(near, '`')+1:], Known: known}
	}
	t, err := Parse(text)
	if err != nil {
		panic(fmt.Sprintf("targets/data/%s.yaml: %v", name, err))
	}
	return t, nil
}

func host(arch string) (Target, error) {
	byArch := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i386", "arm": "arm-linux"}
	name, ok := byArch[arch]
	if !ok {
		return Target{}, fmt.Errorf("target host: machines of kind %s are not described, name a target (known: %s)",
			arch, strings.Join(Names()[1:], ", "))
	}
	t, err := Load(name)
	t.Alias, t.Name = name, hostName
	return t, err
}

// linuxDir matches the directories of Debian that headers of the C library and of Linux for one architecture share.
var linuxDir = regexp.MustCompile(`^/usr/include/[a-z0-9_]+-linux-gnu[a-z]*$`)

// HeaderDirs returns the C library's header directories: those of the first
// candidate in Headers that exists as a whole. A candidate is one directory, or
// several with a colon between them. No directories and true means freestanding;
// false means that the library is not installed (see Package).
func (t Target) HeaderDirs() ([]string, bool) {
	return t.headerDirs(func(dir string) bool {
		if linuxDir.MatchString(dir) { // Linux's own headers may be all that is there
			dir += "/bits"
		}
		st, err := os.Stat(dir)
		return err == nil && st.IsDir()
	})
}

func (t Target) headerDirs(exists func(string) bool) ([]string, bool) {
next:
	for _, cand := range t.Headers {
		if cand == Freestanding {
			return nil, true
		}
		dirs := strings.Split(cand, ":")
		for _, d := range dirs {
			if !exists(d) {
				continue next
			}
		}
		return dirs, true
	}
	return nil, len(t.Headers) == 0
}

// CXXHeaderDirs returns the C++ library's header directories: those of the first candidate in CXXHeaders that exists as
// a whole. A `*` in a candidate stands for the newest version that its first directory has.
func (t Target) CXXHeaderDirs() ([]string, bool) {
	for _, cand := range t.CXXHeaders {
		for _, version := range versions(strings.Split(cand, ":")[0]) {
			one := Target{Headers: []string{strings.ReplaceAll(cand, "*", version)}}
			if dirs, ok := one.HeaderDirs(); ok {
				return dirs, true
			}
		}
	}
	return nil, false
}

// versions lists what a `*` at the end of a path stands for, the newest first.
func versions(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	slices.SortFunc(found, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
	return found
}

// numbers returns the numbers of a version such as 12.2.1; what is none counts as 0.
func numbers(version string) (out []int) {
	for _, part := range strings.Split(version, ".") {
		n, _ := strconv.Atoi(part)
		out = append(out, n)
	}
	return out
}

// Flags returns the flags that make clang compile for the target as the machine's usual compiler does (Compiler).
func (t Target) Flags() []string {
	flags := []string{"--target=" + t.Triple}
	if t.CPU != "" {
		flag := "-mcpu="
		switch {
		case strings.HasPrefix(t.Triple, "avr"):
			flag = "-mmcu="
		case strings.HasPrefix(t.Triple, "x86_64"), strings.HasPrefix(t.Triple, "i386"), strings.HasPrefix(t.Triple,
			"i686"),
			strings.HasPrefix(t.Triple, "mips"):
			flag = "-march="
		}
		flags = append(flags, flag+t.CPU)
	}
	if v := t.vendor(); v != nil {
		flags = append(flags, v.flags...)
	}
	flags = append(flags, t.CFlags...)
	for _, d := range t.Defines {
		flags = append(flags, "-D"+d)
	}
	return flags
}
