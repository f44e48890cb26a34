package frontend

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// parseLayout reads a data layout string (LangRef: Data Layout) over LLVM's
// defaults. Alignments are ABI alignments in bytes.
func parseLayout(text string) (ir.Layout, map[int]int, error) {
	l := ir.Layout{
		PtrBits: 64, PtrAlign: 8, AggAlign: 1, Text: text,
		IntAlign: map[int]int{1: 1, 8: 1, 16: 2, 32: 4, 64: 4},
		FltAlign: map[int]int{16: 2, 32: 4, 64: 8, 128: 16},
		VecAlign: map[int]int{64: 8, 128: 16},
	}
	spaces := map[int]int{}
	for _, part := range strings.Split(text, "-") {
		if part == "" {
			continue
		}
		if err := layoutPart(&l, spaces, part); err != nil {
			return l, nil, fmt.Errorf("data layout %q: part %q: %w", text, part, err)
		}
	}
	spaces[0] = l.PtrBits
	return l, spaces, nil
}

func layoutPart(l *ir.Layout, spaces map[int]int, part string) error {
	head, rest := part[:1], part[1:]
	switch head {
	case "e", "E":
		if rest == "" {
			l.BigEndian = head == "E"
		}
		return nil
	case "P":
		n, err := strconv.Atoi(rest)
		l.FuncSpace = n
		return err
	case "p", "i", "f", "v", "a":
		return layoutAlign(l, spaces, head, strings.Split(rest, ":"))
	}
	return nil // m: mangling, n: native widths, S: stack, F: function pointers, A, G, ni: no meaning here
}

// layoutAlign reads `p[n]:size:abi...`, `i|f|v size:abi...` and `a:abi...`.
func layoutAlign(l *ir.Layout, spaces map[int]int, head string, f []string) error {
	num := func(i int) (int, error) {
		if i >= len(f) {
			return 0, fmt.Errorf("number missing")
		}
		if f[i] == "" {
			return 0, nil
		}
		return strconv.Atoi(f[i])
	}
	space, size := 0, 0
	var err error
	abiAt := 1
	switch head {
	case "p":
		if space, err = num(0); err != nil {
			return err
		}
		if size, err = num(1); err != nil {
			return err
		}
		abiAt = 2
	case "a":
	default:
		if size, err = num(0); err != nil {
			return err
		}
	}
	abi := size
	if abiAt < len(f) {
		if abi, err = num(abiAt); err != nil {
			return err
		}
	}
	bytes := max(1, (abi+7)/8)
	switch head {
	case "p":
		spaces[space] = size
		if space == 0 {
			l.PtrBits, l.PtrAlign = size, bytes
		}
	case "i":
		l.IntAlign[size] = bytes
	case "f":
		l.FltAlign[size] = bytes
	case "v":
		l.VecAlign[size] = bytes
	case "a":
		l.AggAlign = bytes
	}
	return nil
}
