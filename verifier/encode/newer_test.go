package encode

import (
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/frontend"
)

// newerHead begins a program in the text of LLVM 22.
const newerHead = `target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@a = global [4 x i32] zeroinitializer, align 4
declare i32 @nondet_int()
define i32 @main() {
  %i = call i32 @nondet_int()
  %x = and i32 %i, 1
  %p = getelementptr inbounds nuw [4 x i32], ptr @a, i64 0, i64 2
`

// TestNewerFlags: what flags of LLVM 18 to 22 make undefined or poison is a violation where it can be, and none where it
// cannot.
func TestNewerFlags(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		bad  bool
	}{
		"gep nuw, back":    {"%k = sub i32 0, %x\n %j = sext i32 %k to i64\n %q = getelementptr inbounds nuw i32, ptr %p, i64 %j\n ret i32 0", true},
		"gep nuw, forward": {"%j = sext i32 %x to i64\n %q = getelementptr inbounds nuw i32, ptr %p, i64 %j\n ret i32 0", false},
		"gep, back":        {"%k = sub i32 0, %x\n %j = sext i32 %k to i64\n %q = getelementptr inbounds i32, ptr %p, i64 %j\n ret i32 0", false},
		"trunc nuw": {"%w = add i32 %x, 255\n %t = trunc nuw i32 %w to i8\n %c = icmp eq i8 %t, 0\n" +
			" br i1 %c, label %y, label %n\ny:\n ret i32 0\nn:\n ret i32 1", true},
		"trunc nuw, fits": {"%t = trunc nuw i32 %x to i8\n %c = icmp eq i8 %t, 0\n" +
			" br i1 %c, label %y, label %n\ny:\n ret i32 0\nn:\n ret i32 1", false},
		"or disjoint": {"%o = or disjoint i32 %x, 1\n %c = icmp eq i32 %o, 1\n" +
			" br i1 %c, label %y, label %n\ny:\n ret i32 0\nn:\n ret i32 1", true},
		"range of a result":           {branch("call i32 @f(i32 %x)", "range(i32 0, 1) i32 @f(i32 %v)"), true},
		"range of a result, holds":    {branch("call i32 @f(i32 %x)", "range(i32 -7, 2) i32 @f(i32 %v)"), false},
		"range of a result, around":   {branch("call i32 @f(i32 %x)", "range(i32 2, 1) i32 @f(i32 %v)"), true},
		"range of a call":             {branch("call range(i32 1, 9) i32 @f(i32 %x)", "i32 @f(i32 %v)"), true},
		"range of a parameter":        {branch("call i32 @f(i32 %x)", "i32 @f(i32 range(i32 0, 1) %v)"), true},
		"range of a parameter, holds": {branch("call i32 @f(i32 %x)", "i32 @f(i32 range(i32 0, 2) %v)"), false},
		"range of an argument":        {branch("call i32 @f(i32 range(i32 1, 2) %x)", "i32 @f(i32 %v)"), true},
		"range of an argument, holds": {branch("call i32 @f(i32 range(i32 0, 2) %x)", "i32 @f(i32 %v)"), false},
		"unmodelled":                  {"%q = getelementptr nuw i32, ptr %p, i64 1\n ret i32 0", true},
	} {
		m, err := frontend.Parse("t.ll", []byte(newerHead+" "+c.body+"\n}\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := violated(t, encodeMain(t, m, Options{}))
		if len(got) > 0 != c.bad {
			t.Errorf("%s: %v", name, slices.Compact(got))
		}
	}
}

// branch is the rest of a program whose branch depends on a call, and a function that returns its argument.
func branch(call, head string) string {
	return "%r = " + call + "\n %c = icmp eq i32 %r, 0\n br i1 %c, label %y, label %n\ny:\n ret i32 0\nn:\n ret i32 1\n}\n" +
		"define " + head + " {\n ret i32 %v"
}
