package frontend

import (
	"regexp"
	"strings"
)

// programLoad matches the AVR's loads from program memory.
var programLoad = regexp.MustCompile(`(?mi)^\s*e?lpm\b`)

// programRead takes inline assembly that reads program memory, as the pgm_read functions of avr-libc do, for a value
// that is not followed: a violation that needs it is unknown. It returns whether it is such.
func (x *fn) programRead(s *site, template, constraints string) bool {
	if !strings.HasPrefix(x.m.Triple, "avr") || s.ty.IsVoid() || strings.Contains(constraints, "memory") ||
		len(readConstraints(constraints).indirect) > 0 || !programLoad.MatchString(template) {
		return false
	}
	x.anyValue(s.v, s.ty, "a read of program memory (lpm)")
	return true
}
