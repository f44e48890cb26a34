package prepare

import (
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/change"
)

// TestRenewals: what has another name is compared with what it was, if no other file can name it and it is like that.
func TestRenewals(t *testing.T) {
	like := func(n uint32) change.Likeness {
		out := change.Likeness{Type: "i32 ()", Sketch: make([]uint32, 32)}
		for i := range out.Sketch {
			out.Sketch[i] = n
		}
		return out
	}
	old := &Bodies{Names: []string{"step", "read", "open", "main"}, Code: map[string]string{"step": "1", "read": "2", "open": "3", "main": "4"},
		Forms:  map[string]string{"step": "a", "read": "b", "open": "c", "main": "d"},
		Static: map[string]change.Likeness{"step": like(1), "read": like(2)}}
	now := &Bodies{Names: []string{"advance", "fresh", "main", "opened"}, Code: map[string]string{"advance": "5", "fresh": "6", "main": "7", "opened": "8"},
		Forms:  map[string]string{"advance": "e", "fresh": "f", "main": "g", "opened": "c"},
		Static: map[string]change.Likeness{"advance": like(1), "fresh": like(3)}}
	changed, added, gone := Renewals(old, now)
	if want := []Renewed{{"step", "advance"}, {"main", "main"}, {"open", "opened"}}; !slices.Equal(changed, want) {
		t.Errorf("changed: %v, want %v", changed, want)
	}
	if !slices.Equal(added, []string{"fresh"}) || !slices.Equal(gone, []string{"read"}) {
		t.Errorf("added: %v, gone: %v", added, gone)
	}
	names := NamesBefore(changed)
	if len(names) != 2 || names["advance"] != "step" || names["opened"] != "open" {
		t.Errorf("names: %v", names)
	}
}
