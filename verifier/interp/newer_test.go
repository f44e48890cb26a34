package interp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestNewerFlags: an index that goes back by wrapping around as an unsigned number fails where LLVM 20 or newer says that
// it is one; forward, or without the flag, it does not.
func TestNewerFlags(t *testing.T) {
	for name, c := range map[string]struct {
		gep, index, want string
	}{
		"back":         {"inbounds nuw", "-1", "wraps around"},
		"forward":      {"inbounds nuw", "1", ""},
		"without":      {"inbounds", "-1", ""},
		"constant":     {"inbounds nuw", "0", ""},
		"out of range": {"inbounds nuw", "9", "offset"},
	} {
		text := `target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@a = global [4 x i32] zeroinitializer, align 4
define i32 @main() {
  %i = alloca i64, align 8
  store i64 ` + c.index + `, ptr %i, align 8
  %j = load i64, ptr %i, align 8
  %p = getelementptr inbounds nuw [4 x i32], ptr @a, i64 0, i64 2
  %q = getelementptr ` + c.gep + ` i32, ptr %p, i64 %j
  ret i32 0
}
`
		m, err := frontend.Parse("t.ll", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func("main"),
			Checks: verdict.DefaultChecks(), MaxSteps: 1000}, &testprogram.Inputs{})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.String(); (c.want == "") == strings.Contains(got, "pointer-overflow") ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
