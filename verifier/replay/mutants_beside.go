package replay

import (
	"slices"

	word "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/policy"
)

// neighbours are inputs of which one is another, one after the other: of a number and of the words of a block each of
// Near.Numbers, and of a block that a number counts each end.
type neighbours struct {
	list  []input.Input
	order []int // of the inputs: numbers come before blocks, which have more words than there is time for
	i, n  int   // of the next one: of input order[i] number n
	tries int
	next  int // of corpus.new
}

// beside returns a neighbour of inputs with which an execution came to a block of Near in a new way; nil: there is none
// left. Every third one has more of a byte, of those every other one drawn: of texts of a hundred bytes and more, there are
// more than there is time for.
func (m *Mutants) beside() []input.Input {
	if m.drawn%12 == 0 {
		if list := m.drawnStretch(); list != nil {
			return list
		}
	}
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
		case t.i < len(t.order) && t.tries < policy.BesideTries:
			if list := next(t); list != nil {
				t.tries++
				return list
			}
		case t.next == len(m.new):
			return nil
		default:
			list := m.new[t.next]
			*t = neighbours{list: list, order: numbersFirst(list), next: t.next + 1}
		}
	}
}

// numbersFirst orders the inputs that have neighbours: numbers come before blocks.
func numbersFirst(list []input.Input) (order []int) {
	for i := range list {
		if varies(list[i]) && list[i].Value.Width() >= 8 {
			order = append(order, i)
		}
	}
	for i := range list {
		if list[i].Kind == input.Havoc {
			order = append(order, i)
		}
	}
	return order
}

// neighbour returns the next one of t; nil: it has none of this input, and goes on to another.
func (m *Mutants) neighbour(t *neighbours) []input.Input {
	i := t.order[t.i]
	list, in := slices.Clone(t.list), t.list[i]
	n := t.n
	t.n++
	if in.Kind != input.Havoc {
		if n < len(m.want.Numbers) {
			list[i].Value = resized(m.want.Numbers[n], in.Value.Width())
			return list
		}
		t.i, t.n = t.i+1, 0
		return nil
	}
	ends := max(textOf(in), sizeIn(list, i)+1)
	if n < ends {
		if end(list, i, n+1) {
			return list
		}
		n, t.n = ends, ends+1
	}
	n -= ends
	for _, v := range m.want.Numbers {
		w := (v.Width() + 7) / 8
		places := int(min(m.sizes[in.Instr], policy.BesideBytes)) / w
		if n < places {
			data := copied(in.Bytes)
			for k, b := range bytesOf(v.Low64(), w, m.big) {
				data[int64(n*w+k)] = b
			}
			list[i].Bytes = data
			return list
		}
		n -= places
	}
	t.i, t.n = t.i+1, 0
	return nil
}

// sizeIn returns how many bytes block i has, as a number says, up to those of a text; 0: none says it.
func sizeIn(list []input.Input, i int) int {
	size, unit := sizeInput(list[i].Instr)
	for _, in := range list {
		if in.Kind == input.Nondet && in.Instr == size && size != nil && in.Value.Low64() <= policy.MutantText {
			return min(int(in.Value.Low64())*int(unit), policy.MutantText)
		}
	}
	return 0
}

// stretching are bytes that a text may hold many of, wherever it has a byte; 0 stands for that byte.
var stretching = [...]byte{0, ' ', '0'}

// stretchings are the ways to have more in front of a byte.
const stretchings = len(stretching) * policy.StretchHalves

// stretched returns the next one of t that has many of a byte in front of another; nil: likewise.
func (m *Mutants) stretched(t *neighbours) []input.Input {
	i := t.order[t.i]
	off := t.n / stretchings
	if off >= textOf(t.list[i]) {
		t.i, t.n = t.i+1, 0
		return nil
	}
	t.n++
	return m.stretch(t.list, i, off, (t.n-1)%stretchings)
}

// drawnStretch is stretched for inputs, a place and a way that are drawn, the place behind a mark every other time; nil:
// the inputs have no text.
func (m *Mutants) drawnStretch() []input.Input {
	if len(m.new) == 0 {
		return nil
	}
	list := m.new[m.below(len(m.new))]
	i := m.below(len(list))
	for range list {
		if text := make([]byte, textOf(list[i])); list[i].Kind == input.Havoc && len(text) > 0 {
			for k := range text {
				text[k] = list[i].Bytes[int64(k)]
			}
			return m.stretch(list, i, m.cut(text), m.below(stretchings))
		}
		i = (i + 1) % len(list)
	}
	return nil
}

// stretch returns inputs of which text i has many of a byte at a place; nil: there is no room. As many as the block has
// room for, or where a number says how large it is so many more, or half or a quarter of these.
func (m *Mutants) stretch(list []input.Input, i, off, way int) []input.Input {
	list, in := slices.Clone(list), list[i]
	b, halves, text := stretching[way%len(stretching)], way/len(stretching), int64(textOf(in))
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
		b = data[int64(off)]
	}
	shift(data, int64(off), more)
	for k := range more {
		data[int64(off)+k] = b
	}
	list[i].Bytes = data
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
