package bot_test

import (
	"strings"
	"testing"
)

// TestSARIFRefused: code scanning takes an upload and refuses it afterwards: the check says so, once, and why.
func TestSARIFRefused(t *testing.T) {
	w := newWorld(t, &reader{})
	w.repo("int main\n")
	w.call("POST", "/_fake/sarif", obj{"repo": "acme/fw", "refuse": "locations | <b>missing"})
	w.push("fix", "int main\nbug one\n")
	w.pull("fix", false)
	refused := func(s state) (n int) {
		for _, r := range s.CheckRuns {
			if strings.Contains(r.Output.Summary, "it refused the upload: locations &#124; &#60;b&#62;missing.") {
				n++
			}
		}
		return n
	}
	s := w.await("the reason in the check of all targets", func(s state) bool { return refused(s) == 1 && finished(3)(s) })
	if conclusions(s)["firmproof"] != "failure" || len(s.SARIF) != 1 || s.SARIF[0]["status"] != "failed" {
		t.Errorf("%v, %v", conclusions(s), s.SARIF)
	}
	w.push("fix", "int main\nbug one\nbug two\n")
	s = w.await("the next upload", func(s state) bool { return finished(6)(s) && len(s.SARIF) == 2 && settled(s) })
	if refused(s) != 1 {
		t.Errorf("an upload that was taken is said to be refused: %d", refused(s))
	}
}
