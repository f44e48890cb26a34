package bot

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestTurns: whole reports are read so many at a time; who would have to wait for long is asked to come again.
func TestTurns(t *testing.T) {
	p := &pages{whole: make(chan struct{}, wholeReports)}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var done func()
	for range wholeReports {
		var err error
		if done, err = p.turn(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.turn(ctx); !errors.Is(err, errLater) {
		t.Errorf("one more: %v", err)
	}
	done()
	if _, err := p.turn(context.Background()); err != nil {
		t.Errorf("after one is done: %v", err)
	}
	w := httptest.NewRecorder()
	busy(w)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// TestSections: a list leads on while there is more, and back.
func TestSections(t *testing.T) {
	for _, c := range []struct {
		first, left int
		want        section
	}{{0, 100, section{}}, {0, 101, section{Next: 100}},
		{100, 101, section{true, 0, 200}}, {250, 20, section{true, 150, 0}}} {
		if got := sectionAt(c.first, 100, c.left); got != c.want {
			t.Errorf("%d, %d left: %+v", c.first, c.left, got)
		}
	}
	for query, want := range map[string]int{"": 0, "from=7": 7, "from=-1": 0, "from=x": 0,
		"from=99999999999999999999": 0} {
		if got := from(httptest.NewRequest(http.MethodGet, "/?"+query, nil)); got != want {
			t.Errorf("%s: %d", query, got)
		}
	}
}
