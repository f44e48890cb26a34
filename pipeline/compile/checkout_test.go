package compile

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestIncompleteClone: what a clone lacks, or a database of another machine names, is told with what to do.
func TestIncompleteClone(t *testing.T) {
	const modules = "[submodule \"hal\"]\n\tpath = lib/hal\n[submodule \"x\"]\n\tpath = lib/other\n"
	pointer := lfsHead + "\noid sha256:0\nsize 1\n"
	for name, c := range map[string]struct {
		files map[string]string
		build string
		want  string
	}{
		"sources of a submodule": {map[string]string{".gitmodules": modules}, "sources: [\"lib/hal/*.c\"]",
			"matches no file; not checked out: submodule lib/hal (git submodule update --init --recursive)"},
		"headers of a submodule": {map[string]string{".gitmodules": modules, "lib/other/a.h": "",
			"a.c": "#include \"hal.h\"\n"}, "sources: [a.c]", "not checked out: submodule lib/hal"},
		"a source that Git LFS keeps": {map[string]string{"a.c": pointer}, "sources: [a.c]",
			"a.c: a pointer of Git LFS, no source: git lfs pull"},
		"a header that Git LFS keeps": {map[string]string{"a.c": "#include \"b.h\"\n", "b.h": pointer},
			"sources: [a.c]",
			"b.h: a pointer of Git LFS, no source: git lfs pull"},
		"a name with a line break": {map[string]string{"a\nb.c": "int x;\n"}, `sources: ["a\nb.c"]`,
			"a line break or a backslash"},
		"a name like a flag": {map[string]string{"-o.c": "int x;\n"}, "sources: [-o.c]", ""},
		"a database of another folder": {
			map[string]string{"c.json": `[{"file": "a.c", "directory": "/no/where", "command": "cc -c a.c"}]`},
			"compile_commands: c.json", "its folder /no/where is not here"},
		"a database that is an object": {map[string]string{"c.json": "{}"}, "compile_commands: c.json",
			"not a compilation database: it is no list of calls"},
		"a database with a mark": {map[string]string{"c.json": "\ufeff" +
			`[{"file": "a.c", "directory": ".", "command": "cc -c a.c"}]`,
			"a.c": "int x;\n"}, "compile_commands: c.json", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, c.files)
			_, err := Project(context.Background(), dir, parse(t, "build: {"+c.build+"}\n"), load(t, "x86_64"),
				Options{WorkDir: t.TempDir()})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if isLFSPointer(filepath.Join(t.TempDir(), "none")) {
		t.Error("a file that is not there is a pointer")
	}
}
