package checkout

import "testing"

// FuzzDiff: what git prints is read or refused; ranges are of lines, in order.
func FuzzDiff(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ f(\n-a\n+b\n+c\n+++ b/fake\n@@ -9 +9,0 @@\n-z\n")
	f.Add("--- /dev/null\n+++ \"b/\\303\\274.c\"\n@@ -0,0 +1 @@\n+q\n\\ No newline at end of file\n")
	f.Add("@@ -1 +99999999999999999999 @@\n")
	f.Add("+++ b/x\n@@ -0 +0 @@\n")
	f.Add("+++ b/x\n@@ -1 +-3,2 @@\n+++ b/x\n@@ -1 +9223372036854775807,9 @@\n")
	f.Fuzz(func(t *testing.T, text string) {
		changed, err := parseDiff(text)
		if err != nil {
			return
		}
		for file, list := range changed {
			for _, r := range list {
				if file == "" || r.From < 1 || r.To < r.From {
					t.Fatalf("%q: %+v", file, r)
				}
			}
		}
	})
}
