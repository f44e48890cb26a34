package main

import (
	"strings"
	"testing"
)

// TestSimulationOfVariables: functions that read a variable in which a changed function stores are called, too, since calls
// of both show what the change brings.
func TestSimulationOfVariables(t *testing.T) {
	const queue = "static unsigned n;\nstatic int q[4];\nint push(int v) {\n  if (n == 4) return -1;\n  q[n++] = v;\n  return 0;\n}\n" +
		"int other(int v) {\n  return v & 1;\n}\nvoid reset(void) {\n  n = 0;\n}\n"
	if out := thereAndBack(t, queue, "n = 0;", "n = 5;", true); strings.Contains(out, "any call of other") {
		t.Error(out)
	}
}

// TestSimulationOfNobodysValues: what a variable holds that is defined elsewhere nobody knows; a check of it that is gone
// is missed all the same.
func TestSimulationOfNobodysValues(t *testing.T) {
	const code = "extern volatile unsigned short ADC;\nstatic short cal[1024];\nshort read(void) {\n  unsigned v = ADC & 0x3ff;\n  return cal[v];\n}\n"
	thereAndBack(t, code, "0x3ff", "0x7ff", true)
}

// TestSimulationWhateverSize: what is freed is freed, however much a pointer leads to.
func TestSimulationWhateverSize(t *testing.T) {
	const code = "#include <stdlib.h>\nstruct node { struct node *next; };\nvoid clear(struct node *p) {\n  while (p) {\n" +
		"    struct node *q = p->next;\n    free(p);\n    p = q;\n  }\n}\n"
	thereAndBack(t, code, "    struct node *q = p->next;\n    free(p);\n    p = q;\n", "    free(p);\n    p = p->next;\n", true)
}
