package replay

import (
	word "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/policy"
)

// neighbours are inputs of which one is another, one after the other: of a text each end, of a number and of the words of
// a block each of Near.Numbers; or of a text more of one byte at each place.
type neighbours struct {
	list  []input.Input
	i, n  int // of the next one: of input i number n
	tries int
	next  int // of corpus.new
}

// beside returns a neighbour of inputs with which an execution came to a block of Near in a new way; nil: there is none
// left. Every third one has more of a byte.
func (m *Mutants) beside() []input.Input {
	if m.drawn%6 == 0 {
		if list := m.neighbourIn(&m.longer, m.stretched); list != nil {
			return list
		}
	}
	return m.neighbourIn(&m.trying, m.neighbour)
}

// neighbourIn returns what next makes of t, or of further inputs.
func (m *Mutants) neighbourIn(t *neighbours, next func(t *neighbours) []input.Input) []input.Input {
	for {
		switch {
		case t.i < len(t.list) && t.tries < policy.BesideTries:
			if list := next(t); list != nil {
				t.tries++
				return list
			}
		case t.next == len(m.new):
			return nil
		default:
			*t = neighbours{list: m.new[t.next], next: t.next + 1}
		}
	}
}

// neighbour returns the next one of t; nil: it has none of this input, and goes on to another.
func (m *Mutants) neighbour(t *neighbours) []input.Input {
	list, in := append([]input.Input{}, t.list...), t.list[t.i]
	n := t.n
	t.n++
	if in.Kind != input.Havoc {
		if w := in.Value.Width(); n < len(m.want.Numbers) && varies(in) {
			list[t.i].Value = resized(m.want.Numbers[n], w)
			return list
		}
		t.i, t.n = t.i+1, 0
		return nil
	}
	if n < textOf(in) {
		if end(list, t.i, n+1) {
			return list
		}
		n, t.n = textOf(in), textOf(in)+1
	}
	n -= textOf(in)
	for _, v := range m.want.Numbers {
		w := (v.Width() + 7) / 8
		places := int(min(m.sizes[in.Instr], policy.BesideBytes)) / w
		if n < places {
			data := copied(in.Bytes)
			for k, b := range bytesOf(v.Low64(), w, m.big) {
				data[int64(n*w+k)] = b
			}
			list[t.i].Bytes = data
			return list
		}
		n -= places
	}
	t.i, t.n = t.i+1, 0
	return nil
}

// stretching are bytes that a text may hold many of, wherever it has a byte; 0 stands for that byte.
var stretching = [...]byte{0, ' ', '0'}

// stretched returns the next one of t that has many of a byte in front of another; nil: likewise. As many as the block has
// room for, or where a number says how large it is so many more, or half or a quarter of these.
func (m *Mutants) stretched(t *neighbours) []input.Input {
	list, in := append([]input.Input{}, t.list...), t.list[t.i]
	const ways = len(stretching) * policy.StretchHalves
	text, off := int64(textOf(in)), int64(t.n/ways)
	if in.Kind != input.Havoc || off >= text {
		t.i, t.n = t.i+1, 0
		return nil
	}
	b, halves := stretching[t.n%len(stretching)], t.n%ways/len(stretching)
	t.n++
	more := min(m.sizes[in.Instr]-1, policy.MutantBytes) - text
	size, unit := sizeInput(in.Instr)
	if size != nil {
		more = policy.StretchBytes
	}
	if more >>= halves; more <= 0 {
		return nil
	}
	if size != nil {
		setSize(list, size, (text+more+unit)/unit)
	}
	data := copied(in.Bytes)
	if b == 0 {
		b = data[off]
	}
	shift(data, off, more)
	for k := range more {
		data[off+k] = b
	}
	list[t.i].Bytes = data
	return list
}

// varies reports whether an input is a number that is another in other executions.
func varies(in input.Input) bool {
	return in.Value.Width() > 0 && in.Kind != input.Bytes && in.Kind != input.Base && in.Kind != input.MallocOK &&
		in.Kind != input.Undef
}

func copied(data map[int64]byte) map[int64]byte {
	out := make(map[int64]byte, len(data))
	for off, b := range data {
		out[off] = b
	}
	return out
}

// resized is a number with a sign in another width.
func resized(v word.Vec, w int) word.Vec {
	if v.Width() < w {
		return word.Sext(v, w)
	}
	return word.Trunc(v, w)
}

// textOf is the number of bytes of a block up to the last one that is not zero.
func textOf(in input.Input) int {
	end := int64(0)
	for off, b := range in.Bytes {
		if b != 0 && off >= end && off < policy.MutantText {
			end = off + 1
		}
	}
	return int(end)
}

// end has the block of input i end behind so many bytes, where a number says how large it is: what is read on behind the
// end of a text shows there. It reports whether one does.
func end(list []input.Input, i, bytes int) bool {
	if list[i].Kind != input.Havoc {
		return false
	}
	size, unit := sizeInput(list[i].Instr)
	if size == nil {
		return false
	}
	setSize(list, size, (int64(bytes)+unit-1)/unit)
	return true
}
