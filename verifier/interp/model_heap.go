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
			c.result(c.allocate(n, 0))
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
			o := c.newObject(stackObject, int64(n), 16, c.in)
			c.fr.objs = append(c.fr.objs, o)
			c.result(value{bits: c.zero, obj: o})
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
func (c *call) allocate(n uint64, align int64) value {
	if !c.o.MallocNeverFails && ir.Fails(c.name) && !c.input(input.MallocOK, 1).IsOne() {
		c.on.Alloc(c.in, nil, n)
		return scalar(c.zero)
	}
	if n > uint64(vec.Ones(c.pw).Low64()>>1) {
		c.end(Unsupported, "", fmt.Sprintf("allocation of %d bytes succeeds", n))
		return scalar(c.zero)
	}
	if align == 0 {
		align = c.l.MaxAlign() // malloc: good for every type
	}
	o := c.newObject(heapObject, int64(n), align, c.in)
	o.owner = ir.OwnerOf(c.name)
	c.on.Alloc(c.in, o, n)
	return value{bits: c.zero, obj: o}
}

func (c *call) calloc() {
	a, ok1 := c.count(0)
	b, ok2 := c.count(1)
	if !ok1 || !ok2 {
		return
	}
	hi, n := bits.Mul64(a, b)
	if hi != 0 || n > vec.Ones(c.pw).Low64() {
		c.result(scalar(c.zero))
		return
	}
	p := c.allocate(n, 0)
	if p.obj != nil {
		p.obj.fill, p.obj.init = fillZero, nil
	}
	c.result(p)
}

func (c *call) realloc() {
	old := c.args[0]
	n, ok := c.count(1)
	if !ok {
		return
	}
	isNull := old.obj == nil && old.bits.IsZero()
	if !isNull && !c.freeable(old) {
		return
	}
	if n == 0 && c.input(input.Unspecified, 1).IsOne() { // C17 7.22.3.5p4: null, and the block is freed
		if !isNull {
			c.located(0).obj.dead = "realloc"
		}
		c.result(scalar(c.zero))
		return
	}
	p := c.allocate(n, 0)
	if p.obj != nil && !isNull {
		o := c.located(0).obj
		c.copyBytes(p.obj, 0, o, 0, min(o.size, int64(n)))
		o.dead = "realloc"
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
	ps := int64(c.pw / 8)
	if align == 0 || align&(align-1) != 0 || align%uint64(ps) != 0 {
		c.number(22)
		return
	}
	o, off, ok := c.reach(c.args[0], access{size: uint64(ps), align: 1, write: true})
	if !ok {
		return
	}
	p := c.allocate(n, int64(min(align, 1<<20)))
	if p.obj == nil {
		c.number(12)
		return
	}
	c.put(o, off, ir.Ptr(c.pw), p)
	c.number(0)
}

// freeable is the check `free` (LL-110): null, or the start of a live heap block.
func (c *call) freeable(p value) bool {
	if !c.decide(p, "freed pointer") {
		return false
	}
	if p.obj == nil {
		p = c.toPtr(p)
	}
	switch o := p.obj; {
	case o == nil && !p.bits.IsZero() && c.goesOn(verdict.Free, "free"):
	case o == nil:
		c.stopAs(verdict.WrongRelease, verdict.Free, "free of address 0x%s, which is no heap block", p.bits.Hex())
	case o.kind != heapObject:
		c.stopAs(verdict.WrongRelease, verdict.Free, "free of %s, which is no heap block", o)
	case o.dead != "":
		c.stopAs(verdict.WrongRelease, verdict.Free, "%s freed again after %s", o, o.dead)
	case !p.bits.IsZero():
		c.stopAs(verdict.WrongRelease, verdict.Free, "free of offset %s of %s", p.bits.Signed(), o)
	case o.owner != ir.OwnerOf(c.name):
		by := ir.OwnerOf(c.name)
		c.stopAs(verdict.WrongRelease, verdict.Free, "%s is from %s, and %s releases what is from %s", o, o.owner,
			by.Released(), by)
	default:
		return true
	}
	return false
}

func (c *call) free(p value) {
	if p.obj == nil && p.bits.IsZero() && p.defined() || !c.freeable(p) {
		return
	}
	o := c.located(0).obj
	o.dead = "free"
	c.on.Free(c.in, o)
}

func (c *call) strdup() {
	n, ok := c.strlen(c.args[0])
	if !ok {
		return
	}
	p := c.allocate(uint64(n)+1, 0)
	if p.obj != nil {
		c.copyRange(p, c.args[0], uint64(n)+1, false)
	}
	c.result(p)
}
