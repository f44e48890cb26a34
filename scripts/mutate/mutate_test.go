package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMutants: mistakes of every kind are compiled at once, and those are killed that the test of a small package
// can notice.
func TestMutants(t *testing.T) {
	t.Chdir("../..")
	const pkg = "scripts/mutate/testdata/count"
	all, err := candidates(pkg)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	kept, err := readFound(filepath.Join(dir, "found.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := subject{pkg, []stage{{pkg: pkg, run: "."}}}
	for seed := int64(1); len(kept.Mutants) < len(all); seed++ { // a binary has one mistake a node
		r := &runner{o: &options{build: dir}, subject: s, mutants: sample(all, len(all), seed), found: kept}
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, m := range all {
		if v, ok := kept.Mutants[m.key()]; ok {
			name := m.id[strings.Index(m.id, ".go:")+4:]
			got = append(got, fmt.Sprintf("%s (%s) %t %s", name, m.what, v.Killed != "", v.How))
		}
	}
	want := []string{
		"Long:boundary#1 (x < 2) false reached",
		"Long:drop#1 (without continue) true ",
		"Long:drop#2 (without count++) true ",
		"Long:drop#3 (without sum += x - n) true ",
		"Long:drop-or#1 (x <= 2 || x == 7 without its second part) true ",
		"Long:name#1 (max(sum, 0) with min) true ",
		"Long:negate#1 (not (x <= 2)) true ",
		"Long:negate#2 (not (x == 7)) true ",
		"Long:off-by-one#1 (2 + 1) true ",
		"Long:off-by-one#2 (7 + 1) true ",
		"Long:off-by-one#3 (x - n + 1) true ",
		"Long:off-by-one#4 (0 + 1) false reached",
		"Long:operator#1 (x + n) true ",
		"Unused:negate#1 (not (!ok)) false unreached",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if a, b := sample(all, 3, 1), sample(all, 3, 1); !slices.Equal(a, b) || len(a) != 3 {
		t.Error("a sample is not the seed's")
	}
}

// TestReasons: every mutant that is listed as equivalent exists, and so does every place that is left out; each has a
// reason.
func TestReasons(t *testing.T) {
	t.Chdir("../..")
	same, err := readReasons("scripts/mutate/equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	outside, err := readReasons("scripts/mutate/outside.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		in := func(id string) bool { return strings.HasPrefix(id, s.pkg+"/") }
		if !slices.ContainsFunc(slices.Concat(slices.Collect(maps.Keys(same)), slices.Collect(maps.Keys(outside))),
			in) {
			continue
		}
		all, err := candidates(s.pkg)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			delete(same, m.id)
			delete(outside, m.file)
			delete(outside, m.id[:strings.LastIndex(m.id, ":")])
		}
	}
	for _, list := range []map[string]string{same, outside} {
		for id := range list {
			t.Errorf("nothing is called %s", id)
		}
	}
}
