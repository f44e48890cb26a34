package linear

// varHeap is a set of variables that gives the smallest first.
type varHeap struct {
	items []int32
	in    []bool
}

func (h *varHeap) grow() { h.in = append(h.in, false) }

func (h *varHeap) push(v int32) {
	if h.in[v] {
		return
	}
	h.in[v] = true
	h.items = append(h.items, v)
	for i := len(h.items) - 1; i > 0; {
		p := (i - 1) / 2
		if h.items[p] <= h.items[i] {
			break
		}
		h.items[p], h.items[i] = h.items[i], h.items[p]
		i = p
	}
}

func (h *varHeap) pop() int32 {
	n := len(h.items)
	if n == 0 {
		return none
	}
	v := h.items[0]
	h.in[v] = false
	h.items[0] = h.items[n-1]
	h.items = h.items[:n-1]
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h.items) {
			break
		}
		if c+1 < len(h.items) && h.items[c+1] < h.items[c] {
			c++
		}
		if h.items[i] <= h.items[c] {
			break
		}
		h.items[i], h.items[c] = h.items[c], h.items[i]
		i = c
	}
	return v
}
