package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
)

// TestFoldedRuns: a list of runs folds those that say nothing of how a branch or a change stands.
func TestFoldedRuns(t *testing.T) {
	var l runList
	for _, r := range []store.Run{{Trigger: "push", State: store.Done, Conclusion: "success"}, {Trigger: "push", Conclusion: "cancelled", State: store.Done},
		{Trigger: pipeline.BisectTrigger, State: store.Done}, {Trigger: pipeline.TestTrigger, State: store.Done}} {
		l.add(runRow{Run: r})
	}
	var page strings.Builder
	if err := pageTemplates().ExecuteTemplate(&page, "runs", l); err != nil {
		t.Fatal(err)
	}
	shown, folded, found := strings.Cut(page.String(), "<summary>3 more: cancelled,")
	if !found || strings.Count(shown, "<td><a href=") != 1 || strings.Count(folded, "<td><a href=") != 3 {
		t.Errorf("shown %s\nfolded %s", shown, folded)
	}
	page.Reset()
	if err := pageTemplates().ExecuteTemplate(&page, "runs", runList{}); err != nil || !strings.Contains(page.String(), "None yet.") {
		t.Errorf("no runs: %s %v", page.String(), err)
	}
}

// TestTimes: a time is said as how long ago it was, with the exact one behind it; an old or a future one as it is.
func TestTimes(t *testing.T) {
	now := time.Now().UTC()
	exact := func(at time.Time) string { return at.Format("2006-01-02 15:04 UTC") }
	for ago, want := range map[time.Duration]string{0: "less than a minute ago", 90 * time.Second: "1 minute ago", 50 * time.Hour: "2 days ago",
		40 * 24 * time.Hour: exact(now.Add(-40 * 24 * time.Hour)), -time.Hour: exact(now.Add(time.Hour))} {
		at := now.Add(-ago)
		if got := string(atTime(at)); !strings.Contains(got, `title="`+exact(at)+`"`) || !strings.HasSuffix(got, ">"+want+"</time>") {
			t.Errorf("%s ago is %s, want %s", ago, got, want)
		}
	}
	if got := atTime(time.Time{}); got != "" {
		t.Errorf("no time is %q", got)
	}
}
