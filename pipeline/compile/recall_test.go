package compile

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// counting counts calls of the preprocessor.
type counting struct {
	Direct
	preprocessed int
}

func (c *counting) Run(ctx context.Context, cmd Cmd) (Result, error) {
	if slices.Contains(cmd.Argv, "-E") {
		c.preprocessed++
	}
	return c.Direct.Run(ctx, cmd)
}

// recallFiles are a unit whose headers stand in two of the folders that are searched; the first has none yet.
var recallFiles = map[string]string{
	"src/u.c": `#include "h.h"
#include <sys/deep.h>
#include "../inc/up.h"
#if __has_include("optional.h")
int optional = 1;
#endif
#define MADE "made.h"
#include MADE
int f(void) { return H + DEEP + UP + MADE_TOO; }
`,
	"first/README":   "",
	"inc/h.h":        "#define H 1\n",
	"inc/sys/deep.h": "#define DEEP 1\n",
	"inc/up.h":       "#define UP 1\n",
	"inc/made.h":     "#define MADE_TOO 1\n",
}

// TestRecall: a unit is taken from the cache without preprocessing it if nothing changed that its text depends on, and
// its IR is that of a build without a cache.
func TestRecall(t *testing.T) {
	for _, c := range []struct {
		name     string
		edit     map[string]string // by path
		recalled bool
	}{
		{"nothing", nil, true},
		{"another file", map[string]string{"inc/other.h": "int x;", "src/v.c": "int x;"}, true},
		{"own file", map[string]string{"src/u.c": "int g(void) { return 2; }\n"}, false},
		{"header", map[string]string{"inc/h.h": "#define H 2\n"}, false},
		{"header of a name that a macro makes", map[string]string{"inc/made.h": "#define MADE_TOO 2\n"}, false},
		{"before it in the search", map[string]string{"first/h.h": "#define H 3\n"}, false},
		{"before it, with a folder", map[string]string{"first/sys/deep.h": "#define DEEP 3\n"}, false},
		{"beside the unit", map[string]string{"src/h.h": "#define H 4\n"}, false},
		{"before a name that a macro makes", map[string]string{"first/made.h": "#define MADE_TOO 3\n"}, false},
		{"a name that is asked for", map[string]string{"first/optional.h": "\n"}, false},
		{"behind it in the search, which is not told apart", map[string]string{"last/h.h": "#define H 5\n"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, cache := t.TempDir(), t.TempDir()
			lay(t, root, recallFiles)
			buildRecalled(t, root, cache)
			lay(t, root, c.edit)
			calls, unit := buildRecalled(t, root, cache)
			_, cold := buildRecalled(t, root, t.TempDir())
			if recalled := calls.preprocessed == 0; recalled != c.recalled {
				t.Errorf("recalled: %v", recalled)
			}
			if unit != cold {
				t.Error("another unit than without the cache")
			}
		})
	}
	for _, target := range []string{"x86_64", "cortex-m3", "riscv32", "avr"} {
		t.Run("headers of the library of "+target, func(t *testing.T) {
			root, cache := t.TempDir(), t.TempDir()
			lay(t, root, map[string]string{"src/u.c": libraryHeaders})
			for i := range 2 {
				if calls, _ := buildRecalledFor(t, target, root, cache); (calls.preprocessed > 0) != (i == 0) {
					t.Errorf("build %d: %+v", i, calls)
				}
			}
		})
	}
	t.Run("another checkout", func(t *testing.T) {
		cache := t.TempDir()
		for i := range 2 {
			root := t.TempDir()
			lay(t, root, recallFiles)
			if calls, _ := buildRecalled(t, root, cache); (calls.preprocessed > 0) != (i == 0) {
				t.Errorf("checkout %d: %+v", i, calls)
			}
		}
	})
	t.Run("behind a link", func(t *testing.T) {
		root, cache := t.TempDir(), t.TempDir()
		lay(t, root, recallFiles)
		lay(t, root, map[string]string{"src/u.c": "#include \"link/../x.h\"\nint x = X;\n", "a/one/y.h": "",
			"b/one/y.h": "", "a/x.h": "#define X 1\n", "b/x.h": "#define X 2\n", "src/x.h": "#define X 3\n"})
		for _, to := range []string{"../a/one", "../b/one"} {
			link := filepath.Join(root, "src/link")
			_ = os.Remove(link)
			if err := os.Symlink(to, link); err != nil {
				t.Fatal(err)
			}
			calls, unit := buildRecalled(t, root, cache)
			if want := map[bool]string{true: "global i32 1", false: "global i32 2"}[to[3] == 'a']; calls.
				preprocessed == 0 || !strings.Contains(unit, want) {
				t.Errorf("%s: %+v\n%s", to, calls, unit)
			}
		}
	})
}

// lay writes files below root.
func lay(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// libraryHeaders is a unit that includes what firmware does.
const libraryHeaders = `#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <firmproof.h>
int f(void) { return 1; }
`

// buildRecalled builds src/u.c with a cache; it returns the calls of tools and the unit's IR.
func buildRecalled(t *testing.T, root, cache string) (*counting, string) {
	t.Helper()
	return buildRecalledFor(t, "x86_64", root, cache)
}

func buildRecalledFor(t *testing.T, target, root, cache string) (*counting, string) {
	t.Helper()
	calls := &counting{}
	u, err := Compile(context.Background(), Request{File: "src/u.c", Dir: root, Target: load(t, target),
		CFlags:  []string{"-Ifirst", "-I" + filepath.Join(root, "inc"), "-idirafter", "last"},
		WorkDir: t.TempDir(), CacheDir: cache, Runner: calls, files: newFileSet()})
	if err != nil {
		t.Fatal(err)
	}
	return calls, read(t, u.IRPath)
}

// TestInclusions: names as inclusions write them; what may include something unseen is unclear.
func TestInclusions(t *testing.T) {
	for _, c := range []struct {
		text, names       string
		computed, unclear bool
	}{
		{"#include <a.h>\n  # include_next \"b/c.h\" // d\n#import <e.h>", "a.h b/c.h e.h", false, false},
		{"// #include <a.h>\n * #include <b.h>\nchar *s = \"#include\";", "", false, false},
		{"#include NAME\n", "", true, false},
		{"#if __has_include(<a.h>) || __has_include_next ( \"b.h\" )", "a.h b.h", false, false},
		{"#if defined(__has_include) && __has_include_next(<a.h>)\n#ifdef __has_include\n", "a.h", false, false},
		{"#if __has_feature(x) || __has_builtin(y)\n", "", false, false},
		{"#define HAS(x) __has_include(x)\n", "", false, true},
		{"#if __has_include \\\n(<a.h>)\n", "", false, true},
		{"#if __has_embed(<a.h>)\n", "a.h", false, true},
		{"#embed <a.h>\n", "a.h", false, true},
		{"#inc\\\nlude <a.h>\n", "", false, true},
		{"#\\\ninclude <a.h>\n", "", false, true},
		{"#include \\\n<a.h>\n", "", false, true},
		{"#/* */include <a.h>\n", "", false, true},
		{"#include /* */ <a.h>\n", "", false, true},
		{"/* */ #include <a.h>\n", "a.h", false, false},
		{"/* # */ #include <a.h>\n", "a.h", false, false},
		{"the end */ #include <a.h>\n", "a.h", false, false},
		{"*\\\n/ #include <a.h>\n", "", false, true},
		{"/* #include <a.h> */\n/* not #include'd, and #include_next madness */\n #include's own\n", "", false, false},
		{"#ifndef __has_include\n#define __has_include(x) 0\n#endif\n", "", false, false},
		{"#pragma include_alias(\"a.h\", \"b.h\")\n", "", false, true},
		{"%:include <a.h>\n", "", false, true},
		{"%:include <a.h> // #\n", "", false, true},
		{"??=include <a.h>\n", "", false, true},
		{"#define a a ## b\n# define x(y) #y\n#if 0\n#endif\n#\n#pragma once\n", "", false, false},
		{"char *t = __TIME__;", "", false, true},
	} {
		in := inclusionsOf([]byte(c.text))
		if c.unclear != in.unclear || !c.unclear && (strings.Join(in.names, " ") != c.names ||
			in.computed != c.computed) {
			t.Errorf("%q: %+v", c.text, in)
		}
	}
}
