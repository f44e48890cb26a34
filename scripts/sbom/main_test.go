package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestBill: the modules of a program (this test) and Debian's packages are in its document, once each.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := bill(self, "1.2", "arm64", "clang-14 | clang-19, clang-14 | llvm-19, libc6 (>= 2.34), libstdc++6 (>= 12)")
	if err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range doc.Components {
		if seen[c.Ref] || c.Ref == "" || c.Type == "" || c.Name == "" {
			t.Errorf("component %+v", c)
		}
		seen[c.Ref] = true
	}
	for _, want := range []string{"pkg:deb/debian/clang-14?arch=arm64", "pkg:deb/debian/libc6@2.34?arch=arm64",
		"pkg:deb/debian/libstdc++6@12?arch=arm64"} {
		if !seen[want] {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if c := doc.Components[0]; c.Name != "std" || c.Version == "" {
		t.Errorf("Go is %+v", c)
	}
	if h := doc.Metadata.Component.Hashes; len(h) != 1 || len(h[0].Content) != 64 {
		t.Errorf("hashes %v", h)
	}
	if len(doc.Dependencies) != 1 || len(doc.Dependencies[0].DependsOn) != len(doc.Components) {
		t.Errorf("dependencies %+v", doc.Dependencies)
	}
	if again, err := bill(self, "1.2", "arm64", ""); err != nil || strings.Contains(string(again), "pkg:deb") {
		t.Errorf("%v: %s", err, again)
	}
	if _, err := bill("main.go", "", "", ""); err == nil {
		t.Error("main.go is a program")
	}
}
