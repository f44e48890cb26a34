package interp

const pageSize = 512

// page holds bytes and, per bit, whether it is indeterminate.
type page struct {
	data, undef []byte
	unread      []bool // neither written nor asked of the source yet; nil where there is nothing to ask
}

// page holds offset off, which must be inside the object.
func (o *object) page(off int64) (*page, int64) {
	n := off / pageSize
	p := o.pages[n]
	if p == nil {
		size := min(pageSize, o.size-n*pageSize)
		p = &page{data: make([]byte, size), undef: make([]byte, size)}
		if o.fill == fillIndeterminate {
			for i := range p.undef {
				p.undef[i] = 0xff
			}
		}
		if o.init != nil {
			p.unread = make([]bool, size)
			for i := range p.unread {
				p.unread[i] = true
			}
		}
		if o.pages == nil {
			o.pages = map[int64]*page{}
		}
		o.pages[n] = p
	}
	return p, off - n*pageSize
}

// read asks the source for the bytes [from, to) of page number n that nobody wrote.
func (o *object) read(n int64, p *page, from, to int64) {
	if p.unread == nil {
		return
	}
	for i := from; i < to; i++ {
		if p.unread[i] {
			p.unread[i], p.data[i] = false, o.init(n*pageSize+i)
		}
	}
}

// written notes that the bytes [from, to) are.
func (p *page) written(from, to int64) {
	if p.unread != nil {
		clear(p.unread[from:to])
	}
}

func (o *object) setByte(off int64, b, undef byte) {
	p, i := o.page(off)
	p.written(i, i+1)
	p.data[i], p.undef[i] = b, undef
}

func (o *object) byteAt(off int64) (b, undef byte) {
	p, i := o.page(off)
	o.read(off/pageSize, p, i, i+1)
	return p.data[i], p.undef[i]
}

// span calls f with each page of [off, off+n), which must be inside the object, and the part of it that lies there.
func (o *object) span(off, n int64, f func(p *page, from, to int64, at int64)) {
	for end := off + n; off < end; {
		p, i := o.page(off)
		to := min(int64(len(p.data)), i+end-off)
		f(p, i, to, off)
		off += to - i
	}
}

// setBytes writes n bytes: the i-th is what bytes says.
func (o *object) setBytes(off, n int64, bytes func(i int64) byte) {
	o.span(off, n, func(p *page, from, to, at int64) {
		p.written(from, to)
		for i := from; i < to; i++ {
			p.data[i], p.undef[i] = bytes(at-off+i-from), 0
		}
	})
}
