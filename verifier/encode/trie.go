package encode

// trie is a persistent map from small numbers to values: a radix tree of 16-way
// nodes that are never changed once shared. A copy is free, a change copies one
// path, and diff looks only at what two tries do not share.
type trie[T any] struct {
	root   *tnode[T]
	height int // levels of kids above the level of vals; keys are below 16^(height+1)
}

// tnode has kids, or on the lowest level vals.
type tnode[T any] struct {
	kids []*tnode[T]
	vals []*T
}

const fan = 16

func (t trie[T]) fits(key int64) bool { return t.root != nil && key>>(4*uint(t.height+1)) == 0 }

// get is the value at key, or nil.
func (t trie[T]) get(key int64) *T {
	if !t.fits(key) {
		return nil
	}
	n := t.root
	for h := t.height; h > 0; h-- {
		if n = n.kids[key>>(4*uint(h))&(fan-1)]; n == nil {
			return nil
		}
	}
	return n.vals[key&(fan-1)]
}

// set gives the trie with v at key; v may be nil.
func (t trie[T]) set(key int64, v *T) trie[T] {
	if v == nil && t.get(key) == nil {
		return t
	}
	if t.root == nil {
		for t.height = 0; key>>(4*uint(t.height+1)) != 0; {
			t.height++
		}
	}
	for t.root != nil && !t.fits(key) {
		t = t.raise()
	}
	t.root = setIn(t.root, t.height, key, v)
	return t
}

// raise adds a level above the root.
func (t trie[T]) raise() trie[T] {
	n := &tnode[T]{kids: make([]*tnode[T], fan)}
	n.kids[0] = t.root
	return trie[T]{root: n, height: t.height + 1}
}

func setIn[T any](n *tnode[T], h int, key int64, v *T) *tnode[T] {
	i := key >> (4 * uint(h)) & (fan - 1)
	c := &tnode[T]{}
	if h == 0 {
		c.vals = make([]*T, fan)
		if n != nil {
			copy(c.vals, n.vals)
		}
		c.vals[i] = v
		return c
	}
	c.kids = make([]*tnode[T], fan)
	if n != nil {
		copy(c.kids, n.kids)
	}
	c.kids[i] = setIn(c.kids[i], h-1, key, v)
	return c
}

// fill gives the trie with v, which is not nil, at each of the n keys from key
// on; n is at least 1.
func (t trie[T]) fill(key, n int64, v *T) trie[T] {
	last := key + n - 1
	if t.root == nil {
		for t.height = 0; last>>(4*uint(t.height+1)) != 0; {
			t.height++
		}
	}
	for t.root != nil && !t.fits(last) {
		t = t.raise()
	}
	t.root = fillIn(t.root, t.height, key, last, v)
	return t
}

// fillIn sets the keys first..last, counted from n's first.
func fillIn[T any](n *tnode[T], h int, first, last int64, v *T) *tnode[T] {
	c := &tnode[T]{}
	if h == 0 {
		c.vals = make([]*T, fan)
		if n != nil {
			copy(c.vals, n.vals)
		}
		for i := first; i <= last; i++ {
			c.vals[i] = v
		}
		return c
	}
	c.kids = make([]*tnode[T], fan)
	if n != nil {
		copy(c.kids, n.kids)
	}
	size := int64(1) << (4 * uint(h))
	for i := first / size; i <= last/size; i++ {
		c.kids[i] = fillIn(c.kids[i], h-1, max(first-i*size, 0), min(last-i*size, size-1), v)
	}
	return c
}

// diff calls visit for each key, in order, where a and b hold different pointers.
func diff[T any](a, b trie[T], visit func(key int64, x, y *T)) {
	if a.root == nil {
		a.height = b.height
	}
	if b.root == nil {
		b.height = a.height
	}
	for a.root != nil && a.height < b.height {
		a = a.raise()
	}
	for b.root != nil && b.height < a.height {
		b = b.raise()
	}
	diffIn(a.root, b.root, a.height, 0, visit)
}

func diffIn[T any](a, b *tnode[T], h int, key int64, visit func(int64, *T, *T)) {
	if a == b {
		return
	}
	for i := int64(0); i < fan; i++ {
		k := key | i<<(4*uint(h))
		if h > 0 {
			var x, y *tnode[T]
			if a != nil {
				x = a.kids[i]
			}
			if b != nil {
				y = b.kids[i]
			}
			diffIn(x, y, h-1, k, visit)
			continue
		}
		var x, y *T
		if a != nil {
			x = a.vals[i]
		}
		if b != nil {
			y = b.vals[i]
		}
		if x != y {
			visit(k, x, y)
		}
	}
}

// each calls visit for each key that holds a value, in order.
func (t trie[T]) each(visit func(key int64, v *T)) {
	diff(t, trie[T]{}, func(key int64, x, _ *T) { visit(key, x) })
}
