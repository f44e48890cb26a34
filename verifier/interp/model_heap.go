package interp

import (
	"fmt"
	"math/bits"

	vec "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// heap executes allocation and release (docs/SEMANTICS.md, Memory).
func (c *call) heap(m ir.Model) bool {
	switch m {
	case ir.ModelMalloc:
		if n, ok := c.count(0); ok {
			c.result(c.allocate(n, int64(c.in.Align)))
		}
	case ir.ModelCalloc:
		c.calloc()
	case ir.ModelRealloc:
		c.realloc()
	case ir.ModelAligned:
		align, ok1 := c.count(0)
		n, ok2 := c.count(1)
		if ok1 && ok2 {
			c.result(c.allocate(n, int64(min(align, 1<<20))))
		}
	case ir.ModelMemalign:
		c.memalign()
	case ir.ModelAllocaC:
		if n, ok := c.count(0); ok {
			o := c.newObject(StackObject, int64(n), 16, c.in)
			c.Frame.Objects = append(c.Frame.Objects, o)
			c.result(Value{Bits: c.zero, Object: o})
		}
	case ir.ModelFree:
		c.free(c.args[0])
	case ir.ModelStrdup:
		c.strdup()
	default:
		return false
	}
	return true
}

// allocate is a new heap block of n bytes with unknown contents, or null.
func (c *call) allocate(n uint64, align int64) Value {
	if !c.Options.MallocNeverFails && ir.Fails(c.name) && !c.input(input.MallocOK, 1).IsOne() {
		c.on.Alloc(c.in, nil, n)
		return Scalar(c.zero)
	}
	if n > uint64(vec.Ones(c.PtrBits).Low64()>>1) {
		c.EndRun(Unsupported, "", fmt.Sprintf("allocation of %d bytes succeeds", n))
		return Scalar(c.zero)
	}
	if align == 0 {
		align = c.Layout.MaxAlign() // malloc: good for every type
	}
	o := c.newObject(HeapObject, int64(n), align, c.in)
	o.Owner = ir.OwnerOf(c.name)
	c.on.Alloc(c.in, o, n)
	return Value{Bits: c.zero, Object: o}
}

func (c *call) calloc() {
	a, ok1 := c.count(0)
	b, ok2 := c.count(1)
	if !ok1 || !ok2 {
		return
	}
	hi, n := bits.Mul64(a, b)
	if hi != 0 || n > vec.Ones(c.PtrBits).Low64() {
		c.result(Scalar(c.zero))
		return
	}
	p := c.allocate(n, 0)
	if p.Object != nil {
		p.Object.Fill, p.Object.Source = fillZero, nil
	}
	c.result(p)
}

func (c *call) realloc() {
	old := c.args[0]
	n, ok := c.count(1)
	if !ok {
		return
	}
	isNull := old.Object == nil && old.Bits.IsZero()
	if !isNull && !c.freeable(old) {
		return
	}
	if n == 0 && c.input(input.Unspecified, 1).IsOne() { // C17 7.22.3.5p4: null, and the block is freed
		if !isNull {
			c.located(0).Object.Dead = "realloc"
		}
		c.result(Scalar(c.zero))
		return
	}
	p := c.allocate(n, 0)
	if p.Object != nil && !isNull {
		o := c.located(0).Object
		c.copyBytes(p.Object, 0, o, 0, min(o.Size, int64(n)))
		o.Dead = "realloc"
	}
	c.result(p)
}

// memalign is posix_memalign(&p, align, n): 0, or ENOMEM or EINVAL and p unchanged.
func (c *call) memalign() {
	align, ok1 := c.count(1)
	n, ok2 := c.count(2)
	if !ok1 || !ok2 {
		return
	}
	ps := int64(c.PtrBits / 8)
	if align == 0 || align&(align-1) != 0 || align%uint64(ps) != 0 {
		c.number(22)
		return
	}
	o, off, ok := c.reach(c.args[0], access{size: uint64(ps), align: 1, write: true})
	if !ok {
		return
	}
	p := c.allocate(n, int64(min(align, 1<<20)))
	if p.Object == nil {
		c.number(12)
		return
	}
	c.Put(o, off, ir.Ptr(c.PtrBits), p)
	c.number(0)
}

// freeable is the check `free` (LL-110): null, or the start of a live heap block.
func (c *call) freeable(p Value) bool {
	if !c.decide(p, "freed pointer") {
		return false
	}
	if p.Object == nil {
		p = c.toPtr(p)
	}
	switch o := p.Object; {
	case o == nil && !p.Bits.IsZero() && c.goesOn(verdict.Free, "free"):
	case o == nil:
		c.stopAs(verdict.WrongRelease, verdict.Free, "free of address 0x%s, which is no heap block", p.Bits.Hex())
	case o.Kind != HeapObject:
		c.stopAs(verdict.WrongRelease, verdict.Free, "free of %s, which is no heap block", o)
	case o.Dead != "":
		c.stopAs(verdict.FreedTwice, verdict.Free, "%s freed again after %s", o, o.Dead)
	case !p.Bits.IsZero():
		c.stopAs(verdict.WrongRelease, verdict.Free, "free of offset %s of %s", p.Bits.Signed(), o)
	case o.Owner != ir.OwnerOf(c.name):
		by := ir.OwnerOf(c.name)
		c.stopAs(verdict.WrongRelease, verdict.Free, "%s is from %s, and %s releases what is from %s", o, o.Owner,
			by.Released(), by)
	default:
		return true
	}
	return false
}

func (c *call) free(p Value) {
	if p.Object == nil && p.Bits.IsZero() && p.Defined() || !c.freeable(p) {
		return
	}
	o := c.located(0).Object
	o.Dead = "free"
	c.on.Free(c.in, o)
}

func (c *call) strdup() {
	n, ok := c.strlen(c.args[0])
	if !ok {
		return
	}
	p := c.allocate(uint64(n)+1, 0)
	if p.Object != nil {
		c.copyRange(p, c.args[0], uint64(n)+1, false)
	}
	c.result(p)
}
