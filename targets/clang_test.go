package targets

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// TestClangAgrees compares every target with what clang says about it: the
// data layout and triple of the IR, the predefined macros, sizes and alignments.
func TestClangAgrees(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tgt, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			ir := clang(t, tgt, sizesProgram(tgt), "-S", "-emit-llvm", "-o", "-")
			if got := quoted(ir, "target datalayout = "); got != tgt.DataLayout &&
				(llvmtest.Tools(t).Version == llvm.Preferred || !SameMachine(got, tgt.DataLayout)) {
				t.Errorf("data layout %q, clang says %q", tgt.DataLayout, got)
			}
			if got := quoted(ir, "target triple = "); !sameTriple(got, tgt.Triple) {
				t.Errorf("triple %q, clang says %q", tgt.Triple, got)
			}
			checkSizes(t, tgt, ir)
			checkMacros(t, tgt, clang(t, tgt, "", "-dM", "-E"))
			if x86 := strings.Contains(tgt.Triple, "86"); x86 && // from 16 on no macro that -dM lists
				!strings.HasSuffix(strings.TrimSpace(clang(t, tgt, "__FLT_EVAL_METHOD__", "-E")), "\n0") {
				t.Error("float is not computed in its own precision")
			}
		})
	}
}

func clang(t *testing.T, tgt Target, text string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := llvmtest.Clang(t, append(append(tgt.Flags(), args...), file)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.String())
	}
	return string(out)
}

func sizesProgram(tgt Target) string {
	var b strings.Builder
	for _, ty := range tgt.Types.Named() {
		fmt.Fprintf(&b, "struct s_%[1]s { char c; %[2]s v; }; int size_%[1]s = sizeof(%[2]s), align_%[1]s = __builtin_offsetof(struct s_%[1]s, v);\n", ty.Key, ty.C)
	}
	return b.String()
}

func checkSizes(t *testing.T, tgt Target, ir string) {
	t.Helper()
	for _, ty := range tgt.Types.Named() {
		for what, want := range map[string]int{"size": ty.Size, "align": ty.Align} {
			m := regexp.MustCompile(`(?m)^@` + what + `_` + ty.Key + ` = .*global i\d+ (\d+)`).FindStringSubmatch(ir)
			if m == nil || m[1] != strconv.Itoa(want) {
				t.Errorf("%s of %s is %d, clang says %v", what, ty.Key, want, m)
			}
		}
	}
}

func checkMacros(t *testing.T, tgt Target, macros string) {
	t.Helper()
	has := func(line string) bool { return strings.Contains("\n"+macros, "\n#define "+line+"\n") }
	if has("__CHAR_UNSIGNED__ 1") == tgt.CharSigned {
		t.Errorf("char signed: %v, clang says otherwise", tgt.CharSigned)
	}
	if has("__BYTE_ORDER__ __ORDER_BIG_ENDIAN__") != tgt.BigEndian ||
		has("__BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__") == tgt.BigEndian {
		t.Errorf("big endian: %v, clang says otherwise", tgt.BigEndian)
	}
	if !has(fmt.Sprintf("__SIZEOF_POINTER__ %d", tgt.PointerBits/8)) {
		t.Errorf("pointer of %d bits, clang says otherwise", tgt.PointerBits)
	}
	freestanding := strings.Contains(strings.Join(tgt.CFlags, " "), "-ffreestanding")
	if has("__STDC_HOSTED__ 1") == freestanding {
		t.Error("__STDC_HOSTED__ is not as expected")
	}
	if strings.HasSuffix(tgt.Triple, "linux-gnu") != (has("__linux__ 1") &&
		has("__LP64__ 1") == (tgt.PointerBits == 64)) && tgt.Name != "arm-linux" {
		t.Errorf("__linux__ is not as the triple %s says", tgt.Triple)
	}
}

func quoted(ir, prefix string) string {
	_, rest, _ := strings.Cut(ir, prefix+`"`)
	s, _, _ := strings.Cut(rest, `"`)
	return s
}

// sameTriple ignores `unknown` and the version that clang adds to `arm`.
func sameTriple(got, want string) bool {
	norm := func(s string) string {
		s = strings.ReplaceAll(s, "-unknown", "")
		if strings.HasPrefix(s, "armv7-linux") {
			s = strings.Replace(s, "armv7", "arm", 1)
		}
		return s
	}
	return norm(got) == norm(want)
}
