package syntax

import "testing"

// TestReadFolded: warnings about values give their check; of what had to be
// constant the note behind it does.
func TestReadFolded(t *testing.T) {
	got := ReadFolded([]byte(`p.c:2:17: warning: overflow in expression; result is -2147483648 with type 'int' [-Winteger-overflow]
p.c:3:9: warning: signed shift result (0x80000000) sets the sign bit of the shift expression's type ('int') and becomes negative [-Wshift-sign-overflow]
p.c:4:5: warning: expression is not an integer constant expression; folding it to a constant is a GNU extension [-Wgnu-folding-constant]
p.c:4:7: note: value 2147483648 is outside the range of representable values of type 'int'
p.c:5:1: warning: implicit declaration of function 'f' [-Wimplicit-function-declaration]
p.c:6:1: note: expanded from macro 'M'
`))
	want := []Folded{
		{file: "p.c", line: 2, col: 17, check: "signed-overflow",
			text: "overflow in expression; result is -2147483648 with type 'int'"},
		{file: "p.c", line: 3, col: 9, check: "shift",
			text: "signed shift result (0x80000000) sets the sign bit of the shift expression's type ('int') and becomes negative", strict: true},
		{file: "p.c", line: 4, col: 5, check: "signed-overflow",
			text: "value 2147483648 is outside the range of representable values of type 'int'", constant: true},
	}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}
