package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/scripts/sources"
)

// TestSetupInstallsWhatRuns: scripts/setup.sh installs every program that the code or a test starts by a
// name that stands in the source. What a program needs in turn only `make fresh` can tell.
func TestSetupInstallsWhatRuns(t *testing.T) {
	root := filepath.Join("..", "..")
	script, err := os.ReadFile(filepath.Join(root, "scripts", "setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	there := map[string]bool{"go": true}
	for _, m := range regexp.MustCompile(`(?m)^  \[([^]]+)\]=(\S+)$`).FindAllStringSubmatch(string(script), -1) {
		packages[m[1]] = true
		there[path.Base(m[2])] = true
	}
	for _, name := range []string{"sh", "bash", "env", "head", "grep", "true", "ls", "sleep", "apt-cache",
		"systemd-run"} { // of essential packages; the last two are only asked where there are apt and systemd
		there[name] = true
	}
	for name, pkg := range map[string]string{"arm-none-eabi-addr2line": "gcc-arm-none-eabi"} {
		if !packages[pkg] {
			t.Errorf("setup.sh does not install %s, which has %s", pkg, name)
		}
		there[name] = true
	}
	started := startedPrograms(t, root)
	for name, at := range started {
		if !there[path.Base(name)] {
			t.Errorf("%s starts %s, which scripts/setup.sh does not install", at, name)
		}
	}
	if len(started) < 8 {
		t.Errorf("only %d programs found: does the search still see them?", len(started))
	}
}

// startedPrograms maps each program that is started by a literal name to a place where that is done.
func startedPrograms(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := sources.Walk(root, func(file string) error {
		if !strings.HasSuffix(file, ".go") || strings.Contains(file, "testdata/") {
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, filepath.Join(root, filepath.FromSlash(file)), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if name := programName(n); name != "" {
				out[name] = files.Position(n.Pos()).String()
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// programName returns the literal program of a call of exec.Command and its like, of an Argv, or of a constant for a
// tool; else "".
func programName(n ast.Node) string {
	var e ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "exec" {
			return ""
		}
		switch sel.Sel.Name {
		case "Command", "LookPath":
			e = n.Args[0]
		case "CommandContext":
			e = n.Args[1]
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Argv" {
			if list, ok := n.Value.(*ast.CompositeLit); ok && len(list.Elts) > 0 {
				e = list.Elts[0]
			}
		}
	case *ast.ValueSpec:
		if name := n.Names[0].Name; len(n.Values) == 1 && (strings.HasSuffix(name, "Tool") || strings.HasPrefix(name,
			"llvm")) {
			e = n.Values[0]
		}
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	name, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return name
}

// TestNodeVersions: what the tests install from npm runs on the Node that Debian 12 has.
func TestNodeVersions(t *testing.T) {
	const debian = 18
	for _, dir := range []string{"bot/testdata/octokit", "bot/fakegithub/testdata/probot", "deploy/check",
		"reports/browser/npm", "editors/vscode"} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(dir), "package-lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct {
				Engines  struct{ Node string }
				Optional bool
			}
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			t.Fatal(err)
		}
		if len(lock.Packages) < 2 {
			t.Errorf("%s: %d packages", dir, len(lock.Packages))
		}
		for name, p := range lock.Packages {
			m := regexp.MustCompile(`^>= ?(\d+)`).FindStringSubmatch(p.Engines.Node)
			if m == nil || p.Optional {
				continue
			}
			if least, _ := strconv.Atoi(m[1]); least > debian {
				t.Errorf("%s: %s wants Node %s, Debian 12 has %d", dir, name, p.Engines.Node, debian)
			}
		}
	}
}
