package compile

import (
	"strings"
	"testing"
)

// TestC23: a flag for C23 reaches clang under a name that each version knows, and an older clang
// names the one that reads more of it; C++ in a file that is named as C is said to look so.
func TestC23(t *testing.T) {
	r := Request{File: "a.c", Target: load(t, "x86_64"), CFlags: []string{"-std=gnu23"}}
	if flags := strings.Join(r.flags(), " "); !strings.Contains(flags, "-std=gnu2x") || strings.Contains(flags, "gnu23") {
		t.Errorf("flags %s", flags)
	}
	one := []Diagnostic{{Message: "unknown type name 'constexpr'"}}
	if got := lacksC23(one, 14); len(got) != 2 || !strings.Contains(got[1].Message, "FIRMPROOF_CLANG=clang-19 takes it") {
		t.Errorf("%v", got)
	}
	if got := lacksC23(one, 19); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if maybeCXX(one); !strings.Contains(one[0].Message, "--cflags=-std=c23") {
		t.Errorf("%v", one)
	}
	for said, hint := range map[string]bool{"unknown type name 'class'": true, "'vector' file not found": true,
		"unknown type name 'u8'": false, "'board.h' file not found": false} {
		diags := []Diagnostic{{Message: said}}
		if maybeCXX(diags); strings.Contains(diags[0].Message, "is this C++?") != hint {
			t.Errorf("%s", diags[0].Message)
		}
	}
}
