package memory

import (
	"math/bits"
	"slices"
)

// Trie is a persistent map from small numbers to values: a radix tree of 16-way
// nodes that are never changed once shared. A copy is free, a change copies one
// path, and diff looks only at what two tries do not share.
type Trie[T any] struct {
	Root   *tnode[T]
	height int // levels of kids above the level of vals; keys are below 16^(height+1)
}

// tnode has kids, or on the lowest level vals, of the digits that has tells by its bits: no more, since the paths of
// many old tries are kept. A node has one at least.
type tnode[T any] struct {
	has  uint16
	kids []*tnode[T]
	vals []*T
}

const fan int64 = 16

// kid returns the node below the digit i of n, which may be nil, or nil.
func (n *tnode[T]) kid(i int64) *tnode[T] {
	if n == nil || n.has>>i&1 == 0 {
		return nil
	}
	return n.kids[rank(n.has, i)]
}

// val returns the value at the digit i of n, which may be nil, or nil.
func (n *tnode[T]) val(i int64) *T {
	if n == nil || n.has>>i&1 == 0 {
		return nil
	}
	return n.vals[rank(n.has, i)]
}

// rank returns how many digits of has are below i.
func rank(has uint16, i int64) int { return bits.OnesCount16(has & (1<<i - 1)) }

// replace returns has and xs, its elements in order, with x at the digit i; a nil x takes i out.
func replace[E any](has uint16, xs []*E, i int64, x *E) (uint16, []*E) {
	at, was := rank(has, i), has>>i&1 != 0
	switch {
	case x == nil && was:
		return has &^ (1 << i), slices.Concat(xs[:at], xs[at+1:])
	case x == nil:
		return has, xs
	case was:
		out := slices.Clone(xs)
		out[at] = x
		return has, out
	}
	out := make([]*E, len(xs)+1)
	copy(out, xs[:at])
	out[at] = x
	copy(out[at+1:], xs[at:])
	return has | 1<<i, out
}

func (t Trie[T]) fits(key int64) bool { return t.Root != nil && key>>(4*uint(t.height+1)) == 0 }

// Get is the value at key, or nil.
func (t Trie[T]) Get(key int64) *T {
	if !t.fits(key) {
		return nil
	}
	n := t.Root
	for h := t.height; h > 0; h-- {
		if n = n.kid(key >> (4 * uint(h)) & (fan - 1)); n == nil {
			return nil
		}
	}
	return n.val(key & (fan - 1))
}

// Set gives the trie with v at key; v may be nil.
func (t Trie[T]) Set(key int64, v *T) Trie[T] {
	if v == nil && t.Get(key) == nil {
		return t
	}
	if t.Root == nil {
		for t.height = 0; key>>(4*uint(t.height+1)) != 0; {
			t.height++
		}
	}
	for t.Root != nil && !t.fits(key) {
		t = t.raise()
	}
	t.Root = setIn(t.Root, t.height, key, v)
	return t
}

// raise adds a level above the root.
func (t Trie[T]) raise() Trie[T] {
	return Trie[T]{Root: &tnode[T]{has: 1, kids: []*tnode[T]{t.Root}}, height: t.height + 1}
}

// setIn returns n, which may be nil, with v at key; nil when nothing is left.
func setIn[T any](n *tnode[T], h int, key int64, v *T) *tnode[T] {
	i := key >> (4 * uint(h)) & (fan - 1)
	c := copyOf(n)
	if h == 0 {
		c.has, c.vals = replace(c.has, c.vals, i, v)
	} else {
		c.has, c.kids = replace(c.has, c.kids, i, setIn(c.kid(i), h-1, key, v))
	}
	if c.has == 0 {
		return nil
	}
	return c
}

// copyOf returns a copy of n that shares what n has; an empty node of nil.
func copyOf[T any](n *tnode[T]) *tnode[T] {
	if n == nil {
		return &tnode[T]{}
	}
	c := *n
	return &c
}

// Fill gives the trie with v, which is not nil, at each of the n keys from key
// on; n is at least 1.
func (t Trie[T]) Fill(key, n int64, v *T) Trie[T] {
	last := key + n - 1
	if t.Root == nil {
		for t.height = 0; last>>(4*uint(t.height+1)) != 0; {
			t.height++
		}
	}
	for t.Root != nil && !t.fits(last) {
		t = t.raise()
	}
	t.Root = fillIn(t.Root, t.height, key, last, v)
	return t
}

// fillIn sets the keys first..last, counted from n's first.
func fillIn[T any](n *tnode[T], h int, first, last int64, v *T) *tnode[T] {
	c := &tnode[T]{}
	size := int64(1) << (4 * uint(h))
	for i := range int64(fan) {
		in := first/size <= i && i <= last/size
		if !in && (n == nil || n.has>>i&1 == 0) {
			continue
		}
		c.has |= 1 << i
		switch {
		case h == 0 && in:
			c.vals = append(c.vals, v)
		case h == 0:
			c.vals = append(c.vals, n.val(i))
		case in:
			c.kids = append(c.kids, fillIn(n.kid(i), h-1, max(first-i*size, 0), min(last-i*size, size-1), v))
		default:
			c.kids = append(c.kids, n.kid(i))
		}
	}
	return c
}

// Diff calls visit for each key, in order, where a and b hold different pointers.
func Diff[T any](a, b Trie[T], visit func(key int64, x, y *T)) {
	Alike(a, b, func(key int64, x, y *T) bool {
		visit(key, x, y)
		return true
	})
}

// Alike calls same for each key, in order, where a and b hold different pointers, until one is not the same.
func Alike[T any](a, b Trie[T], same func(key int64, x, y *T) bool) bool {
	if a.Root == nil {
		a.height = b.height
	}
	if b.Root == nil {
		b.height = a.height
	}
	for a.Root != nil && a.height < b.height {
		a = a.raise()
	}
	for b.Root != nil && b.height < a.height {
		b = b.raise()
	}
	return alikeIn(a.Root, b.Root, a.height, 0, same)
}

func alikeIn[T any](a, b *tnode[T], h int, key int64, same func(int64, *T, *T) bool) bool {
	if a == b {
		return true
	}
	for i := range int64(fan) {
		k := key | i<<(4*uint(h))
		if h > 0 {
			if !alikeIn(a.kid(i), b.kid(i), h-1, k, same) {
				return false
			}
		} else if x, y := a.val(i), b.val(i); x != y && !same(k, x, y) {
			return false
		}
	}
	return true
}

// Each calls visit for each key that holds a value, in order.
func (t Trie[T]) Each(visit func(key int64, v *T)) {
	Diff(t, Trie[T]{}, func(key int64, x, _ *T) { visit(key, x) })
}
