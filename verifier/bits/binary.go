package bits

import (
	"encoding/binary"
	"errors"
)

// errForm says that bytes are no Vec.
var errForm = errors.New("bits: malformed vector")

// AppendBinary writes v: its width, then ceil(w/8) bytes, least significant first
// (encoding.BinaryAppender).
func (v Vec) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(v.w))
	low := binary.LittleEndian.AppendUint64(nil, v.lo)
	if v.w < 64 {
		low = low[:(v.w+7)/8]
	}
	return append(append(b, low...), v.hi...), nil
}

// MarshalBinary returns the bytes that AppendBinary writes.
func (v Vec) MarshalBinary() ([]byte, error) { return v.AppendBinary(nil) }

// UnmarshalBinary reads what AppendBinary wrote, and nothing after it.
func (v *Vec) UnmarshalBinary(b []byte) error {
	w, n := binary.Uvarint(b)
	if n <= 0 || w > 1<<31 {
		return errForm
	}
	if b = b[n:]; uint64(len(b)) != (w+7)/8 {
		return errForm
	}
	if r := w % 8; r != 0 && b[len(b)-1]>>r != 0 {
		return errForm
	}
	var low [8]byte
	k := copy(low[:], b)
	*v = Vec{w: uint32(w), lo: binary.LittleEndian.Uint64(low[:]), hi: string(b[k:])}
	return nil
}
