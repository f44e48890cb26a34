package ir

import "testing"

func TestQuietAsm(t *testing.T) {
	for _, c := range []struct {
		template, constraints string
		want                  bool
	}{
		{"\tmov $0, $1\n\tmsr basepri, $0\n\tisb\n\tdsb", "=r,i,~{memory}", true},
		{"cpsid i; nop", "~{memory}", true},
		{"mov $1, ($0)", "r,r", false},
		{"mov $1, $0", "=*m,r", false},
		{"MOV pc, lr", "", false},
		{"mov sp, $0", "r", false},
		{"str $0, [$1]", "r,r", false},
	} {
		if got := QuietAsm(&Asm{Template: c.template, Constraints: c.constraints}); got != c.want {
			t.Errorf("%q: quiet %v", c.template, got)
		}
	}
}
