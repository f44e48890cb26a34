package replay

import (
	"bytes"
	"maps"
	"slices"

	word "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Mutants makes inputs for many executions of a program, by a fixed generator: those with which an execution went a new
// way, changed in a few places, and now and then any others. Changes are to what the program compares with, to its text
// literals, and to small, great and random numbers. What is asked for again and again is another number some time, since a
// loop may wait for that.
type Mutants struct {
	met
	corpus
	compared *compared
	values   []int64             // that programs compare with
	texts    [][]byte            // text literals, without their zeros, and samples
	samples  [][]byte            // that a block gets as a whole
	placed   int                 // of these, so far
	sizes    map[*ir.Instr]int64 // bytes that an instruction asked for
	big      bool                // words begin with the high byte
	random   uint64
	drawn    int
	trying   neighbours // of inputs that came near
	longer   neighbours // likewise
}

// NewMutants returns a maker of inputs for m. What others compare with, and their texts, are worth a try, too, and so
// are samples: texts that someone hands to the program.
func NewMutants(samples [][]byte, m *ir.Module, others ...*ir.Module) *Mutants {
	out := &Mutants{met: met{map[uint64][]uint64{}, policy.MetKept}, compared: comparedIn(m), big: m.Layout.BigEndian,
		corpus: corpus{best: map[visits]int{}}, sizes: map[*ir.Instr]int64{}, random: 0x9e3779b97f4a7c15}
	for _, m := range append([]*ir.Module{m}, others...) {
		for _, v := range Constants(m) {
			if !slices.Contains(out.values, v) {
				out.values = append(out.values, v)
			}
		}
		for _, g := range m.Globals {
			if g.Init == nil || g.Init.Kind != ir.ConstBytes || len(out.texts) == policy.MutantTexts {
				continue
			}
			text := slices.Clone(g.Init.Bytes[:min(len(g.Init.Bytes), policy.MutantText)])
			if k := slices.Index(text, 0); k >= 0 {
				text = text[:k]
			}
			out.texts = withText(out.texts, text)
		}
	}
	for _, s := range samples {
		out.samples = withText(out.samples, s)
	}
	out.texts = append(out.texts, out.samples...)
	return out
}

// Next returns the inputs to try next. The first are zeros.
func (m *Mutants) Next() input.Source {
	m.drawn++
	if list := m.sampled(); list != nil {
		return &mutant{m: m, list: list}
	}
	if m.drawn%2 == 0 {
		if list := m.beside(); list != nil {
			return &mutant{m: m, list: list}
		}
	}
	if m.drawn == 1 || len(m.kept) == 0 || m.below(policy.MutantsOfNone) == 0 {
		return &mutant{m: m, zeros: m.drawn == 1, asked: map[*ir.Instr]int{}}
	}
	list := m.chosen()
	for range 1 << m.below(4) {
		i := m.below(len(list))
		if m.below(8) > 0 || !end(list, i, 1+m.below(textOf(list[i])+1)) {
			list[i] = m.changed(list, i)
		}
	}
	return &mutant{m: m, list: list}
}

// below returns a number from 0 to n-1; n is at least 1.
func (m *Mutants) below(n int) int {
	m.random ^= m.random << 13
	m.random ^= m.random >> 7
	m.random ^= m.random << 17
	return int(m.random >> 11 % uint64(n))
}

// changed returns another input in the place of number i.
func (m *Mutants) changed(list []input.Input, i int) input.Input {
	in := list[i]
	if in.Kind == input.Havoc {
		data := copied(in.Bytes)
		for range 1 << m.below(3) {
			m.write(in.Instr, data)
		}
		in.Bytes = data
		return in
	}
	w := in.Value.Width()
	if w == 0 || in.Kind == input.Bytes || in.Kind == input.Base {
		return in
	}
	if m.below(3) == 0 {
		if v, ok := m.meeting(in.Value); ok {
			in.Value = v
			return in
		}
	}
	switch o := list[m.below(len(list))]; {
	case len(m.want.Numbers) > 0 && m.below(4) == 0:
		in.Value = resized(m.want.Numbers[m.below(len(m.want.Numbers))], w)
	case m.below(6) == 0 && o.Value.Width() == w: // numbers that belong together: a length and an index
		in.Value = word.Add(o.Value, word.NewInt(w, int64(m.below(3)-1)))
	case m.below(6) == 0:
		in.Value = word.Add(in.Value, word.NewInt(w, int64(m.below(5)-2)))
	default:
		in.Value = m.value(in.Instr, w)
	}
	return in
}

// value returns a number that is worth a try where at asks for one, nil for a parameter of the entry.
func (m *Mutants) value(at *ir.Instr, width int) word.Vec {
	var n int64
	switch m.below(9) {
	case 0, 1, 2:
		list := []int64{0, 1}
		if at != nil && len(m.compared.consts[flowNode{of: at}]) > 0 {
			list = m.compared.consts[flowNode{of: at}]
		}
		n = list[m.below(len(list))]
	case 3:
		n = m.values[m.below(len(m.values))]
	case 4:
		n = int64(1)<<m.below(1+m.below(min(max(width, 1), 63))) + int64(m.below(3)-1)
	case 5:
		n = -int64(m.below(20))
	case 6:
		n = int64(m.random)
	case 7: // the least one, the greatest, and one beside them
		n = int64(1)<<(min(max(width, 1), 64)-1) - int64(m.below(3))
	default:
		n = int64(m.below(20 + 80*m.below(2)))
	}
	return word.NewInt(width, n)
}

// write changes bytes that at asks for.
func (m *Mutants) write(at *ir.Instr, data map[int64]byte) {
	size := int(min(max(m.sizes[at], 1), policy.MutantBytes))
	off := int64(m.below(size))
	if m.below(2) == 0 {
		off = int64(m.below(min(size, 8)))
	}
	if m.below(4) == 0 && m.meet(data, off) {
		return
	}
	put := func(b ...byte) {
		for i, v := range b {
			data[off+int64(i)] = v
		}
	}
	switch n := m.below(12); {
	case n >= 10 && len(m.want.Numbers) > 0:
		v := m.want.Numbers[m.below(len(m.want.Numbers))]
		w := (v.Width() + 7) / 8
		off -= off % int64(w)
		put(bytesOf(v.Low64(), w, m.big)...)
	case n == 0:
		put(byte(m.random))
	case n == 8: // a longer number or name
		b, n := m.char(at), 1+m.below(12)
		shift(data, off, int64(n))
		put(bytes.Repeat([]byte{b}, n)...)
	case n == 9:
		shift(data, off, -int64(1+m.below(12)))
	case n == 1:
		w := 1 << (1 + m.below(3))
		off -= off % int64(w)
		put(bytesOf(m.value(nil, 8*w).Low64(), w, m.big)...)
	case n == 2:
		b := m.char(at)
		most := 24
		if m.below(2) == 0 {
			most = size
		}
		for range 1 + m.below(most) {
			put(b)
			off++
		}
	case n == 3:
		for i := range int64(1 + m.below(16)) {
			delete(data, off+i)
		}
	case n == 4 || n == 5:
		if len(m.texts) > 0 {
			put(m.texts[m.below(len(m.texts))]...)
			break
		}
		fallthrough
	default:
		put(m.char(at))
	}
}

// shift moves the bytes from off on, by so many; those that others take the place of are gone.
func shift(data map[int64]byte, off, by int64) {
	before := maps.Clone(data)
	maps.DeleteFunc(data, func(i int64, _ byte) bool { return i >= off })
	for i, b := range before {
		if i >= off && i+by >= off && i+by < policy.MutantBytes {
			data[i+by] = b
		}
	}
}

// commonBytes are of all classes of <ctype.h>.
const commonBytes = " \t\n059afzAFZ_-+.,;:"

// char returns a byte that the program compares bytes with, or a common one.
func (m *Mutants) char(at *ir.Instr) byte {
	if m.below(6) == 0 { // tables of the C library tell these apart, which no comparison shows
		return commonBytes[m.below(len(commonBytes))]
	}
	list := m.values
	if at != nil && len(at.Args) > 0 && m.below(3) > 0 {
		if own := m.compared.consts[stored(at.Args[0])]; len(own) > 0 {
			list = own
		}
	}
	return byte(list[m.below(len(list))])
}

// mutant is a source of a list of inputs, as far as the execution asks for them, and of others.
type mutant struct {
	input.Zeros
	m     *Mutants
	list  []input.Input
	zeros bool
	asked map[*ir.Instr]int // how often for a number, if zeros
}

// take returns the next input of the list that is asked for by at; those before it are left out.
func (t *mutant) take(kind input.Kind, at *ir.Instr) (in input.Input, ok bool) {
	k := slices.IndexFunc(t.list, func(in input.Input) bool { return in.Kind == kind && in.Instr == at })
	if k < 0 {
		return in, false
	}
	in, t.list = t.list[k], t.list[k+1:]
	return in, true
}

// Next implements input.Source.
func (t *mutant) Next(kind input.Kind, at *ir.Instr, width int) (word.Vec, bool) {
	in, ok := t.take(kind, at)
	if t.zeros {
		t.asked[at]++
	}
	switch {
	case ok && in.Value.Width() == width:
		return in.Value, true
	case t.zeros && t.asked[at] <= policy.MutantZeros || kind == input.Undef || kind == input.MallocOK && t.m.below(32) > 0:
		return t.Zeros.Next(kind, at, width)
	case kind == input.MallocOK:
		return word.New(width, 0), true
	}
	return t.m.value(at, width), true
}

// Havoc implements input.Source.
func (t *mutant) Havoc(at *ir.Instr, n int64) (func(i int64) byte, bool) {
	t.m.sizes[at] = n
	in, ok := t.take(input.Havoc, at)
	data := in.Bytes
	if !ok && !t.zeros {
		data = map[int64]byte{}
		for range t.m.below(4) {
			t.m.write(at, data)
		}
	}
	return func(i int64) byte { return data[i] }, true
}
