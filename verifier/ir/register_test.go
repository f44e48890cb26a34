package ir

import "testing"

// TestMisuse: an access misuses a register where all that have one of its bytes refuse it.
func TestMisuse(t *testing.T) {
	s := Semantics{Registers: SortRegisters([]Register{
		{Region: "A", Name: "SR", At: 0x10, Size: 4, Use: ReadOnly},
		{Region: "A", Name: "CR", At: 0x14, Size: 2},
		{Region: "A", Name: "ID", At: 0x16, Size: 2, Use: ReadOnly},
		{Region: "A", Name: "TX", At: 0x18, Size: 4, Use: WriteOnly},
		{Region: "B", Name: "RX", At: 0x18, Size: 4, Use: ReadOnly},
		{Region: "B", Name: "DONE", At: 0x20, Size: 8, Use: ReadOnly},
	})}
	for _, c := range []struct {
		region   string
		at, size uint64
		write    bool
		want     string
	}{
		{"A", 0x10, 4, true, "write of A->SR, which is read-only"},
		{"A", 0x10, 4, false, ""},
		{"A", 0x13, 1, true, "write of A->SR, which is read-only"},
		{"B", 0x10, 4, true, ""}, // not its register
		{"A", 0x14, 4, true, ""}, // one may be written
		{"A", 0x16, 2, true, "write of A->ID, which is read-only"},
		{"A", 0x12, 4, true, ""},
		{"A", 0x18, 4, true, ""}, // two peripherals share it
		{"A", 0x18, 4, false, ""},
		{"B", 0x24, 4, true, "write of B->DONE, which is read-only"},
		{"B", 0x28, 4, true, ""}, // nothing is described there
	} {
		if got := s.Misuse(c.region, c.at, c.size, c.write); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
