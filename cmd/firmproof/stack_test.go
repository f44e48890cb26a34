package main

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestStackOfFunctions: functions without a harness are held to the target's stack, without what their callers use.
func TestStackOfFunctions(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": "int flat(int n) { return n; }\n" +
		"int deep(int n) { volatile char big[5000]; big[n & 1] = 1; return flat(big[0]); }\n"})
	_, rep, errs := checkJSON(t, dir+"/a.c", "--target", "cortex-m3", "--checks", "stack")
	found := map[string]verdict.Status{}
	for i := range rep.Results {
		r := &rep.Results[i]
		found[r.Entry] = r.Status
		if !strings.Contains(strings.Join(verdict.TextsOf(r.Assumptions), "\n"), "without what its callers use") {
			t.Errorf("%s rests on %q", r.Entry, verdict.TextsOf(r.Assumptions))
		}
	}
	if found["any call of deep"] != verdict.Violated || found["any call of flat"] != verdict.Proved {
		t.Errorf("%v\n%s", found, errs)
	}
}
