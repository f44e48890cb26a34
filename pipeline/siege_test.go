package pipeline

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/sandbox"
)

// TestSiegeBuilds: trees that exhaust what a build may have, through the real program in
// the sandbox of this machine: each ends with the limit, and none as "does not build".
func TestSiegeBuilds(t *testing.T) {
	if os.Getenv("SIEGE") == "" {
		t.Skip("an attack of `make siege`")
	}
	dir, err := os.MkdirTemp("", "firmproof-siege")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "firmproof")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/firmproof").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data := filepath.Join(dir, "data")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(data, 0o755)); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	box, err := sandbox.New(ctx, sandbox.BestEffort, program, filepath.Join(data, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	limits := sandbox.DefaultLimits()
	limits.Memory = 400 << 20
	c, err := NewChildChecker(box.Program(), box, limits)
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string]map[string]string{
		"memory": {"a.c": "int a[1 << 27] = {[0 ... (1 << 27) - 1] = 1};\nint main(void) { return a[0]; }\n",
			ManifestName: "version: 1\ntargets: [x86_64]\nbuild: {sources: [a.c]}\nharnesses: [{entry: main}]\n"},
		"memory of a build command": {"a.c": "int main(void) { return 0; }\n",
			ManifestName: "version: 1\ntargets: [x86_64]\nbuild: {command: \"gcc -c a.c; for i in 1 2 3 4 5 6 7 8; do head -c 90000000 /dev/zero | tail & done; wait\"}\nharnesses: [{entry: main}]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(data, "work", name)
			req := Request{Dir: filepath.Join(root, "src"), Scratch: filepath.Join(root, "out"), Target: "x86_64",
				Limit: 2 * time.Minute}
			if err := errors.Join(os.MkdirAll(req.Dir, 0o755), os.MkdirAll(req.Scratch, 0o755)); err != nil {
				t.Fatal(err)
			}
			for f, text := range files {
				if err := os.WriteFile(filepath.Join(req.Dir, f), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.Build(ctx, req)
			var limit *LimitError
			if !errors.As(err, &limit) || limit.Limit != "memory" || conclusionOf(err) != "action_required" {
				t.Errorf("%v", err)
			}
		})
	}
}
