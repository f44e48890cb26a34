package compile

import (
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/weave"
)

// TestCheckPragmas: lines count in the files that markers name, through includes; pop takes back what was said since
// its push, and a pop without one says nothing.
func TestCheckPragmas(t *testing.T) {
	text := `# 1 "src/a.c"
#pragma CPROVER check pop
int a;
#pragma CPROVER check push
#pragma CPROVER check disable "unsigned-overflow"
int b;
# 1 "inc/h.h" 1
int c;
int d;
# 6 "src/a.c" 2
int e;
#pragma CPROVER check push
#  pragma  CPROVER  check  disable  "pointer"
int f;
#pragma CPROVER check pop
int g;
#pragma CPROVER check pop
int h;
#pragma CPROVER check enable "pointer"
int i;
`
	got := checkPragmas([]byte(text), "src/a.c", func(s string) string { return "tree/" + s })
	want := []weave.CheckPragma{
		{File: "tree/src/a.c", From: 5, To: 5, Check: "unsigned-overflow"},
		{File: "tree/inc/h.h", From: 1, To: 2, Check: "unsigned-overflow"},
		{File: "tree/src/a.c", From: 6, To: 6, Check: "unsigned-overflow"},
		{File: "tree/src/a.c", From: 9, To: 9, Check: "unsigned-overflow"},
		{File: "tree/src/a.c", From: 9, To: 9, Check: "pointer"},
		{File: "tree/src/a.c", From: 11, To: 11, Check: "unsigned-overflow"},
		{File: "tree/src/a.c", From: 15, To: 15, Check: "pointer", Enable: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
