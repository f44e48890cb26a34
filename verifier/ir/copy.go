package ir

import (
	"bytes"
)

// Copy returns a copy of m that shares nothing with it, and the instructions of m by those of the copy.
func Copy(m *Module) (*Module, map[*Instr]*Instr) {
	var data bytes.Buffer
	if m.Encode(&data) != nil {
		return nil, nil
	}
	out, err := Decode(data.Bytes())
	if err != nil {
		return nil, nil
	}
	same := map[*Instr]*Instr{}
	for i, f := range out.Funcs {
		for j, b := range f.Blocks {
			for k, in := range b.Instrs {
				same[in] = m.Funcs[i].Blocks[j].Instrs[k]
			}
		}
	}
	return out, same
}
