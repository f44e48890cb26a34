package strict

import (
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'i'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+p+", ", 9) + "*" + p + "]\n"
	}
	cases := []struct{ name, text, want string }{
		{"alias bomb", bomb, "values once aliases are followed"},
		{"size", strings.Repeat("#", 1<<20+1), "bytes, more than"},
		{"depth", strings.Repeat("[", 60) + strings.Repeat("]", 60), "nested deeper"},
		{"zero byte", "a: b\nc: \x00", "2:1: the file holds a zero byte"},
		{"two documents", "a: 1\n---\nb: 2\n", "more than one document"},
		{"self", "a: &x [*x]\n", "contains itself"},
		{"syntax", "a: b\n c: d\n", "this is no YAML"},
		{"comment only", "# nothing\n", "empty"},
	}
	for _, c := range cases {
		var r Reader
		if n := r.Parse([]byte(c.text), DefaultLimits()); n != nil {
			t.Errorf("%s: accepted", c.name)
		}
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestMerge(t *testing.T) {
	var r Reader
	root := r.Parse([]byte("base: &b {x: 1, y: 2}\none: {<<: *b, y: 3}\ntwo: {<<: [*b], z: 4}\nbad: {<<: 7}\n"),
		DefaultLimits())
	top := r.Map(root, "", []string{"base", "one", "two", "bad"})
	one := r.Map(top.Value("one"), "one", []string{"x", "y"})
	x, _ := one.Int("x", 0, 9)
	y, _ := one.Int("y", 0, 9)
	if x != 1 || y != 3 || r.Err() != nil {
		t.Errorf("x=%d y=%d %v", x, y, r.Err())
	}
	if two := r.Map(top.Value("two"), "two", []string{"x", "z"}); two.Has("y") || !two.Has("x") || r.Err() == nil {
		t.Errorf("an unknown merged key passed: %v", r.Err())
	}
	if r.Map(top.Value("bad"), "bad", []string{"x"}); !strings.Contains(r.Err().Error(), "merges maps") {
		t.Error(r.Err())
	}
}

func TestParseNumber(t *testing.T) {
	for in, want := range map[string]string{"0": "0", "4K": "4096", "0x1000": "4096", "2M": "2097152", "0b11": "3",
		"-3": "-3", "18446744073709551615": "18446744073709551615"} {
		if v, ok := ParseNumber(in, true); !ok || v.String() != want {
			t.Errorf("%s: %v %v", in, v, ok)
		}
	}
	for _, in := range []string{"", "K", "010", "1.5", "0x", "4Q", "-", "--1"} {
		if v, ok := ParseNumber(in, true); ok {
			t.Errorf("%q read as %v", in, v)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1", "a: &x {b: *x}", "? [a]\n: b", "<<: *x", "a: !!binary x", "%YAML 1.1\n---\na"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var r Reader
		n := r.Parse([]byte(s), DefaultLimits())
		if (n == nil) != (r.Err() != nil) {
			t.Fatalf("node %v, problems %v", n, r.Err())
		}
		if n != nil {
			if m := r.Map(n, "", []string{"a"}); m != nil {
				m.Strings("a")
				m.Size("a")
			}
		}
	})
}
