package interrupt

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// TestCommute: functions that handlers make no difference to have no points; in front of their calls stands one where they
// could stay, or end the program.
func TestCommute(t *testing.T) {
	const s = "int shared, other; void handler(void) { shared = 1; }\n"
	list := []Handler{{Name: "handler", Max: AnyTimes}}
	for _, c := range []struct {
		name, src  string
		f, g, main int // points
		meets      bool
	}{
		{"neither", "int f(void) { return other; } int g(void) { return f(); } int main(void) { return g(); }", 0, 0, 1, false},
		{"a loop", "void f(void) { for (;;) other++; } void g(void) { f(); } int main(void) { g(); return 0; }", 0, 0, 2, false},
		{"its end", "void exit(int); void f(void) { exit(1); } void g(void) { f(); } int main(void) { g(); return 0; }", 0, 0, 2, false},
		{"an access", "int f(void) { return shared; } int g(void) { return f(); } int main(void) { return g(); }", 1, 0, 1, true},
		{"a loop beside an access", "void f(void) { for (;;) other++; } void g(void) { shared = 0; f(); } int main(void) { g(); return 0; }",
			0, 2, 1, true},
		{"through a pointer", "void f(void) { for (;;) other++; } void (*at)(void) = f; void g(void) { at(); } int main(void) { g(); return 0; }",
			0, 0, 2, false},
		{"a mask", "void f(void) { asm(\"cli\"); } int g(void) { f(); return 0; } int main(void) { return g(); }", 1, 0, 1, true},
		{"no mask", "void f(void) { asm(\"nop\"); } int g(void) { f(); return 0; } int main(void) { return g(); }", 0, 0, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := compile(t, s+c.src+"\n"+PointSource(list))
			w, err := Interrupts(&Program{Module: m, Entries: []string{"main"}}, list)
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Check(m); err != nil {
				t.Error(err)
			}
			for name, want := range map[string]int{"f": c.f, "g": c.g, "main": c.main} {
				if got := points(m.Func(name)); got != want {
					t.Errorf("%s: %d points, want %d", name, got, want)
				}
			}
			if got := w.Meets(m.Func("g")); got != c.meets {
				t.Errorf("handlers make a difference to g: %v", got)
			}
		})
	}
	m := compile(t, s+"int f(void) { return shared; } int main(void) { handler(); return f(); }\n"+PointSource(list))
	w, err := Interrupts(&Program{Module: m, Entries: []string{"main"}}, list)
	if err != nil {
		t.Fatal(err)
	}
	if at, _ := w.RunsAs(m.Func("handler")); at != nil {
		t.Error("a handler that the program calls runs among others")
	}
	if at, _ := w.RunsAs(m.Func("f")); at != nil {
		t.Error("f is no handler")
	}
}
