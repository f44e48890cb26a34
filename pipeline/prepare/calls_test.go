package prepare

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// TestCallsOfAnyFunction: an entry of calls whose structure holds a pointer to any function leads to none without code.
func TestCallsOfAnyFunction(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(file, []byte("struct box {\n  unsigned n;\n  int at[4];\n  void (*told)(int);\n};\n"+
		"void push(struct box *b, int v) {\n  if (b->n < 4) b->at[b->n++] = v;\n  if (b->told) b->told(v);\n}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	jobs, err := Jobs(t.Context(), Request{Paths: []string{file}, Targets: []string{"x86_64"}, Functions: []string{"push"}})
	if err != nil || len(jobs) != 1 || jobs[0].Plan.Calls == nil || jobs[0].Plan.Calls.Entry == "" {
		t.Fatalf("%v: %+v", err, jobs)
	}
	m := jobs[0].Program
	has := map[*ir.Func]bool{}
	for _, f := range m.Funcs {
		has[f] = true
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range in.Args {
					if c, ok := a.(*ir.Const); ok && c.Func != nil && !has[c.Func] {
						t.Errorf("%s leads to %s, which the program does not have", f.Name, c.Func.Name)
					}
				}
			}
		}
	}
}
