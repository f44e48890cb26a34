package bot

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline"
)

// TestNoticeText: what a repository's text says calls nobody and links nowhere in Slack, and stays in its line; of many
// findings ten are worded.
func TestNoticeText(t *testing.T) {
	s := &Server{cfg: Config{PublicURL: "https://firmproof.example"}}
	change := &pipeline.Regression{Targets: []pipeline.TargetChange{{Target: "x86_64"}}}
	for range 12 {
		change.Targets[0].Introduced = append(change.Targets[0].Introduced, pipeline.Change{Where: "a.c:7",
			Message: "<!channel> see <https://evil|here> & go\nacme/fw: all is well"})
	}
	want := "acme/fw: 12 new in the night\n" + strings.Repeat(
		"&lt;!channel&gt; see &lt;https://evil|here&gt; &amp; go acme/fw: all is well at a.c:7 on x86_64\n", 10) +
		"and 2 more\nhttps://firmproof.example/repos/acme/fw/night"
	if got := s.noticeOf("acme/fw", change).Text; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
