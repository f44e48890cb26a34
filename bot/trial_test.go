package bot_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/bot"
)

// say has somebody comment on a pull request.
func (w *world) say(number int, user, body string) {
	w.t.Helper()
	w.call("POST", "/_fake/comments", obj{"repo": "acme/fw", "number": number, "user": user, "body": body})
}

// comment waits for a comment of ours with all the parts.
func (w *world) comment(parts ...string) string {
	w.t.Helper()
	found := ""
	w.await("a comment with "+strings.Join(parts, ", "), func(s state) bool {
		for _, c := range s.Comments {
			ok := strings.HasPrefix(c.Body, "<!-- firmproof")
			for _, p := range parts {
				ok = ok && strings.Contains(c.Body, p)
			}
			if ok {
				found = c.Body
			}
		}
		return found != ""
	})
	return found
}

const trialDiff = "```diff\n--- a/main.c\n+++ b/main.c\n@@ -1,3 +1,4 @@\n int main\n-bug one\n+fine\n bug two\n+bug three\n```\n"

// TestPatch: a patch in a comment is tried on the head of the pull request: the answer says what it mends, brings and
// leaves. Nothing is pushed, and nothing else is said anywhere.
func TestPatch(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug one\nbug two\n")
	n := w.pull("fix", false)
	head := w.await("three completed check runs", finished(3)).Pulls[0].Head.SHA

	w.say(n, "rob", "/firmproof test\n\n"+trialDiff)
	w.comment("write access")
	w.say(n, "ann", "/firmproof test\n\n> "+strings.ReplaceAll(trialDiff, "\n", "\n> "))
	w.comment("There is no patch")
	w.say(n, "ann", "/firmproof test main.c:2\n"+trialDiff)
	w.comment("stands in the place of lines")
	w.say(n, "ann", "/firmproof test main.c:2-9\n```suggestion\nfine\n```")
	w.comment("`main.c` has 3 lines")
	if got := c.count(); got != 2 {
		t.Errorf("%d verifications: a stranger or a mistake had something built", got)
	}

	w.say(n, "ann", "Would this do?\r\n\r\n/firmproof test\r\n"+strings.ReplaceAll(trialDiff, "\n", "\r\n"))
	w.comment("Testing the patch on "+head[:10], "(diff ")
	got := w.comment("firmproof, with the patch", "of ann on commit "+head+"; nothing was pushed",
		"What the patch brings", "bug three", "What the patch mends", "`memory@main#2` (`main`) on cortex-m3, x86_64",
		"What stays", "bug two", "#issuecomment-")
	if strings.Contains(got, "bug one") {
		t.Errorf("what it mends is not mended: %s", got)
	}

	w.say(n, "ann", "/firmproof test main.c:2\n```suggestion\nfine\n```\n\n/firmproof test\n```diff\n--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-int mian\n+int\n```")
	w.comment("What the patch mends", "1 fixed")
	w.comment("the patch does not apply to "+head[:10], "main.c: patch does not apply")

	w.say(n, "ann", "/firmproof list")
	s := w.await("the list", func(s state) bool { return strings.Contains(s.Comments[len(s.Comments)-1].Body, "/firmproof list") })
	if len(s.CheckRuns) != 3 || s.Pulls[0].Head.SHA != head || conclusions(s)["firmproof"] != "failure" {
		t.Errorf("a test of a patch shows: %+v", s.CheckRuns)
	}
	w.pageShows("/repos/acme/fw", "patch on #1")
	run := regexp.MustCompile(`<!-- firmproof test (\w+) -->`).FindStringSubmatch(got)[1]
	w.pageShows("/runs/"+run, "a patch of @ann that nobody pushed, on commit <a href=\""+w.gh.URL+"/acme/fw/commit/"+head)
	b := w.browser("ann")
	b.open("/auth/login")
	if _, text, _ := b.open("/api/v1/repos/acme/fw/runs?pull=1"); strings.Count(text, `"id"`) != 1 {
		t.Errorf("programs take a test of a patch for a run of the pull request: %s", text)
	}
	w.say(n, "ann", "/firmproof rerun")
	s = w.await("the head once more", finished(6))
	for _, r := range s.CheckRuns {
		if r.HeadSHA != head || r.Name == "firmproof / x86_64" && len(r.Annotations) != 2 {
			t.Errorf("after the tests: %+v", r)
		}
	}
}

// TestPatchOnFork: a patch on the head of a fork is built once that head is approved, with the base branch's manifest,
// whatever the fork or the patch makes of it.
func TestPatchOnFork(t *testing.T) {
	c := &reader{}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.call("POST", "/_fake/push", obj{"repo": "acme/fw", "branch": "evil", "files": obj{"main.c": "int main\nbug one\n",
		".firmproof.yml": strings.Replace(testManifest, "x86_64", "i386", 1)}})
	n := w.pull("evil", true)
	head := w.await("the gate", finished(1)).Pulls[0].Head.SHA
	diff := "/firmproof test\n```diff\n--- a/main.c\n+++ b/main.c\n@@ -1,2 +1,2 @@\n int main\n-bug one\n+fine\n" +
		"--- a/.firmproof.yml\n+++ b/.firmproof.yml\n@@ -1,3 +1,3 @@\n version: 1\n-targets: [cortex-m3, i386]\n+targets: [avr]\n build:\n```\n"
	w.say(n, "ann", diff)
	w.comment("is not approved", "/firmproof approve "+head[:10])
	if c.built != 0 {
		t.Fatal("a patch had a fork built that nobody approved")
	}
	w.say(n, "ann", "/firmproof approve "+head)
	w.await("the runs", finished(4))
	w.say(n, "ann", "please\n"+diff)
	got := w.comment("with the patch", "What the patch mends", "| cortex-m3 | x86_64 |", "the one of the base branch")
	if strings.Contains(got, "avr") || strings.Contains(got, "i386") {
		t.Errorf("the fork's manifest governs: %s", got)
	}
}

// TestPatchSurvives: the server ends in the middle of a test of a patch; a new one ends it, and answers once.
func TestPatchSurvives(t *testing.T) {
	c := &reader{hold: make(chan struct{}, 4)}
	for range cap(c.hold) { // the head's two verifications, and those of the commit that it starts from
		c.hold <- struct{}{}
	}
	w := newWorld(t, c)
	w.repo("int main\n")
	w.push("fix", "int main\nbug one\nbug two\n")
	n := w.pull("fix", false)
	w.await("three completed check runs", finished(3))
	w.say(n, "ann", "/firmproof test\n"+trialDiff)
	w.await("the test's verifications", func(state) bool { return c.count() == 4 })
	w.stop()
	close(c.hold)
	w.call("POST", "/_fake/faults", []obj{{"match": "POST .*/comments$", "times": 1, "kind": "after-effect", "status": 502}})
	w.start()
	w.comment("with the patch", "bug three")
	w.say(n, "ann", "/firmproof help")
	s := w.await("help", func(s state) bool { return strings.Contains(s.Comments[len(s.Comments)-1].Body, "What I understand") })
	answers := 0
	for _, c := range s.Comments {
		if strings.Contains(c.Body, "with the patch") {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("%d answers", answers)
	}
}

// TestReplaced: the diff of a suggestion, at the ends of files and with the line ends that they have.
func TestReplaced(t *testing.T) {
	for _, c := range []struct {
		old         string
		first, last int
		text, want  string
	}{
		{"a\nb\nc\n", 2, 2, "x\ny\n", "@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n"},
		{"a\n", 1, 1, "", "@@ -1,1 +1,0 @@\n-a\n"},
		{"a\nb", 2, 2, "c\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", 5, 6, "x\n", "@@ -2,8 +2,7 @@\n 2\n 3\n 4\n-5\n-6\n+x\n 7\n 8\n 9\n"},
		{"a\r\nb\r\n", 2, 2, "c\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
		{"a\nb\n", 2, 3, "x\n", ""},
		{"", 1, 1, "x\n", ""},
	} {
		want := c.want
		if want != "" {
			want = "--- a/f\n+++ b/f\n" + want
		}
		if got, _ := bot.Replaced("f", c.old, c.first, c.last, c.text); got != want {
			t.Errorf("%q: %q, want %q", c.old, got, want)
		}
	}
}
