package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestContextOfMain: main is a caller as well, and handlers run in it; that does not settle what calls main does not make.
func TestContextOfMain(t *testing.T) {
	const handled = `volatile int n;
static int share(int a, int b) { return a / b; }
void SysTick_Handler(void) { n = share(n, 2) & 7; }
int main(void) { return share(n, @); }
`
	const interrupts = "interrupts: [{handler: SysTick_Handler, max: any}]\nharnesses: [{entry: main}]\n"
	for name, c := range map[string]struct {
		src, manifest string
		status        verdict.Status
		said          string
	}{
		"proved in main": {"static int share(int a, int b) { return a / b; }\nint main(void) { return share(9, 3); }\n",
			"harnesses: [{entry: main}]\n", verdict.Unknown, "share is called by main, where it is proved"},
		"violated in main": {"static int share(int a, int b) { return a / b; }\nint main(void) { return share(9, 0); }\n",
			"harnesses: [{entry: main}]\n", verdict.Violated, ""},
		"main is not asked": {"static int share(int a, int b) { return a / b; }\nint main(void) { return share(9, 3); }\n",
			"", verdict.Violated, ""},
		"a pointer leads to it": {"static int share(int a, int b) { return a / b; }\nint (*volatile at)(int, int);\n" +
			"int main(void) { at = share; return share(9, 3); }\n", "harnesses: [{entry: main}]\n", verdict.Violated, ""},
		"a handler that runs in main": {strings.Replace(handled, "@", "2", 1), interrupts, verdict.Unknown,
			"share is called by main, where it is proved"},
		"what a handler does to main": {strings.Replace(handled, "@", "n & 1", 1), interrupts, verdict.Violated, ""},
		"a handler that does not run": {strings.NewReplacer("@", "(n & 6) | 1", "share(n, 2) & 7", "9").Replace(handled), "harnesses: [{entry: main}]\n", verdict.Unknown,
			"(SysTick_Handler does not run there: `interrupts` of the manifest has handlers run)"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{"src.c": c.src,
				".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [src.c]}\nfunctions: all\n" + c.manifest})
			_, rep, errs := checkJSON(t, filepath.Clean(dir))
			found := false
			for i := range rep.Results {
				r := &rep.Results[i]
				if r.Entry != "any call of share" {
					continue
				}
				found = true
				if r.Status != c.status {
					t.Errorf("%s, want %s", r.Status, c.status)
				}
				said := ""
				for _, x := range r.Claims {
					said += x.Reason.String() + "\n"
				}
				if !strings.Contains(said, c.said) {
					t.Errorf("it does not say %q:\n%s", c.said, said)
				}
			}
			if !found {
				t.Errorf("share is not called: %s", errs)
			}
		})
	}
}
