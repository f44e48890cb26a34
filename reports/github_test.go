package reports

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestGitHub: one line per finding and per reason of what is unknown, with the escapes of workflow commands.
func TestGitHub(t *testing.T) {
	r := sample()
	r.Results[0].Claims[0].Pos.File = "src/a,b:c.c"
	r.Results[0].Claims[0].Message = "100% sure\nsecond line"
	suppressed := r.Results[0].Claims[0]
	suppressed.Accepted = &verdict.Accepted{Reason: "known"}
	r.Results[1].Claims = append(r.Results[1].Claims, suppressed)
	because := &verdict.Reason{Kind: verdict.TimedOut, Detail: "the time given was used up"}
	for line := range 30 {
		r.Results[1].Claims = append(r.Results[1].Claims, verdict.Claim{Check: verdict.Memory, Status: verdict.Unknown,
			Pos: verdict.Pos{File: "a.c", Line: 7 + line}, Reason: because})
	}
	text := GitHub(r)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	if want := "::error file=src/a%2Cb%3Ac.c,line=41,col=9,title=memory (x86_64)::100%25 sure%0Asecond line%0AIn harness ring_push_harness"; !strings.HasPrefix(lines[0], want) {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
	for i, want := range []string{
		"::warning file=a.c,line=3,title=unknown::unsupported: inline assembly at a.c:3%0Aleaves open everything of other",
		"::warning file=a.c,line=7,title=unknown::timeout: the time given was used up%0Aleaves open 30 claims (memory",
	} {
		if !strings.HasPrefix(lines[1+i], want) {
			t.Errorf("got  %s\nwant %s", lines[1+i], want)
		}
	}
	if !strings.HasPrefix(lines[3], "::notice title=firmproof::") {
		t.Errorf("got %s", lines[2])
	}
	if got := GitHub(&verdict.Report{}); got != "::notice title=firmproof::nothing to check\n" {
		t.Errorf("empty report: %q", got)
	}
}
