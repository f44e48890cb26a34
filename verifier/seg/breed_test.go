package seg

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// A block is taken for the first structure that is as large as it is, and is in no list with those of another one.
func TestBreed(t *testing.T) {
	b, s := testBuilder(t), emptyState()
	b.structs = map[int64][]string{}
	last := node(b, s, null())
	first := node(b, s, last)
	step := func(to value, name string, size, off int64) {
		v := value{kind: ptrValue, obj: to.obj, lin: exact.C(off)}
		b.takeFor(s, s.objs[to.obj], v, &ir.Instr{Op: ir.OpGep, Struct: ir.Struct{Name: name, Size: size}})
	}
	for _, c := range []struct {
		to        value
		name      string
		size, off int64
		want      string
		blocks    int
	}{
		{first, "head", 8, 0, "", 2},
		{first, "inner", 16, 8, "", 2},
		{first, "task", 16, 0, "task", 2},
		{last, "job", 16, 0, "job", 1},
		{first, "job", 16, 0, "task", 1},
	} {
		step(c.to, c.name, c.size, c.off)
		if got := s.objs[c.to.obj].of; got != c.want {
			t.Errorf("behind a step into %s: the block is a %q, want %q", c.name, got, c.want)
		}
		if ch, ok := b.follow(s, first, 8, never); !ok || len(ch.ids) != c.blocks {
			t.Errorf("behind a step into %s: a chain of %d blocks, want %d", c.name, len(ch.ids), c.blocks)
		}
	}
}
