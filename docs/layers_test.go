package docs

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/scripts/sources"
)

const module = "github.com/firmproof/firmproof/"

// TestLayers holds every import clause of the module to docs/layers.txt: a
// package imports only packages of lower layers, or of its own folder tree
// where the line says so with `...`.
func TestLayers(t *testing.T) {
	layers := readLayers(t)
	root := ".."
	seen := 0
	err := sources.Walk(root, func(file string) error {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata/") {
			return nil
		}
		seen++
		checkFile(t, layers, filepath.Join(root, filepath.FromSlash(file)), path.Dir(file))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 500 {
		t.Fatalf("only %d files seen", seen)
	}
}

func checkFile(t *testing.T, layers []layerRule, path, pkg string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	from, ok := find(layers, pkg)
	if !ok {
		t.Errorf("%s: package %s is in no layer of docs/layers.txt", path, pkg)
		return
	}
	for _, imp := range f.Imports {
		name, err := strconv.Unquote(imp.Path.Value)
		if err != nil || !strings.HasPrefix(name, module) {
			continue
		}
		to := strings.TrimPrefix(name, module)
		target, ok := find(layers, to)
		sameTree := from.tree != "" && from.tree == target.tree
		if !ok || target.level >= from.level && !sameTree {
			t.Errorf("%s: %s (layer %d) imports %s (layer %d)", path, pkg, from.level, to, target.level)
		}
	}
}

// layerRule places one package, or a folder tree of packages, in a layer.
type layerRule struct {
	level int
	name  string
	tree  string // first path element if the line has `name/...`: siblings inside may import each other
}

func readLayers(t *testing.T) []layerRule {
	t.Helper()
	data, err := os.ReadFile("layers.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []layerRule
	for _, line := range strings.Split(string(data), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		level, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatalf("docs/layers.txt: %q: %v", line, err)
		}
		trees := map[string]bool{}
		for _, w := range words[1:] {
			if name, ok := strings.CutSuffix(w, "/..."); ok {
				trees[name] = true
				out = append(out, layerRule{level, name + "/", name})
			}
		}
		for _, w := range words[1:] {
			if !strings.HasSuffix(w, "/...") {
				r := layerRule{level: level, name: w}
				if trees[w] {
					r.tree = w
				}
				out = append(out, r)
			}
		}
	}
	return out
}

func find(layers []layerRule, pkg string) (layerRule, bool) {
	best, ok := layerRule{}, false
	for _, r := range layers {
		if r.name == pkg || strings.HasSuffix(r.name, "/") && strings.HasPrefix(pkg, r.name) {
			if !ok || len(r.name) > len(best.name) {
				best, ok = r, true
			}
		}
	}
	return best, ok
}
