package memory

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestTrie compares tries with maps under random changes: each version that was kept stays as it was, and diff names
// the keys that differ, in order.
func TestTrie(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type version struct {
		Term Trie[int]
		m    map[int64]*int
	}
	versions := []version{{m: map[int64]*int{}}}
	for n := range 3000 {
		v := versions[r.IntN(len(versions))]
		next := version{v.Term, maps.Clone(v.m)}
		key := r.Int64N(1 << (1 + r.IntN(14)))
		x := &n
		switch r.IntN(4) {
		case 0:
			next.Term = next.Term.Set(key, nil)
			delete(next.m, key)
		case 1:
			k := 1 + r.Int64N(100)
			next.Term = next.Term.Fill(key, k, x)
			for i := range k {
				next.m[key+i] = x
			}
		default:
			next.Term = next.Term.Set(key, x)
			next.m[key] = x
		}
		if len(versions) < 60 {
			versions = append(versions, next)
		} else {
			versions[r.IntN(len(versions))] = next
		}
	}
	for i, a := range versions {
		holds(t, a.Term, a.m)
		b := versions[(i*7+1)%len(versions)]
		want := map[int64][2]*int{}
		for k := range int64(1<<14 + 200) {
			if x, y := a.m[k], b.m[k]; x != y {
				want[k] = [2]*int{x, y}
			}
		}
		last := int64(-1)
		Diff(a.Term, b.Term, func(k int64, x, y *int) {
			if w, ok := want[k]; !ok || w != [2]*int{x, y} || k <= last {
				t.Fatalf("diff at %d: %v %v, want %v", k, x, y, w)
			}
			last = k
			delete(want, k)
		})
		if len(want) > 0 {
			t.Fatalf("diff left out %v", want)
		}
	}
}

// holds compares t with the map of its values.
func holds(t *testing.T, x Trie[int], m map[int64]*int) {
	t.Helper()
	n := 0
	x.Each(func(k int64, v *int) {
		n++
		if m[k] != v {
			t.Fatalf("each at %d: %v, want %v", k, v, m[k])
		}
	})
	if n != len(m) {
		t.Fatalf("each visits %d keys of %d", n, len(m))
	}
	for k := range int64(1<<14 + 200) {
		if x.Get(k) != m[k] {
			t.Fatalf("get %d: %v, want %v", k, x.Get(k), m[k])
		}
	}
	if len(m) == 0 && x.Root != nil {
		t.Fatal("an empty trie has nodes")
	}
}
