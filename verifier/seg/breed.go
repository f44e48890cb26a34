package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// breed is a kind of blocks: their size in bytes, and the structure that the program takes them for, "" where that is
// not known. Blocks of one size but of different structures make no list or tree together. What they are taken for is
// a hint for who looks for lists; nothing rests on it.
type breed struct {
	size int64
	of   string
}

// breed returns the kind of blocks of a size that are taken for of; false if that is no constant. Where only one
// structure of the program has that size, it is that one.
func (b *builder) breed(size exact.Lin, of string) (breed, bool) {
	n, ok := size.Const.Int64()
	if of == "" && len(b.structs[n]) == 1 {
		of = b.structs[n][0]
	}
	return breed{n, of}, ok && size.IsConst()
}

// kin reports that blocks of o and p may be of one kind.
func (o *object) kin(p *object) bool { return o.size.Equal(p.size) && agree(o.of, p.of) }

// kin reports that the blocks of two chains may be of one kind.
func (c *chain) kin(d *chain) bool {
	return c.size.Equal(d.size) && agree(c.of, d.of) && c.heap == d.heap
}

// takes reports that blocks of o may be of the kind of the chain's.
func (c *chain) takes(o *object) bool { return o.size.Equal(c.size) && agree(o.of, c.of) }

// is reports that blocks of o may be of kind br.
func (o *object) is(br breed) bool { return o.size.Equal(exact.C(br.size)) && agree(o.of, br.of) }

// agree reports that one structure may be the other.
func agree(x, y string) bool { return x == y || x == "" || y == "" }

// either returns the kind of data that two blocks, which agree, are taken for.
func either(x, y string) string {
	if x == "" {
		return y
	}
	return x
}

// takeFor notes which structure the program takes block o for, as in steps into: the first one that is as large.
func (b *builder) takeFor(s *state, o *object, v value, in *ir.Instr) {
	of := in.Struct.Name
	if of == "" || o.of != "" || !o.dynamic || !v.lin.Equal(exact.Lin{}) || !o.size.Equal(exact.C(in.Struct.Size)) {
		return
	}
	s.own(o.id).of = of
	if names := b.structs[in.Struct.Size]; !slices.Contains(names, of) {
		b.structs[in.Struct.Size] = append(names, of)
	}
}
