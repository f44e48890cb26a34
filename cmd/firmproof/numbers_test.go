package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/firmproof/firmproof/scripts/sources"
)

// featureNumber is a citation of a feature of the literature.
var featureNumber = regexp.MustCompile(`\b(?:LL|AP|BV|MO|LI)-[0-9]+\b`)

// TestFeatureNumbers: docs/features.md says, once, what each number means that anything in the tree cites.
func TestFeatureNumbers(t *testing.T) {
	root := filepath.Join("..", "..")
	list, err := os.ReadFile(filepath.Join(root, "docs", "features.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([A-Z]+-\d+) \| \S`).FindAllSubmatch(list, -1) {
		number := string(m[1])
		if listed[number] {
			t.Errorf("docs/features.md lists %s twice", number)
		}
		listed[number] = true
	}
	cited := 0
	err = sources.Walk(root, func(path string) error {
		switch filepath.Ext(path) {
		case ".go", ".md", ".txtar", ".c", ".h", ".rules":
		default:
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil {
			return err
		}
		for _, number := range featureNumber.FindAllString(string(text), -1) {
			cited++
			if !listed[number] {
				t.Errorf("%s cites %s, which docs/features.md does not list", path, number)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited < 100 {
		t.Errorf("only %d citations found: is the pattern still right?", cited)
	}
}
