package compile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// linked is a program that a recorded build links.
type linked struct {
	name   string // its file, relative to the root
	call   int    // in the recording
	inputs []string
}

// output returns the file of a -o, absolute; other if there is none.
func (c Call) output(other string) string {
	for i, a := range c.Args {
		if a == "-o" && i+1 < len(c.Args) {
			other = c.Args[i+1]
		} else if name, ok := strings.CutPrefix(a, "-o"); ok && name != "" {
			other = name
		}
	}
	return absoluteIn(c.Dir, other)
}

func absoluteIn(dir, file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, file)
}

// links reports whether the compiler also links.
func (c Call) links() bool {
	return !c.isProbe() && !slices.ContainsFunc(c.Args, func(a string) bool {
		return a == "-c" || a == "-S" ||
			a == "-fsyntax-only"
	})
}

// images lists the programs that the calls link, in their order. Programs for the
// build machine are none of a cross build's.
func (b *builder) images(calls []Call, cross bool) []linked {
	var out []linked
	for i, c := range calls {
		if !c.links() || cross && c.isHost() {
			continue
		}
		t, err := translate(c.Dir, append([]string{c.Tool}, c.Args...))
		if err != nil || len(t.files) == 0 {
			continue
		}
		l := linked{name: b.display(c.Dir, c.output("a.out")), call: i}
		for _, f := range t.files {
			l.inputs = append(l.inputs, absoluteIn(c.Dir, f))
		}
		out = append(out, l)
	}
	return out
}

// ofImage returns the calls that make the image that the manifest names: its link and what
// compiles its objects. What is in none of the images by name may come from a library,
// and stays if the image has one.
func (b *builder) ofImage(mb manifest.Build, calls []Call, list []linked) ([]Call, error) {
	at := slices.IndexFunc(list, func(l linked) bool {
		return l.name == filepath.Clean(mb.Image) ||
			filepath.Base(l.name) == mb.Image
	})
	if at < 0 {
		var names []string
		for _, l := range list {
			names = append(names, l.name)
		}
		hint := "it links none that was recorded"
		if len(names) > 0 {
			hint = "it links " + strings.Join(names, ", ")
			if near := verdict.Nearest(mb.Image, names); near != "" {
				hint += "; did you mean " + near + "?"
			}
		}
		return nil, b.fault("command", manifest.Name, "build.image: the build makes no %q: %s", mb.Image, hint)
	}
	used := map[string]bool{}
	for _, l := range list {
		for _, f := range l.inputs {
			used[f] = true
		}
	}
	library := slices.ContainsFunc(list[at].inputs, func(f string) bool { return filepath.Ext(f) == ".a" })
	var out []Call
	for i, c := range calls {
		if c.links() {
			if i == list[at].call || !slices.ContainsFunc(list, func(l linked) bool { return l.call == i }) {
				out = append(out, c)
			}
			continue
		}
		object := c.output("")
		if srcs := c.sources(); object == filepath.Clean(c.Dir) && len(srcs) > 0 {
			object = absoluteIn(c.Dir, strings.TrimSuffix(filepath.Base(srcs[0]), filepath.Ext(srcs[0]))+".o")
		}
		if slices.Contains(list[at].inputs, object) || library && !used[object] {
			out = append(out, c)
		}
	}
	return out, nil
}
