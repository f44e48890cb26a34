package ir

import (
	"strings"
	"testing"
)

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

func TestAsmString(t *testing.T) {
	for template, want := range map[string]string{
		" wfi ":                                 "wfi",
		"\tmov $0, $1 // copy\n\n\tmsr x, $0\n": "mov $0, $1; msr x, $0",
		strings.Repeat("nop\n", 40):             strings.Repeat("nop; ", 12) + "...",
		strings.Repeat("é", 61):                 strings.Repeat("é", 60) + " ...",
	} {
		if got := (&Asm{Template: template}).String(); got != want {
			t.Errorf("%q is %q, want %q", template, got, want)
		}
	}
}

func TestMayJump(t *testing.T) {
	for template, want := range map[string]bool{
		"1: b 1b":                       true,
		"1:\n\tsubs $0, #1\n\tbne 1b":   true,
		"L0: dec $0\n jnz L0":           true,
		"rjmp .-2":                      true,
		"mov pc, lr":                    true,
		"pop {r4, pc}":                  true,
		"bx lr":                         true,
		".word 0xe7fe":                  true,
		"":                              false,
		"nop; nop":                      false,
		"bic $0, $1, #3":                false,
		".syntax unified\n\tadd $0, $1": false,
		"again: nop":                    false,
		"@ b loop":                      false,
		"cbi 5, 3":                      false,
		"ldr $0, [$1]":                  false,
	} {
		if got := MayJump(&Asm{Template: template}); got != want {
			t.Errorf("%q: %v", template, got)
		}
	}
	if !Waits(&Asm{Template: "dsb\n wfi"}) || Waits(&Asm{Template: "dsb"}) {
		t.Error("waits")
	}
}
