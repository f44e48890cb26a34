package replay

import (
	"encoding/binary"
	"slices"

	word "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/policy"
)

// met holds numbers that executions compared with others, by the other one. An input that is compared, as it is, with
// what the program computes or counts is likely to matter where both are equal: "REDQUEEN: Fuzzing with Input-to-State
// Correspondence" (Aschermann et al., NDSS 2019).
type met struct {
	with map[uint64][]uint64
	left int // further pairs that are kept
}

// Differ notes that an execution compared two numbers that were not equal: interp.Options.Differ.
func (m *met) Differ(a, b word.Vec) {
	if a.Width() < 8 || a.Width() > 64 {
		return
	}
	m.note(a.Low64(), b.Low64())
	m.note(b.Low64(), a.Low64())
}

func (m *met) note(a, b uint64) {
	list := m.with[a]
	switch {
	case slices.Contains(list, b):
	case len(list) == policy.MetEach:
		list[b%policy.MetEach] = b
	case m.left > 0:
		m.left--
		m.with[a] = append(list, b)
	}
}

// meeting returns a number that one like v was compared with; false: there is none.
func (m *Mutants) meeting(v word.Vec) (word.Vec, bool) {
	w := v.Width()
	if w == 0 || w > 64 {
		return v, false
	}
	n, shift := v.Low64(), 64-w
	list := slices.Concat(m.with[n], m.with[uint64(int64(n<<shift)>>shift)])
	if len(list) == 0 {
		return v, false
	}
	return word.NewInt(w, int64(list[m.below(len(list))])), true
}

// meet writes a number that one like the bytes at off was compared with there: of one byte, or of a word, from either end.
func (m *Mutants) meet(data map[int64]byte, off int64) bool {
	w, big := 1<<m.below(4), m.below(4) == 0 != m.big
	var n uint64
	for i := range w {
		k := i
		if !big {
			k = w - 1 - i
		}
		n = n<<8 | uint64(data[off+int64(k)])
	}
	v, ok := m.meeting(word.New(8*w, n))
	if !ok {
		return false
	}
	for i, b := range bytesOf(v.Low64(), w, big) {
		data[off+int64(i)] = b
	}
	return true
}

// bytesOf is a number in so many bytes.
func bytesOf(n uint64, bytes int, big bool) []byte {
	if big {
		return binary.BigEndian.AppendUint64(nil, n)[8-bytes:]
	}
	return binary.LittleEndian.AppendUint64(nil, n)[:bytes]
}
