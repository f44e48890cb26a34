package replay

import (
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

// meet writes a byte that one like it was compared with at off.
func (m *Mutants) meet(data map[int64]byte, off int64) bool {
	v, ok := m.meeting(word.NewInt(8, int64(data[off])))
	if ok {
		data[off] = byte(v.Low64())
	}
	return ok
}
