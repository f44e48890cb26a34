package reports

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestGitHub: one line per finding, with the escapes of workflow commands.
func TestGitHub(t *testing.T) {
	r := sample()
	r.Results[0].Claims[0].Pos.File = "src/a,b:c.c"
	r.Results[0].Claims[0].Message = "100% sure\nsecond line"
	suppressed := r.Results[0].Claims[0]
	suppressed.Suppressed = "known"
	r.Results[1].Claims = append(r.Results[1].Claims, suppressed)
	text := GitHub(r)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	if want := "::error file=src/a%2Cb%3Ac.c,line=41,col=9,title=memory (x86_64)::100%25 sure%0Asecond line%0AIn harness ring_push_harness"; !strings.HasPrefix(lines[0], want) {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
	if want := "::warning file=a.c,line=3,title=unknown (cortex-m3)::other: unsupported: inline assembly"; !strings.HasPrefix(lines[1], want) {
		t.Errorf("got  %s\nwant %s", lines[1], want)
	}
	if !strings.HasPrefix(lines[2], "::notice title=firmproof::") {
		t.Errorf("got %s", lines[2])
	}
	if got := GitHub(&verdict.Report{}); got != "::notice title=firmproof::nothing to check\n" {
		t.Errorf("empty report: %q", got)
	}
}
