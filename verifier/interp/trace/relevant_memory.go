package trace

import (
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
)

// memoryCauses says by what the bytes of an object were written: those of a page that was not written since the whole
// object was, by all.
type memoryCauses struct {
	all   *cause
	pages map[int64]*pageCauses
}

// pageCauses is memoryCauses of pageSize bytes.
type pageCauses struct {
	all   *cause
	bytes map[int64]*cause
}

// readBytes and wroteBytes note that the current instruction does.
func (x *tracer) readBytes(o *interp.Object, off, n int64) {
	if x.rel == nil || x.rel.cur == nil || x.rel.mem[o] == nil {
		return
	}
	mem := x.rel.mem[o]
	eachPage(o, off, min(n, policy.AccessBytes), func(page, from, to int64) {
		p := mem.pages[page]
		if p == nil {
			x.rel.cur.on(mem.all)
			return
		}
		for i := from; i < to; i++ {
			if c := p.bytes[i]; c != nil {
				x.rel.cur.on(c)
			} else if x.rel.cur.on(p.all); len(p.bytes) == 0 {
				return
			}
		}
	})
}

func (x *tracer) wroteBytes(o *interp.Object, off, n int64) {
	if x.rel == nil || x.rel.cur == nil {
		return
	}
	if off == 0 && n == o.Size {
		x.rel.mem[o] = &memoryCauses{all: x.rel.cur}
		return
	}
	mem := x.rel.mem[o]
	if mem == nil {
		mem = &memoryCauses{}
		x.rel.mem[o] = mem
	}
	if mem.pages == nil {
		mem.pages = map[int64]*pageCauses{}
	}
	eachPage(o, off, min(n, policy.AccessBytes), func(page, from, to int64) {
		if to-from == interp.PageSize {
			mem.pages[page] = &pageCauses{all: x.rel.cur}
			return
		}
		p := mem.pages[page]
		if p == nil {
			p = &pageCauses{all: mem.all}
			mem.pages[page] = p
		}
		if p.bytes == nil {
			p.bytes = map[int64]*cause{}
		}
		for i := from; i < to; i++ {
			p.bytes[i] = x.rel.cur
		}
	})
}

// eachPage calls f with the pages of [off, off+n) that lie in o, and which part of them.
func eachPage(o *interp.Object, off, n int64, f func(page, from, to int64)) {
	end := o.Size
	if off = max(off, 0); off < end && n < end-off {
		end = off + n
	}
	for off < end {
		page := off / interp.PageSize
		to := min(end, (page+1)*interp.PageSize)
		f(page, off-page*interp.PageSize, to-page*interp.PageSize)
		off = to
	}
}
