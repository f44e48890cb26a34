package reports

import (
	"fmt"
	"strings"
	"testing"
)

// TestColours: words of C have their class wherever they stand, comments go over lines, and places count as scripts do.
func TestColours(t *testing.T) {
	lines := []string{"#include <stdio.h>", "/* é𝄞", "end */ static int x = 0x10; // more", `char *s = "a b";`,
		"\treturn 'c' + sizeof(x);"}
	var got []string
	for i, list := range marksOf("a.c", lines) {
		for _, m := range list {
			got = append(got, fmt.Sprintf("%d:%d-%d %s", i+1, m[0], m[1], m[2]))
		}
	}
	want := "1:0-8 pp, 1:9-18 pp, 2:0-6 com, 3:0-6 com, 3:7-13 key, 3:14-17 type, 3:22-26 num, 3:28-35 com, 4:0-4 type, 4:10-15 str, 5:1-7 key, 5:8-11 str, 5:14-20 key"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if marksOf("a.cpp", []string{"class a;"})[0] == nil {
		t.Error("C++ has no colours")
	}
}
