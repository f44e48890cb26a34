package interp

// PageSize is how many bytes of an object lie together.
const PageSize int64 = 512

// Page holds bytes and, per bit, whether it is indeterminate.
type Page struct {
	Data, Undef []byte
	unread      []bool // neither written nor asked of the source yet; nil where there is nothing to ask
}

// page holds offset off, which must be inside the object.
func (o *Object) page(off int64) (*Page, int64) {
	n := off / PageSize
	p := o.Pages[n]
	if p == nil {
		size := min(PageSize, o.Size-n*PageSize)
		p = &Page{Data: make([]byte, size), Undef: make([]byte, size)}
		if o.Fill == fillIndeterminate {
			for i := range p.Undef {
				p.Undef[i] = 0xff
			}
		}
		if o.Source != nil {
			p.unread = make([]bool, size)
			for i := range p.unread {
				p.unread[i] = true
			}
		}
		if o.Pages == nil {
			o.Pages = map[int64]*Page{}
		}
		o.Pages[n] = p
	}
	return p, off - n*PageSize
}

// Read asks the source for the bytes [from, to) of page number n that nobody wrote.
func (o *Object) Read(n int64, p *Page, from, to int64) {
	if p.unread == nil {
		return
	}
	for i := from; i < to; i++ {
		if p.unread[i] {
			p.unread[i], p.Data[i] = false, o.Source(n*PageSize+i)
		}
	}
}

// written notes that the bytes [from, to) are.
func (p *Page) written(from, to int64) {
	if p.unread != nil {
		clear(p.unread[from:to])
	}
}

// SetByte writes a byte, with a one in undef for each bit that is indeterminate.
func (o *Object) SetByte(off int64, b, undef byte) {
	p, i := o.page(off)
	p.written(i, i+1)
	p.Data[i], p.Undef[i] = b, undef
}

// ByteAt reads a byte.
func (o *Object) ByteAt(off int64) (b, undef byte) {
	p, i := o.page(off)
	o.Read(off/PageSize, p, i, i+1)
	return p.Data[i], p.Undef[i]
}

// span calls f with each page of [off, off+n), which must be inside the object, and the part of it that lies there.
func (o *Object) span(off, n int64, f func(p *Page, from, to int64, at int64)) {
	for end := off + n; off < end; {
		p, i := o.page(off)
		to := min(int64(len(p.Data)), i+end-off)
		f(p, i, to, off)
		off += to - i
	}
}

// setBytes writes n bytes: the i-th is what bytes says.
func (o *Object) setBytes(off, n int64, bytes func(i int64) byte) {
	o.span(off, n, func(p *Page, from, to, at int64) {
		p.written(from, to)
		for i := from; i < to; i++ {
			p.Data[i], p.Undef[i] = bytes(at-off+i-from), 0
		}
	})
}
