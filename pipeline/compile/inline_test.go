package compile

import (
	"context"
	"slices"
	"testing"
)

// TestInline: a function that is inline where it is defined has a body where a declaration makes it one for others, too
// (C17 6.7.4); one that is inline alone has none, as in C. Static functions that nothing calls are kept beside the latter.
func TestInline(t *testing.T) {
	const body = "inline int f(int x) { return x + 1; }\nint g(int x) { return f(x); }\n" +
		"static int s(int x) { return x; }\n"
	for name, c := range map[string]struct {
		declaration string
		want        []string
	}{
		"extern inline": {"extern inline int f(int x);", []string{"f", "g"}},
		"plain":         {"__attribute__((noinline)) int f(int);", []string{"f", "g"}},
		"inline":        {"inline int f(int x);", []string{"g", "s"}},
		"gnu": {"extern __inline __attribute__((__gnu_inline__)) int h(int x) { return x; }",
			[]string{"g", "s"}},
	} {
		dir := tree(t, map[string]string{"a.c": body + c.declaration + "\n"})
		img, err := Project(context.Background(), dir, parse(t, "build: {sources: [a.c]}\n"), load(t, "host"),
			Options{WorkDir: t.TempDir(), KeepAll: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, f := range img.Functions {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: functions %q, want %q", name, got, c.want)
		}
	}
}
