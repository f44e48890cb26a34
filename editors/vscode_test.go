package editors

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestExtension: the extension for VS Code fits that API's types, its own tests pass, and its package has what it needs and
// the same bytes each time. It needs npm and its registry, so a -short run leaves it out.
func TestExtension(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short runs without network")
		return
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "editors", "vscode")
	if err := filepath.WalkDir("vscode", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", "build", "dist"}, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(path, filepath.Join(root, "editors", path))
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "docs/manifest.schema.json"} {
		if err := copyFile(filepath.Join("..", name), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run("sh", "install.sh")
	run("npm", "run", "--silent", "check")
	run("npm", "test", "--silent")
	var packages [2][]byte
	for i := range packages {
		file := filepath.Join(root, "firmproof.vsix")
		run("node", "build.mjs", "package", file, "1.2.3")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		packages[i] = text
	}
	if !bytes.Equal(packages[0], packages[1]) {
		t.Error("two packages differ")
	}
	z, err := zip.NewReader(bytes.NewReader(packages[0]), int64(len(packages[0])))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if want := []string{"[Content_Types].xml", "extension.vsixmanifest", "extension/LICENSE.txt", "extension/README.md",
		"extension/dist/NOTICES", "extension/dist/extension.js", "extension/manifest.schema.json",
		"extension/package.json"}; !slices.Equal(names, want) {
		t.Errorf("the package has %q", names)
	}
	manifest, err := fs.ReadFile(z, "extension.vsixmanifest")
	if err != nil || !bytes.Contains(manifest, []byte(`Version="1.2.3"`)) {
		t.Errorf("%v\n%s", err, manifest)
	}
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
