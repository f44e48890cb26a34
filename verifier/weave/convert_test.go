package weave

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

func TestConvert(t *testing.T) {
	const caller = `
int long_of(), pointer_of(), pointer_used(), byte_of(), wide();
int main(void) {
	int a = long_of(7L), b = 0;
	pointer_of(&b);
	b = pointer_used();
	b = byte_of();
	b = wide(1);
	return a + b;
}
`
	const callees = `
unsigned long long_of(int x) { return x; }
char *pointer_of(int *p) { return (char *)p; }
char *pointer_used(void) { return 0; }
unsigned char byte_of(void) { return 200; }
int wide(long x) { return x; }
`
	m := link(t, caller, callees)
	notes := strings.Join(verdict.TextsOf(Convert(m)), "\n")
	if err := ir.Check(m); err != nil {
		t.Fatal(err)
	}
	text := m.Func("main").String()
	for name, want := range map[string]bool{"long_of": true, "pointer_of": true, "byte_of": true,
		"pointer_used": false, "wide": false} {
		if strings.Contains(notes, name+" is called") != want {
			t.Errorf("%s converted: %v, notes %q", name, !want, notes)
		}
	}
	for _, want := range []string{"trunc", "zext"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if again := Convert(m); len(again) != 0 {
		t.Errorf("a second time: %q", again)
	}
}
