package compile

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

const named = `struct s { int a[2]; };
struct s make(void);
void undo(int *);
int take(int *);
int result(int c) { if (c) return 1; else c = 2; return c; }
int inside(void) { return take(make().a); }
int expression(int c) { return ({ int x = c; x; }); }
int cleaned(int c) { for (;;) { __attribute__((cleanup(undo))) int x = c; if (c) return 1; c++; if (c == 3) break; } return 0; }
int chosen(int c) { return c ? take(0) : take(&c); }
void loops(int c) {
	while (c--) take(0);
	do take(0); while (++c < 4);
	for (int i = 0; i < c; i++) take(0);
	switch (c) { case 1: take(0); break; default: take(&c); }
}
`

// TestNames: the names of clang's own that rules read are the same in each version (docs/LLVM.md lists the rules).
func TestNames(t *testing.T) {
	llvmtest.Each(t, func(t *testing.T, _ llvm.Tools) {
		ir, err := compileText(t, "cortex-m3", named, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`%retval = alloca i32,`, `%tmp = alloca i32,`, `%(tmp|coerce|ref\.tmp|agg\.tmp\S*) = alloca %struct\.s,`,
			`%cleanup\.dest\.slot = alloca i32,`} {
			if !regexp.MustCompile(want).MatchString(ir) {
				t.Errorf("no local is %s", want)
			}
		}
		for _, block := range strings.Fields("if.then if.else if.end while.body while.end do.body do.end for.body for.end " +
			"for.cond.cleanup cond.true cond.false sw.bb sw.default sw.epilog") {
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(block) + `\d*:`).MatchString(ir) {
				t.Errorf("no block is named %s", block)
			}
		}
	})
}

// TestMessages: what clang says of functions without a declaration, of words that it does not know, of headers that it
// does not find and of values that it folds is read with each version.
func TestMessages(t *testing.T) {
	llvmtest.Each(t, func(t *testing.T, tools llvm.Tools) {
		say := func(text string, flags ...string) []byte {
			dir := tree(t, map[string]string{"a.c": text})
			cmd := exec.CommandContext(t.Context(), tools.Clang, append(flags, "-fno-color-diagnostics",
				"-fno-caret-diagnostics", "-std=gnu11", "-S", "-emit-llvm", "-o", "/dev/null", "a.c")...)
			cmd.Dir = dir
			out, _ := cmd.CombinedOutput()
			return out
		}
		word := regexp.MustCompile(`^(?:unknown type name|use of undeclared identifier) '(\w+)'`) // as package extensions
		for text, want := range map[string]struct {
			implicit []string
			pattern  *regexp.Regexp
		}{
			"int f(void) { return nobody(1); }":            {implicit: []string{"nobody"}},
			"int f(const char *s) { return strlen(s); }":   {},
			"int f(void) { return a_word; }":               {pattern: word},
			"a_type f(void);":                              {pattern: word},
			"class a;":                                     {pattern: isCXXName},
			"#include \"none.h\"\n":                        {pattern: notFound},
			"#include <vector>\n":                          {pattern: cxxHeader},
			"void f(void) { asm(\"\" : : \"I\"(-5000)); }": {pattern: numberFault},
		} {
			said := say(text, "-Wno-error=implicit-function-declaration", "-Wimplicit-function-declaration")
			errs, implicit := parseDiagnostics(said)
			read := want.pattern == nil && len(errs) == 0 ||
				want.pattern != nil && len(errs) > 0 && want.pattern.MatchString(errs[0].Message)
			if !read || !slices.Equal(implicit, want.implicit) {
				t.Errorf("%s: read are %v, undeclared %v\n%s", text, errs, implicit, said)
			}
		}
		said := say("int f(void) { return 2147483647 + 1; }")
		if !overflowRE.Match(said) {
			t.Errorf("%s", said)
		}
		if said = say("int f(void) { return 1 / 0; }"); !zeroRE.Match(said) {
			t.Errorf("%s", said)
		}
	})
}
